#include "fabric/check/adaptive/check_adaptive_internal.h"

void check_adaptive_find(const bough_routing *routing, bough_check_adaptive *adaptive) {
    *adaptive = (bough_check_adaptive){0};
    adaptive->known = bough_routing_adaptive(routing, &adaptive->groups, NULL);
    if (adaptive->known) bough_adaptive_count(routing, &adaptive->counts);
}

bool check_adaptive_fails(const bough_routing *routing) {
    return bough_routing_adaptive(routing, NULL, NULL) && !bough_routing_deterministic(routing);
}

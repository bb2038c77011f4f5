#include "support/places.h"

#include "support/cube.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

place place_make(const char *net, const char *routing) {
    place p;
    bough_error error = {0};
    bool own = strncmp(net, "cube:", 5) == 0 && net[5] >= '0' && net[5] <= '9';
    bough_status status =
        own ? cube_create((unsigned)atoi(net + 5), &p.net, &error) : bough_net_create(net, &p.net, &error);
    if (status) fail_msg("%s: %s %s", net, error.place, error.reason);
    if (bough_routing_create(p.net, routing, &p.routing, &error))
        fail_msg("%s, %s: %s %s", net, routing, error.place, error.reason);
    return p;
}

void place_free(place *p) {
    bough_routing_destroy(p->routing);
    bough_net_destroy(p->net);
}

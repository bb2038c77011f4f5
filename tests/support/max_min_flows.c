#include "support/max_min_flows.h"

void max_min_enter_parts(max_min *f, uint32_t id, const uint32_t *link, const uint32_t *weight,
                         uint32_t parts) {
    max_min_come(f, id, parts);
    max_min_place(f, id, link, weight);
    max_min_attach(f, id, 0, 1);
}

void max_min_enter(max_min *f, uint32_t id, const uint32_t *path, uint32_t hops) {
    max_min_enter_parts(f, id, path, NULL, hops);
}

void max_min_leave(max_min *f, uint32_t id) {
    const max_min_flow *g = &f->flow[id];
    for (uint32_t c = g->first; c < g->first + g->hops; c++) max_min_detach(f, c);
    max_min_release(f, id);
}

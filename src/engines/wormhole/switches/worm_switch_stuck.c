/* A waiting head can move eventually if one of the links it may take has a free channel, or one whose message
 * can move. The heads that remain when this rule adds no more are deadlocked (a knot). Body flits never
 * block: the channels of a message are its own, and links serve their channels in turn. */
#include "engines/wormhole/switches/worm_switch_state.h"

static bool can_be_freed(const worm_switch *w, uint64_t link, uint32_t class) {
    if (!bough_link_alive(w->net, link)) return false;
    for (; class; class &= class - 1) {
        uint32_t v = (uint32_t)__builtin_ctz(class);
        uint32_t m = w->channel[link << w->shift | v].message;
        if (m == SWITCH_NONE || w->message[m].live) return true;
    }
    return false;
}

static bool can_move(const worm_switch *w, const switch_message *s) {
    for (uint32_t i = 0; i < s->route.count; i++)
        if (can_be_freed(w, bough_route_link(&s->route, i), switch_class_of(w, s))) return true;
    return false;
}

bough_status switch_stuck(sim_engine *engine, uint64_t *count, uint64_t *link, bough_error *error) {
    worm_switch *w = (worm_switch *)engine;
    (void)error;
    *count = 0;
    for (uint32_t m = 0; m < w->messages; m++) {
        w->message[m].live = !w->message[m].waits;
        *count += w->message[m].waits;
    }
    for (bool changed = true; changed && *count > 0;) {
        changed = false;
        for (uint32_t m = 0; m < w->messages; m++) {
            switch_message *s = &w->message[m];
            if (s->live || !can_move(w, s)) continue;
            s->live = changed = true;
            --*count;
        }
    }
    uint32_t first = 0;
    while (first < w->messages && w->message[first].live) first++;
    if (first < w->messages) *link = bough_route_link(&w->message[first].route, 0);
    return BOUGH_OK;
}

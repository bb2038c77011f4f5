/* A waiting head can move eventually if one of the links it may take has a free channel, or one whose message
 * can move. The heads that remain when this rule adds no more are deadlocked (a knot). Body flits never
 * block: the channels of a message are its own, and links serve their channels in turn. */
#include "engines/wormhole/worm_switch_state.h"

static bool lets_go(const worm_switch *w, uint64_t link) {
    if (!bough_link_alive(w->net, link)) return false;
    for (uint32_t v = 0; v < w->o.vcs; v++) {
        uint32_t m = w->channel[link << w->shift | v].message;
        if (m == SWITCH_NONE || w->message[m].live) return true;
    }
    return false;
}

static bool goes_on(const worm_switch *w, const switch_message *s) {
    for (uint32_t i = 0; i < s->route.count; i++)
        if (lets_go(w, bough_route_link(&s->route, i))) return true;
    return false;
}

bough_status switch_stuck(sim_engine *engine, uint64_t *count, uint64_t *link, uint64_t limit,
                          bough_error *error) {
    worm_switch *w = (worm_switch *)engine;
    uint64_t said = 0;
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
            if (s->live || !goes_on(w, s)) continue;
            s->live = changed = true;
            --*count;
        }
    }
    for (uint32_t m = 0; m < w->messages && said < limit; m++)
        if (!w->message[m].live) link[said++] = bough_route_link(&w->message[m].route, 0);
    return BOUGH_OK;
}

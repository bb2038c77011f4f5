/* Inverts the routes: for every link, the packets that cross it and the position in their routes. Then
 * follows the route of each packet and records every packet that it meets, with both positions. A packet that
 * was met before must have been met at the previous link, in both routes. */
#include "engines/packet/packet_meetings.h"

#include "base/memory/memory.h"
#include "base/status/try.h"

typedef struct crossing {
    uint32_t packet, place; /* place: in its route */
} crossing;

/* The last position at which the current route met another packet's. */
typedef struct met {
    uint32_t by, here, there; /* by: 1 + the current packet */
} met;

typedef struct crossings_by_link {
    const packet_trace *t;
    unsigned phase;
    uint32_t *first; /* per link, and one more: its crossings are first[l] .. first[l + 1] - 1 */
    crossing *crossing;
    met *met;
    packet_meetings *m;
} crossings_by_link;

static uint32_t route_of(const packet_trace *t, unsigned phase, uint64_t packet, const uint32_t **route) {
    uint32_t from = phase ? t->length[packet][0] : 0;
    *route = t->route + packet * t->stride + from;
    return t->length[packet][phase] - from;
}

static bough_status invert(crossings_by_link *a, bough_error *error) {
    const packet_trace *t = a->t;
    const uint32_t *route;
    uint64_t all = 0;
    for (uint64_t p = 0; p < t->packets; p++) all += route_of(t, a->phase, p, &route);
    if (all >= UINT32_MAX)
        return bough_fail(error, BOUGH_TOO_LARGE, NULL,
                          "too many routes to compare: they have 2^32 links in total");
    bough_status status = bough_alloc(&a->first, t->links + 2, sizeof *a->first, error);
    TRY(bough_alloc(&a->crossing, all, sizeof *a->crossing, error));
    if (status) return status;
    for (uint64_t p = 0; p < t->packets; p++)
        for (uint32_t k = route_of(t, a->phase, p, &route); k-- > 0;) a->first[route[k] + 2]++;
    for (uint64_t l = 2; l < t->links + 2; l++) a->first[l] += a->first[l - 1];
    for (uint64_t p = 0; p < t->packets; p++) {
        uint32_t length = route_of(t, a->phase, p, &route);
        for (uint32_t k = 0; k < length; k++)
            a->crossing[a->first[route[k] + 1]++] = (crossing){(uint32_t)p, k};
    }
    return BOUGH_OK;
}

/* Processes all packets on the place-th link of a packet's route; returns the number met for the first
 * time. */
static uint64_t meet_on_link(crossings_by_link *a, uint32_t packet, uint32_t place, uint32_t link) {
    uint64_t fresh = 0;
    for (uint32_t i = a->first[link]; i < a->first[link + 1]; i++) {
        crossing c = a->crossing[i];
        met *last = &a->met[c.packet];
        if (c.packet == packet) continue;
        bool before = last->by == packet + 1;
        if (!before) {
            fresh++;
        } else if (last->here + 1 != place || last->there + 1 != c.place) {
            if (a->m->returns == 0) {
                a->m->back[0] = packet;
                a->m->back[1] = c.packet;
                a->m->back_link = link;
            }
            a->m->returns++;
        }
        *last = (met){packet + 1, place, c.place};
    }
    return fresh;
}

bough_status packet_meet(const packet_trace *t, unsigned phase, packet_meetings *m, bough_error *error) {
    crossings_by_link a = {.t = t, .phase = phase, .m = m};
    const uint32_t *route;
    *m = (packet_meetings){0};
    bough_status status = invert(&a, error);
    TRY(bough_alloc(&a.met, t->packets, sizeof *a.met, error));
    for (uint64_t p = 0; p < t->packets && !status; p++) {
        uint32_t length = route_of(t, phase, p, &route), delay = t->delay[p][phase];
        uint64_t sharers = 0;
        for (uint32_t k = 0; k < length; k++) sharers += meet_on_link(&a, (uint32_t)p, k, route[k]);
        m->sharers += sharers;
        if (sharers > m->sharers_max) m->sharers_max = sharers;
        if (delay <= sharers) continue;
        if (m->late++ == 0) m->late_packet = (uint32_t)p, m->late_by = delay, m->late_sharers = sharers;
    }
    m->pairs = m->sharers / 2;
    FREE_ALL(a.first, a.crossing, a.met);
    return status;
}

/* What the timed engine adds to the record of a trial (traffic/timeline/timeline.h). */
#include "engines/packet/packet_timed_state.h"
#include "traffic/timeline/timeline.h"

static uint64_t bytes_of(const engine *e, const packet *p) {
    const flight *f = &e->flight[p->message];
    return e->header + (p->last ? f->bytes - (f->packets - 1) * e->o.packet : e->o.packet);
}

/* A link sends a packet from now on. */
void timed_see_packet(engine *e, uint32_t link, uint32_t slot, uint64_t lasts) {
    timeline_carry(e->seen, link, e->now, e->now + lasts, 8 * (double)bytes_of(e, &e->packet[slot]));
}

/* A packet leaves the queue of a link. At the source the packets of a message wait for each other, so only
 * the first counts. */
void timed_see_wait(engine *e, uint32_t link, uint32_t slot) {
    const packet *p = &e->packet[slot];
    const flight *f = &e->flight[p->message];
    if (p->hops)
        timeline_lose(e->seen, f->id, link, e->now - e->joined[slot]);
    else if (p->number == f->first)
        timeline_lose(e->seen, f->id, link, e->now - f->start);
}

/* ---- the time of a message that is alone ---- */

/* The ends of packets on the links of a path so far. */
typedef struct alone {
    uint64_t first, last; /* of the first full packet, of the last one */
    uint64_t slowest;     /* rate */
    uint64_t links;
} alone;

/* The last packet follows the full ones, which follow each other at the pace of the slowest link. */
static void add_link(const engine *e, const flight *f, uint32_t link, alone *a) {
    const timed_link *l = &e->link[link];
    uint64_t full = e->o.packet + e->header, rest = f->packets - 1,
             tail = f->bytes - rest * e->o.packet + e->header,
             onward = a->links ? e->delay + e->switch_delay : 0;
    a->links++;
    if (l->rate < a->slowest) a->slowest = l->rate;
    a->first += onward + l->full.whole;
    uint64_t before = rest ? a->first + timed_span_of((rest - 1) * full, a->slowest).whole : 0;
    a->last += onward;
    if (before > a->last) a->last = before;
    a->last += timed_span_of(tail, l->rate).whole;
}

/* Follows a flow over first live links. */
static void add_flow(engine *e, const flight *f, const bough_flow *flow, alone *a) {
    uint64_t node = flow->source, target = bough_address_node(e->net, flow->address);
    while (node != target && !e->status) {
        uint32_t link = a->links < e->limit ? timed_first_link(e, flow, node) : NONE;
        if (link == NONE) return; /* the message itself fails there */
        add_link(e, f, link, a);
        node = e->net->ops->link_end(e->net, link).node;
    }
}

void timed_see_message(engine *e, uint32_t message, uint32_t aim) {
    const flight *f = &e->flight[message];
    uint64_t key = bough_flow_key(e->routing, e->key, f->id);
    alone a = {.slowest = UINT64_MAX};
    const bough_flow first = {f->source, aim, key};
    add_flow(e, f, &first, &a);
    if (aim != f->address) {
        const bough_flow second = {(uint32_t)bough_address_node(e->net, aim), f->address, key};
        add_flow(e, f, &second, &a);
    }
    timeline_alone(e->seen, f->id, a.links ? a.last + e->delay : 0);
}

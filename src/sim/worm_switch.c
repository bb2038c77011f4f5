/* A trial, and the steps of a cycle in the order of the header. Between deliveries a cycle can be left and
 * taken up again, so that the caller's array may have any size. */
#include "sim/worm_switch.h"

#include "base/memory.h"
#include "sim/worm_switch_state.h"

#include <stdlib.h>
#include <string.h>

static unsigned shift_for(uint32_t vcs) {
    unsigned shift = 0;
    while (1u << shift < vcs) shift++;
    return shift;
}

/* Messages that hold channels are at most one a channel; credits under way at most two a link and cycle. */
uint64_t worm_switch_bytes(const bough_point *p, const worm_options *o) {
    const bough_net *net = p->net;
    uint64_t channels = bough_mul(net->links, UINT64_C(1) << shift_for(o->vcs));
    if (channels >= SWITCH_NEW || net->groups >= SWITCH_NEW || net->nodes >= SWITCH_NEW) return UINT64_MAX;
    uint64_t slots = bough_mul(channels, o->buffer),
             cycles = bough_mul(2 * net->links, o->credit + UINT64_C(2));
    uint64_t bytes = bough_mul(net->links, sizeof(switch_link) + 2 * 4 + 8 + 3 * 8 +
                                               (p->routing->kind->wants_load ? 4 : 0));
    bytes = bough_add(bytes, bough_mul(channels, sizeof(switch_channel)));
    bytes = bough_add(bytes, bough_mul(slots < cycles ? slots : cycles, 4));
    bytes = bough_add(bytes, bough_mul(net->groups, sizeof(switch_group) + 4));
    bytes = bough_add(
        bytes, bough_mul(net->endpoints < channels ? net->endpoints : channels, sizeof(switch_message)));
    return o->credit ? bytes : bough_add(bytes, switch_order_bytes(net->groups));
}

static bough_status check(const bough_point *p, const worm_options *o, bough_error *error) {
    static const char out_of_range[] = "%s must be %u .. %u, not %u";
    if (o->vcs < 1 || o->vcs > WORM_SWITCH_VCS)
        return bough_fail(error, BOUGH_INVALID, "vcs", out_of_range, "virtual channels", 1, WORM_SWITCH_VCS,
                          o->vcs);
    if (o->buffer < 1 || o->buffer > WORM_SWITCH_BUFFER)
        return bough_fail(error, BOUGH_INVALID, "buffer", out_of_range, "flits of a buffer", 1,
                          WORM_SWITCH_BUFFER, o->buffer);
    if (o->credit > WORM_SWITCH_CREDIT)
        return bough_fail(error, BOUGH_INVALID, "credit", out_of_range, "cycles of a credit", 0,
                          WORM_SWITCH_CREDIT, o->credit);
    return bough_memory_check(worm_switch_bytes(p, o), "the switches", error);
}

static bough_status allocate(worm_switch *w, bough_error *error) {
    uint64_t links = w->net->links, groups = w->net->groups;
    bough_status status = bough_alloc(&w->link, links, sizeof *w->link, error);
    if (!status) status = bough_alloc(&w->channel, links << w->shift, sizeof *w->channel, error);
    if (!status) status = bough_alloc(&w->group, groups, sizeof *w->group, error);
    if (!status) status = bough_alloc(&w->active, w->words << 6, sizeof *w->active, error);
    if (!status) status = bough_alloc(&w->some, w->words, sizeof *w->some, error);
    if (!status) status = bough_alloc(&w->stirred, groups, sizeof *w->stirred, error);
    if (!status) status = bough_alloc(&w->credit, w->o.credit + UINT64_C(2), sizeof *w->credit, error);
    if (!status) status = bough_alloc(&w->free, w->net->group_max, sizeof *w->free, error);
    if (!status) status = bough_alloc(&w->load, w->net->group_max, sizeof *w->load, error);
    if (!status && w->routing->kind->wants_load)
        status = bough_alloc(&w->used, links, sizeof *w->used, error);
    if (!status) status = bough_alloc(&w->counts.grants, links, sizeof *w->counts.grants, error);
    if (!status) status = bough_alloc(&w->counts.waited, links, sizeof *w->counts.waited, error);
    if (!status) status = bough_alloc(&w->counts.held, links, sizeof *w->counts.held, error);
    if (!status && w->o.credit == 0) status = switch_order_make(groups, &w->sequence, error);
    return status;
}

bough_status worm_switch_make(const bough_point *p, const worm_options *o, worm_switch **out,
                              bough_error *error) {
    worm_switch *w;
    *out = NULL;
    bough_status status = check(p, o, error);
    if (!status) status = bough_alloc(&w, 1, sizeof *w, error);
    if (status) return status;
    w->net = p->net;
    w->routing = p->routing;
    w->o = *o;
    w->shift = shift_for(o->vcs);
    w->words = (p->net->links >> 12) + 1;
    status = allocate(w, error);
    if (status)
        worm_switch_free(w);
    else
        *out = w;
    return status;
}

void worm_switch_free(worm_switch *w) {
    if (!w) return;
    for (uint64_t i = 0; w->credit && i < w->o.credit + UINT64_C(2); i++) free(w->credit[i].item);
    void *all[] = {w->link,          w->channel,       w->group,      w->message, w->active,
                   w->stirred,       w->moved.item,    w->heads.item, w->credit,  w->tail,
                   w->member.item,   w->order.item,    w->free,       w->load,    w->used,
                   w->counts.grants, w->counts.waited, w->counts.held};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    switch_order_free(w->sequence);
    free(w);
}

void worm_switch_start(worm_switch *w, bough_key key, bough_source *source) {
    uint64_t links = w->net->links, groups = w->net->groups;
    w->key = key;
    w->source = source;
    w->now = w->backlog = w->moved_last = 0;
    w->stirred_count = w->tails = w->told = w->messages = 0;
    w->moved.count = w->heads.count = 0;
    w->unused = SWITCH_NONE;
    w->begun = false;
    memset(w->active, 0, (w->words << 6) * sizeof *w->active);
    memset(w->some, 0, w->words * sizeof *w->some);
    for (uint64_t i = 0; i < w->o.credit + UINT64_C(2); i++) w->credit[i].count = 0;
    for (uint64_t l = 0; l < links; l++)
        w->link[l] = (switch_link){.free = UINT32_MAX >> (32 - w->o.vcs), .last = (uint8_t)(w->o.vcs - 1)};
    for (uint64_t c = 0; c < links << w->shift; c++)
        w->channel[c] = (switch_channel){.message = SWITCH_NONE, .credits = (uint16_t)w->o.buffer};
    for (uint64_t g = 0; g < groups; g++) w->group[g] = (switch_group){.first = SWITCH_NONE};
    if (w->used) memset(w->used, 0, links * sizeof *w->used);
    if (w->sequence) switch_order_start(w->sequence);
    worm_switch_reset(w);
}

static int by_id(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Step 1. false: there are more than out can take. */
static bool tell(worm_switch *w, worm_delivery *out, uint32_t capacity, uint32_t *count) {
    if (!w->begun && w->tails > 1) qsort(w->tail, w->tails, sizeof *w->tail, by_id);
    w->begun = true;
    for (; w->told < w->tails; w->told++) {
        if (*count == capacity) return false;
        uint32_t m = (uint32_t)w->tail[w->told];
        switch_message *s = &w->message[m];
        out[(*count)++] =
            (worm_delivery){s->offered, s->entered, w->now, s->id, s->source, s->address, s->hops};
        if (w->source->delivered) w->source->delivered(w->source, s->id, w->now);
        s->next = w->unused;
        w->unused = m;
        w->backlog--;
    }
    w->tails = w->told = 0;
    return true;
}

static bough_status cycle(worm_switch *w, bough_error *error) {
    switch_take_credits(w);
    bough_status status = switch_join_all(w, error);
    if (!status && w->o.credit) status = switch_serve_all(w, error);
    if (!status) status = switch_make_room(w, error);
    if (status) return status;
    if (w->o.credit)
        switch_cross_all(w);
    else
        status = switch_in_order(w, error);
    switch_settle(w);
    return status;
}

/* When nothing is under way nothing happens until the source has something. */
static void skip(worm_switch *w, uint64_t until) {
    if (w->now <= w->moved_last + w->o.credit + 1) return; /* a credit is under way */
    if (w->stirred_count || w->heads.count || w->tails || switch_any_active(w)) return;
    uint64_t next = w->source->next_time(w->source);
    if (next > until) next = until;
    if (next > w->now) w->now = next;
}

bough_status worm_switch_advance(worm_switch *w, uint64_t until, worm_delivery *out, uint32_t capacity,
                                 uint32_t *count, const atomic_bool *stop, bough_error *error) {
    *count = 0;
    for (uint32_t turn = 0; w->now < until; turn++) {
        if (stop && turn % 256 == 0 && atomic_load_explicit(stop, memory_order_relaxed))
            return bough_fail(error, BOUGH_INTERRUPTED, NULL, "interrupted");
        if (!tell(w, out, capacity, count)) return BOUGH_OK;
        bough_status status = cycle(w, error);
        if (status) return status;
        w->begun = false;
        w->now++;
        skip(w, until);
    }
    return BOUGH_OK;
}

uint64_t worm_switch_now(const worm_switch *w) {
    return w->now;
}
uint64_t worm_switch_backlog(const worm_switch *w) {
    return w->backlog;
}
const worm_counts *worm_switch_counts(const worm_switch *w) {
    return &w->counts;
}
void worm_switch_reset(worm_switch *w) {
    memset(w->counts.grants, 0, w->net->links * sizeof *w->counts.grants);
    memset(w->counts.waited, 0, w->net->links * sizeof *w->counts.waited);
    memset(w->counts.held, 0, w->net->links * sizeof *w->counts.held);
}

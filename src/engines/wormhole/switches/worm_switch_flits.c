/* Crossings of a cycle only record their effects elsewhere: switch_settle puts the flit into the far buffer,
 * and the slot that it left returns as a credit. So links can be served in any order. */
#include "base/status/try.h"
#include "engines/wormhole/switches/worm_switch_state.h"

#include "base/memory/memory.h"
#include "base/memory/prefetch.h"

bough_status switch_reserve(switch_list *list, uint64_t more, bough_error *error) {
    return bough_grow(&list->item, &list->capacity, list->count + more, sizeof *list->item, error);
}

/* Large networks do not fit in caches: prefetch distance. */
#define AHEAD 8

BOUGH_FETCHES void fetch(const worm_switch *w, uint32_t channel) {
    __builtin_prefetch(&w->channel[channel], 1);
    __builtin_prefetch(&w->link[switch_link_of(w, channel)], 1);
}

static switch_list *credits_of(worm_switch *w, uint64_t cycle) {
    return &w->credit[cycle % ((uint64_t)w->o.credit + 2)];
}

/* Branch-free, because it is unpredictable whether an arriving flit makes its channel ready. */
static inline void set_ready_if(worm_switch *w, uint32_t channel, bool ready) {
    uint32_t l = switch_link_of(w, channel), v = channel & ((1u << w->shift) - 1);
    w->link[l].ready |= (uint32_t)ready << v;
    w->active[l >> 6] |= (uint64_t)ready << (l & 63);
    w->some[l >> 12] |= (uint64_t)ready << (l >> 6 & 63);
}

void switch_set_ready(worm_switch *w, uint32_t channel) {
    set_ready_if(w, channel, true);
}

static void set_free(worm_switch *w, uint32_t channel) {
    uint32_t l = switch_link_of(w, channel);
    uint32_t g = (uint32_t)w->net->ops->link_group(w->net, l);
    w->link[l].free |= UINT32_C(1) << (channel & ((1u << w->shift) - 1));
    w->group[g].freed = true;
    if (w->group[g].first != SWITCH_NONE) switch_mark_busy(w, g);
}

void switch_take_credits(worm_switch *w) {
    switch_list *list = credits_of(w, w->base.now);
    const bool wires = w->wires;
    for (uint32_t i = 0; i < list->count; i++) {
        if (i + AHEAD < list->count) fetch(w, list->item[i + AHEAD]);
        uint32_t channel = list->item[i];
        switch_channel *c = &w->channel[channel];
        bool ready = (c->credits++ == 0) & (c->at_start > 0);
        set_ready_if(w, channel, ready);
        uint32_t slots = wires ? switch_wire_slots(w, channel) : w->o.buffer;
        if ((c->left == 0) & (c->credits == slots)) set_free(w, channel);
        if (w->sequence && ready)
            switch_list_group(w, (uint32_t)w->net->ops->link_group(w->net, switch_link_of(w, channel)));
    }
    list->count = 0;
}

static uint64_t count_active(const worm_switch *w) {
    uint64_t count = 0;
    for (uint64_t i = 0; i < w->words; i++)
        for (uint64_t some = w->some[i]; some; some &= some - 1)
            count += (uint64_t)__builtin_popcountll(w->active[i << 6 | (uint64_t)__builtin_ctzll(some)]);
    return count;
}

bool switch_any_active(const worm_switch *w) {
    return count_active(w) > 0;
}

bough_status switch_make_room(worm_switch *w, bough_error *error) {
    uint64_t most = w->o.credit ? count_active(w) : w->net->links;
    bough_status status = w->wires ? switch_wires_reserve(w, most, error) : BOUGH_OK;
    if (w->wires) most += switch_wires_landing(w);
    w->left = credits_of(w, w->base.now + w->o.credit);
    w->sinking = credits_of(w, w->base.now + 1 + w->o.credit);
    TRY(switch_reserve(&w->moved, most, error));
    TRY(switch_reserve(&w->heads, most, error));
    TRY(switch_reserve(w->left, most, error));
    TRY(switch_reserve(w->sinking, most, error));
    TRY(bough_grow(&w->tail, &w->tail_capacity, most, sizeof *w->tail, error));
    return status;
}

/* The first ready channel after the last one, cyclically. */
static uint32_t next_ready(const switch_link *link) {
    uint32_t after = link->ready & ~((UINT32_C(2) << link->last) - 1);
    return (uint32_t)__builtin_ctz(after ? after : link->ready);
}

void switch_cross(worm_switch *w, uint32_t l) {
    if (w->wires && !switch_wire_due(w, l)) return;
    switch_link *link = &w->link[l];
    uint32_t v = next_ready(link), channel = l << w->shift | v;
    switch_channel *c = &w->channel[channel];
    link->last = (uint8_t)v;
    c->left--;
    c->at_start--;
    c->credits--;
    link->ready &= ~((uint32_t)((c->at_start == 0) | (c->credits == 0)) << v);
    if (c->from != SWITCH_NONE) {
        switch_put(w->left, c->from);
        if (c->left == 0) w->channel[c->from].message = SWITCH_NONE;
    }
    w->crossed[l]++;
    if (w->wires)
        switch_fly(w, channel);
    else
        switch_put(&w->moved, channel);
}

/* Clears the marks of links that are no longer ready. */
static void tidy_word(worm_switch *w, uint64_t word) {
    uint64_t kept = 0;
    for (uint64_t bits = w->active[word]; bits; bits &= bits - 1) {
        uint64_t l = word << 6 | (uint64_t)__builtin_ctzll(bits);
        kept |= (uint64_t)(w->link[l].ready != 0) << (l & 63);
    }
    w->active[word] = kept;
    w->some[word >> 6] &= ~((uint64_t)(kept == 0) << (word & 63));
}

void switch_cross_all(worm_switch *w) {
    for (uint64_t i = 0; i < w->words; i++)
        for (uint64_t some = w->some[i]; some; some &= some - 1) {
            uint64_t word = i << 6 | (uint64_t)__builtin_ctzll(some);
            for (uint64_t bits = w->active[word]; bits; bits &= bits - 1)
                switch_cross(w, (uint32_t)(word << 6) + (uint32_t)__builtin_ctzll(bits));
            tidy_word(w, word);
        }
}

void switch_tidy_active(worm_switch *w) {
    for (uint64_t i = 0; i < w->words; i++)
        for (uint64_t some = w->some[i]; some; some &= some - 1)
            tidy_word(w, i << 6 | (uint64_t)__builtin_ctzll(some));
}

/* The head is at the end of a link: at its address, or about to queue, perhaps for its second phase. */
static void head_arrived(worm_switch *w, uint32_t channel) {
    uint32_t m = w->channel[channel].message;
    switch_message *s = &w->message[m];
    bough_link_end end = w->net->ops->link_end(w->net, switch_link_of(w, channel));
    s->at = channel;
    s->node = (uint32_t)end.node;
    s->port = end.port;
    bool ends = switch_ends_at(w, s, s->node);
    if (s->node == s->target && !s->second) {
        s->second = true;
        s->aim = s->address;
        s->target = (uint32_t)bough_address_node(w->net, s->address);
    }
    if (ends) {
        w->channel[channel].to = SWITCH_SINK;
        return;
    }
    w->channel[channel].to = SWITCH_NONE;
    switch_put(&w->heads, m);
}

/* The sink takes a flit in the next cycle. last: no other is on the wire. */
static void sink(worm_switch *w, uint32_t channel, bool last) {
    switch_channel *c = &w->channel[channel];
    switch_put(w->sinking, channel);
    if (c->left > 0 || !last) return;
    w->tail[w->tails++] = (uint64_t)w->message[c->message].id << 32 | c->message;
    c->message = SWITCH_NONE;
}

void switch_settle(worm_switch *w) {
    const bool wires = w->wires;
    if (wires) switch_land(w);
    for (uint32_t i = 0; i < w->moved.count; i++) {
        uint32_t channel = w->moved.item[i];
        if (i + AHEAD < w->moved.count) {
            uint32_t to = w->channel[w->moved.item[i + AHEAD]].to;
            if (to < SWITCH_NEW) fetch(w, to);
        }
        switch_channel *c = &w->channel[channel];
        bool last = !wires || switch_wire_last(w, channel);
        if (c->to == SWITCH_NEW) head_arrived(w, channel);
        if (c->to == SWITCH_SINK) {
            sink(w, channel, last);
        } else if (c->to == SWITCH_NONE) {
            c->buffered++;
        } else {
            switch_channel *next = &w->channel[c->to];
            set_ready_if(w, c->to, (next->at_start++ == 0) & (next->credits > 0));
        }
    }
    if (w->moved.count) w->moved_last = w->base.now;
    w->moved.count = 0;
}

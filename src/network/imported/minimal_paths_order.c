/* The order of groups: longest paths over pairs of groups that follow each other. */
#include "network/imported/minimal_paths_build.h"

#include "base/memory/memory.h"
#include "base/status/try.h"

#include <stdlib.h>
#include <string.h>

/* The groups that follow each link on a minimal route. */
typedef struct successions {
    const paths_build *b;
    const flat *f;
    uint32_t *sender; /* endpoints; one of those that the same groups follow */
    uint32_t senders;
    uint32_t *receiver; /* by column: an endpoint; the routes to others differ in the last hop only */
    uint64_t
        *seen_first; /* per link: its first bit, one for each group of the node at its end; or BOUGH_NONE */
    uint64_t *seen;  /* bits: this group follows the link; parts have words of their own */
    uint32_t *last;  /* per link: 1 + the group that followed it last, mostly the same one again */
    uint32_t first, end; /* the current columns */
    /* [column % PATHS_AT_ONCE * switches + switch]: 1 + the group of its route to the column; 0: none */
    uint32_t *group_at;
} successions;

/* An endpoint with one link, to the switch of the endpoint before it: the same groups follow. */
static bool like_previous(const flat *f, uint32_t v) {
    if (v == 0 || f->attach[v] != f->attach[v - 1]) return false;
    uint32_t first = f->node_group[v - 1];
    return f->node_group[v + 1] == first + 2 && f->group_first[first + 2] == f->group_first[first] + 2;
}

static void list_endpoints(successions *s) {
    const flat *f = s->f;
    for (uint32_t e = f->endpoints; e-- > 0;) s->receiver[f->destination_of[f->attach[e] - f->endpoints]] = e;
    for (uint32_t e = 0; e < f->endpoints; e++)
        if (!like_previous(f, e)) s->sender[s->senders++] = e;
}

/* Endpoints that are handled with a part of the switches: from the first to that of the next part. */
static uint32_t sender_part(const successions *s, unsigned part) {
    return (uint32_t)team_part(s->senders, s->b->parts, part);
}

/* Gives bits to the links of a node, from `at` on; returns where the next ones begin. */
static uint64_t place_bits(const successions *s, uint32_t v, uint64_t at) {
    const flat *f = s->f;
    for (uint32_t l = f->group_first[f->node_group[v]]; l < f->group_first[f->node_group[v + 1]]; l++) {
        s->seen_first[l] = at;
        at += f->node_group[f->link_end[l] + 1] - f->node_group[f->link_end[l]];
    }
    return at;
}

static uint64_t place_part(const successions *s, unsigned part, uint64_t at) {
    for (uint32_t i = sender_part(s, part); i < sender_part(s, part + 1); i++)
        at = place_bits(s, s->sender[i], at);
    for (uint32_t v = paths_part(s->b, part); v < paths_part(s->b, part + 1); v++)
        at = place_bits(s, s->f->endpoints + v, at);
    return (at + 63) / 64 * 64;
}

static bough_status make_successions(successions *s, bough_error *error) {
    const flat *f = s->f;
    const bough_array want[] = {
        {&s->sender, f->endpoints, 4},
        {&s->receiver, f->minimal.columns, 4},
        {&s->last, f->links, 4},
        {&s->seen_first, f->links, 8},
        {&s->group_at, bough_mul(PATHS_AT_ONCE, f->switches), 4},
    };
    uint64_t bits = 0;
    bough_status status = bough_alloc_all(want, sizeof want / sizeof *want, error);
    if (status) return status;
    list_endpoints(s);
    for (uint32_t l = 0; l < f->links; l++) s->seen_first[l] = BOUGH_NONE;
    for (unsigned i = 0; i < s->b->parts; i++) bits = place_part(s, i, bits);
    status = bough_memory_check(bits / 8, "the order of links", error);
    TRY(bough_alloc(&s->seen, bits / 64 + 1, sizeof *s->seen, error));
    return status;
}

static uint32_t *groups_to(const successions *s, uint32_t column) {
    return s->group_at + (size_t)(column % PATHS_AT_ONCE) * s->f->switches;
}

/* The link from a switch to an endpoint: the twin of its injection link. */
static const uint32_t *last_hop(const flat *f, uint32_t endpoint) {
    return &f->link_twin[f->group_first[f->node_group[endpoint]]];
}

/* The links of the route at a switch to the receiver of a column. */
static const uint32_t *route_at(const successions *s, uint32_t v, uint32_t column, uint32_t *count) {
    const flat *f = s->f;
    const link_list next = next_links_at(&f->minimal, v * f->minimal.columns + column);
    *count = 1;
    if (f->destination_of[v] == column) return last_hop(f, s->receiver[column]);
    *count = next.count;
    return f->minimal.pool + next.first;
}

static void find_groups_to(void *context, unsigned worker, uint64_t i) {
    const successions *s = context;
    const uint32_t column = s->first + (uint32_t)i;
    uint32_t *group = groups_to(s, column);
    (void)worker;
    for (uint32_t v = 0; v < s->f->switches; v++) {
        uint32_t count;
        const uint32_t *link = route_at(s, v, column, &count);
        group[v] = count ? s->f->link_group[*link] + 1 : 0;
    }
}

/* What a link of a route to a column leads to. */
static void add_next(const successions *s, const uint32_t *group, uint32_t link) {
    const flat *f = s->f;
    uint32_t u = f->link_end[link], next = u < f->endpoints ? 0 : group[u - f->endpoints];
    if (!next || s->last[link] == next) return;
    s->last[link] = next;
    uint64_t bit = s->seen_first[link] + next - 1 - f->node_group[u];
    s->seen[bit / 64] |= UINT64_C(1) << bit % 64;
}

static void add_column(const successions *s, unsigned part, uint32_t column) {
    const flat *f = s->f;
    const uint32_t *group = groups_to(s, column);
    for (uint32_t i = sender_part(s, part); i < sender_part(s, part + 1); i++)
        add_next(s, group, f->group_first[f->node_group[s->sender[i]]]);
    for (uint32_t v = paths_part(s->b, part); v < paths_part(s->b, part + 1); v++) {
        uint32_t count;
        const uint32_t *link = route_at(s, v, column, &count);
        for (uint32_t i = 0; i < count; i++) add_next(s, group, link[i]);
    }
}

static void add_part(void *context, unsigned worker, uint64_t i) {
    const successions *s = context;
    (void)worker;
    for (uint32_t c = s->first; c < s->end; c++) add_column(s, (unsigned)i, c);
}

/* Groups get their orders in rounds: in round r those that follow only groups of earlier rounds. */
typedef struct ordering {
    const successions *s;
    flat *f;
    uint32_t round;
    uint8_t *due[2];   /* by parity of the round: switches that may have such groups */
    uint32_t *ordered; /* per part: groups that got an order in this round */
} ordering;

/* Of the groups at the end of a link, which ones follow it: a bit for each of those from 64 * word on; the
 * bits behind the last one belong to other links. */
static uint64_t followers(const successions *s, uint32_t link, uint32_t word) {
    const uint64_t at = s->seen_first[link] + (uint64_t)word * 64, shift = at % 64;
    const uint64_t *seen = &s->seen[at / 64];
    return shift ? seen[0] >> shift | seen[1] << (64 - shift) : seen[0];
}

/* Other threads give orders at the same time: those of this round. */
static bool has_order(const ordering *o, uint32_t group) {
    return __atomic_load_n(&o->f->group_order[group], __ATOMIC_RELAXED) < o->round;
}

/* Bits of the groups of a switch that follow links of groups without an order. */
static uint64_t blocked(const ordering *o, uint32_t v, uint32_t word) {
    const flat *f = o->f;
    uint64_t bits = 0;
    for (uint32_t l = f->group_first[f->node_group[v]]; l < f->group_first[f->node_group[v + 1]]; l++) {
        const uint32_t in = f->link_twin[l];
        if (o->s->seen_first[in] == BOUGH_NONE || has_order(o, f->link_group[in])) continue;
        bits |= followers(o->s, in, word);
    }
    return bits;
}

static void give_order(const ordering *o, uint32_t group) {
    const flat *f = o->f;
    uint8_t *due = o->due[(o->round + 1) % 2];
    __atomic_store_n(&f->group_order[group], o->round, __ATOMIC_RELAXED);
    for (uint32_t l = f->group_first[group]; l < f->group_first[group + 1]; l++)
        if (f->link_end[l] >= f->endpoints)
            __atomic_store_n(&due[f->link_end[l] - f->endpoints], 1, __ATOMIC_RELAXED);
}

/* Returns how many of the groups of a switch got an order. */
static uint32_t order_switch(const ordering *o, uint32_t v) {
    const flat *f = o->f;
    const uint32_t first = f->node_group[v], count = f->node_group[v + 1] - first;
    uint32_t ordered = 0;
    uint64_t bits = 0;
    for (uint32_t g = 0; g < count; g++) {
        if (g % 64 == 0) bits = blocked(o, v, g / 64);
        if (bits >> g % 64 & 1 || f->group_order[first + g] != BOUGH_NO_INDEX) continue;
        give_order(o, first + g);
        ordered++;
    }
    return ordered;
}

static void order_part(void *context, unsigned worker, uint64_t i) {
    const ordering *o = context;
    const paths_build *b = o->s->b;
    uint8_t *due = o->due[o->round % 2];
    uint32_t ordered = 0;
    (void)worker;
    for (uint32_t v = paths_part(b, (unsigned)i); v < paths_part(b, (unsigned)i + 1); v++) {
        if (!due[v]) continue;
        due[v] = 0;
        ordered += order_switch(o, o->f->endpoints + v);
    }
    o->ordered[i] = ordered;
}

/* Returns how many groups got an order in this round. */
static uint32_t order_round(ordering *o) {
    const paths_build *b = o->s->b;
    uint32_t ordered = 0;
    team_each(b->team, b->parts, order_part, o);
    for (unsigned i = 0; i < b->parts; i++) ordered += o->ordered[i];
    return ordered;
}

/* Longest paths over the successions. *acyclic: there are some. */
static bough_status order_groups(const successions *s, bool *acyclic, bough_error *error) {
    flat *f = s->b->f;
    ordering o = {.s = s, .f = f};
    uint32_t count = f->node_group[f->endpoints];
    bough_status status = bough_alloc(&o.due[0], f->switches, 1, error);
    TRY(bough_alloc(&o.due[1], f->switches, 1, error));
    TRY(bough_alloc(&o.ordered, s->b->parts, sizeof *o.ordered, error));
    if (!status) {
        for (uint32_t g = 0; g < f->groups; g++) f->group_order[g] = BOUGH_NO_INDEX;
        for (uint32_t g = 0; g < count; g++) give_order(&o, g); /* nothing is before an endpoint */
        memset(o.due[0], 1, f->switches);
        for (uint32_t ordered = count; ordered; o.round++) {
            ordered = order_round(&o);
            count += ordered;
            if (o.round == 0) ordered = 1; /* what follows endpoints is due */
        }
        *acyclic = count == f->groups;
    }
    FREE_ALL(o.due[0], o.due[1], o.ordered);
    return status;
}

static bough_status find_successions(successions *s, bough_error *error) {
    const uint32_t columns = (uint32_t)s->f->minimal.columns;
    bough_status status = make_successions(s, error);
    for (s->first = 0; s->first < columns && !status; s->first = s->end) {
        s->end = columns - s->first < PATHS_AT_ONCE ? columns : s->first + PATHS_AT_ONCE;
        team_each(s->b->team, s->end - s->first, find_groups_to, s);
        team_each(s->b->team, s->b->parts, add_part, s);
    }
    return status;
}

bough_status paths_find_order(paths_build *b, bool *found, bough_error *error) {
    flat *f = b->f;
    successions s = {.b = b, .f = f};
    uint32_t top = 0;
    bough_status status = find_successions(&s, error);
    TRY(order_groups(&s, found, error));
    FREE_ALL(s.sender, s.receiver, s.seen_first, s.seen, s.last, s.group_at);
    if (!status && !*found) memset(f->group_order, 0, f->groups * sizeof *f->group_order);
    if (status || !*found) return status;
    for (uint32_t g = 0; g < f->groups; g++)
        if (f->group_order[g] > top) top = f->group_order[g];
    for (uint32_t l = 0; l < f->links; l++) /* links to endpoints come last */
        if (f->link_end[l] < f->endpoints) f->group_order[f->link_group[l]] = top + 1;
    return BOUGH_OK;
}

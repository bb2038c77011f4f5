/* On trees that spread evenly all links of one direction of a channel have the same expected load, so that
 * messages across channels are counted, not paths. A subtree of s of n endpoints sends min(k, n - k, s, n -
 * s) messages out in shift k, as its endpoints are consecutive, and receives as many. */
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "fabric/check/pairs/check_pass.h"
#include "network/physical/physical.h"

#include <string.h>

/* The links of one direction between a subtree and the level above. */
typedef struct channel {
    uint64_t links, size; /* endpoints of the subtree */
    double rate;          /* of each link */
} channel;

struct check_channels {
    unsigned levels;
    uint64_t endpoints;
    channel *item;   /* [(level * endpoints + subtree) * 2 + down]; links 0: there is none */
    uint32_t *count; /* as item: messages of a permutation */
    /* Channels that differ: load under shifts depends on these only. */
    struct channel_kind {
        channel like;
        bool endpoint; /* its links are those of endpoints */
    } * kind;
    size_t kinds;
};

static channel *channel_at(const check_channels *c, unsigned level, uint64_t subtree, bool down) {
    return &c->item[((level * c->endpoints) + subtree) * 2 + down];
}

static channel *channel_of(const check_pass *p, const check_channels *c, uint64_t link) {
    const bough_net *net = p->net;
    bough_group_coverage covered = net->ops->group_coverage(net, net->ops->link_group(net, link));
    bool down = bough_link_direction(net, link) < 0;
    unsigned level = bough_link_level(net, link);
    bough_range own = down ? covered.to.within : covered.from.within;
    return channel_at(c, level, net->ops->subtree(net, level, own.first), down);
}

/* Every subtree is a range of endpoints. */
static bool find_sizes(const bough_net *net, check_channels *c) {
    for (unsigned l = 0; l < c->levels; l++)
        for (uint64_t e = 0; e < net->endpoints; e++) {
            uint64_t s = net->ops->subtree(net, l, e);
            if (s >= net->endpoints || (e > 0 && s < net->ops->subtree(net, l, e - 1))) return false;
            channel_at(c, l, s, false)->size++;
            channel_at(c, l, s, true)->size++;
        }
    return true;
}

/* False if links of one channel have different rates, or not all its links are there. */
static bool find_links(const check_pass *p, check_channels *c) {
    const bough_net *net = p->net;
    for (uint64_t l = 0; l < net->links; l++) {
        channel *of = channel_of(p, c, l);
        if (of->links++ == 0) of->rate = check_rate(p, l);
        if (of->rate != check_rate(p, l)) return false;
    }
    for (uint64_t i = 0; i < 2 * c->levels * c->endpoints; i++) {
        const uint64_t at = i / 2;
        if (!c->item[i].size) continue;
        if (c->item[i].links !=
            net->ops->channel_capacity(net, (unsigned)(at / c->endpoints), at % c->endpoints))
            return false;
    }
    return true;
}

static bool alike(const struct channel_kind *a, const struct channel_kind *b) {
    return a->like.links == b->like.links && a->like.size == b->like.size && a->like.rate == b->like.rate &&
           a->endpoint == b->endpoint;
}

static bough_status find_kinds(arena *memory, check_channels *c, bough_error *error) {
    bough_status status = BOUGH_OK;
    for (uint64_t i = 0; i < 2 * c->levels * c->endpoints && !status; i++) {
        struct channel_kind kind = {c->item[i], i < 2 * c->endpoints};
        size_t k = 0;
        if (!kind.like.links) continue;
        while (k < c->kinds && !alike(&c->kind[k], &kind)) k++;
        if (k < c->kinds) continue;
        status = arena_grow(memory, &c->kind, c->kinds + 1, sizeof *c->kind, error);
        if (!status) c->kind[c->kinds++] = kind;
    }
    return status;
}

bool check_channels_fit(const bough_routing *routing) {
    const unsigned needs = BOUGH_HAS_EVEN | BOUGH_HAS_CHANNELS;
    const bough_net *net = routing->net;
    return (net->capabilities & needs) == needs && routing->kind->even && !routing->kind->oblivious &&
           !net->dead && !net->lost && net->ops->group_coverage && !net->ops->address_node;
}

bough_status check_channels_make(const check_pass *p, check_channels **out, bough_error *error) {
    check_channels *c;
    *out = NULL;
    if (!check_channels_fit(p->routing)) return BOUGH_OK;
    bough_status status = arena_alloc(p->memory, &c, 1, sizeof *c, error);
    if (status) return status;
    c->levels = p->net->levels;
    c->endpoints = p->net->endpoints;
    uint64_t channels = bough_mul(2 * (uint64_t)c->levels, c->endpoints);
    status = bough_net_memory_check(p->net, bough_mul(channels, sizeof *c->item + sizeof *c->count), "check",
                                    error);
    TRY(arena_alloc(p->memory, &c->item, channels, sizeof *c->item, error));
    TRY(arena_alloc(p->memory, &c->count, channels, sizeof *c->count, error));
    bool fits = !status && find_sizes(p->net, c) && find_links(p, c);
    if (fits) status = find_kinds(p->memory, c, error);
    if (fits && !status) *out = c;
    return status;
}

static void add_channel(const check_pass *p, outcome *o, const channel *of, bool endpoint, double messages) {
    double load = messages / (double)of->links;
    outcome_add(o, load, of->rate);
    if (endpoint) outcome_add_ideal(p, o, load);
}

static double least(double a, double b) {
    return a < b ? a : b;
}

static void follow_shift(check_pass *p, const check_channels *c, uint64_t k) {
    const double n = (double)c->endpoints, moved = least((double)k, n - (double)k);
    p->shift[k] = (outcome){0};
    for (size_t i = 0; i < c->kinds; i++) {
        double size = (double)c->kind[i].like.size;
        add_channel(p, &p->shift[k], &c->kind[i].like, c->kind[i].endpoint,
                    least(moved, least(size, n - size)));
    }
}

/* Pairs whose nearest common ancestor is of a level have twice as many links. */
static void count_hops(check_pass *p, const check_channels *c) {
    uint64_t before = 0;
    for (unsigned level = 0; level <= c->levels; level++) {
        uint64_t pairs = level == c->levels ? c->endpoints * c->endpoints : 0;
        for (uint64_t s = 0; s < c->endpoints && level < c->levels; s++)
            pairs += channel_at(c, level, s, false)->size * channel_at(c, level, s, false)->size;
        unsigned links = 2 * level;
        if (level)
            p->result->hops[links - 1 < BOUGH_HOPS_MAX ? links - 1 : BOUGH_HOPS_MAX - 1] += pairs - before;
        before = pairs;
    }
}

void check_channels_follow(check_pass *p, const check_channels *c) {
    const uint64_t n = c->endpoints;
    for (uint64_t k = 1; k < n; k++) follow_shift(p, c, k);
    for (uint64_t l = 0; l < p->net->links; l++) {
        const channel *of = channel_of(p, c, l);
        p->result->load[l] = (double)of->size * (double)(n - of->size) / (double)of->links;
    }
    p->result->routed = n * (n - 1);
    count_hops(p, c);
}

outcome check_channels_permutation(const check_pass *p, check_channels *c, const uint32_t *image) {
    const bough_net *net = p->net;
    outcome o = {0};
    memset(c->count, 0, 2 * c->levels * c->endpoints * sizeof *c->count);
    for (unsigned l = 0; l < c->levels; l++) {
        uint32_t *count = c->count + 2 * l * c->endpoints;
        for (uint64_t e = 0; e < c->endpoints; e++) {
            uint64_t from = net->ops->subtree(net, l, e), to = net->ops->subtree(net, l, image[e]);
            if (from == to) continue;
            count[2 * from]++;
            count[2 * to + 1]++;
        }
        for (uint64_t i = 0; i < 2 * c->endpoints; i++)
            if (count[i]) add_channel(p, &o, &c->item[2 * l * c->endpoints + i], l == 0, count[i]);
    }
    return o;
}

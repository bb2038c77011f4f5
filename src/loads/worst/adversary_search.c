/* Matchings of the pairs of the links that the bounds do not exclude. Links are processed by descending
 * bound. One pass over all pairs gathers the pairs of as many links as fit in job->held and matches them; the
 * next pass gathers only links that can still exceed the worst so far. A link is skipped only if it cannot
 * win, so the set of matched links may depend on the threads, but the result does not. */
#include "base/status/stop.h"
#include "base/status/try.h"
#include "loads/address_tree.h"
#include "loads/worst/adversary_internal.h"

#include "base/memory/large_pages.h"
#include "base/memory/memory.h"
#include "base/thread_team.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NO_SLOT UINT32_MAX

/* A link that may need a matching. */
typedef struct candidate {
    uint64_t rank, counted_rank; /* upper bounds of the ranks of its load and of the counting argument */
    uint64_t link, pairs;
    bool settled;
} candidate;

static int by_rank(const void *a, const void *b) {
    const candidate *p = a, *q = b;
    if (p->rank != q->rank) return p->rank > q->rank ? -1 : 1;
    return (p->link > q->link) - (p->link < q->link);
}

/* The current candidates and their pairs. */
typedef struct batch {
    candidate **member;
    uint32_t count;
    uint64_t *start; /* count + 1: start of a member's pairs */
    uint32_t *slot;  /* per link: its member, or NO_SLOT */
    atomic_ullong *filled;
    uint32_t *pair; /* that of the search: source << 16 | destination */
    double *share;  /* the same: per pair; NULL: whole flows */
} batch;

/* A thread takes places for many pairs of a member at a time, as each taking moves a cache line from one
 * processor to another, and so do pairs of different threads beside each other. */
typedef struct places {
    uint64_t next, end; /* taken and free */
} places;

typedef struct gatherer {
    const struct search *search;
    batch *batch;
    places *places; /* per member; NULL if flows are shares */
    /* Members among the links of the last flow but the first one. */
    uint32_t member[ADVERSARY_LONGEST], members;
    char apart[THREAD_APART];
} gatherer;

typedef struct search {
    adversary_job *job;
    candidate *candidate; /* by descending rank */
    uint64_t candidates;
    batch batch;
    uint32_t *pair; /* [room]: memory for the pairs of a batch, one after the other */
    double *share;  /* the same; NULL: whole flows */
    uint64_t room;
    adversary_matching *worst, *counted;
    adversary_workspace *space; /* [threads] */
} search;

static bool is_open(const search *s, const candidate *c) {
    return !c->settled && (adversary_exceeds(c->rank, c->link, s->worst) ||
                           adversary_exceeds(c->counted_rank, c->link, s->counted));
}

static bough_status settle(search *s, adversary_workspace *r, uint32_t member, bough_error *error) {
    const batch *b = &s->batch;
    candidate *c = b->member[member];
    uint64_t first = b->start[member];
    bool open = is_open(s, c);
    c->settled = true;
    if (!open) return BOUGH_OK;
    adversary_pairs pairs = {c->link, c->rank, c->pairs, b->pair + first, b->share ? b->share + first : NULL};
    bough_status status = stop_check(s->job->options->stop, error);
    return status ? status : adversary_match_link(r, &pairs, s->worst, s->counted, error);
}

/* The places that a thread takes at a time. */
static uint64_t some_places(const search *s, const candidate *c) {
    enum { LEAST = 8, MOST = 1024 };
    if (s->job->threads == 1) return c->pairs;
    const uint64_t share = c->pairs / (8 * (uint64_t)s->job->threads);
    return share < LEAST ? LEAST : share > MOST ? MOST : share;
}

/* Places of a member: of its pairs, and those that threads may have taken and left free. */
static uint64_t room_of(const search *s, const candidate *c) {
    const unsigned threads = s->job->threads;
    return threads == 1 || s->job->chooses ? c->pairs : c->pairs + threads * some_places(s, c);
}

static uint64_t take_places(batch *b, uint32_t slot, uint64_t count) {
    return atomic_fetch_add_explicit(&b->filled[slot], count, memory_order_relaxed);
}

static void gather_shares(batch *b, const adversary_flow *f, uint32_t pair) {
    for (uint32_t i = 0; i < f->links; i++) {
        const uint32_t slot = b->slot[f->link[i]];
        if (slot == NO_SLOT) continue;
        const uint64_t place = take_places(b, slot, 1);
        b->pair[place] = pair;
        b->share[place] = f->share[i];
    }
}

static void keep_pair(const gatherer *g, uint32_t slot, uint32_t pair) {
    places *p = &g->places[slot];
    if (p->next == p->end) {
        const uint64_t count = some_places(g->search, g->batch->member[slot]);
        p->next = take_places(g->batch, slot, count);
        p->end = p->next + count;
    }
    g->batch->pair[p->next++] = pair;
}

static void find_members(gatherer *g, const adversary_flow *f) {
    g->members = 0;
    for (uint32_t i = 1; i < f->links; i++) {
        const uint32_t slot = g->batch->slot[f->link[i]];
        if (slot != NO_SLOT) g->member[g->members++] = slot;
    }
}

static void gather(void *context, const adversary_flow *f) {
    gatherer *g = context;
    const uint32_t pair = f->source << 16 | f->destination;
    if (!f->links) return;
    if (g->batch->share) {
        gather_shares(g->batch, f, pair);
        return;
    }
    const uint32_t first = g->batch->slot[f->link[0]];
    if (first != NO_SLOT) keep_pair(g, first, pair);
    if (!f->joined) find_members(g, f);
    for (uint32_t i = 0; i < g->members; i++) keep_pair(g, g->member[i], pair);
}

/* The end of the last pair before a place: there may be free places between. */
static uint64_t last_pair(const gatherer *all, unsigned threads, uint32_t slot, uint64_t before) {
    for (unsigned t = 0; t < threads;) {
        const places *p = &all[t].places[slot];
        const bool is_free = p->end == before && p->next < before;
        before = is_free ? p->next : before;
        t = is_free ? 0 : t + 1;
    }
    return before;
}

/* Moves the last pairs of a member to places that threads left free. */
static void close_gaps(batch *b, uint32_t slot, const gatherer *all, unsigned threads) {
    const uint64_t end = b->start[slot] + b->member[slot]->pairs;
    uint64_t last = b->filled[slot];
    for (unsigned t = 0; t < threads; t++) {
        const places *p = &all[t].places[slot];
        for (uint64_t to = p->next; to < p->end && to < end; to++) {
            last = last_pair(all, threads, slot, last);
            b->pair[to] = b->pair[--last];
        }
    }
}

/* Gathers the pairs of the batch. */
static bough_status gather_pairs(search *s, bough_error *error) {
    adversary_job *job = s->job;
    const unsigned threads = job->threads;
    gatherer *all;
    void **context = NULL;
    bough_status status = bough_alloc(&all, threads, sizeof *all, error);
    TRY(bough_alloc(&context, threads, sizeof *context, error));
    for (unsigned t = 0; t < threads && !status; t++) {
        context[t] = &all[t];
        all[t].search = s;
        all[t].batch = &s->batch;
        if (!s->batch.share)
            status = bough_alloc(&all[t].places, s->batch.count, sizeof *all[t].places, error);
    }
    if (!status) {
        adversary_pass pass = {.by_destination = address_tree_fits(job->routing),
                               .visit = gather,
                               .context = context,
                               .part = (1 - job->told) / 2};
        status = adversary_all_pairs(job, &pass, error);
    }
    for (uint32_t slot = 0; slot < s->batch.count && threads > 1 && !s->batch.share && !status; slot++)
        close_gaps(&s->batch, slot, all, threads);
    for (unsigned t = 0; t < threads && all; t++) free(all[t].places);
    FREE_ALL(all, context);
    return status;
}

static void batch_fini(batch *b) {
    FREE_ALL(b->member, b->start, b->slot, b->filled);
    *b = (batch){0};
}

/* Memory for the pairs of a batch, and if possible of all later ones. */
static bough_status make_room(search *s, uint64_t pairs, uint64_t most, bough_error *error) {
    if (pairs <= s->room) return BOUGH_OK;
    uint64_t all = 0;
    for (uint64_t i = 0; i < s->candidates && all < most; i++) all += room_of(s, &s->candidate[i]);
    const uint64_t room = pairs > most ? pairs : all < most ? all : most;
    FREE_ALL(s->pair, s->share);
    s->pair = NULL;
    s->share = NULL;
    s->room = 0;
    bough_status status = BOUGH_OK;
    if (pairs > most) status = bough_memory_check(pairs * 24, "the pairs of one link", error);
    TRY(large_alloc(&s->pair, room, sizeof *s->pair, error));
    if (s->job->chooses) TRY(large_alloc(&s->share, room, sizeof *s->share, error));
    if (!status) s->room = room;
    return status;
}

/* Fills the batch with the next open candidates, as many as fit, at least one. */
static bough_status fill_batch(search *s, bough_error *error) {
    batch *b = &s->batch;
    bool chooses = s->job->chooses;
    uint64_t links = s->job->routing->net->links, pairs = 0, most = s->job->held / (chooses ? 12 : 4);
    bough_status status = bough_alloc(&b->member, s->candidates, sizeof *b->member, error);
    TRY(bough_alloc(&b->start, s->candidates + 1, sizeof *b->start, error));
    TRY(bough_alloc(&b->slot, links, sizeof *b->slot, error));
    TRY(bough_alloc(&b->filled, s->candidates, sizeof *b->filled, error));
    if (status) return status;
    memset(b->slot, 0xff, links * sizeof *b->slot);
    for (uint64_t i = 0; i < s->candidates; i++) {
        candidate *c = &s->candidate[i];
        if (!is_open(s, c)) continue;
        const uint64_t room = room_of(s, c);
        if (b->count && pairs + room > most) break;
        b->slot[c->link] = b->count;
        b->start[b->count] = pairs;
        atomic_init(&b->filled[b->count], pairs);
        b->member[b->count++] = c;
        pairs += room;
    }
    b->start[b->count] = pairs;
    status = make_room(s, pairs, most, error);
    b->pair = s->pair;
    b->share = s->share;
    return status;
}

static bough_status settle_member(void *context, unsigned thread, uint64_t i, bough_error *error) {
    search *s = context;
    return settle(s, &s->space[thread], (uint32_t)i, error);
}

static bough_status settle_batch(search *s, bough_error *error) {
    bough_status status = gather_pairs(s, error);
    TRY(team_try(s->job->threads, s->batch.count, settle_member, s, error));
    return status;
}

static uint64_t whole_root(uint64_t x) {
    uint64_t root = (uint64_t)sqrt((double)x);
    while (root * root > x) root--;
    while ((root + 1) * (root + 1) <= x) root++;
    return root;
}

/* t destinations with t sources each have t^2 pairs. */
static candidate candidate_of(const adversary_job *job, const adversary_link_bounds *counts, uint64_t link) {
    candidate c = {adversary_rank(counts->bound[link]), 0, link, counts->pairs[link], false};
    if (job->chooses) return c;
    c.counted_rank = adversary_rank((double)whole_root(c.pairs));
    if (c.counted_rank > c.rank) c.counted_rank = c.rank;
    return c;
}

bough_status adversary_search(adversary_job *job, const adversary_link_bounds *counts,
                              adversary_matching *worst, adversary_matching *counted, bough_error *error) {
    uint64_t links = job->routing->net->links;
    search s = {.job = job, .worst = worst, .counted = counted};
    bough_status status = bough_alloc(&s.candidate, links, sizeof *s.candidate, error);
    TRY(bough_alloc(&s.space, job->threads, sizeof *s.space, error));
    for (unsigned t = 0; t < job->threads && !status; t++)
        status = adversary_workspace_init(&s.space[t], job->routing->net->endpoints, error);
    for (uint64_t l = 0; l < links && !status; l++)
        if (counts->pairs[l]) s.candidate[s.candidates++] = candidate_of(job, counts, l);
    if (!status) qsort(s.candidate, s.candidates, sizeof *s.candidate, by_rank);
    while (!status) {
        status = fill_batch(&s, error);
        if (!status && !s.batch.count) break;
        TRY(settle_batch(&s, error));
        batch_fini(&s.batch);
    }
    batch_fini(&s.batch);
    for (unsigned t = 0; s.space && t < job->threads; t++) adversary_workspace_fini(&s.space[t]);
    FREE_ALL(s.candidate, s.pair, s.share, s.space);
    return status;
}

/* Every cable, or every switch, one at a time. Ranks take them in turn, and their threads again. */
#include "base/memory/memory.h"
#include "base/status/stop.h"
#include "base/status/try.h"
#include "base/thread_team.h"
#include "fabric/failures/failure_things.h"
#include "fabric/failures/failures_internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The pairs that cross what can die. */
typedef struct hits {
    uint32_t *of;    /* [link] or [node]: the thing, if this rank looks at it, or UINT32_MAX */
    uint64_t *first; /* [thing + 1] */
    uint32_t *pair;
    /* [part * things + thing]: pairs of a part of the targets, then where the next of them goes */
    uint64_t *next;
    unsigned parts;
} hits;

typedef struct worker {
    failure_state state;
    uint64_t *dead;
} worker;

typedef struct job {
    bough_failures *f;
    const bough_failures_options *options;
    failure_things things;
    bool anew;
    hits hits;
    worker *worker;
    bough_failure *item;
    atomic_size_t done; /* of `steps`, those of this rank */
    size_t steps;
} job;

/* The two passes that note who crosses what take about this share of the time. */
#define NOTING 0.1

static void show(const job *j, double share) {
    if (j->options->progress) j->options->progress(j->options->progress_context, share);
}

/* ---- who crosses what ---- */

/* Things by their links or nodes. */
static bough_status number_things(job *j, bough_error *error) {
    const failure_things *t = &j->things;
    const uint64_t range = t->switches ? j->f->nodes : j->f->links;
    uint32_t **of = &j->hits.of;
    bough_status status = bough_alloc(of, range, sizeof **of, error);
    if (status) return status;
    memset(*of, 0xff, range * sizeof **of);
    for (uint32_t i = 0; i < t->count; i++) {
        const uint64_t twin = t->switches ? BOUGH_NONE : bough_link_twin(t->net, t->item[i]);
        (*of)[t->item[i]] = i;
        if (twin != BOUGH_NONE) (*of)[twin] = i;
    }
    return BOUGH_OK;
}

/* Threads divide the targets: each counts in one pass and notes in the next. */
typedef struct noting {
    job *job;
    uint32_t *path; /* [threads * nodes] */
    bool counts;
    atomic_size_t done; /* targets of both passes */
} noting;

/* Counts or notes the things on a path. None comes twice. */
static void note(const job *j, uint64_t *next, bool counts, uint32_t id, uint32_t pair) {
    const hits *h = &j->hits;
    const uint32_t thing = h->of[id];
    if (thing == UINT32_MAX) return;
    if (!counts) h->pair[next[thing]] = pair;
    next[thing]++;
}

static void note_part(void *context, unsigned number, uint64_t part) {
    noting *now = context;
    job *j = now->job;
    const bough_failures *f = j->f;
    uint64_t *next = j->hits.next + part * j->things.count;
    uint32_t *path = now->path + (uint64_t)number * f->nodes;
    const uint64_t end = team_part(f->n, j->hits.parts, (unsigned)part + 1);
    for (uint64_t t = team_part(f->n, j->hits.parts, (unsigned)part);
         t < end && !stop_asked(j->options->stop); t++) {
        for (uint32_t s = 0; s < f->n; s++) {
            const uint32_t length = s == t ? 0 : failure_path(f, s, (uint32_t)t, path);
            const uint32_t pair = (uint32_t)t * f->n + s;
            if (j->things.switches && length) note(j, next, now->counts, s, pair);
            for (uint32_t i = 0; i < length; i++)
                note(j, next, now->counts, j->things.switches ? f->end[path[i]] : path[i], pair);
        }
        const size_t done = atomic_fetch_add(&now->done, 1) + 1;
        if (number == 0) show(j, NOTING * (double)done / (2 * (double)f->n));
    }
}

/* From counts to places: the pairs of a thing lie together, by target. */
static void place_pairs(hits *h, uint32_t things) {
    uint64_t place = 0;
    for (uint32_t thing = 0; thing < things; thing++) {
        h->first[thing] = place;
        for (unsigned part = 0; part < h->parts; part++) {
            uint64_t *next = &h->next[(uint64_t)part * things + thing], count = *next;
            *next = place;
            place += count;
        }
    }
    h->first[things] = place;
}

static bough_status find_hits(job *j, bough_error *error) {
    hits *h = &j->hits;
    const bough_failures *f = j->f;
    const uint32_t things = j->things.count;
    noting now = {.job = j, .counts = true};
    h->parts = f->threads;
    bough_status status = number_things(j, error);
    TRY(bough_alloc(&now.path, bough_mul(f->threads, f->nodes), sizeof *now.path, error));
    TRY(bough_alloc(&h->first, (uint64_t)things + 1, sizeof *h->first, error));
    TRY(bough_alloc(&h->next, bough_mul(h->parts, things), sizeof *h->next, error));
    for (int pass = 0; pass < 2 && !status; pass++) {
        now.counts = pass == 0;
        team_loop(f->threads, h->parts, note_part, &now);
        status = stop_check(j->options->stop, error);
        if (status || pass) break;
        place_pairs(h, things);
        status = bough_net_memory_check(f->net, bough_mul(4, h->first[things]), "the pairs that failures hit",
                                        error);
        TRY(bough_alloc(&h->pair, h->first[things], sizeof *h->pair, error));
    }
    FREE_ALL(now.path, h->next);
    h->next = NULL;
    return status;
}

/* ---- one after the other ---- */

static bool is_on(const bough_failures *f, uint32_t e, uint32_t v) {
    return e == v || (f->root_link[e] != NO_LINK && f->root[e] == v);
}

static uint64_t count_own(const job *j, uint32_t thing) {
    const bough_failures *f = j->f;
    uint64_t own = 0;
    const uint32_t node = j->things.item[thing];
    for (uint64_t i = j->hits.first[thing]; i < j->hits.first[thing + 1] && j->things.switches; i++)
        own += is_on(f, j->hits.pair[i] % f->n, node) || is_on(f, j->hits.pair[i] / f->n, node);
    return own;
}

static bough_status look_at(job *j, worker *w, uint32_t thing, bough_error *error) {
    const hits *h = &j->hits;
    const uint32_t item = j->things.item[thing];
    bough_failure *r = &j->item[thing];
    memcpy(w->dead, j->f->dead, words_for(j->f->links) * sizeof *w->dead);
    failure_things_kill(&j->things, item, w->dead);
    hit_pairs hit = {h->pair + h->first[thing], (size_t)(h->first[thing + 1] - h->first[thing])};
    bough_status status = state_evaluate(&w->state, w->dead, hit, r, error);
    if (j->anew) TRY(failures_anew(j->f, w->dead, r, error));
    *(j->things.switches ? &r->node : &r->link) = item;
    r->own = count_own(j, thing);
    return status;
}

/* What a failure takes: its pairs, and a look at all loads. */
static size_t steps_of(const job *j, uint32_t thing) {
    const hits *h = &j->hits;
    return (size_t)(h->first[thing + 1] - h->first[thing]) + (j->f->links + j->f->n) / 16 + 1;
}

static bough_status work(void *context, unsigned number, uint64_t i, bough_error *error) {
    job *j = context;
    const uint32_t thing = (uint32_t)i;
    bough_status status = look_at(j, &j->worker[number], thing, error);
    TRY(stop_check(j->options->stop, error));
    const size_t steps = steps_of(j, thing), done = atomic_fetch_add(&j->done, steps) + steps;
    if (number == 0) show(j, NOTING + (1 - NOTING) * (double)done / (double)j->steps);
    return status;
}

static bough_status look_at_all(job *j, bough_error *error) {
    const bough_failures *f = j->f;
    const uint32_t things = j->things.count;
    const unsigned threads = f->threads < things ? f->threads : things;
    for (uint32_t i = 0; i < things; i++) j->steps += steps_of(j, i);
    bough_status status = bough_alloc(&j->worker, threads, sizeof *j->worker, error);
    for (unsigned i = 0; i < threads && !status; i++) {
        status = state_make(f, &j->worker[i].state, error);
        TRY(arena_alloc(&j->worker[i].state.memory, &j->worker[i].dead, words_for(f->links), 8, error));
    }
    TRY(team_try(threads, things, work, j, error));
    for (unsigned i = 0; j->worker && i < threads; i++) arena_fini(&j->worker[i].state.memory);
    free(j->worker);
    return status;
}

/* ---- the worst first ---- */

static int descending(double a, double b) {
    return (a < b) - (a > b);
}

/* By all figures that are reported; 0: they are alike. */
static int by_figures(const bough_failure *a, const bough_failure *b) {
    const bough_failure_load *x = &a->rerouted, *y = &b->rerouted;
    int order = descending((double)(a->cut - a->own), (double)(b->cut - b->own));
    if (!order) order = descending((double)a->cut, (double)b->cut);
    if (!order) order = descending(x->slowdown, y->slowdown);
    if (!order) order = descending((double)x->shift_max, (double)y->shift_max);
    if (!order) order = descending(round(100 * x->shift_mean), round(100 * y->shift_mean));
    if (!order) order = descending((double)a->lost, (double)b->lost);
    if (!order) order = descending((double)x->alltoall_max, (double)y->alltoall_max);
    if (!order) order = descending((double)a->gone, (double)b->gone);
    return order;
}

static int by_rank(const void *a, const void *b) {
    const bough_failure *x = a, *y = b;
    int order = by_figures(x, y);
    uint64_t i = x->link == BOUGH_NONE ? x->node : x->link, k = y->link == BOUGH_NONE ? y->node : y->link;
    return order ? order : (i > k) - (i < k);
}

static bool is_harmless(const bough_failures *f, const bough_failure *r) {
    const bough_failure_load *whole = &f->whole, *now = &r->rerouted;
    return r->cut == 0 && now->slowdown <= 1 + 1e-9 && now->alltoall_max <= whole->alltoall_max &&
           now->shift_max <= whole->shift_max && now->shift_mean <= whole->shift_mean + 1e-9;
}

static void rank(const bough_failures *f, bough_failure_list *list) {
    qsort(list->item, list->count, sizeof *list->item, by_rank);
    bough_failure *first = list->item;
    for (size_t i = 0; i < list->count; i++) {
        bough_failure *r = &list->item[i];
        if (by_figures(first, r) != 0) first = r;
        first->alike++;
        list->idle += r->lost == 0;
        list->harmless += is_harmless(f, r);
    }
}

bough_status bough_failures_each(bough_failures *f, const char *text, const bough_failures_options *options,
                                 bough_failure_list *list, bough_error *error) {
    job j = {.f = f, .options = options};
    *list = (bough_failure_list){0};
    bough_status status = failure_things_find(f->net, text, options->memory, &j.things, error);
    if (status) return status;
    list->what = j.things.what;
    list->anew = j.anew = failures_anew_wanted(f, j.things.count);
    list->spec = j.things.spec;
    status = find_hits(&j, error);
    TRY(arena_alloc(options->memory, &list->item, j.things.count, sizeof *list->item, error));
    j.item = list->item;
    TRY(look_at_all(&j, error));
    if (!status) {
        list->count = j.things.count;
        rank(f, list);
        show(&j, 1);
    }
    if (status) *list = (bough_failure_list){0};
    FREE_ALL(j.hits.of, j.hits.first, j.hits.pair);
    return status;
}

bough_status bough_failures_warn(const bough_failures *f, const bough_failure_list *list,
                                 bough_findings *findings, bough_error *error) {
    bough_status status = BOUGH_OK;
    for (size_t i = 0; i < list->count && !status; i++) {
        const bough_failure *r = &list->item[i];
        char name[300];
        if (r->cut == r->own) continue;
        status = bough_findings_add(
            findings,
            &(bough_finding_head){BOUGH_WARN, "single-point",
                                  r->link == BOUGH_NONE
                                      ? bough_node_name(f->net, r->node, name, sizeof name)
                                      : bough_link_name(f->net, r->link, name, sizeof name)},
            error, "this one %s alone joins %" PRIu64 " of %" PRIu64 " pairs", list->what, r->cut - r->own,
            f->whole.pairs);
    }
    return status;
}

const bough_failure *bough_failure_fastest(const bough_failure_list *list) {
    const bough_failure *best = NULL;
    double least = 1 - BOUGH_FAILURE_FASTER;
    for (size_t i = 0; i < list->count; i++) {
        const bough_failure *r = &list->item[i];
        if (r->cut || !(r->rerouted.slowdown < least)) continue;
        least = r->rerouted.slowdown;
        best = r;
    }
    return best;
}

bough_status bough_failures_faster(const bough_failures *f, const bough_failure_list *list,
                                   bough_findings *findings, bough_error *error) {
    const bough_failure *r = bough_failure_fastest(list);
    char name[300];
    if (!r) return BOUGH_OK;
    bough_finding_head head = {.severity = BOUGH_WARN, .kind = "faster-without"};
    head.where = r->link == BOUGH_NONE ? bough_node_name(f->net, r->node, name, sizeof name)
                                       : bough_link_name(f->net, r->link, name, sizeof name);
    return bough_findings_add(
        findings, &head, error,
        "without this %s, and with the tables rerouted around it, all-to-all takes %.1f %% less time",
        list->what, 100 * (1 - r->rerouted.slowdown));
}

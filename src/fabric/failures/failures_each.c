/* Every cable, or every switch, one at a time. Ranks take them in turn, and their threads again. */
#include "base/memory/memory.h"
#include "base/rank_group.h"
#include "base/status/stop.h"
#include "base/status/try.h"
#include "base/thread_team.h"
#include "fabric/failures/failures_internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { P_WHAT, P_OF, P_LEVEL };
enum { OF_ALL, OF_LEAF, OF_SPINE };

static const bough_param params[] = {
    [P_WHAT] = {"what", "what dies: a cable, or a switch", BOUGH_CHOICE, NULL, .choices = "cable|switch",
                .echo = true},
    [P_OF] = {"of", "leaf: switches that touch endpoints, cables to those; spine: the others", BOUGH_CHOICE,
              "all", .choices = "all|leaf|spine"},
    [P_LEVEL] = {"level", "only of this level, a cable's being that of its lower end (0: of endpoints)",
                 BOUGH_INT, "", 0, 255},
    BOUGH_PARAMS_END,
};

static bough_status refuse(const bough_args *args, bough_fault_marks *marks, bough_error *error) {
    (void)args;
    (void)marks;
    return bough_fail(error, BOUGH_INVALID, NULL, "each: is no single network; `bough check` takes it");
}

const bough_fault_kind bough_fault_each = {
    .name = "each",
    .summary = "every cable or switch alone, one after the other (bough check only)",
    .source = "",
    .params = params,
    .mark = refuse,
};

bool bough_failures_is_each(const char *spec) {
    return strncmp(spec, "each", 4) == 0 && (spec[4] == ':' || spec[4] == 0);
}

/* What can die, and the pairs that cross it. */
typedef struct hits {
    uint32_t things;
    uint32_t *thing; /* its link, or its node */
    uint32_t *of;    /* [link] or [node]: the thing, if this rank looks at it, or UINT32_MAX */
    uint64_t *first; /* [thing + 1] */
    uint32_t *pair;
    /* [part * things + thing]: pairs of a part of the targets, then where the next of them goes */
    uint64_t *next;
    unsigned parts;
} hits;

typedef struct job {
    bough_failures *f;
    const bough_failures_options *options;
    bool switches, anew;
    hits hits;
    bough_failure *item;
    atomic_size_t done; /* of `steps`, those of this rank */
    size_t steps;
} job;

/* The two passes that note who crosses what take about this share of the time. */
#define NOTING 0.1

static void show(const job *j, double share) {
    if (j->options->progress) j->options->progress(j->options->progress_context, share);
}

/* ---- candidates ---- */

static bool touches_endpoint(const bough_failures *f, uint32_t v) {
    for (uint32_t i = f->out.first[v]; i < f->out.first[v + 1]; i++)
        if (!f->is_switch[f->end[f->out.item[i]]]) return true;
    return v < f->n;
}

static bool is_alive_switch(const bough_failures *f, uint32_t v) {
    bool alive = false;
    for (uint32_t i = f->out.first[v]; i < f->out.first[v + 1]; i++)
        alive |= !bit_of(f->dead, f->out.item[i]);
    return alive && f->is_switch[v];
}

static uint32_t twin_of(const bough_failures *f, uint32_t l) {
    uint64_t twin = bough_link_twin(f->net, l);
    return twin == BOUGH_NONE ? NO_LINK : (uint32_t)twin;
}

static bool is_cable(const bough_failures *f, uint32_t l, const bough_value *level) {
    uint32_t twin = twin_of(f, l);
    if (twin < l || (bit_of(f->dead, l) && (twin == NO_LINK || bit_of(f->dead, twin)))) return false;
    if (level->set) return bough_link_level(f->net, l) == (uint64_t)level->integer;
    return f->is_switch[f->start[l]] && f->is_switch[f->end[l]];
}

static bool is_candidate(const job *j, const bough_args *args, uint32_t id) {
    const bough_failures *f = j->f;
    const bough_value *level = &args->value[P_LEVEL];
    int64_t of = args->value[P_OF].integer;
    bool leaf;
    if (j->switches) {
        if (!is_alive_switch(f, id)) return false;
        if (level->set && f->net->ops->node_level(f->net, id) != (uint64_t)level->integer) return false;
        leaf = touches_endpoint(f, id);
    } else {
        if (!is_cable(f, id, level)) return false;
        leaf = touches_endpoint(f, f->start[id]) || touches_endpoint(f, f->end[id]);
    }
    return of == OF_ALL || leaf == (of == OF_LEAF);
}

/* Whether this rank looks at it. */
static bool is_own(const job *j, uint32_t thing) {
    return thing % group_ranks(j->options->group) == group_rank(j->options->group);
}

static bough_status find_things(job *j, const bough_args *args, const char *spec, bough_error *error) {
    const bough_failures *f = j->f;
    hits *h = &j->hits;
    uint32_t range = j->switches ? f->nodes : f->links;
    bough_status status = bough_alloc(&h->of, range, sizeof *h->of, error);
    TRY(bough_alloc(&h->thing, range, sizeof *h->thing, error));
    if (status) return status;
    memset(h->of, 0xff, range * sizeof *h->of);
    for (uint32_t id = 0; id < range; id++) {
        if (!is_candidate(j, args, id)) continue;
        uint32_t twin = j->switches ? NO_LINK : twin_of(f, id);
        if (is_own(j, h->things)) {
            h->of[id] = h->things;
            if (twin != NO_LINK) h->of[twin] = h->things;
        }
        h->thing[h->things++] = id;
    }
    if (h->things) return BOUGH_OK;
    return bough_fail(error, BOUGH_INVALID, NULL, "%s: %s has no such %s", spec, f->net->spec,
                      j->switches ? "switch" : "cable");
}

/* ---- who crosses what ---- */

/* Threads divide the targets: each counts in one pass and notes in the next. */
typedef struct noting {
    job *job;
    uint32_t *path; /* [threads * nodes] */
    bool counts;
    atomic_size_t done; /* targets of both passes */
} noting;

/* Counts or notes the things on a path that this rank looks at. None comes twice. */
static void note(const job *j, uint64_t *next, bool counts, uint32_t id, uint32_t pair) {
    const hits *h = &j->hits;
    const uint32_t thing = h->of[id];
    if (thing == UINT32_MAX) return;
    if (!counts) h->pair[next[thing]] = pair;
    next[thing]++;
}

static void note_part(void *context, unsigned worker, uint64_t part) {
    noting *now = context;
    job *j = now->job;
    const bough_failures *f = j->f;
    uint64_t *next = j->hits.next + part * j->hits.things;
    uint32_t *path = now->path + (uint64_t)worker * f->nodes;
    const uint64_t end = team_part(f->n, j->hits.parts, (unsigned)part + 1);
    for (uint64_t t = team_part(f->n, j->hits.parts, (unsigned)part);
         t < end && !stop_asked(j->options->stop); t++) {
        for (uint32_t s = 0; s < f->n; s++) {
            const uint32_t length = s == t ? 0 : failure_path(f, s, (uint32_t)t, path);
            const uint32_t pair = (uint32_t)t * f->n + s;
            if (j->switches && length) note(j, next, now->counts, s, pair);
            for (uint32_t i = 0; i < length; i++)
                note(j, next, now->counts, j->switches ? f->end[path[i]] : path[i], pair);
        }
        const size_t done = atomic_fetch_add(&now->done, 1) + 1;
        if (worker == 0) show(j, NOTING * (double)done / (2 * (double)f->n));
    }
}

/* From counts to places: the pairs of a thing lie together, by target. */
static void place_pairs(hits *h) {
    uint64_t place = 0;
    for (uint32_t thing = 0; thing < h->things; thing++) {
        h->first[thing] = place;
        for (unsigned part = 0; part < h->parts; part++) {
            uint64_t *next = &h->next[(uint64_t)part * h->things + thing], count = *next;
            *next = place;
            place += count;
        }
    }
    h->first[h->things] = place;
}

static bough_status find_hits(job *j, bough_error *error) {
    hits *h = &j->hits;
    const bough_failures *f = j->f;
    noting now = {.job = j, .counts = true};
    h->parts = f->threads;
    bough_status status = bough_alloc(&now.path, bough_mul(f->threads, f->nodes), sizeof *now.path, error);
    TRY(bough_alloc(&h->first, (uint64_t)h->things + 1, sizeof *h->first, error));
    TRY(bough_alloc(&h->next, bough_mul(h->parts, h->things), sizeof *h->next, error));
    for (int pass = 0; pass < 2 && !status; pass++) {
        now.counts = pass == 0;
        team_loop(f->threads, h->parts, note_part, &now);
        status = stop_check(j->options->stop, error);
        if (status || pass) break;
        place_pairs(h);
        status = bough_net_memory_check(f->net, bough_mul(4, h->first[h->things]),
                                        "the pairs that failures hit", error);
        TRY(bough_alloc(&h->pair, h->first[h->things], sizeof *h->pair, error));
    }
    FREE_ALL(now.path, h->next);
    h->next = NULL;
    return status;
}

/* ---- one after the other ---- */

static void kill(const job *j, uint32_t id, uint64_t *dead) {
    const bough_failures *f = j->f;
    memcpy(dead, f->dead, words_for(f->links) * sizeof *dead);
    if (j->switches) {
        for (uint32_t i = f->out.first[id]; i < f->out.first[id + 1]; i++) set_bit(dead, f->out.item[i]);
        for (uint32_t i = f->in.first[id]; i < f->in.first[id + 1]; i++) set_bit(dead, f->in.item[i]);
    } else {
        uint32_t twin = twin_of(f, id);
        set_bit(dead, id);
        if (twin != NO_LINK) set_bit(dead, twin);
    }
}

static bool is_on(const bough_failures *f, uint32_t e, uint32_t v) {
    return e == v || (f->root_link[e] != NO_LINK && f->root[e] == v);
}

static uint64_t count_own(const job *j, uint32_t thing) {
    const bough_failures *f = j->f;
    uint64_t own = 0;
    for (uint64_t i = j->hits.first[thing]; i < j->hits.first[thing + 1] && j->switches; i++)
        own += is_on(f, j->hits.pair[i] % f->n, j->hits.thing[thing]) ||
               is_on(f, j->hits.pair[i] / f->n, j->hits.thing[thing]);
    return own;
}

static bough_status look_at(job *j, failure_state *s, uint64_t *dead, uint32_t thing, bough_error *error) {
    const hits *h = &j->hits;
    bough_failure *r = &j->item[thing];
    kill(j, h->thing[thing], dead);
    hit_pairs hit = {h->pair + h->first[thing], (size_t)(h->first[thing + 1] - h->first[thing])};
    bough_status status = state_evaluate(s, dead, hit, r, error);
    if (j->anew) TRY(failures_anew(j->f, dead, r, error));
    *(j->switches ? &r->node : &r->link) = h->thing[thing];
    r->own = count_own(j, thing);
    return status;
}

typedef struct worker {
    failure_state state;
    uint64_t *dead;
    bough_status status;
    bough_error error;
} worker;

/* What a failure takes: its pairs, and a look at all loads. */
static size_t steps_of(const job *j, uint32_t thing) {
    const hits *h = &j->hits;
    return (size_t)(h->first[thing + 1] - h->first[thing]) + (j->f->links + j->f->n) / 16 + 1;
}

static void work(job *j, worker *w, uint32_t thing, bool first) {
    if (!w->status) w->status = look_at(j, &w->state, w->dead, thing, &w->error);
    if (!w->status) w->status = stop_check(j->options->stop, &w->error);
    size_t steps = steps_of(j, thing), done = atomic_fetch_add(&j->done, steps) + steps;
    if (first) show(j, NOTING + (1 - NOTING) * (double)done / (double)j->steps);
}

static bough_status look_at_all(job *j, bough_error *error) {
    const bough_failures *f = j->f;
    const rank_group *group = j->options->group;
    const unsigned ranks = group_ranks(group), rank = group_rank(group);
    worker *w = NULL;
    unsigned threads = f->threads < j->hits.things ? f->threads : j->hits.things;
    for (uint32_t i = rank; i < j->hits.things; i += ranks) j->steps += steps_of(j, i);
    bough_status status = bough_alloc(&w, threads, sizeof *w, error);
    for (unsigned i = 0; i < threads && !status; i++) {
        status = state_make(f, &w[i].state, error);
        TRY(bough_alloc(&w[i].dead, words_for(f->links), 8, error));
    }
    if (!status) {
#ifdef _OPENMP
#pragma omp parallel for schedule(static, 1) num_threads((int)threads)
#endif
        for (unsigned i = 0; i < threads; i++)
            for (uint64_t thing = (uint64_t)i * ranks + rank; thing < j->hits.things;
                 thing += (uint64_t)threads * ranks)
                work(j, &w[i], (uint32_t)thing, i == 0);
    }
    for (unsigned i = 0; w && i < threads; i++) {
        if (!status && w[i].status) {
            status = w[i].status;
            if (error) *error = w[i].error;
        }
        state_fini(&w[i].state);
        free(w[i].dead);
    }
    free(w);
    /* What other ranks look at is 0 here. */
    status = group_agree(group, status, error);
    TRY(group_or(group, (uint64_t *)j->item, j->hits.things * sizeof *j->item / sizeof(uint64_t), error));
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
    bough_spec spec = {0};
    bough_args args = {0};
    *list = (bough_failure_list){0};
    bough_status status = bough_spec_parse(text, &spec, error);
    if (status) return status;
    status = bough_args_bind(&spec, bough_fault_each.params, "fault", &args, error);
    if (!status) {
        j.switches = args.value[P_WHAT].integer == 1;
        list->what = j.switches ? "switch" : "cable";
        list->spec = bough_args_format("each", &args);
        if (!list->spec) status = bough_fail_memory(error, strlen(text));
    }
    TRY(find_things(&j, &args, text, error));
    list->anew = j.anew = failures_anew_wanted(f, j.hits.things);
    TRY(find_hits(&j, error));
    TRY(bough_alloc(&list->item, j.hits.things, sizeof *list->item, error));
    j.item = list->item;
    TRY(look_at_all(&j, error));
    list->count = status ? 0 : j.hits.things;
    if (!status) {
        rank(f, list);
        show(&j, 1);
    }
    if (status) bough_failure_list_fini(list);
    FREE_ALL(j.hits.thing, j.hits.of, j.hits.first, j.hits.pair);
    bough_args_fini(&args);
    bough_spec_fini(&spec);
    return status;
}

void bough_failure_list_fini(bough_failure_list *list) {
    FREE_ALL(list->spec, list->item);
    *list = (bough_failure_list){0};
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

#include "study/run/trial_dealer.h"

#include "base/clock.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "study/forecast/work_estimate.h"
#include "study/run/point_binding.h"
#include "study/study_shards.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Results whose predecessors are missing. */
typedef struct held_result {
    struct held_result *next;
    block_result result;
    trial_records records;
} held_result;

typedef struct open_answer {
    answer_place at;
    answer_stats *stats;
    uint64_t given;    /* the first trial that was not dealt; those before stats->trials are folded */
    uint64_t until;    /* trials from this one on are in the store; 0: none are */
    double seconds;    /* of a trial; 0: unknown */
    double weight;     /* estimated work, without the trials that the store had */
    double since;      /* trials that the store had */
    held_result *held; /* by first trial */
} open_answer;

typedef struct open_point {
    size_t point;
    answer_stats *stats;
    open_answer *answer; /* one per answer of the point */
    size_t answers;
    double bind; /* seconds that a rank took to bind the point; 0: unknown */
} open_point;

/* A block that a rank has: the trials whose results have not come. */
typedef struct dealt_block {
    open_point *point;
    open_answer *answer;
    trial_block block;
} dealt_block;

typedef struct rank_state {
    unsigned threads;  /* 0: the rank has not joined yet */
    open_point *own;   /* the point of its latest block; NULL: none, or closed */
    open_answer *last; /* the answer of its latest block */
    dealt_block dealt[2];
    unsigned blocks;
} rank_state;

struct trial_dealer {
    bough_study *study;
    const bough_study_options *options;
    size_t *order; /* of points */
    size_t points, next;
    open_point **open;
    size_t opens, capacity;
    rank_state *rank;
    unsigned ranks;
    uint64_t slots;     /* threads of all ranks */
    double *rate;       /* per method of a point: seconds for each unit of its weight; 0: unknown */
    double total, done; /* work: of all answers, of closed points */
    double reported;    /* time of the last progress report */
    open_answer *news;  /* what is reported; NULL: nothing yet */
    bough_status status;
    bough_error error;
};

/* ---- start and end ---- */

static bough_status make_order(trial_dealer *d, bough_error *error) {
    const bough_study *study = d->study;
    double trials = effort_guess(&study->effort);
    size_t all = study->points, methods = 0;
    bough_status status = bough_alloc(&d->order, all, sizeof *d->order, error);
    for (size_t i = 0; i < all && !status; i++) d->order[i] = i;
    if (d->ranks > 1) TRY(points_by_weight(study, trials, d->order, error));
    for (size_t i = 0; i < all && !status; i++) {
        const bough_study_point *p = &study->point[d->order[i]];
        if (!study_point_is_mine(study, d->order[i])) continue;
        d->order[d->points++] = d->order[i];
        d->total += point_weight(p, trials);
        if (p->methods > methods) methods = p->methods;
    }
    TRY(bough_alloc(&d->rate, methods, sizeof *d->rate, error));
    return status;
}

static void destroy(trial_dealer *d) {
    FREE_ALL(d->rank, d->rate, d->order, d->open, d);
}

bough_status dealer_create(bough_study *study, const bough_study_options *options, unsigned ranks,
                           trial_dealer **out, bough_error *error) {
    trial_dealer *d;
    *out = NULL;
    bough_status status = bough_alloc(&d, 1, sizeof *d, error);
    if (status) return status;
    *d = (trial_dealer){.study = study, .options = options, .ranks = ranks};
    status = bough_alloc(&d->rank, ranks, sizeof *d->rank, error);
    TRY(make_order(d, error));
    if (status)
        destroy(d);
    else
        *out = d;
    return status;
}

void dealer_fail(trial_dealer *d, bough_status status, const bough_error *error) {
    if (d->status || !status) return;
    d->status = status;
    d->error = *error;
}

bool dealer_done(const trial_dealer *d) {
    return d->status || (d->next == d->points && d->opens == 0);
}

void dealer_join(trial_dealer *d, unsigned rank, unsigned threads) {
    d->slots += threads - d->rank[rank].threads;
    d->rank[rank].threads = threads;
}

/* ---- points ---- */

static void destroy_point(open_point *p) {
    for (size_t i = 0; p->answer && i < p->answers; i++) {
        answer_stats_fini(&p->stats[i]);
        for (held_result *h = p->answer[i].held, *next; h; h = next) {
            next = h->next;
            FREE_ALL(h->records.bytes, h);
        }
    }
    FREE_ALL(p->stats, p->answer, p);
}

/* Continues after the trials that are folded: reads those that the store has. */
static bough_status catch_up(const trial_dealer *d, open_answer *a, bough_error *error) {
    bough_store *store = d->options->store;
    bough_status status = store ? store_replay(store, a->at, a->stats, error) : BOUGH_OK;
    a->given = a->stats->trials;
    a->until = store && !a->stats->done ? store_next(store, a->at, a->given) : 0;
    return status;
}

static bough_status begin_answer(const trial_dealer *d, open_point *p, size_t i, bough_error *error) {
    const bough_answer *answer = &d->study->point[p->point].answer[i];
    open_answer *a = &p->answer[i];
    *a = (open_answer){.at = {p->point, i}, .stats = &p->stats[i]};
    answer_stats_init(a->stats, answer, &d->study->effort, p->answers > 1);
    a->stats->statistic = d->study->statistic;
    a->stats->statistics = d->study->statistics;
    bough_status status = catch_up(d, a, error);
    a->since = (double)a->stats->trials;
    a->weight = answer_weight(answer, effort_guess(&d->study->effort));
    if (a->since > 0) a->weight -= a->weight * a->since / (double)answer_stats_expected(a->stats);
    return status;
}

static bough_status make_point(const trial_dealer *d, size_t point, open_point **out, bough_error *error) {
    open_point *p;
    bough_status status = bough_alloc(&p, 1, sizeof *p, error);
    if (status) return status;
    p->point = point;
    p->answers = d->study->point[point].answers;
    status = bough_alloc(&p->stats, p->answers, sizeof *p->stats, error);
    TRY(bough_alloc(&p->answer, p->answers, sizeof *p->answer, error));
    for (size_t i = 0; i < p->answers && !status; i++) status = begin_answer(d, p, i, error);
    if (status)
        destroy_point(p);
    else
        *out = p;
    return status;
}

static bool is_complete(const open_point *p) {
    for (size_t i = 0; i < p->answers; i++)
        if (!p->stats[i].done) return false;
    return true;
}

static void forget_point(trial_dealer *d, const open_point *p) {
    for (unsigned r = 0; r < d->ranks; r++)
        if (d->rank[r].own == p) d->rank[r].own = NULL;
    d->news = NULL;
    for (size_t i = 0; i < d->opens; i++)
        if (d->open[i] == p) d->open[i] = d->open[--d->opens];
}

/* Copies the statistics to the study, compares the answers, and destroys the point. */
static void close_point(trial_dealer *d, open_point *p) {
    bough_study_point *point = &d->study->point[p->point];
    bough_status status = BOUGH_OK;
    bough_error error = {0};
    for (size_t i = 0; i < p->answers; i++) {
        d->done += p->answer[i].weight;
        TRY(answer_stats_finish(&p->stats[i], &point->answer[i], &error));
    }
    if (!d->status) {
        TRY(answers_compare(p->stats, point, &error));
        TRY(answers_measure(p->stats, d->study, point, &error));
    }
    forget_point(d, p);
    destroy_point(p);
    dealer_fail(d, status, &error);
}

static bough_status open_point_next(trial_dealer *d, open_point **p, bough_error *error) {
    const bough_study_options *o = d->options;
    if (o->stop && atomic_load(o->stop)) return bough_fail(error, BOUGH_INTERRUPTED, NULL, "interrupted");
    bough_status status = bough_grow(&d->open, &d->capacity, d->opens + 1, sizeof *d->open, error);
    TRY(make_point(d, d->order[d->next], p, error));
    if (status) return status;
    const bough_study_point *point = &d->study->point[d->order[d->next++]];
    d->open[d->opens++] = *p;
    d->total -= point_weight(point, effort_guess(&d->study->effort)); /* stored trials count as no work */
    for (size_t i = 0; i < (*p)->answers; i++) d->total += (*p)->answer[i].weight;
    return BOUGH_OK;
}

/* Opens points until one has trials to compute; NULL: there is none. */
static open_point *open_next(trial_dealer *d) {
    while (d->next < d->points && !d->status) {
        open_point *p = NULL;
        bough_error error = {0};
        dealer_fail(d, open_point_next(d, &p, &error), &error);
        if (p && !is_complete(p) && !d->options->check_only) return p;
        if (p) close_point(d, p);
    }
    return NULL;
}

bough_status dealer_end(trial_dealer *d, bough_error *error) {
    while (d->opens) close_point(d, d->open[d->opens - 1]);
    bough_status status = d->status;
    if (status && error) *error = d->error;
    destroy(d);
    return status;
}

/* ---- blocks ---- */

enum { BLOCK_MOST = 4096 };

static const bough_answer *answer_of(const trial_dealer *d, const open_answer *a) {
    return &d->study->point[a->at.point].answer[a->at.answer];
}

/* Of a trial; 0: unknown. */
static double seconds_of(const trial_dealer *d, const open_answer *a) {
    const bough_answer *answer = answer_of(d, a);
    return a->seconds > 0 ? a->seconds : d->rate[answer->asked] * answer_weight(answer, 1);
}

/* Rows of a block, and results that wait for a slow trial on rank 0, take 64 MiB at most. */
static uint64_t window(const open_answer *a) {
    enum { LEAST = 64 };
    if (a->stats->trials == 0) return LEAST; /* the number of rows is unknown */
    uint64_t trials = (UINT64_C(64) << 20) / ((a->stats->cells + 1) * sizeof(bough_row));
    return trials < LEAST ? LEAST : trials;
}

/* The number of trials that may be dealt now: none beyond the next checkpoint of the stopping rule. */
static uint64_t available(const open_answer *a) {
    if (a->stats->done) return 0;
    uint64_t end = a->stats->trials + window(a);
    if (a->stats->next < end) end = a->stats->next;
    if (a->until && a->until < end) end = a->until;
    return end > a->given ? end - a->given : 0;
}

/* Half a second for the threads of the rank. When all points are open, others may help: then the part of the
 * rank, but not less than 2 ms. */
static double wanted_size(const trial_dealer *d, const rank_state *r, const open_answer *a) {
    static const double LONG = 0.5, SHORT = 2e-3;
    enum { SMALL = 1 << 20, GUESSED = 16 };
    double seconds = seconds_of(d, a), threads = r->threads;
    bool small = answer_of(d, a)->bytes < SMALL;
    if (d->ranks == 1)
        return small && a->given == 0 ? 1 : BLOCK_MOST; /* one measures the cost of a trial cheaply */
    if (!(seconds > 0)) return small ? 1 : threads;
    double size = LONG * threads / seconds, least = SHORT * threads / seconds;
    double part = (double)available(a) * threads / (double)d->slots + 1;
    if (d->next == d->points && part < size) size = part < least ? least : part;
    if (!(a->seconds > 0) && size > GUESSED) size = GUESSED;
    return size < threads && d->next < d->points ? threads : size;
}

static uint64_t block_size(const trial_dealer *d, const rank_state *r, const open_answer *a) {
    double size = wanted_size(d, r, a);
    uint64_t most = available(a);
    if (most > BLOCK_MOST) most = BLOCK_MOST;
    return size < 1 ? 1 : size < (double)most ? (uint64_t)size : most;
}

/* Rank 0 asks for a block when it has none. Others get the next one while a short one is computed. */
static bool has_room(const trial_dealer *d, const rank_state *r) {
    static const double LONG = 2;
    if (r->blocks != 1) return r->blocks == 0;
    double seconds = seconds_of(d, r->dealt[0].answer);
    return r != d->rank && seconds > 0 && seconds * (double)r->dealt[0].block.count < LONG * r->threads;
}

/* The largest answer of a point that has trials to give out; of a single process the first one. */
static open_answer *pick_answer(const trial_dealer *d, const open_point *p, open_answer *last) {
    open_answer *best = NULL;
    double most = -1;
    if (last && available(last)) return last;
    for (size_t i = 0; i < p->answers; i++) {
        open_answer *a = &p->answer[i];
        if (!available(a) || a->weight <= most) continue;
        best = a;
        if (d->ranks == 1) break;
        most = a->weight;
    }
    return best;
}

static bool all_dealt(const open_point *p) {
    for (size_t i = 0; i < p->answers; i++)
        if (!p->answer[i].stats->done && p->answer[i].given < p->answer[i].stats->effort.trials) return false;
    return true;
}

/* The open point with most work to give out, if this is worth binding it. */
static open_point *find_help(const trial_dealer *d) {
    open_point *best = NULL;
    double most = 0;
    for (size_t i = 0; i < d->opens; i++) {
        double work = 0;
        for (size_t k = 0; k < d->open[i]->answers; k++) {
            const open_answer *a = &d->open[i]->answer[k];
            double seconds = seconds_of(d, a);
            work += (double)available(a) * (seconds > 0 ? seconds : 1);
        }
        if (work > d->open[i]->bind && work > most) {
            best = d->open[i];
            most = work;
        }
    }
    return best;
}

static open_answer *choose(trial_dealer *d, rank_state *r) {
    open_answer *a = r->own ? pick_answer(d, r->own, r->last) : NULL;
    if (a) return a;
    if (r->own && r->blocks && !all_dealt(r->own)) return NULL; /* its own results come first */
    open_point *p = open_next(d);
    if (!p) p = find_help(d);
    if (!p) return NULL;
    r->own = p;
    return pick_answer(d, p, NULL);
}

bool dealer_next(trial_dealer *d, unsigned rank, trial_block *block) {
    rank_state *r = &d->rank[rank];
    open_answer *a = r->threads && !d->status && has_room(d, r) ? choose(d, r) : NULL;
    if (!a) return false;
    *block = (trial_block){a->at.point, a->at.answer, a->given, block_size(d, r, a)};
    a->given += block->count;
    r->last = d->news = a;
    r->dealt[r->blocks++] = (dealt_block){r->own, a, *block};
    return true;
}

/* ---- results ---- */

void dealer_report(trial_dealer *d, double running) {
    double now = clock_seconds(), sum = d->done;
    const open_answer *a = d->news, *here = d->rank->blocks ? d->rank->dealt[0].answer : NULL;
    if (!d->options->progress || !a || now - d->reported < 0.1) return;
    d->reported = now;
    for (size_t i = 0; i < d->opens; i++)
        for (size_t k = 0; k < d->open[i]->answers; k++) {
            const open_answer *b = &d->open[i]->answer[k];
            double expected = (double)answer_stats_expected(b->stats) - b->since;
            double done = (double)b->stats->trials - b->since + (b == here ? running : 0);
            sum += b->weight * (expected > 0 ? done / expected : 1);
        }
    char label[128], what[512], team[64] = "", trial[96] = "";
    const bough_study_point *p = &d->study->point[a->at.point];
    uint64_t trials = answer_stats_expected(a->stats);
    if (d->ranks > 1) snprintf(team, sizeof team, "%u ranks, %zu points open: ", d->ranks, d->opens);
    if (!a->stats->exact && a->stats->trials < trials)
        snprintf(trial, sizeof trial, ", trial %" PRIu64 " of %s%" PRIu64, a->stats->trials + 1,
                 a->stats->effort.precision > 0 ? "about " : "", trials);
    point_label(d->study, p, label, sizeof label);
    snprintf(what, sizeof what, "%s%s%s%.200s%s", team, label, *label ? ", " : "",
             p->answer[a->at.answer].method, trial);
    double share = d->total > 0 ? sum / d->total : 1;
    d->options->progress(d->options->context, share < 1 ? share : 1, what);
}

static bough_status fold_trial(const trial_dealer *d, const open_answer *a, const bough_rows *rows,
                               bough_error *error) {
    bough_store *store = d->options->store;
    bough_status status = store ? store_append(store, a->at, a->stats->trials, rows, error) : BOUGH_OK;
    TRY(answer_stats_add(a->stats, rows, error));
    return status;
}

bough_status dealer_add(trial_dealer *d, const bough_rows *rows, bough_error *error) {
    dealt_block *b = &d->rank->dealt[0];
    bough_status status = fold_trial(d, b->answer, rows, error);
    if (status) return status;
    b->block.first++;
    b->block.count--;
    return BOUGH_OK;
}

static bough_status fold_records(const trial_dealer *d, const open_answer *a, const trial_records *records,
                                 bough_rows *rows, bough_error *error) {
    bough_status status = BOUGH_OK;
    chunk_reader r = {.chunk = &records->chunk, .book = records->book};
    while (!status && chunk_next(&r)) {
        const unsigned char *at = r.bytes, *end = r.bytes + r.length;
        if (!r.whole)
            status = bough_fail(error, BOUGH_FAILED, NULL, "a message between two ranks is damaged");
        TRY(record_read(records->book, &at, end, rows, error));
        TRY(fold_trial(d, a, rows, error));
    }
    return status;
}

static bough_status hold(open_answer *a, const block_result *result, const trial_records *records,
                         bough_error *error) {
    held_result *held, **at = &a->held;
    bough_status status = bough_alloc(&held, 1, sizeof *held, error);
    if (status) {
        free(records->bytes);
        return status;
    }
    while (*at && (*at)->result.block.first <= result->block.first) at = &(*at)->next;
    *held = (held_result){.next = *at, .result = *result, .records = *records};
    *at = held;
    return BOUGH_OK;
}

/* Folds the results whose predecessors are there. */
static bough_status fold_held(const trial_dealer *d, open_answer *a, bough_error *error) {
    bough_status status = BOUGH_OK;
    bough_rows rows = {0};
    while (!status && a->held && a->held->result.block.first == a->stats->trials) {
        held_result *h = a->held;
        a->held = h->next;
        if (h->result.block.count) status = fold_records(d, a, &h->records, &rows, error);
        if (!status && h->result.status) {
            status = h->result.status;
            *error = h->result.error;
        }
        FREE_ALL(h->records.bytes, h);
    }
    bough_rows_fini(&rows);
    return status;
}

/* What is known about the time of a block. */
static void learn(trial_dealer *d, const dealt_block *b, const block_result *result) {
    const bough_answer *answer = answer_of(d, b->answer);
    if (result->bind > 0) b->point->bind = result->bind;
    if (!(result->seconds > 0)) return;
    b->answer->seconds = result->seconds;
    d->rate[answer->asked] = result->seconds / answer_weight(answer, 1);
}

static bool same_block(const trial_block *rest, const trial_block *result) {
    return rest->point == result->point && rest->answer == result->answer && rest->first == result->first &&
           rest->count >= result->count;
}

/* The oldest block of a rank ends. */
static void land(rank_state *r) {
    r->dealt[0] = r->dealt[1];
    r->blocks--;
}

/* Goes on behind trials that were folded. */
static void settle(trial_dealer *d, open_point *p, open_answer *a) {
    bough_error error = {0};
    d->news = a;
    if (!a->stats->done && a->until && a->stats->trials == a->until)
        dealer_fail(d, catch_up(d, a, &error), &error);
    if (!d->status && is_complete(p)) close_point(d, p);
}

bool dealer_take(trial_dealer *d, unsigned rank, const block_result *result, const trial_records *records) {
    rank_state *r = &d->rank[rank];
    dealt_block b = r->dealt[0];
    bough_error error = result->error;
    bough_status status = result->status;
    if (!r->blocks || (records && !same_block(&b.block, &result->block))) return false;
    learn(d, &b, result);
    r->dealt[0].block.first += result->block.count;
    r->dealt[0].block.count -= result->block.count;
    if (result->status || r->dealt[0].block.count == 0) land(r);
    if (records) status = hold(b.answer, result, records, &error);
    if (records) TRY(fold_held(d, b.answer, &error));
    dealer_fail(d, status, &error);
    settle(d, b.point, b.answer);
    return true;
}

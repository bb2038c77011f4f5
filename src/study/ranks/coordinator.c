#include "study/ranks/coordinator.h"

#include "base/clock.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "study/run/answer_weight.h"
#include "study/run/point_binding.h"
#include "study/study_shards.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- start and end ---- */

typedef struct weighed {
    double weight;
    size_t point;
} weighed;

static int by_weight(const void *a, const void *b) {
    const weighed *p = a, *q = b;
    if (p->weight != q->weight) return p->weight > q->weight ? -1 : 1;
    return (p->point > q->point) - (p->point < q->point);
}

static bough_status make_order(coordinator *c, bough_error *error) {
    const bough_study *study = c->target.study;
    double trials = effort_guess(&study->effort);
    weighed *all;
    bough_status status = bough_alloc(&all, study->points, sizeof *all, error);
    if (status) return status;
    for (size_t i = 0; i < study->points; i++) {
        if (!study_point_is_mine(study, i)) continue;
        all[c->points++] = (weighed){point_weight(&study->point[i], trials), i};
        c->total += point_weight(&study->point[i], trials);
    }
    if (c->points) qsort(all, c->points, sizeof *all, by_weight);
    status = bough_alloc(&c->order, c->points, sizeof *c->order, error);
    for (size_t i = 0; i < c->points && !status; i++) c->order[i] = all[i].point;
    free(all);
    return status;
}

bough_status coordinator_init(coordinator *c, bough_study *study, const bough_study_options *options,
                              unsigned ranks, bough_error *error) {
    *c = (coordinator){.target = {study, options->store}, .options = options, .ranks = ranks};
    for (size_t i = 0; i < study->points; i++)
        if (study->point[i].methods > c->rates) c->rates = study->point[i].methods;
    bough_status status = bough_alloc(&c->rank, ranks, sizeof *c->rank, error);
    TRY(bough_alloc(&c->rate, c->rates, sizeof *c->rate, error));
    TRY(make_order(c, error));
    return status;
}

static void forget_point(coordinator *c, const open_point *p) {
    for (unsigned r = 0; r < c->ranks; r++)
        if (c->rank[r].own == p) {
            c->rank[r].own = NULL;
            c->rank[r].latest = NULL;
        }
}

static void close_point(coordinator *c, size_t at) {
    open_point *p = c->open[at];
    bough_error error = {0};
    for (size_t i = 0; i < p->answers; i++) c->done += p->answer[i].weight;
    forget_point(c, p);
    c->open[at] = c->open[--c->opens];
    bough_status status = open_point_close(&c->target, p, &error);
    if (status) coordinator_fail(c, status, &error);
}

void coordinator_fini(coordinator *c) {
    while (c->opens) close_point(c, c->opens - 1);
    for (unsigned r = 0; c->rank && r < c->ranks; r++) free(c->rank[r].flying);
    FREE_ALL(c->rank, c->rate, c->order, c->open);
    c->rank = NULL;
    c->rate = NULL;
    c->order = NULL;
    c->open = NULL;
}

void coordinator_fail(coordinator *c, bough_status status, const bough_error *error) {
    if (c->status || !status) return;
    c->status = status;
    c->error = *error;
}

bool coordinator_done(const coordinator *c) {
    return c->next == c->points && c->opens == 0;
}

void coordinator_join(coordinator *c, unsigned rank, unsigned threads) {
    if (!c->rank[rank].threads) c->joined++;
    c->rank[rank].threads = threads;
    c->slots += threads;
}

/* ---- estimates ---- */

static const bough_answer *answer_of(const coordinator *c, const open_answer *a) {
    return &c->target.study->point[a->at.point].answer[a->at.answer];
}

/* Of a trial; 0: unknown. */
static double seconds_of(const coordinator *c, const open_answer *a) {
    const bough_answer *answer = answer_of(c, a);
    return a->seconds > 0 ? a->seconds : c->rate[answer->asked] * answer_weight(answer, 1);
}

/* Pieces of 1 to 10 ms, one per thread if these are fewer trials. */
static uint64_t piece_size(const coordinator *c, const open_answer *a, uint64_t available) {
    enum { GUESSED = 16 };
    double seconds = seconds_of(c, a);
    if (!(seconds > 0)) return 1;
    const uint64_t share = available / c->slots + 1;
    double size = (double)share;
    if (size < 1e-3 / seconds) size = 1e-3 / seconds;
    if (size > 1e-2 / seconds) size = 1e-2 / seconds;
    uint64_t count = size < 1 ? 1 : size < (double)available ? (uint64_t)size : available;
    return !(a->seconds > 0) && count > GUESSED ? GUESSED : count;
}

/* A rank takes one piece per thread, and more while these are short. */
static bool has_room(const coordinator *c, const rank_state *r) {
    static const double AHEAD = 0.2, LONG = 1;
    size_t slots = r->flyings && r->flying[0].answer->stats->exact ? 1 : r->threads;
    if (r->flyings < slots) return true;
    double ahead = 0;
    for (size_t i = 0; i < r->flyings; i++) {
        double seconds = seconds_of(c, r->flying[i].answer);
        if (!(seconds > 0) || seconds > LONG) return false;
        ahead += seconds * (double)r->flying[i].piece.count;
    }
    return ahead < AHEAD * (double)slots;
}

/* ---- choosing ---- */

static open_answer *pick_answer(const coordinator *c, const open_point *p, open_answer *latest) {
    open_answer *best = NULL;
    double most = -1;
    if (latest && open_answer_available(latest)) return latest;
    for (size_t i = 0; i < p->answers; i++) {
        open_answer *a = &p->answer[i];
        double weight = answer_weight(answer_of(c, a), effort_guess(&c->target.study->effort));
        if (weight <= most || !open_answer_available(a)) continue;
        best = a;
        most = weight;
    }
    return best;
}

static bool all_dealt(const open_point *p) {
    for (size_t i = 0; i < p->answers; i++)
        if (!open_answer_dealt(&p->answer[i])) return false;
    return true;
}

/* Waiting for results of other ranks costs less than binding another point. */
static bool worth_waiting(const coordinator *c, const open_point *p) {
    static const double SHORT = 0.02;
    for (size_t i = 0; i < p->answers; i++) {
        const open_answer *a = &p->answer[i];
        double seconds = seconds_of(c, a);
        if (!open_answer_dealt(a) && seconds > 0 && seconds < p->bind + SHORT) return true;
    }
    return false;
}

/* Opens points until one has trials to compute; NULL: there is none. */
static open_point *open_next(coordinator *c) {
    while (c->next < c->points && !c->status) {
        open_point *p;
        bough_error error = {0};
        bough_status status = bough_grow(&c->open, &c->capacity, c->opens + 1, sizeof *c->open, &error);
        TRY(open_point_create(&c->target, c->order[c->next], &p, &error));
        if (status) {
            coordinator_fail(c, status, &error);
            return NULL;
        }
        c->next++;
        c->open[c->opens++] = p;
        const bough_study_point *point = &c->target.study->point[p->point];
        c->total -= point_weight(point, effort_guess(&c->target.study->effort));
        for (size_t i = 0; i < p->answers; i++) c->total += p->answer[i].weight;
        if (p->left) return p;
        close_point(c, c->opens - 1);
    }
    return NULL;
}

/* The open point with most work to give out, if this is worth binding it. */
static open_point *find_help(const coordinator *c) {
    open_point *best = NULL;
    double most = 0;
    for (size_t i = 0; i < c->opens; i++) {
        double work = 0;
        for (size_t k = 0; k < c->open[i]->answers; k++) {
            const open_answer *a = &c->open[i]->answer[k];
            double seconds = seconds_of(c, a);
            work += (double)open_answer_available(a) * (seconds > 0 ? seconds : 1);
        }
        if (work > c->open[i]->bind && work > most) {
            best = c->open[i];
            most = work;
        }
    }
    return best;
}

static open_answer *choose(coordinator *c, rank_state *r) {
    open_answer *a = r->own ? pick_answer(c, r->own, r->latest) : NULL;
    if (a) return a;
    if (r->own && !all_dealt(r->own) && (r->flyings || worth_waiting(c, r->own))) return NULL;
    open_point *p = open_next(c);
    if (!p) p = find_help(c);
    if (!p) return NULL;
    r->own = p;
    r->latest = NULL;
    return pick_answer(c, p, NULL);
}

static bool give(coordinator *c, rank_state *r, open_answer *a, rank_piece *piece) {
    bough_error error = {0};
    bough_status status = bough_grow(&r->flying, &r->capacity, r->flyings + 1, sizeof *r->flying, &error);
    if (status) {
        coordinator_fail(c, status, &error);
        return false;
    }
    *piece = (rank_piece){a->at.point, a->at.answer, a->given, piece_size(c, a, open_answer_available(a))};
    a->given += piece->count;
    r->latest = a;
    r->own->flying++;
    r->flying[r->flyings++] = (flying_piece){r->own, a, *piece};
    return true;
}

bool coordinator_next(coordinator *c, unsigned *rank, rank_piece *piece) {
    if (c->joined < c->ranks) return false; /* they have agreed to run, so they join at once */
    for (unsigned i = 0; i < c->ranks && !c->status; i++) {
        unsigned at = c->turn;
        rank_state *r = &c->rank[at];
        c->turn = (c->turn + 1) % c->ranks;
        open_answer *a = has_room(c, r) ? choose(c, r) : NULL;
        if (!a || c->status || !give(c, r, a, piece)) continue;
        *rank = at;
        return true;
    }
    return false;
}

/* ---- results ---- */

/* Reports the progress of the whole, a few times per second. */
static void pulse(coordinator *c, const open_answer *a) {
    double now = clock_seconds(), sum = c->done;
    if (!c->options->progress || now - c->reported < 0.1) return;
    c->reported = now;
    for (size_t i = 0; i < c->opens; i++)
        for (size_t k = 0; k < c->open[i]->answers; k++) {
            const open_answer *b = &c->open[i]->answer[k];
            double expected = (double)answer_stats_expected(b->stats) - b->since;
            sum += b->weight * (expected > 0 ? ((double)b->stats->trials - b->since) / expected : 1);
        }
    char label[128], what[256];
    const bough_study_point *p = &c->target.study->point[a->at.point];
    point_label(c->target.study, p, label, sizeof label);
    snprintf(what, sizeof what, "%u ranks, %zu points open: %s%s%s, trial %" PRIu64, c->ranks, c->opens,
             label, *label ? ", " : "", p->answer[a->at.answer].method, a->stats->trials);
    double share = c->total > 0 ? sum / c->total : 1;
    c->options->progress(c->options->context, share < 1 ? share : 1, what);
}

/* Removes a piece from those that a rank has; false: the rank does not have it. */
static bool land(rank_state *r, const rank_piece *piece, flying_piece *landed) {
    for (size_t i = 0; i < r->flyings; i++) {
        const rank_piece *p = &r->flying[i].piece;
        if (p->point != piece->point || p->answer != piece->answer || p->first != piece->first) continue;
        *landed = r->flying[i];
        r->flying[i] = r->flying[--r->flyings];
        return landed->piece.count == piece->count;
    }
    return false;
}

static void learn(coordinator *c, const open_answer *a) {
    const bough_answer *answer = answer_of(c, a);
    if (a->seconds > 0) c->rate[answer->asked] = a->seconds / answer_weight(answer, 1);
}

static size_t index_of(const coordinator *c, const open_point *p) {
    size_t i = 0;
    while (c->open[i] != p) i++;
    return i;
}

void coordinator_take(coordinator *c, rank_message *message) {
    held_result *held;
    flying_piece landed;
    bough_error error = {0};
    bough_status status = bough_alloc(&held, 1, sizeof *held, &error);
    if (status) {
        free(message->bytes);
        coordinator_fail(c, status, &error);
        return;
    }
    held->message = *message;
    held->rows = (rank_reader){message->bytes + 1, message->bytes + message->size, false};
    rank_get_result(&held->rows, &held->header);
    if (held->rows.failed || !land(&c->rank[message->from], &held->header.piece, &landed)) {
        bough_fail(&error, BOUGH_FAILED, NULL, "a message of rank %u is damaged", message->from);
        FREE_ALL(message->bytes, held);
        coordinator_fail(c, BOUGH_FAILED, &error);
        return;
    }
    status = open_point_take(&c->target, landed.point, held, &error);
    if (status) coordinator_fail(c, status, &error);
    learn(c, landed.answer);
    pulse(c, landed.answer);
    if (!landed.point->left && !landed.point->flying) close_point(c, index_of(c, landed.point));
}

#include "study/run/answer_stats.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "study/study.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- stopping rule ---- */

/* When an answer has enough trials. */

/* True if `trials` are all that effort allows, or if the 95 % interval of the watched metric is at most
 * effort->precision of its mean. watched: NULL if the answer has no metric. */
static bool stopping_rule_met(const bough_effort *effort, const bough_stats *watched, uint64_t trials) {
    if (trials >= effort->trials || !watched) return true;
    /* equal values have no width, and a few equal trials are no evidence that all are equal */
    if (watched->m2 == 0 && watched->count < BOUGH_CONSTANT_TRIALS) return false;
    return bough_stats_ci95(watched) <= effort->precision * fabs(watched->mean);
}

/* The number of trials at which to evaluate the rule again: half as many more, at most effort->trials. */
static uint64_t stopping_rule_next(const bough_effort *effort, uint64_t trials) {
    trials += trials / 2;
    return trials < effort->trials ? trials : effort->trials;
}

/* ---- answer stats ---- */

void answer_stats_init(answer_stats *t, const bough_answer *answer, const bough_effort *effort,
                       bool keep_columns) {
    *t = (answer_stats){
        .effort = *effort, .headline = answer->headline, .exact = answer->exact, .keep = keep_columns};
    t->effort.trials = bough_effort_trials(effort);
    if (t->exact) t->effort = (bough_effort){.trials = 1, .watch = BOUGH_METRIC_COUNT};
    t->next = t->effort.trials;
    if (t->effort.precision > 0 && t->next > BOUGH_FIRST_CHECKPOINT) t->next = BOUGH_FIRST_CHECKPOINT;
}

void answer_stats_fini(answer_stats *t) {
    for (size_t i = 0; i < t->cells; i++)
        FREE_ALL(t->cell[i].column, t->cell[i].weight, t->cell[i].values.item);
    FREE_ALL(t->cell, t->slot);
    *t = (answer_stats){0};
}

/* ---- cells by (metric, index) ---- */

static uint64_t hash_cell(bough_metric_id metric, int64_t index) {
    uint64_t h =
        ((uint64_t)index * UINT64_C(0x9e3779b97f4a7c15)) ^ ((uint64_t)metric * UINT64_C(0xc2b2ae3d27d4eb4f));
    h ^= h >> 29;
    h *= UINT64_C(0xbf58476d1ce4e5b9);
    return h ^ h >> 32;
}

static bool is_cell(const stats_cell *c, const bough_row *row) {
    return c->base.metric == row->metric && c->base.index == row->index;
}

/* The slot of a row's cell, or the free slot for it. */
static uint32_t *find_slot(const answer_stats *t, bough_metric_id metric, int64_t index) {
    for (uint64_t h = hash_cell(metric, index);; h++) {
        uint32_t *slot = &t->slot[h & (t->slots - 1)];
        if (!*slot) return slot;
        const bough_cell *c = &t->cell[*slot - 1].base;
        if (c->metric == metric && c->index == index) return slot;
    }
}

static bough_status grow_slots(answer_stats *t, bough_error *error) {
    uint32_t *old = t->slot;
    size_t slots = t->slots ? 2 * t->slots : 64;
    bough_status status = bough_alloc(&t->slot, slots, sizeof *t->slot, error);
    if (status) {
        t->slot = old;
        return status;
    }
    t->slots = slots;
    for (size_t i = 0; i < t->cells; i++)
        *find_slot(t, t->cell[i].base.metric, t->cell[i].base.index) = (uint32_t)(i + 1);
    free(old);
    return BOUGH_OK;
}

static bool is_counted(const answer_stats *t, const bough_row *row) {
    if (t->exact || row->index != BOUGH_NO_ROW_INDEX) return false;
    for (size_t i = 0; i < t->statistics; i++)
        if (t->statistic[i].metric == row->metric) return true;
    return false;
}

static bough_status find_cell(answer_stats *t, const bough_row *row, size_t *cell, bough_error *error) {
    if (2 * (t->cells + 1) > t->slots) {
        bough_status status = grow_slots(t, error);
        if (status) return status;
    }
    uint32_t *slot = find_slot(t, row->metric, row->index);
    if (!*slot) {
        bough_status status = bough_grow(&t->cell, &t->capacity, t->cells + 1, sizeof *t->cell, error);
        if (status) return status;
        t->cell[t->cells] =
            (stats_cell){.base = {.metric = row->metric, .index = row->index}, .counted = is_counted(t, row)};
        *slot = (uint32_t)++t->cells;
    }
    *cell = *slot - 1;
    return BOUGH_OK;
}

/* weight: 0 for none, which counts as 1 if other trials have one. A metric that occurs twice in a trial is
 * stored once. */
static bough_status keep_value(stats_cell *c, uint64_t trial, double value, double weight,
                               bough_error *error) {
    if (c->count > trial) return BOUGH_OK;
    size_t weighed = c->weight ? c->count : 0;
    bool weigh = weight || c->weight;
    bough_status status = bough_grow(&c->column, &c->capacity, trial + 1, sizeof *c->column, error);
    if (!status && weigh) status = bough_grow(&c->weight, &c->weights, trial + 1, sizeof *c->weight, error);
    if (status) return status;
    while (c->count < trial) c->column[c->count++] = NAN;
    c->column[c->count++] = value;
    for (; weigh && weighed < trial; weighed++) c->weight[weighed] = 1;
    if (weigh) c->weight[trial] = weight ? weight : 1;
    return BOUGH_OK;
}

/* Number of items that the row's value averages over; 0: unknown. */
static double weight_of(const bough_rows *rows, const bough_row *row) {
    bough_metric_id weight = bough_metric_weight(row->metric);
    for (size_t i = 0; i < rows->count && weight != BOUGH_METRIC_COUNT; i++)
        if (rows->row[i].metric == weight && rows->row[i].index == row->index) return rows->row[i].value;
    return 0;
}

/* ---- the stopping rule ---- */

/* The cell that the rule observes: the named metric; else the headline; else, for modes without the headline,
 * the first metric. NULL if there is none. */
static const bough_cell *watched_cell(const answer_stats *t) {
    const bough_metric_id wanted[] = {t->effort.watch, t->headline};
    for (size_t w = 0; w < 2; w++)
        for (size_t i = 0; i < t->cells; i++)
            if (t->cell[i].base.metric == wanted[w]) return &t->cell[i].base;
    return t->cells ? &t->cell[0].base : NULL;
}

static const bough_stats *watched(const answer_stats *t) {
    const bough_cell *cell = watched_cell(t);
    return cell ? &cell->stats : NULL;
}

bough_status answer_stats_add(answer_stats *t, const bough_rows *rows, bough_error *error) {
    size_t guess = 0; /* rows usually have the same order in every trial */
    for (size_t i = 0; i < rows->count; i++) {
        const bough_row *row = &rows->row[i];
        if (guess >= t->cells || !is_cell(&t->cell[guess], row)) {
            bough_status status = find_cell(t, row, &guess, error);
            if (status) return status;
        }
        stats_cell *c = &t->cell[guess++];
        c->base.ci95 = c->base.stats.count ? 0 : row->ci95;
        double weight = weight_of(rows, row);
        bough_stats_add_weighted(&c->base.stats, row->value, weight ? weight : 1);
        if (c->counted) {
            bough_status status = value_counts_add(&c->values, row->value, error);
            if (status) return status;
        }
        if (t->keep && row->index == BOUGH_NO_ROW_INDEX && t->trials < BOUGH_COMPARED_TRIALS) {
            bough_status status = keep_value(c, t->trials, row->value, weight, error);
            if (status) return status;
        }
    }
    if (rows->outcome > t->outcome || t->trials == 0) {
        t->outcome = rows->outcome;
        t->with_outcome = 0;
        memcpy(t->note, rows->note, sizeof t->note);
    }
    t->with_outcome += rows->outcome == t->outcome;
    if (++t->trials < t->next) return BOUGH_OK;
    t->done = stopping_rule_met(&t->effort, watched(t), t->trials);
    if (!t->done) t->next = stopping_rule_next(&t->effort, t->next);
    return BOUGH_OK;
}

stats_cell *answer_stats_find(const answer_stats *t, bough_metric_id metric) {
    for (size_t i = 0; i < t->cells; i++)
        if (t->cell[i].base.metric == metric && t->cell[i].base.index == BOUGH_NO_ROW_INDEX)
            return &t->cell[i];
    return NULL;
}

uint64_t answer_stats_expected(const answer_stats *t) {
    if (t->done) return t->trials;
    if (!(t->effort.precision > 0)) return t->effort.trials;
    const bough_stats *s = watched(t);
    double ci = s ? bough_stats_ci95(s) : NAN, goal = s ? t->effort.precision * fabs(s->mean) : 0;
    double expected = (double)t->next;
    if (s && s->m2 == 0) expected = fmax(expected, BOUGH_CONSTANT_TRIALS); /* equal so far */
    if (ci > 0 && goal > 0) expected = fmax(expected, (double)s->count * (ci / goal) * (ci / goal));
    return expected < (double)t->effort.trials ? (uint64_t)expected : t->effort.trials;
}

/* ---- the result ---- */

double bough_cell_ci95(const bough_answer *answer, const bough_cell *cell) {
    if (cell->stats.count == 1 && cell->ci95 > 0) return cell->ci95;
    if (answer->exact || !bough_metric_estimates(cell->metric)) return NAN;
    if (cell->stats.m2 == 0 && cell->stats.count < BOUGH_CONSTANT_TRIALS) return NAN; /* as in precise() */
    return bough_stats_ci95(&cell->stats);
}

typedef struct placed {
    bough_cell cell;
    size_t rank; /* position of the metric's first occurrence */
} placed;

static int by_place(const void *a, const void *b) {
    const placed *p = a, *q = b;
    if (p->rank != q->rank) return p->rank < q->rank ? -1 : 1;
    return (p->cell.index > q->cell.index) - (p->cell.index < q->cell.index);
}

/* A note that explains the outcome of some trials only says of how many. */
static void put_note(const answer_stats *t, bough_answer *answer) {
    bool some = t->outcome != BOUGH_RUN_OK && t->with_outcome < t->trials;
    char share[64] = "";
    if (some)
        snprintf(share, sizeof share, "%" PRIu64 " of %" PRIu64 " trials: ", t->with_outcome, t->trials);
    snprintf(answer->note, sizeof answer->note, "%s%.*s", share,
             (int)(sizeof answer->note - strlen(share) - 1), t->note);
}

static void put_imprecision(const answer_stats *t, bough_answer *answer) {
    const bough_cell *cell = watched_cell(t);
    answer->imprecision = 0;
    if (!t->done || !cell || !(t->effort.precision > 0) || cell->stats.m2 == 0) return;
    double reached = bough_stats_ci95(&cell->stats) / fabs(cell->stats.mean);
    if (!(reached > t->effort.precision)) return;
    answer->imprecision = reached;
    answer->imprecise = cell->metric;
}

bough_status answer_stats_finish(answer_stats *t, bough_answer *answer, bough_error *error) {
    placed *all;
    size_t first[BOUGH_METRIC_COUNT];
    bough_cell *cells;
    bough_status status = bough_alloc(&all, t->cells, sizeof *all, error);
    if (status) return status;
    status = bough_alloc(&cells, t->cells, sizeof *cells, error);
    if (status) {
        free(all);
        return status;
    }
    for (size_t i = 0; i < BOUGH_METRIC_COUNT; i++) first[i] = SIZE_MAX;
    for (size_t i = 0; i < t->cells; i++) {
        size_t *rank = &first[t->cell[i].base.metric];
        if (*rank == SIZE_MAX) *rank = i;
        all[i] = (placed){t->cell[i].base, *rank};
    }
    if (t->cells) qsort(all, t->cells, sizeof *all, by_place);
    for (size_t i = 0; i < t->cells; i++) cells[i] = all[i].cell;
    FREE_ALL(all, answer->cell);
    answer->cell = cells;
    answer->cells = t->cells;
    answer->trials = t->trials;
    answer->complete = t->done;
    answer->outcome = t->done ? t->outcome : BOUGH_RUN_PARTIAL;
    put_note(t, answer);
    put_imprecision(t, answer);
    return BOUGH_OK;
}

bough_status answer_add_premises(arena *memory, bough_answer *a, char *const *premise, size_t count,
                                 bough_error *error) {
    bough_status status = BOUGH_OK;
    for (size_t i = 0; i < count && !status; i++) {
        size_t k = 0;
        while (k < a->premises && strcmp(a->premise[k], premise[i]) != 0) k++;
        if (k < a->premises) continue;
        status = arena_grow(memory, &a->premise, k + 1, sizeof *a->premise, error);
        TRY(arena_copy(memory, &a->premise[k], premise[i], error));
        if (!status) a->premises++;
    }
    return status;
}

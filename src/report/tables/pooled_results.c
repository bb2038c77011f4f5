#include "report/tables/pooled_results.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "study/run/answer_stats.h"
#include "study/trial_statistics.h"

#include <string.h>

static bool same_cells(const bough_answer *a, const bough_answer *b) {
    if (a->cells != b->cells) return false;
    for (size_t i = 0; i < a->cells; i++) {
        const bough_cell *x = &a->cell[i], *y = &b->cell[i];
        if (x->metric != y->metric || x->index != y->index || x->stats.count != y->stats.count ||
            x->stats.mean != y->stats.mean || x->stats.m2 != y->stats.m2)
            return false;
    }
    return true;
}

/* The trials of a point share the draw of the axis, so they are one value: the mean of their items. */
static void add_point(bough_stats *to, const bough_stats *from) {
    if (from->count == 0) return;
    bough_stats sum = *to;
    bough_stats_add_weighted(&sum, from->mean, from->weight * from->unit);
    sum.min = to->count && to->min < from->min ? to->min : from->min;
    sum.max = to->count && to->max > from->max ? to->max : from->max;
    *to = sum;
}

static void begin_cell(bough_cell *cell, const bough_cell *from) {
    *cell = *from;
    cell->stats = (bough_stats){0};
    cell->ci95 = 0;
    add_point(&cell->stats, &from->stats);
}

static bough_status merge_answer(bough_answer *to, const bough_answer *from, bough_error *error) {
    size_t capacity = to->cells;
    for (size_t i = 0; i < from->cells; i++) {
        size_t k = 0;
        while (k < to->cells &&
               (to->cell[k].metric != from->cell[i].metric || to->cell[k].index != from->cell[i].index))
            k++;
        if (k == to->cells) {
            bough_status status = bough_grow(&to->cell, &capacity, to->cells + 1, sizeof *to->cell, error);
            if (status) return status;
            begin_cell(&to->cell[to->cells++], &from->cell[i]);
        } else {
            add_point(&to->cell[k].stats, &from->cell[i].stats);
        }
    }
    to->trials += from->trials;
    to->exact = false;                                /* it varies along the axis */
    if (to->outcome == BOUGH_RUN_OK) to->note[0] = 0; /* it referred to the first point only */
    if (from->outcome > to->outcome) {
        to->outcome = from->outcome;
        memcpy(to->note, from->note, sizeof to->note);
    }
    to->complete = to->complete && from->complete;
    return BOUGH_OK;
}

/* Texts and lists are those of the study, which lives longer; cells change, and premises are added. */
static bough_status copy_point(arena *memory, bough_study_point *to, const bough_study_point *from,
                               bough_error *error) {
    *to = *from;
    to->comparison = NULL, to->statistic = NULL;
    to->answers = to->comparisons = to->statistics = 0;
    bough_status status = arena_alloc(memory, &to->answer, from->answers, sizeof *to->answer, error);
    for (size_t i = 0; i < from->answers && !status; i++) {
        bough_answer *a = &to->answer[to->answers++];
        *a = from->answer[i];
        a->premise = NULL, a->premises = 0, a->cell = NULL;
        status = bough_alloc(&a->cell, a->cells, sizeof *a->cell, error);
        if (!status && a->cells) memcpy(a->cell, from->answer[i].cell, a->cells * sizeof *a->cell);
        TRY(answer_add_premises(memory, a, from->answer[i].premise, from->answer[i].premises, error));
    }
    return status;
}

/* True if a later point differs from the first of a group only in the last axis. Faults and traffic may
 * contain that axis, so their specs are not compared; where a list of them advances, the axis restarts. */
static bool same_group(const bough_study *study, const bough_study_point *a, const bough_study_point *b) {
    if (a->answers != b->answers) return false;
    if (strcmp(a->value[study->axes - 1], b->value[study->axes - 1]) == 0) return false;
    if (strcmp(a->network.spec, b->network.spec) != 0) return false;
    for (size_t i = 0; i + 1 < study->axes; i++)
        if (strcmp(a->value[i], b->value[i]) != 0) return false;
    return true;
}

static bough_status pool_group(const bough_study *study, size_t first, size_t end, bough_study *pooled,
                               bough_error *error) {
    bough_study_point *to = &pooled->point[pooled->points++];
    bough_status status = copy_point(&pooled->memory, to, &study->point[first], error);
    for (size_t k = 0; k < to->answers && !status; k++) {
        bool same = true;
        for (size_t i = first + 1; i < end; i++)
            same = same && same_cells(&study->point[first].answer[k], &study->point[i].answer[k]);
        for (size_t c = 0; c < to->answer[k].cells && !same; c++)
            begin_cell(&to->answer[k].cell[c], &study->point[first].answer[k].cell[c]);
        for (size_t i = first + 1; i < end && !status; i++) {
            const bough_answer *from = &study->point[i].answer[k];
            status = same ? BOUGH_OK : merge_answer(&to->answer[k], from, error);
            TRY(answer_add_premises(&pooled->memory, &to->answer[k], from->premise, from->premises, error));
        }
    }
    return status;
}

bough_status pool_study(const bough_study *study, bough_study *pooled, bough_error *error) {
    *pooled = (bough_study){.title = study->title,
                            .axis = study->axis,
                            .axes = study->axes,
                            .seed = study->seed,
                            .effort = study->effort,
                            .statistic = study->statistic, /* without values */
                            .statistics = study->statistics,
                            .compare = study->compare,
                            .network_varies = study->network_varies,
                            .faults_vary = study->faults_vary,
                            .traffic_varies = study->traffic_varies};
    pooled->plot.ys = study->plot.ys;
    pooled->plot.x = study->plot.x;
    memcpy(pooled->plot.y, study->plot.y, sizeof pooled->plot.y);
    bough_status status =
        arena_alloc(&pooled->memory, &pooled->point, study->points, sizeof *pooled->point, error);
    for (size_t i = 0, end; i < study->points && !status; i = end) {
        for (end = i + 1; end < study->points && same_group(study, &study->point[i], &study->point[end]);)
            end++;
        status = pool_group(study, i, end, pooled, error);
    }
    if (status) bough_study_fini(pooled);
    return status;
}

#include "study/ranks/open_point.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "study/run/answer_weight.h"

#include <stdlib.h>

static void drop_held(held_result *held) {
    if (held) FREE_ALL(held->message.bytes, held);
}

static void destroy(open_point *p) {
    for (size_t i = 0; p->stats && i < p->answers; i++) answer_stats_fini(&p->stats[i]);
    for (size_t i = 0; p->answer && i < p->answers; i++)
        for (held_result *h = p->answer[i].held, *next; h; h = next) {
            next = h->next;
            drop_held(h);
        }
    FREE_ALL(p->stats, p->answer, p);
}

/* Continues after the trials that are folded: reads those that the store has. */
static bough_status catch_up(const open_target *target, open_answer *a, bough_error *error) {
    bough_status status = target->store ? store_replay(target->store, a->at, a->stats, error) : BOUGH_OK;
    a->given = a->stats->trials;
    a->until = target->store && !a->stats->done ? store_next(target->store, a->at, a->given) : 0;
    return status;
}

static bough_status begin_answer(const open_target *target, open_point *p, size_t i, bough_error *error) {
    const bough_study *study = target->study;
    const bough_answer *answer = &study->point[p->point].answer[i];
    open_answer *a = &p->answer[i];
    *a = (open_answer){.at = {p->point, i}, .stats = &p->stats[i]};
    answer_stats_init(a->stats, answer, &study->effort, p->answers > 1);
    a->stats->statistic = study->statistic;
    a->stats->statistics = study->statistics;
    bough_status status = catch_up(target, a, error);
    a->since = (double)a->stats->trials;
    a->weight = answer_weight(answer, effort_guess(&study->effort));
    if (a->since > 0) a->weight -= a->weight * a->since / (double)answer_stats_expected(a->stats);
    p->left += !a->stats->done;
    return status;
}

bough_status open_point_create(const open_target *target, size_t point, open_point **out,
                               bough_error *error) {
    open_point *p;
    *out = NULL;
    bough_status status = bough_alloc(&p, 1, sizeof *p, error);
    if (status) return status;
    p->point = point;
    p->answers = target->study->point[point].answers;
    status = bough_alloc(&p->stats, p->answers, sizeof *p->stats, error);
    TRY(bough_alloc(&p->answer, p->answers, sizeof *p->answer, error));
    for (size_t i = 0; i < p->answers && !status; i++) status = begin_answer(target, p, i, error);
    if (status)
        destroy(p);
    else
        *out = p;
    return status;
}

bough_status open_point_close(const open_target *target, open_point *p, bough_error *error) {
    bough_study_point *point = &target->study->point[p->point];
    bough_status status = BOUGH_OK;
    for (size_t i = 0; i < p->answers; i++) TRY(answer_stats_finish(&p->stats[i], &point->answer[i], error));
    if (!p->left) {
        TRY(answers_compare(p->stats, point, error));
        TRY(answers_measure(p->stats, target->study, point, error));
    }
    destroy(p);
    return status;
}

/* ---- folding ---- */

static void hold(open_answer *a, held_result *held) {
    held_result **at = &a->held;
    while (*at && (*at)->header.piece.first < held->header.piece.first) at = &(*at)->next;
    held->next = *at;
    *at = held;
}

static bough_status fold_piece(const open_target *target, open_answer *a, held_result *held, bough_rows *rows,
                               bough_error *error) {
    bough_status status = BOUGH_OK;
    for (uint64_t i = 0; i < held->header.done && !a->stats->done && !status; i++) {
        uint64_t trial = a->stats->trials;
        status = rank_get_rows(&held->rows, rows, error);
        if (target->store) TRY(store_append(target->store, a->at, trial, rows, error));
        TRY(answer_stats_add(a->stats, rows, error));
    }
    if (status || !held->header.status) return status;
    *error = held->header.error;
    return held->header.status;
}

bough_status open_point_take(const open_target *target, open_point *p, held_result *held,
                             bough_error *error) {
    const piece_result *r = &held->header;
    open_answer *a = &p->answer[r->piece.answer];
    bough_rows rows = {0};
    bough_status status = BOUGH_OK;
    if (r->done) a->seconds = r->seconds > 0 ? r->seconds / (double)r->done : 1e-9;
    if (r->bind > 0) p->bind = r->bind;
    p->flying--;
    hold(a, held);
    bool was_done = a->stats->done;
    while (!status && a->held && a->held->header.piece.first == a->stats->trials && !a->stats->done) {
        held_result *next = a->held;
        a->held = next->next;
        status = fold_piece(target, a, next, &rows, error);
        drop_held(next);
    }
    if (!status && !a->stats->done && a->until && a->stats->trials == a->until)
        status = catch_up(target, a, error);
    p->left -= !was_done && a->stats->done;
    bough_rows_fini(&rows);
    return status;
}

/* ---- what can be given out ---- */

/* Results that wait for a slow trial take memory on rank 0, so trials run ahead of it by a limited number. */
static uint64_t window(const open_answer *a) {
    enum { LEAST = 64, MOST = 1 << 20, ROW = 28 };
    if (a->stats->trials == 0) return LEAST; /* the number of rows is unknown */
    uint64_t trials = (UINT64_C(64) << 20) / ((a->stats->cells + 1) * ROW);
    return trials < LEAST ? LEAST : trials > MOST ? MOST : trials;
}

uint64_t open_answer_available(const open_answer *a) {
    if (a->stats->done) return 0;
    uint64_t end = a->stats->trials + window(a);
    if (a->stats->next < end) end = a->stats->next;
    if (a->until && a->until < end) end = a->until;
    return end > a->given ? end - a->given : 0;
}

bool open_answer_dealt(const open_answer *a) {
    return a->stats->done || a->given >= a->stats->effort.trials;
}

/* Rank 0 keeps the statistics and the store, and says before each trial which one comes: the others follow.
 * The trial, and what rank 0 does with its rows, fails on all ranks or on none. */
#include "study/ranks/ranks_joint.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/threads.h"
#include "study/run/answer_weight.h"
#include "study/run/point_binding.h"
#include "study/store/store.h"
#include "study/study_shards.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- which answers ---- */

uint64_t joint_memory(const bough_answer *a, unsigned ranks) {
    return bough_add(a->joint_bytes / ranks, a->joint_bytes_each);
}

static double study_weight(const bough_study *study) {
    double sum = 0, trials = effort_guess(&study->effort);
    for (size_t i = 0; i < study->points; i++)
        if (study_point_is_mine(study, i)) sum += point_weight(&study->point[i], trials);
    return sum;
}

bool answer_is_joint(const bough_study *study, size_t point, size_t answer, const rank_team *team) {
    const bough_study_point *p = &study->point[point];
    const bough_answer *a = &p->answer[answer];
    uint64_t part = bough_memory_limit() / team->local, trials = a->exact ? 1 : study->effort.trials;
    if (!team->group || team->ranks < 2 || !a->joint || a->joint > team->ranks) return false;
    if (a->joint > 1 || bough_add(p->bytes, a->bytes) > part) return true;
    return trials < team->ranks && a->joint_pays <= team->ranks &&
           answer_weight(a, 1) * team->ranks > study_weight(study);
}

/* ---- results ---- */

void joint_results_fini(joint_results *r) {
    for (size_t i = 0; r->stats && i < r->points; i++) {
        for (size_t k = 0; r->stats[i] && k < r->study->point[i].answers; k++)
            answer_stats_fini(&r->stats[i][k]);
        free(r->stats[i]);
    }
    FREE_ALL(r->stats, r->set);
    *r = (joint_results){0};
}

bool joint_results_take(joint_results *r, size_t point, size_t answer, answer_stats *stats) {
    if (!r || !r->stats || !r->stats[point] || !r->stats[point][answer].done) return false;
    answer_stats_fini(stats);
    *stats = r->stats[point][answer];
    r->stats[point][answer] = (answer_stats){0};
    return true;
}

void joint_results_finish(joint_results *r, bough_study *study) {
    for (size_t i = 0; r->stats && i < r->points; i++)
        for (size_t k = 0; r->stats[i] && k < study->point[i].answers; k++)
            if (r->stats[i][k].done) answer_stats_finish(&r->stats[i][k], &study->point[i].answer[k], NULL);
}

/* ---- trials ---- */

typedef struct joint_work {
    const rank_team *team;
    bough_study *study;
    const bough_study_options *options;
    rank_group group;
    group_state state;
    answer_place at;
    bough_run *run;
    void *workspace;
    bough_rows rows;
    uint64_t trials;     /* computed */
    answer_stats *stats; /* on rank 0 */
} joint_work;

/* What rank 0 says. */
typedef struct joint_order {
    uint64_t trial;
    uint64_t done;
} joint_order;

/* Rank 0 takes trials that the store has. */
static bough_status catch_up(const joint_work *w, bough_error *error) {
    if (w->team->rank || !w->options->store || w->stats->done) return BOUGH_OK;
    return store_replay(w->options->store, w->at, w->stats, error);
}

/* The next trial of the answer, on all ranks. status: of this rank so far. */
static bough_status take_order(const joint_work *w, bough_status status, joint_order *order,
                               bough_error *error) {
    const unsigned ranks = w->group.ranks;
    uint64_t *size = NULL;
    rank_parts out = {0}, in = {0};
    TRY(catch_up(w, error));
    TRY(bough_alloc(&size, ranks, sizeof *size, error));
    for (unsigned r = 0; r < ranks && !status && w->team->rank == 0; r++) size[r] = sizeof *order;
    TRY(rank_parts_make(&out, ranks, size, error));
    if (!status && w->team->rank == 0) {
        joint_order *to = (joint_order *)out.bytes;
        for (unsigned r = 0; r < ranks; r++) to[r] = (joint_order){w->stats->trials, w->stats->done};
    }
    status = group_exchange(&w->group, status, &out, &in, error);
    if (!status) *order = *(joint_order *)in.bytes;
    rank_parts_fini(&out);
    rank_parts_fini(&in);
    free(size);
    return status;
}

static bough_status fold(joint_work *w, uint64_t trial, bough_error *error) {
    bough_status status = BOUGH_OK;
    if (w->team->rank) return BOUGH_OK;
    if (w->options->store) {
        status = store_append(w->options->store, w->at, trial, &w->rows, error);
        TRY(store_commit(w->options->store, error));
    }
    TRY(answer_stats_add(w->stats, &w->rows, error));
    return status;
}

static void report(const joint_work *w, uint64_t trial) {
    char label[128], what[256];
    const bough_study_point *p = &w->study->point[w->at.point];
    if (w->team->rank || !w->options->progress) return;
    point_label(w->study, p, label, sizeof label);
    snprintf(what, sizeof what, "%u ranks together: %s%s%s, trial %" PRIu64, w->group.ranks, label,
             *label ? ", " : "", p->answer[w->at.answer].method, trial + 1);
    w->options->progress(w->options->context, 0, what);
}

static bough_status run_trials(joint_work *w, bough_error *error) {
    joint_order order = {0};
    bough_status status = take_order(w, BOUGH_OK, &order, error);
    while (!status && !order.done) {
        bough_key key = bough_key_make(w->study->seed, order.trial);
        report(w, order.trial);
        status = bough_run_trial(w->run, key, &w->workspace, &w->rows, error);
        status = group_agree(&w->group, status, error);
        w->trials += !status;
        if (!status) status = take_order(w, fold(w, order.trial, error), &order, error);
    }
    return status;
}

/* Threads of a rank: as many as its memory holds. */
static unsigned threads_of(const joint_work *w) {
    const bough_study_point *p = &w->study->point[w->at.point];
    const bough_answer *a = &p->answer[w->at.answer];
    uint64_t part = bough_memory_limit() / w->team->local,
             need = bough_add(p->bytes, joint_memory(a, w->group.ranks));
    unsigned threads = w->options->threads ? w->options->threads : parallel_processors();
    if (!a->parallel) return 1;
    const uint64_t team = bough_add(need, a->bytes_team);
    while (threads > 1 && bough_add(team, bough_mul(a->bytes_each, threads - 1)) > part) threads--;
    return threads;
}

static bough_status run_answer(joint_work *w, bough_error *error) {
    bough_status status = bind_point(w->study, w->at.point, error);
    if (!status) {
        w->run = w->study->binding->run[w->at.answer];
        w->run->stop = w->options->stop;
        w->run->threads = threads_of(w);
        w->run->group = &w->group;
    }
    status = group_agree(&w->group, status, error);
    TRY(run_trials(w, error));
    if (w->run) {
        bough_run_free_workspace(w->run, w->workspace);
        w->run->group = NULL;
    }
    bough_rows_fini(&w->rows);
    return status;
}

static bough_status begin_stats(joint_work *w, joint_results *results, bough_error *error) {
    const bough_study *study = w->study;
    const bough_study_point *p = &study->point[w->at.point];
    bough_status status = BOUGH_OK;
    if (w->team->rank) return status;
    if (!results->stats) {
        results->points = study->points;
        results->study = study;
        status = bough_alloc(&results->stats, study->points, sizeof *results->stats, error);
    }
    if (!status && !results->stats[w->at.point])
        status = bough_alloc(&results->stats[w->at.point], p->answers, sizeof **results->stats, error);
    if (status) return status;
    w->stats = &results->stats[w->at.point][w->at.answer];
    answer_stats_init(w->stats, &p->answer[w->at.answer], &study->effort, p->answers > 1);
    w->stats->statistic = study->statistic;
    w->stats->statistics = study->statistics;
    return status;
}

/* Ranks on machines with less memory, or with more ranks, want more answers to be joint. Finds all that any
 * rank wants; none where no answer can be joint. */
static bough_status agree_answers(const rank_team *team, const bough_study *study, joint_results *results,
                                  bough_error *error) {
    group_state state = {0};
    rank_group group = team->group ? *team->group : (rank_group){.ranks = 1};
    uint64_t answers = 0, at = 0;
    bool any = false;
    for (size_t i = 0; i < study->points; i++)
        for (size_t k = 0; k < study->point[i].answers; k++, answers++)
            any |= team->group && team->ranks > 1 && study->point[i].answer[k].joint;
    if (!any) return BOUGH_OK;
    group.state = &state;
    bough_status status = bough_alloc(&results->set, answers / 64 + 1, sizeof *results->set, error);
    for (size_t i = 0; i < study->points && !status; i++)
        for (size_t k = 0; k < study->point[i].answers; k++, at++)
            if (study_point_is_mine(study, i) && answer_is_joint(study, i, k, team))
                results->set[at / 64] |= UINT64_C(1) << at % 64;
    status = group_agree(&group, status, error);
    TRY(group_or(&group, results->set, answers / 64 + 1, error));
    results->lost |= state.broken;
    return status;
}

static bough_status run_joint(const rank_team *team, bough_study *study, const bough_study_options *options,
                              joint_results *results, bough_error *error) {
    bough_status status = BOUGH_OK;
    uint64_t at = 0;
    for (size_t i = 0; i < study->points; i++)
        for (size_t k = 0; k < study->point[i].answers && !status; k++, at++) {
            if (!(results->set[at / 64] >> at % 64 & 1)) continue;
            joint_work w = {.team = team, .study = study, .options = options, .group = *team->group};
            w.at = (answer_place){i, k};
            w.group.stop = options->stop;
            w.group.state = &w.state;
            status = group_agree(&w.group, begin_stats(&w, results, error), error);
            TRY(run_answer(&w, error));
            results->lost |= w.state.broken;
            results->trials += w.trials;
            group_add_costs(&(rank_group){.state = &results->cost}, &w.state);
        }
    return status;
}

bough_status ranks_joint(const rank_team *team, bough_study *study, const bough_study_options *options,
                         joint_results *results, bough_error *error) {
    bough_status status = agree_answers(team, study, results, error);
    return status || !results->set ? status : run_joint(team, study, options, results, error);
}

#include "study/ranks/rank_worker.h"

#include "base/clock.h"
#include "base/memory/memory.h"
#include "base/threads.h"
#include "study/run/point_binding.h"

#include <stdlib.h>

/* An answer that is computed here. */
typedef struct bench {
    bough_study *study;
    rank_mailbox *box;
    rank_piece like; /* one of its pieces */
    bough_run *run;  /* NULL: nothing is bound */
    unsigned threads;
    void **workspace;   /* per thread */
    double bind;        /* seconds that binding took */
    atomic_bool untold; /* rank 0 does not know them yet */
} bench;

/* The message is complete when the rows are behind the header, whose numbers are known only then. */
static void post(bench *b, const piece_result *result, bough_text *rows) {
    bough_text letter = {0};
    rank_put_kind(&letter, RANK_RESULT);
    rank_put_result(&letter, result);
    bough_text_join(&letter, rows);
    mailbox_post(b->box, &letter);
}

static void run_piece(bench *b, unsigned thread, const rank_piece *piece) {
    piece_result result = {.piece = *piece};
    bough_rows rows = {0};
    bough_text bytes = {0};
    double start = clock_seconds();
    while (result.done < piece->count && !result.status) {
        bough_key key = bough_key_make(b->study->seed, piece->first + result.done);
        result.status = bough_run_trial(b->run, key, &b->workspace[thread], &rows, &result.error);
        if (result.status) break;
        rank_put_rows(&bytes, &rows);
        result.done++;
    }
    result.seconds = clock_seconds() - start;
    if (atomic_exchange(&b->untold, false)) result.bind = b->bind;
    bough_rows_fini(&rows);
    post(b, &result, &bytes);
}

static void compute(void *context, unsigned thread) {
    bench *b = context;
    rank_piece piece;
    while (mailbox_take(b->box, &b->like, &piece)) run_piece(b, thread, &piece);
}

static void clear(bench *b) {
    for (unsigned i = 0; b->workspace && i < b->threads; i++)
        bough_run_free_workspace(b->run, b->workspace[i]);
    free(b->workspace);
    b->workspace = NULL;
    b->run = NULL;
}

static bough_status bind(bench *b, const rank_piece *piece, unsigned wanted, bough_error *error) {
    clear(b);
    double start = clock_seconds();
    bool other = !b->study->binding || b->study->binding->point != piece->point;
    bough_status status = bind_point(b->study, piece->point, error);
    if (status) return status;
    const bough_study_point *p = &b->study->point[piece->point];
    b->threads = answer_threads(b->study, p, &p->answer[piece->answer], wanted);
    status = bough_alloc(&b->workspace, b->threads, sizeof *b->workspace, error);
    if (status) return status;
    b->run = b->study->binding->run[piece->answer];
    b->run->stop = &b->box->stop;
    b->run->threads = answer_team(b->study, p, &p->answer[piece->answer], wanted);
    b->like = *piece;
    b->bind = clock_seconds() - start;
    atomic_store(&b->untold, other);
    return BOUGH_OK;
}

/* Hands a piece back whose point cannot be bound. */
static void refuse(bench *b, const rank_piece *piece, bough_status status, const bough_error *error) {
    piece_result result = {.status = status, .error = *error};
    bough_text none = {0};
    if (mailbox_take(b->box, piece, &result.piece)) post(b, &result, &none);
}

void rank_work(bough_study *study, unsigned threads, rank_mailbox *box) {
    bench b = {.study = study, .box = box};
    rank_piece piece;
    bough_error error = {0};
    while (mailbox_peek(box, &piece)) {
        bool same = b.run && piece.point == b.like.point && piece.answer == b.like.answer;
        bough_status status = same ? BOUGH_OK : bind(&b, &piece, threads, &error);
        if (status)
            refuse(&b, &piece, status, &error);
        else
            parallel_run(b.threads, compute, &b);
    }
    clear(&b);
    mailbox_end(box);
}

/* One thread of each rank exchanges messages and sleeps in between; the calling thread computes, with others.
 * On rank 0 the messages of its own computing threads do not leave the process. */
#include "study/ranks/ranks_run.h"

#include "base/clock.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/threads.h"
#include "study/ranks/coordinator.h"
#include "study/ranks/rank_worker.h"
#include "study/run/point_binding.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Seconds between looks for messages. A computing thread pauses for a look. */
static const double NAP_MIN = 1e-4, NAP_MAX = 1e-2;
static const double BEAT = 1, COMMIT = 0.5;
static const double STOPPING = 10; /* seconds until ranks that do not stop are given up */
enum { AT_ONCE = 64 };             /* messages that are taken before pieces are dealt again */

typedef struct service {
    rank_session *session;
    const rank_team *team;
    const bough_study_options *options;
    bough_study *study;
    unsigned threads;
    rank_mailbox box;
    coordinator lead;                 /* on rank 0 */
    double *heard;                    /* time of the latest message of each rank */
    bool *left;                       /* ranks that compute nothing any more */
    double beaten, committed, closed; /* times; closed: 0 before */
    bool told;                        /* rank 0 knows that this rank was asked to stop */
    bough_status status;              /* of this rank's own messages */
    bough_error error;
} service;

static bool asked_to_stop(const service *s) {
    return s->options->stop && atomic_load(s->options->stop);
}

/* Sends the text and frees it. */
static bough_status post(service *s, unsigned to, bough_text *text, bough_error *error) {
    bough_status status = text->failed ? bough_fail_memory(error, text->length)
                                       : s->team->send(s->team->context, to, text->data, text->length, error);
    bough_text_fini(text);
    return status;
}

static bough_status post_kind(service *s, unsigned to, rank_kind kind, bough_error *error) {
    bough_text text = {0};
    rank_put_kind(&text, kind);
    return post(s, to, &text, error);
}

/* Short while messages come or the own threads have nothing to do, else longer. */
static void rest(service *s, bool busy, double *nap) {
    *nap = busy || mailbox_idle(&s->box) ? NAP_MIN : *nap * 2 < NAP_MAX ? *nap * 2 : NAP_MAX;
    mailbox_wait(&s->box, *nap);
}

static bough_status lost_rank(service *s, unsigned rank, bough_error *error) {
    s->session->lost = true;
    return bough_fail(error, BOUGH_FAILED, NULL,
                      "rank %u has not answered for %.0f s; all finished trials are stored, so run the same "
                      "command again to resume",
                      rank, s->team->patience);
}

/* ---- rank 0 ---- */

static void fail(service *s, bough_status status, const bough_error *error) {
    if (status) coordinator_fail(&s->lead, status, error);
}

static void handle(service *s, rank_message *m) {
    rank_reader r = {m->bytes + 1, m->bytes + m->size, false};
    bough_error error = {0};
    unsigned threads = 0;
    s->heard[m->from] = clock_seconds();
    switch (m->bytes[0]) {
    case RANK_RESULT:
        coordinator_take(&s->lead, m); /* owns the message */
        return;
    case RANK_JOIN:
        RANK_GET(&r, threads);
        coordinator_join(&s->lead, m->from, threads ? threads : 1);
        break;
    case RANK_STOPPED:
        fail(s, bough_fail(&error, BOUGH_INTERRUPTED, NULL, "interrupted"), &error);
        break;
    case RANK_BYE:
        s->left[m->from] = true;
        break;
    default:
        break;
    }
    free(m->bytes);
}

/* True if there were messages. */
static bool take_messages(service *s) {
    bool busy = false, any = true;
    bough_error error = {0};
    for (int i = 0; i < AT_ONCE && any; i++) {
        rank_message m = {0};
        bough_text letter = {0};
        any = mailbox_collect(&s->box, &letter);
        if (any) m = (rank_message){0, (unsigned char *)letter.data, letter.length};
        bough_status status = letter.failed ? bough_fail_memory(&error, letter.length)
                              : any         ? BOUGH_OK
                                            : s->team->receive(s->team->context, &m, &any, &error);
        fail(s, status, &error);
        if (!status && any && m.size) handle(s, &m);
        busy = busy || any;
    }
    if (mailbox_failed(&s->box)) fail(s, bough_fail_memory(&error, 0), &error);
    return busy;
}

static void deal(service *s) {
    unsigned rank;
    rank_piece piece;
    bough_error error = {0};
    while (coordinator_next(&s->lead, &rank, &piece)) {
        bough_text text = {0};
        bough_status status;
        if (rank == 0) {
            status = mailbox_push(&s->box, &piece, &error);
        } else {
            rank_put_kind(&text, RANK_TASK);
            rank_put_piece(&text, &piece);
            status = post(s, rank, &text, &error);
        }
        fail(s, status, &error);
    }
}

/* Results that are not committed are lost when a rank dies. */
static void commit(service *s, double now) {
    bough_error error = {0};
    if (!s->options->store || now - s->committed < COMMIT) return;
    s->committed = now;
    fail(s, store_commit(s->options->store, &error), &error);
}

static void beat(service *s, double now) {
    bough_error error = {0};
    if (now - s->beaten < BEAT) return;
    s->beaten = now;
    for (unsigned r = 1; r < s->team->ranks; r++) fail(s, post_kind(s, r, RANK_BEAT, &error), &error);
    for (unsigned r = 1; r < s->team->ranks; r++)
        if (!s->left[r] && now - s->heard[r] > s->team->patience) fail(s, lost_rank(s, r, &error), &error);
}

/* Tells all ranks to stop. What is stored comes first: a launcher that ends the job does not wait long. */
static void close_all(service *s, double now) {
    bough_error error = {0};
    s->closed = now;
    mailbox_close(&s->box);
    if (s->options->store) fail(s, store_commit(s->options->store, &error), &error);
    for (unsigned r = 1; r < s->team->ranks; r++) fail(s, post_kind(s, r, RANK_CLOSE, &error), &error);
}

static bool all_left(const service *s) {
    for (unsigned r = 1; r < s->team->ranks; r++)
        if (!s->left[r]) return false;
    return true;
}

static void *lead(void *context) {
    service *s = context;
    double nap = NAP_MIN;
    for (;;) {
        bool busy = take_messages(s);
        double now = clock_seconds();
        bough_error error = {0};
        if (asked_to_stop(s)) fail(s, bough_fail(&error, BOUGH_INTERRUPTED, NULL, "interrupted"), &error);
        if (!s->closed) deal(s);
        if (!s->closed && (s->lead.status || coordinator_done(&s->lead))) close_all(s, now);
        if (s->closed && all_left(s) && mailbox_ended(&s->box)) break;
        bool late = s->session->lost || now - s->closed > STOPPING;
        if (s->closed && late && mailbox_ended(&s->box)) {
            s->session->lost = true;
            break;
        }
        commit(s, now);
        beat(s, now);
        rest(s, busy, &nap);
    }
    take_messages(s);
    return NULL;
}

/* ---- other ranks ---- */

static bough_status obey(service *s, const rank_message *m, bough_error *error) {
    rank_reader r = {m->bytes + 1, m->bytes + m->size, false};
    rank_piece piece;
    s->heard[0] = clock_seconds();
    switch (m->bytes[0]) {
    case RANK_TASK:
        rank_get_piece(&r, &piece);
        if (r.failed || piece.point >= s->study->points ||
            piece.answer >= s->study->point[piece.point].answers)
            return bough_fail(error, BOUGH_FAILED, NULL, "a message of rank 0 is damaged");
        return mailbox_push(&s->box, &piece, error);
    case RANK_END:
        RANK_GET(&r, s->session->code);
        s->session->ended = true;
        mailbox_close(&s->box);
        return BOUGH_OK;
    case RANK_CLOSE:
        mailbox_close(&s->box);
        return BOUGH_OK;
    default:
        return BOUGH_OK;
    }
}

/* Exchanges what there is. */
static bough_status exchange(service *s, bool *busy, bough_error *error) {
    bough_status status = BOUGH_OK;
    bool any = true;
    bough_text letter;
    *busy = false;
    while (!status && any) {
        rank_message m;
        status = s->team->receive(s->team->context, &m, &any, error);
        if (status || !any) break;
        if (m.size) status = obey(s, &m, error);
        free(m.bytes);
        *busy = true;
    }
    while (!status && mailbox_collect(&s->box, &letter)) {
        status = post(s, 0, &letter, error);
        *busy = true;
    }
    if (!status && mailbox_failed(&s->box)) status = bough_fail_memory(error, 0);
    return status;
}

static bough_status keep_alive(service *s, bough_error *error) {
    double now = clock_seconds();
    bough_status status = BOUGH_OK;
    if (asked_to_stop(s) && !s->told) {
        s->told = true;
        status = post_kind(s, 0, RANK_STOPPED, error);
    }
    if (now - s->beaten >= BEAT) {
        s->beaten = now;
        TRY(post_kind(s, 0, RANK_BEAT, error));
    }
    if (!status && now - s->heard[0] > s->team->patience) status = lost_rank(s, 0, error);
    return status;
}

static void *follow(void *context) {
    service *s = context;
    bough_text join = {0};
    bool busy, ended = false;
    double nap = NAP_MIN;
    rank_put_kind(&join, RANK_JOIN);
    RANK_PUT(&join, s->threads);
    bough_status status = post(s, 0, &join, &s->error);
    while (!status && !ended) {
        ended = mailbox_ended(&s->box); /* before its last messages are taken */
        status = exchange(s, &busy, &s->error);
        TRY(keep_alive(s, &s->error));
        if (!status && !ended) rest(s, busy, &nap);
    }
    TRY(post_kind(s, 0, RANK_BYE, &s->error));
    if (status) mailbox_close(&s->box);
    s->status = status;
    return NULL;
}

/* ---- both ---- */

static bough_status start(service *s, bough_error *error) {
    double now = clock_seconds();
    unsigned ranks = s->team->ranks;
    bough_status status = bough_alloc(&s->heard, ranks, sizeof *s->heard, error);
    TRY(bough_alloc(&s->left, ranks, sizeof *s->left, error));
    TRY(mailbox_init(&s->box, error));
    for (unsigned r = 0; r < ranks && !status; r++) s->heard[r] = now;
    s->beaten = s->committed = now;
    if (s->team->rank) return status;
    TRY(coordinator_init(&s->lead, s->study, s->options, ranks, error));
    if (!status) coordinator_join(&s->lead, 0, s->threads);
    return status;
}

bough_status ranks_study(rank_session *session, bough_study *study, const bough_study_options *options,
                         bough_error *error) {
    service s = {.session = session, .team = session->team, .options = options, .study = study};
    pthread_t thread;
    s.threads = options->threads ? options->threads : parallel_processors();
    study->sharers = session->team->local;
    bough_status status = ranks_begin(session, error);
    if (status || session->ended) return status;
    status = start(&s, error);
    if (!status && pthread_create(&thread, NULL, session->team->rank ? follow : lead, &s))
        status =
            bough_fail(error, BOUGH_FAILED, NULL, "the thread that exchanges messages cannot be started");
    if (!status) {
        rank_work(study, s.threads, &s.box);
        pthread_join(thread, NULL);
        if (session->team->rank) coordinator_fail(&s.lead, s.status, &s.error);
        coordinator_fini(&s.lead);
        status = s.lead.status;
        if (status) *error = s.lead.error;
        if (!status && options->store) status = store_commit(options->store, error);
    }
    coordinator_fini(&s.lead);
    mailbox_fini(&s.box);
    FREE_ALL(s.heard, s.left);
    /* trials that fail are reported to rank 0: this is a failure of messages, and rank 0 may wait for one */
    if (status && session->team->rank && !session->ended) session->lost = true;
    return status;
}

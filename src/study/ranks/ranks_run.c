/* The calling thread of a rank computes blocks, with others; one more thread receives messages and sleeps in
 * between. A lock is held by whichever of the two sends, receives, or uses the dealer of rank 0. */
#include "study/ranks/ranks_run.h"

#include "base/clock.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/threads.h"
#include "study/ranks/rank_message.h"
#include "study/run/block_run.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Seconds between looks for messages. A computing thread pauses for a look. */
static const double NAP_MIN = 1e-4, NAP_MAX = 1e-2;
static const double BEAT = 1, COMMIT = 0.5;
static const double PART = 0.5;    /* seconds after which results of a block are sent before it ends */
static const double STOPPING = 10; /* seconds until ranks that do not stop are given up */
enum { AT_ONCE = 64, AHEAD = 2 };  /* messages that are taken under the lock; blocks that a rank has */

typedef struct service {
    rank_session *session;
    const rank_team *team;
    const bough_study_options *options;
    bough_study *study;
    unsigned threads;
    atomic_bool stop;         /* running trials end soon */
    pthread_mutex_t lock;     /* of all that follows */
    pthread_cond_t work;      /* a block may have come, or the run is closed */
    bool waiting;             /* the calling thread has no block */
    bool closed;              /* no more blocks */
    bool ended;               /* the calling thread computes nothing any more */
    trial_block block[AHEAD]; /* of other ranks than 0: to compute */
    unsigned blocks;
    /* what is being computed */
    trial_block now;
    result_writer results;
    double sent;
    /* rank 0 */
    trial_dealer *dealer;
    double running;    /* finished fractions of its trials that run */
    layout_book *book; /* of each rank */
    bool *left;        /* ranks that compute nothing any more */
    double committed, closing;
    /* messages */
    double *heard; /* time of the latest message of each rank; 0: none yet */
    double beaten;
    bool told;           /* rank 0 knows that this rank was asked to stop */
    bough_status status; /* of other ranks than 0: the first failure of messages */
    bough_error error;
} service;

/* Ends the study. The lock is held. */
static void fail(service *s, bough_status status, const bough_error *error) {
    if (!status) return;
    if (s->dealer) {
        dealer_fail(s->dealer, status, error);
    } else if (!s->status) {
        s->status = status;
        s->error = *error;
    }
}

/* No more blocks, and running trials end. The lock is held. */
static void close_work(service *s) {
    s->closed = true;
    s->blocks = 0;
    atomic_store(&s->stop, true);
    pthread_cond_signal(&s->work);
}

static bool asked_to_stop(const service *s) {
    return s->options->stop && atomic_load(s->options->stop);
}

static void fail_lost(service *s, unsigned rank) {
    bough_error error;
    s->session->lost = true;
    fail(s,
         bough_fail(&error, BOUGH_FAILED, NULL,
                    "rank %u has not answered for %.0f s; all finished trials are stored, so run the same "
                    "command again to resume",
                    rank, s->team->patience),
         &error);
}

static void fail_damaged(service *s, unsigned rank) {
    bough_error error;
    fail(s, bough_fail(&error, BOUGH_FAILED, NULL, "a message of rank %u is damaged", rank), &error);
}

static void post(service *s, int to, rank_kind kind, rank_said said) {
    bough_error error;
    fail(s, message_send(s->team, to, kind, said, &error), &error);
}

/* ---- rank 0. The lock is held in all that follows. ---- */

static void deal(service *s) {
    trial_block block;
    for (unsigned r = 1; r < s->team->ranks && !s->closed; r++)
        while (dealer_next(s->dealer, r, &block))
            post(s, (int)r, RANK_BLOCK, (rank_said){&block, sizeof block});
    pthread_cond_signal(&s->work);
}

/* Takes ownership of the message. */
static void take_result(service *s, rank_message *m) {
    block_result result;
    trial_records records;
    if (result_read(m, &s->book[m->from], &result, &records) &&
        dealer_take(s->dealer, m->from, &result, &records))
        return;
    fail_damaged(s, m->from);
    free(m->bytes);
}

/* Takes ownership of the message. */
static void handle_first(service *s, rank_message *m) {
    bough_error error;
    rank_beat beat;
    if (m->bytes[0] == RANK_RESULT) {
        take_result(s, m);
        return;
    }
    if (m->bytes[0] == RANK_BYE) s->left[m->from] = true;
    if (m->bytes[0] == RANK_BEAT && message_read(m, &beat, sizeof beat)) {
        dealer_join(s->dealer, m->from, beat.threads);
        if (beat.stopped) fail(s, bough_fail(&error, BOUGH_INTERRUPTED, NULL, "interrupted"), &error);
    }
    free(m->bytes);
}

static bool all_left(const service *s) {
    for (unsigned r = 1; r < s->team->ranks; r++)
        if (!s->left[r]) return false;
    return true;
}

/* Results that are not committed are lost when a rank dies. */
static void commit(service *s, double now) {
    bough_error error;
    if (!s->options->store || now - s->committed < COMMIT) return;
    s->committed = now;
    fail(s, store_commit(s->options->store, &error), &error);
}

/* Tells all ranks to stop. What is stored comes first: a launcher that ends the job does not wait long. */
static void close_all(service *s, double now) {
    s->closing = now;
    s->committed = 0;
    commit(s, now);
    close_work(s);
    post(s, ALL_RANKS, RANK_CLOSE, (rank_said){0});
}

/* False: this was the last time. */
static bool lead(service *s, double now) {
    bough_error error;
    bool beat = now - s->beaten >= BEAT;
    if (asked_to_stop(s)) fail(s, bough_fail(&error, BOUGH_INTERRUPTED, NULL, "interrupted"), &error);
    if (!s->closed) deal(s);
    if (!s->closed && dealer_done(s->dealer)) close_all(s, now);
    if (s->closed && s->ended && all_left(s)) return false;
    if (s->closed && s->ended && now - s->closing > STOPPING) s->session->lost = true;
    if (s->closed && s->ended && s->session->lost) return false;
    commit(s, now);
    dealer_report(s->dealer, s->running);
    if (beat) post(s, ALL_RANKS, RANK_BEAT, (rank_said){0});
    for (unsigned r = 1; r < s->team->ranks && beat; r++)
        if (!s->left[r] && now - s->heard[r] > s->team->patience) fail_lost(s, r);
    if (beat) s->beaten = now;
    return true;
}

/* ---- other ranks ---- */

static bool block_valid(const service *s, const trial_block *b) {
    return s->blocks < AHEAD && b->point < s->study->points && b->answer < s->study->point[b->point].answers;
}

/* Takes ownership of the message. */
static void handle_other(service *s, rank_message *m) {
    trial_block block;
    if (m->bytes[0] == RANK_BLOCK && !s->closed) {
        if (message_read(m, &block, sizeof block) && block_valid(s, &block))
            s->block[s->blocks++] = block;
        else
            fail_damaged(s, 0);
        pthread_cond_signal(&s->work);
    }
    if (m->bytes[0] == RANK_END) s->session->ended = message_read(m, &s->session->code, sizeof(int));
    if (m->bytes[0] == RANK_END || m->bytes[0] == RANK_CLOSE) close_work(s);
    free(m->bytes);
}

/* False: this was the last time. */
static bool follow(service *s, double now) {
    rank_beat beat = {s->threads, asked_to_stop(s)};
    bool news = beat.stopped && !s->told;
    if (s->status) close_work(s);
    if (now - s->beaten >= BEAT || news) {
        post(s, 0, RANK_BEAT, (rank_said){&beat, sizeof beat});
        s->beaten = now;
        s->told = beat.stopped;
    }
    if (!s->status && s->heard[0] > 0 && now - s->heard[0] > s->team->patience) fail_lost(s, 0);
    if (s->ended && !s->status) post(s, 0, RANK_BYE, (rank_said){0});
    return !s->ended;
}

/* ---- both ---- */

/* True if there were messages. */
static bool take_messages(service *s) {
    bool busy = false, any = true;
    bough_error error;
    for (int i = 0; i < AT_ONCE && any; i++) {
        rank_message m = {0};
        bough_status status = s->team->receive(s->team->context, &m, &any, &error);
        fail(s, status, &error);
        if (status || !any) return busy;
        busy = true;
        s->heard[m.from] = clock_seconds();
        if (!m.size)
            free(m.bytes);
        else if (s->dealer)
            handle_first(s, &m);
        else
            handle_other(s, &m);
    }
    return busy;
}

static void *serve(void *context) {
    service *s = context;
    double nap = NAP_MIN;
    for (bool more = true; more;) {
        pthread_mutex_lock(&s->lock);
        bool busy = take_messages(s);
        double now = clock_seconds();
        more = s->dealer ? lead(s, now) : follow(s, now);
        nap = busy || s->waiting ? NAP_MIN : nap * 2 < NAP_MAX ? nap * 2 : NAP_MAX;
        pthread_mutex_unlock(&s->lock);
        const struct timespec pause = {0, (long)(1e9 * nap)};
        if (more) nanosleep(&pause, NULL);
    }
    return NULL;
}

/* ---- computing ---- */

/* Hands the results of a block to rank 0. The lock is held. */
static void deliver(service *s, const block_result *result) {
    bough_text said = result_write(&s->results, result);
    bough_error error;
    s->sent = clock_seconds();
    if (said.failed) {
        fail(s, bough_fail_memory(&error, said.length), &error);
        bough_text_fini(&said);
    } else if (s->dealer) {
        take_result(s, &(rank_message){0, (unsigned char *)said.data, said.length});
        deal(s);
    } else {
        fail(s, s->team->send(s->team->context, 0, said.data, said.length, &error), &error);
        bough_text_fini(&said);
    }
}

static bough_status take(void *context, uint64_t trial, const bough_rows *rows, bough_error *error) {
    service *s = context;
    bool last = trial + 1 == s->now.first + s->now.count;
    bough_status status = result_add(&s->results, rows, error);
    if (status || last || clock_seconds() - s->sent < PART) return status;
    pthread_mutex_lock(&s->lock);
    deliver(s, &(block_result){0});
    pthread_mutex_unlock(&s->lock);
    return BOUGH_OK;
}

static void pulse(void *context, double running) {
    service *s = context;
    pthread_mutex_lock(&s->lock);
    s->running = running;
    dealer_report(s->dealer, running);
    pthread_mutex_unlock(&s->lock);
}

/* Waits for the next block; false: there is none any more. The lock is held. */
static bool next_block(service *s) {
    s->waiting = true;
    for (;;) {
        bool any = !s->closed && (s->dealer ? dealer_next(s->dealer, 0, &s->now) : s->blocks > 0);
        if (any && !s->dealer) {
            s->now = s->block[0];
            s->block[0] = s->block[1];
            s->blocks--;
        }
        if (any || s->closed) s->waiting = false;
        if (any || s->closed) return any;
        pthread_cond_wait(&s->work, &s->lock);
    }
}

static void compute(service *s) {
    block_runner runner = {.study = s->study,
                           .threads = s->threads,
                           .stop = &s->stop,
                           .context = s,
                           .take = take,
                           .pulse = s->dealer && s->options->progress ? pulse : NULL};
    pthread_mutex_lock(&s->lock);
    while (next_block(s)) {
        pthread_mutex_unlock(&s->lock);
        block_result result = {0};
        result_begin(&s->results, s->now.point, s->now.answer, s->now.first);
        s->sent = clock_seconds();
        block_run(&runner, &s->now, &result);
        pthread_mutex_lock(&s->lock);
        s->running = 0;
        deliver(s, &result);
    }
    s->ended = true;
    pthread_mutex_unlock(&s->lock);
    block_runner_fini(&runner);
}

static bough_status start(service *s, bough_error *error) {
    unsigned ranks = s->team->ranks;
    bool failed = pthread_mutex_init(&s->lock, NULL) || pthread_cond_init(&s->work, NULL);
    bough_status status = failed ? bough_fail_memory(error, sizeof *s) : BOUGH_OK;
    TRY(bough_alloc(&s->heard, ranks, sizeof *s->heard, error));
    TRY(bough_alloc(&s->left, ranks, sizeof *s->left, error));
    TRY(bough_alloc(&s->book, ranks, sizeof *s->book, error));
    if (status || s->team->rank) return status;
    for (unsigned r = 0; r < ranks; r++) s->heard[r] = clock_seconds();
    status = dealer_create(s->study, s->options, ranks, &s->dealer, error);
    if (!status) dealer_join(s->dealer, 0, s->threads);
    return status;
}

/* The result of the run. */
static bough_status finish(service *s, bough_error *error) {
    bough_status status = s->status;
    if (status) *error = s->error;
    if (s->dealer) status = dealer_end(s->dealer, error);
    if (status || !s->options->store) return status;
    return s->team->rank ? BOUGH_OK : store_commit(s->options->store, error);
}

bough_status ranks_study(rank_session *session, bough_study *study, const bough_study_options *options,
                         bough_error *error) {
    service s = {.session = session, .team = session->team, .options = options, .study = study};
    pthread_t thread;
    bool serving = false;
    s.threads = options->threads ? options->threads : parallel_processors();
    study->sharers = session->team->local;
    bough_status status = start(&s, error);
    if (!status) {
        serving = pthread_create(&thread, NULL, serve, &s) == 0;
        if (!serving)
            status =
                bough_fail(error, BOUGH_FAILED, NULL, "the thread that exchanges messages cannot be started");
    }
    if (serving) {
        compute(&s);
        pthread_join(thread, NULL);
        status = finish(&s, error);
    } else if (s.dealer) {
        dealer_end(s.dealer, NULL);
    }
    pthread_cond_destroy(&s.work);
    pthread_mutex_destroy(&s.lock);
    for (unsigned r = 0; s.book && r < session->team->ranks; r++) layout_book_fini(&s.book[r]);
    result_writer_fini(&s.results);
    FREE_ALL(s.heard, s.left, s.book);
    /* trials that fail are reported to rank 0: this is a failure of messages, and rank 0 may wait for one */
    if (status && session->team->rank && !session->ended) session->lost = true;
    return status;
}

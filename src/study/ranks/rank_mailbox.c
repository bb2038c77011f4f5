#include "study/ranks/rank_mailbox.h"

#include "base/memory/memory.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

bough_status mailbox_init(rank_mailbox *m, bough_error *error) {
    pthread_condattr_t monotonic;
    *m = (rank_mailbox){0};
    atomic_init(&m->stop, false);
    bool failed = pthread_condattr_init(&monotonic) || pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    failed = failed || pthread_mutex_init(&m->mutex, NULL) || pthread_cond_init(&m->work, NULL) ||
             pthread_cond_init(&m->news, &monotonic);
    return failed ? bough_fail_memory(error, sizeof *m) : BOUGH_OK;
}

void mailbox_fini(rank_mailbox *m) {
    for (size_t i = 0; i < m->letters; i++) bough_text_fini(&m->letter[i]);
    FREE_ALL(m->letter, m->piece);
    pthread_cond_destroy(&m->work);
    pthread_cond_destroy(&m->news);
    pthread_mutex_destroy(&m->mutex);
}

/* Makes room for one more piece in the ring. */
static bough_status grow_ring(rank_mailbox *m, bough_error *error) {
    size_t capacity = m->capacity ? 2 * m->capacity : 16;
    rank_piece *piece;
    if (m->pieces < m->capacity) return BOUGH_OK;
    bough_status status = bough_alloc(&piece, capacity, sizeof *piece, error);
    if (status) return status;
    for (size_t i = 0; i < m->pieces; i++) piece[i] = m->piece[(m->first + i) % m->capacity];
    free(m->piece);
    m->piece = piece;
    m->capacity = capacity;
    m->first = 0;
    return BOUGH_OK;
}

bough_status mailbox_push(rank_mailbox *m, const rank_piece *piece, bough_error *error) {
    pthread_mutex_lock(&m->mutex);
    bough_status status = grow_ring(m, error);
    if (!status) m->piece[(m->first + m->pieces++) % m->capacity] = *piece;
    pthread_cond_broadcast(&m->work);
    pthread_mutex_unlock(&m->mutex);
    return status;
}

void mailbox_close(rank_mailbox *m) {
    atomic_store(&m->stop, true);
    pthread_mutex_lock(&m->mutex);
    m->closed = true;
    m->pieces = 0;
    pthread_cond_broadcast(&m->work);
    pthread_mutex_unlock(&m->mutex);
}

bool mailbox_collect(rank_mailbox *m, bough_text *letter) {
    pthread_mutex_lock(&m->mutex);
    bool any = m->letters > 0;
    if (any) {
        *letter = m->letter[0];
        m->letters--;
        memmove(m->letter, m->letter + 1, m->letters * sizeof *m->letter);
    }
    pthread_mutex_unlock(&m->mutex);
    return any;
}

void mailbox_wait(rank_mailbox *m, double seconds) {
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += (long)(1e9 * seconds);
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&m->mutex);
    bool late = false;
    while (!m->letters && !late) late = pthread_cond_timedwait(&m->news, &m->mutex, &until) != 0;
    pthread_mutex_unlock(&m->mutex);
}

bool mailbox_idle(rank_mailbox *m) {
    pthread_mutex_lock(&m->mutex);
    bool idle = m->running == 0 && m->pieces == 0;
    pthread_mutex_unlock(&m->mutex);
    return idle;
}

bool mailbox_failed(rank_mailbox *m) {
    pthread_mutex_lock(&m->mutex);
    bool failed = m->failed;
    pthread_mutex_unlock(&m->mutex);
    return failed;
}

bool mailbox_ended(rank_mailbox *m) {
    pthread_mutex_lock(&m->mutex);
    bool ended = m->ended;
    pthread_mutex_unlock(&m->mutex);
    return ended;
}

/* ---- computing ---- */

/* The lock is held. */
static bool wait_for_piece(rank_mailbox *m) {
    while (!m->pieces && !m->closed) pthread_cond_wait(&m->work, &m->mutex);
    return m->pieces > 0;
}

bool mailbox_peek(rank_mailbox *m, rank_piece *piece) {
    pthread_mutex_lock(&m->mutex);
    bool any = wait_for_piece(m);
    if (any) *piece = m->piece[m->first];
    pthread_mutex_unlock(&m->mutex);
    return any;
}

bool mailbox_take(rank_mailbox *m, const rank_piece *like, rank_piece *piece) {
    pthread_mutex_lock(&m->mutex);
    bool taken = wait_for_piece(m);
    if (taken) {
        const rank_piece *next = &m->piece[m->first];
        taken = next->point == like->point && next->answer == like->answer;
    }
    if (taken) {
        *piece = m->piece[m->first];
        m->first = (m->first + 1) % m->capacity;
        m->pieces--;
        m->running++;
    }
    pthread_mutex_unlock(&m->mutex);
    return taken;
}

void mailbox_post(rank_mailbox *m, bough_text *letter) {
    pthread_mutex_lock(&m->mutex);
    m->running--;
    bough_error ignored;
    if (letter->failed ||
        bough_grow(&m->letter, &m->letters_capacity, m->letters + 1, sizeof *m->letter, &ignored)) {
        m->failed = true;
        bough_text_fini(letter);
    } else {
        m->letter[m->letters++] = *letter;
    }
    *letter = (bough_text){0};
    pthread_cond_signal(&m->news);
    pthread_mutex_unlock(&m->mutex);
}

void mailbox_end(rank_mailbox *m) {
    pthread_mutex_lock(&m->mutex);
    m->ended = true;
    pthread_cond_signal(&m->news);
    pthread_mutex_unlock(&m->mutex);
}

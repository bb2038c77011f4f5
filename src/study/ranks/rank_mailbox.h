/* What the threads of a rank that compute share with the thread that exchanges messages: the pieces to
 * compute, and the messages to send. */
#ifndef BOUGH_STUDY_RANKS_RANK_MAILBOX_H
#define BOUGH_STUDY_RANKS_RANK_MAILBOX_H

#include "study/ranks/rank_codec.h"

#include <pthread.h>
#include <stdatomic.h>

typedef struct rank_mailbox {
    pthread_mutex_t mutex;
    pthread_cond_t work; /* a piece has come, or the mailbox is closed */
    pthread_cond_t news; /* a message waits to be sent */
    rank_piece *piece;   /* a ring */
    size_t first, pieces, capacity;
    bough_text *letter; /* messages to rank 0 */
    size_t letters, letters_capacity;
    unsigned running; /* threads that compute a piece */
    bool closed;      /* no more pieces */
    bool ended;       /* nobody computes any more */
    bool failed;      /* a message is lost for want of memory */
    atomic_bool stop; /* running trials end soon: runs point to it */
} rank_mailbox;

bough_status mailbox_init(rank_mailbox *m, bough_error *error);
void mailbox_fini(rank_mailbox *m);

/* ---- for the thread that exchanges messages ---- */

bough_status mailbox_push(rank_mailbox *m, const rank_piece *piece, bough_error *error);
/* No more pieces; those not begun are dropped, and running trials are told to stop. */
void mailbox_close(rank_mailbox *m);
/* Takes the oldest message; false if there is none. The caller frees it. */
bool mailbox_collect(rank_mailbox *m, bough_text *letter);
/* Waits for a message to send, at most `seconds`. */
void mailbox_wait(rank_mailbox *m, double seconds);
/* Nothing runs and nothing is queued. */
bool mailbox_idle(rank_mailbox *m);
bool mailbox_ended(rank_mailbox *m);
bool mailbox_failed(rank_mailbox *m);

/* ---- for the threads that compute ---- */

/* Waits for the next piece and looks at it without taking it; false: the mailbox is closed. */
bool mailbox_peek(rank_mailbox *m, rank_piece *piece);
/* Waits for the next piece and takes it if it belongs to the same answer as *like; false: it does not, or the
 * mailbox is closed. Then mailbox_post must follow. */
bool mailbox_take(rank_mailbox *m, const rank_piece *like, rank_piece *piece);
/* Ends a piece: hands over its message. */
void mailbox_post(rank_mailbox *m, bough_text *letter);
/* The calling thread computes no more pieces. */
void mailbox_end(rank_mailbox *m);

#endif

/* The messages between ranks. All run the same program on machines with the same byte order (ranks_agree
 * compares both), so what is said is a plain structure, and trials are the records of the store. */
#ifndef BOUGH_STUDY_RANKS_RANK_MESSAGE_H
#define BOUGH_STUDY_RANKS_RANK_MESSAGE_H

#include "study/ranks/rank_team.h"
#include "study/run/trial_dealer.h"

/* The first byte of a message, who sends it, and what follows. */
typedef enum rank_kind {
    RANK_TEXT,    /* rank 0: the contents of standard input */
    RANK_HELLO,   /* others: rank_report */
    RANK_VERDICT, /* rank 0: whether all go on, an exit status */
    RANK_BEAT,    /* all: the sender is alive; others than 0: rank_beat */
    RANK_BLOCK,   /* rank 0: trial_block, to compute */
    RANK_RESULT,  /* others: results of a block */
    RANK_CLOSE,   /* rank 0: stop computing */
    RANK_BYE,     /* others: computes nothing any more */
    RANK_END,     /* rank 0: the exit status of the command */
} rank_kind;

typedef struct rank_beat {
    unsigned threads;
    bool stopped; /* a signal asked the rank to stop */
} rank_beat;

typedef struct rank_said {
    const void *bytes;
    size_t size;
} rank_said;

enum { ALL_RANKS = -1 }; /* but the sender */
bough_status message_send(const rank_team *team, int to, rank_kind kind, rank_said said, bough_error *error);
/* Copies what a message says; false: it has another size. */
bool message_read(const rank_message *m, void *said, size_t size);

/* The results of blocks as they are computed. Zero-initialise. The layouts of a rank are numbered through. */
typedef struct result_writer {
    chunk_writer chunk;
    layout_book book;
    bough_text layouts; /* those that are new, each with a NUL */
} result_writer;
/* Trials from this one on follow. */
void result_begin(result_writer *w, uint64_t point, uint64_t answer, uint64_t first);
bough_status result_add(result_writer *w, const bough_rows *rows, bough_error *error);
/* The message of the trials that were added; result: all of it but the block. */
bough_text result_write(result_writer *w, const block_result *result);
void result_writer_fini(result_writer *w);
/* Reads it; borrows its bytes. book: of all layouts of the sender. False: damaged.
 */
bool result_read(const rank_message *m, layout_book *book, block_result *result, trial_records *records);

#endif

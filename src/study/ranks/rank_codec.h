/* The messages between ranks as bytes. All ranks run the same program on machines with the same byte order:
 * ranks_agree compares versions and the order. */
#ifndef BOUGH_STUDY_RANKS_RANK_CODEC_H
#define BOUGH_STUDY_RANKS_RANK_CODEC_H

#include "base/text/text.h"
#include "method/method.h"

#include <stdint.h>

/* The first byte of a message, and who sends it. */
typedef enum rank_kind {
    RANK_TEXT,    /* rank 0: the contents of standard input */
    RANK_HELLO,   /* others: the exit status so far, and the hash of the study */
    RANK_VERDICT, /* rank 0: whether all go on */
    RANK_START,   /* rank 0: the run begins */
    RANK_JOIN,    /* others: the number of threads */
    RANK_TASK,    /* rank 0: a piece to compute */
    RANK_RESULT,  /* others: the rows of a piece */
    RANK_STOPPED, /* others: a signal asked this rank to stop */
    RANK_BEAT,    /* all: the sender is alive */
    RANK_CLOSE,   /* rank 0: stop computing */
    RANK_BYE,     /* others: computes nothing any more */
    RANK_END,     /* rank 0: the exit status of the command */
} rank_kind;

/* Trials first .. first + count - 1 of an answer. */
typedef struct rank_piece {
    uint64_t point, answer, first, count;
} rank_piece;

/* What a rank reports of a piece: a header, then the rows of `done` trials. */
typedef struct piece_result {
    rank_piece piece;
    uint64_t done;       /* trials with rows; fewer than piece.count only with a status */
    double seconds;      /* of all of them */
    double bind;         /* seconds that binding the point took, in the first result after it; else 0 */
    bough_status status; /* of trial first + done */
    bough_error error;
} piece_result;

/* Appends a plain value. */
#define RANK_PUT(text, value) bough_text_add((text), (const char *)&(value), sizeof(value))

/* Reads plain values one after the other; *failed is set at the end of the bytes. */
typedef struct rank_reader {
    const unsigned char *at, *end;
    bool failed;
} rank_reader;
void rank_read(rank_reader *r, void *value, size_t size);
#define RANK_GET(reader, value) rank_read((reader), &(value), sizeof(value))

void rank_put_kind(bough_text *text, rank_kind kind);
void rank_put_error(bough_text *text, const bough_error *error);
void rank_get_error(rank_reader *r, bough_error *error);
void rank_put_piece(bough_text *text, const rank_piece *piece);
void rank_get_piece(rank_reader *r, rank_piece *piece);
void rank_put_result(bough_text *text, const piece_result *result);
void rank_get_result(rank_reader *r, piece_result *result);
void rank_put_rows(bough_text *text, const bough_rows *rows);
/* Errors: FAILED for bytes that are no rows; NO_MEMORY. */
bough_status rank_get_rows(rank_reader *r, bough_rows *rows, bough_error *error);

#endif

/* The systolic priority queues of the leaves (bay1991, section 3.2; Leiserson 1979), one bit per wire and
 * step.
 *
 * A queue is a line of cells with one record each, the least at the head. A record starts with its level, by
 * which records are ordered; of equal levels the one that was inserted first is first.
 *
 * An insert enters at the head, greatest bit first. A cell compares the record that passes with its own as
 * the bits come: equal bits go on whichever it will be, from the first different bit on the smaller record
 * stays and the other moves to the next cell. A record that was displaced displaces all behind it. A
 * deletemin sends the head's record out, and each cell takes that of the next. Cell i works i steps after the
 * head, so the head accepts an operation every `record` steps, however long the queue is. */
#ifndef BOUGH_ENGINES_BAY1991_BIT_QUEUE_H
#define BOUGH_ENGINES_BAY1991_BIT_QUEUE_H

#include "bough/status.h"

#include <stdbool.h>
#include <stdint.h>

enum { BIT_SILENT = 2 }; /* a wire carries 0, 1 or nothing in a step */

typedef struct bit_cell bit_cell;

typedef struct bit_queues {
    bit_cell *cell; /* pool; 0 is no cell */
    uint64_t cells;
    uint32_t *head; /* per leaf; 0: no cell yet */
    uint8_t *awake; /* per leaf: some cell works */
    uint32_t leaves, vacant;
    unsigned level_bits, record_bits; /* of a record; its level comes first */
    bool full;                        /* the pool was used up: the run is void */
} bit_queues;

uint64_t bit_queues_bytes(uint32_t leaves, uint64_t messages);
bough_status bit_queues_init(bit_queues *q, uint32_t leaves, uint64_t messages, bough_error *error);
void bit_queues_fini(bit_queues *q);
/* Empties all queues. */
void bit_queues_reset(bit_queues *q, unsigned level_bits, unsigned record_bits);

/* Puts a record into a queue before the first step. */
void bit_queue_load(bit_queues *q, uint32_t leaf, uint64_t record);

/* A step of the head. step: 0 .. record_bits - 1, of this operation. The bit goes into the head, or comes out
 * of it (BIT_SILENT from an empty queue). Call before bit_queues_tick in the same step. */
void bit_queue_insert(bit_queues *q, uint32_t leaf, unsigned bit);
unsigned bit_queue_deletemin(bit_queues *q, uint32_t leaf, unsigned step);

/* A step of all cells. */
void bit_queues_tick(bit_queues *q);

#endif

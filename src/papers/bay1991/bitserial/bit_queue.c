#include "papers/bay1991/bitserial/bit_queue.h"

#include "base/memory/memory.h"
#include "base/status/try.h"

#include <string.h>

enum { IDLE = 255 };

/* What a cell reads in this step, and what its neighbours write for the next. */
typedef struct wires {
    uint8_t insert, displaced; /* from the left: a bit; the record displaced its predecessor */
    uint8_t command;           /* from the left: deletemin starts */
    uint8_t refill;            /* from the right: a bit of the next record */
} wires;

enum { EMPTY, FILLING, FULL };

struct bit_cell {
    uint64_t record;
    uint32_t next;
    uint8_t state;
    uint8_t insert, send, refill; /* position in the record, or IDLE */
    uint8_t decided, swaps;       /* insert: the smaller record is known; the passing one stays */
    wires now, then;
};

static const wires quiet = {BIT_SILENT, 0, 0, BIT_SILENT};

/* At most a cell for each message and one for each deletemin on its way, of which there are at most two in a
 * pass of more steps than that. */
static uint64_t cells_for(uint32_t leaves, uint64_t messages) {
    return bough_add(bough_mul(messages, 2), bough_mul(leaves, 3)) + 1;
}

uint64_t bit_queues_bytes(uint32_t leaves, uint64_t messages) {
    return bough_add(bough_mul(cells_for(leaves, messages), sizeof(bit_cell)),
                     bough_mul(leaves, sizeof(uint32_t) + 1));
}

bough_status bit_queues_init(bit_queues *q, uint32_t leaves, uint64_t messages, bough_error *error) {
    *q = (bit_queues){.leaves = leaves, .cells = cells_for(leaves, messages)};
    if (q->cells > UINT32_MAX)
        return bough_fail(error, BOUGH_TOO_LARGE, NULL, "engine=bits: too many messages");
    bough_status status = bough_alloc(&q->cell, q->cells, sizeof *q->cell, error);
    TRY(bough_alloc(&q->head, leaves, sizeof *q->head, error));
    TRY(bough_alloc(&q->awake, leaves, sizeof *q->awake, error));
    return status;
}

void bit_queues_fini(bit_queues *q) {
    FREE_ALL(q->cell, q->head, q->awake);
}

void bit_queues_reset(bit_queues *q, unsigned level_bits, unsigned record_bits) {
    q->level_bits = level_bits;
    q->record_bits = record_bits;
    q->full = false;
    memset(q->head, 0, q->leaves * sizeof *q->head);
    memset(q->awake, 0, q->leaves);
    for (uint64_t c = 1; c + 1 < q->cells; c++) q->cell[c].next = (uint32_t)c + 1;
    q->cell[q->cells - 1].next = 0;
    q->vacant = 1;
}

/* Cell 0 serves when there is none left. */
static uint32_t take_cell(bit_queues *q) {
    uint32_t c = q->vacant;
    if (!c) q->full = true;
    q->vacant = q->cell[c].next;
    q->cell[c] = (bit_cell){.insert = IDLE, .send = IDLE, .refill = IDLE, .now = quiet, .then = quiet};
    return c;
}

static uint32_t head_of(bit_queues *q, uint32_t leaf) {
    if (!q->head[leaf]) q->head[leaf] = take_cell(q);
    return q->head[leaf];
}

void bit_queue_load(bit_queues *q, uint32_t leaf, uint64_t record) {
    unsigned shift = q->record_bits - q->level_bits;
    uint32_t *link = &q->head[leaf];
    while (*link && q->cell[*link].record >> shift <= record >> shift) link = &q->cell[*link].next;
    uint32_t c = take_cell(q), behind = *link;
    q->cell[c].record = record;
    q->cell[c].state = FULL;
    q->cell[c].next = behind;
    *link = c;
}

/* ---- a cell ---- */

static unsigned bit_at(const bit_queues *q, const bit_cell *c, unsigned place) {
    return c->record >> (q->record_bits - 1 - place) & 1;
}

static void put_bit(const bit_queues *q, bit_cell *c, unsigned place, unsigned bit) {
    uint64_t mask = UINT64_C(1) << (q->record_bits - 1 - place);
    c->record = bit ? c->record | mask : c->record & ~mask;
}

/* Compares a passing bit with that of the cell. */
static void compare(const bit_queues *q, bit_cell *c, unsigned bit) {
    if (c->decided) return;
    unsigned own = bit_at(q, c, c->insert);
    if (c->insert >= q->level_bits) { /* equal levels */
        c->decided = 1;
        c->swaps = c->now.displaced;
    } else if (bit != own) {
        c->decided = 1;
        c->swaps = bit < own;
    }
}

static void start_insert(bit_cell *c) {
    bool keeps = c->state == EMPTY;
    c->insert = 0;
    c->decided = c->swaps = keeps;
    if (keeps) c->state = FILLING;
}

/* A bit of a record that passes: it or the cell's own bit goes on. An empty cell keeps it and sends nothing.
 */
static void pass_insert(bit_queues *q, bit_cell *c) {
    if (c->now.insert == BIT_SILENT) return;
    unsigned bit = c->now.insert;
    if (c->insert == IDLE) start_insert(c);
    compare(q, c, bit);
    unsigned own = bit_at(q, c, c->insert);
    if (c->swaps) put_bit(q, c, c->insert, bit);
    if (c->state == FULL) {
        if (!c->next) c->next = take_cell(q);
        wires *right = &q->cell[c->next].then;
        right->insert = (uint8_t)(c->swaps ? own : bit);
        right->displaced = c->swaps;
    }
    if (++c->insert < q->record_bits) return;
    c->insert = IDLE;
    c->state = FULL;
}

/* A deletemin: the cell's record goes to the left. Its own refill starts two steps later, when the command
 * has reached the next cell and the first bit has come back. */
static unsigned pass_deletemin(bit_queues *q, bit_cell *c) {
    if (c->now.command && c->state != EMPTY) {
        c->send = 0;
        if (c->next) q->cell[c->next].then.command = 1;
    }
    if (c->send == IDLE) return BIT_SILENT;
    unsigned out = bit_at(q, c, c->send);
    if (c->send == 2) c->refill = 0;
    if (++c->send == q->record_bits) c->send = IDLE;
    return out;
}

static void take_refill(bit_queues *q, bit_cell *c) {
    if (c->refill == IDLE) return;
    if (c->now.refill == BIT_SILENT) {
        c->state = EMPTY;
        c->refill = IDLE;
        return;
    }
    put_bit(q, c, c->refill, c->now.refill);
    if (++c->refill == q->record_bits) c->refill = IDLE;
}

static bool is_idle(const bit_cell *c) {
    return c->insert == IDLE && c->send == IDLE && c->refill == IDLE && c->now.insert == BIT_SILENT &&
           !c->now.command;
}

/* ---- a queue ---- */

void bit_queue_insert(bit_queues *q, uint32_t leaf, unsigned bit) {
    q->cell[head_of(q, leaf)].now.insert = (uint8_t)bit;
    q->awake[leaf] = 1;
}

/* The head's bit is in the leaf in the step in which it is sent. */
unsigned bit_queue_deletemin(bit_queues *q, uint32_t leaf, unsigned step) {
    bit_cell *c = &q->cell[head_of(q, leaf)];
    if (step == 0) c->now.command = 1;
    q->awake[leaf] = 1;
    bool sends = step == 0 ? c->state != EMPTY : c->send != IDLE;
    return sends ? bit_at(q, c, step) : BIT_SILENT;
}

/* All cells read what was written in the step before. */
static void work(bit_queues *q, uint32_t head) {
    uint32_t left = 0;
    for (uint32_t at = head; at; left = at, at = q->cell[at].next) {
        bit_cell *c = &q->cell[at];
        unsigned out = pass_deletemin(q, c);
        if (left && out != BIT_SILENT) q->cell[left].then.refill = (uint8_t)out;
        take_refill(q, c);
        pass_insert(q, c);
    }
}

/* Ends the step; gives back the last cell when it is empty. Returns whether any cell still works. */
static bool settle(bit_queues *q, uint32_t head) {
    bool works = false;
    uint32_t left = 0, last = head;
    for (uint32_t at = head; at; at = q->cell[at].next) {
        bit_cell *c = &q->cell[at];
        c->now = c->then;
        c->then = quiet;
        works |= !is_idle(c);
        if (c->next) left = at;
        last = at;
    }
    if (last != head && q->cell[last].state == EMPTY && is_idle(&q->cell[last]) && is_idle(&q->cell[left])) {
        q->cell[left].next = 0;
        q->cell[last].next = q->vacant;
        q->vacant = last;
    }
    return works;
}

void bit_queues_tick(bit_queues *q) {
    for (uint32_t leaf = 0; leaf < q->leaves; leaf++) {
        if (!q->awake[leaf]) continue;
        work(q, q->head[leaf]);
        q->awake[leaf] = settle(q, q->head[leaf]);
    }
}

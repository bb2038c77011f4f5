/* A column has one position per rank on each level, so its links are in the nearest cache. */
#include "engines/circuit/labels/labels_column.h"

#include "base/memory/memory.h"
#include "base/status/try.h"

#include <stdlib.h>
#include <string.h>

bough_status labels_columns_make(labels_columns *c, const labels_places *p, unsigned rank,
                                 bough_error *error) {
    const unsigned ranks = 1u << (p->top - p->h);
    *c = (labels_columns){.h = p->h, .top = p->top, .ranks = ranks};
    c->columns = (UINT64_C(1) << p->h) / ranks;
    c->first = rank * c->columns;
    bough_status status = bough_alloc(&c->slot, c->columns * ranks, sizeof *c->slot, error);
    TRY(bough_alloc(&c->free_from, (p->top - p->h) * c->columns * ranks, sizeof *c->free_from, error));
    TRY(bough_alloc(&c->holder, ranks, sizeof *c->holder, error));
    return status;
}

void labels_columns_fini(labels_columns *c) {
    FREE_ALL(c->slot, c->free_from, c->holder);
}

void labels_columns_round(labels_columns *c) {
    memset(c->free_from, 0, (c->top - c->h) * c->columns * c->ranks);
}

/* One column that the current class passes. */
typedef struct passage {
    labels_columns *c;
    const column_class *class;
    uint64_t column;   /* among those of the rank */
    uint32_t *message; /* [ranks]: 1 + message, as in slot */
} passage;

static uint8_t *free_from(const labels_columns *c, unsigned l, uint64_t column) {
    return c->free_from + ((l - c->h) * c->columns + column) * c->ranks;
}

/* The high bits of a link of level l on the way to a target. */
static unsigned link_of(const labels_columns *c, unsigned l, uint32_t target, unsigned path) {
    unsigned low = (1u << (l - c->h)) - 1;
    return ((target >> c->h) & ~low) | (path & low);
}

static void climb(const passage *p, column_message *m) {
    const labels_columns *c = p->c;
    const labels_round *r = p->class->round;
    uint64_t at = (uint64_t)m->from << c->h | (c->first + p->column);
    for (unsigned l = c->h; l < p->class->L; l++) {
        uint64_t first = (UINT64_C(1) << c->top) + ((uint64_t)l << (c->top - 1)),
                 low = (UINT64_C(1) << l) - 1;
        uint64_t router = (at >> (l + 1)) << l | (at & low);
        at ^= (uint64_t)bough_bit(r->key, BOUGH_DRAW_PICK_BIT, first + router, r->occasion + 2 * l) << l;
    }
    m->path = (uint16_t)(at >> c->h);
    m->end = COLUMN_DOWN;
}

/* Of two messages that request one link, the coin selects the winner by input port. */
static bool is_first(const passage *p, unsigned l, unsigned link, const column_message *m) {
    const labels_columns *c = p->c;
    const labels_round *r = p->class->round;
    uint64_t x = (uint64_t)link << c->h | (c->first + p->column), low = (UINT64_C(1) << l) - 1;
    uint64_t group = (x & ~low & ~(low + 1)) | (x & low) << 1 | (x >> l & 1);
    uint64_t first = r->order_first + ((uint64_t)l << c->top),
             occasion = r->occasion + (4 * p->class->L - 2 * l);
    unsigned face = bough_bit(r->key, BOUGH_DRAW_ORDER_BIT, first + group, occasion);
    return (unsigned)(m->path >> (l - c->h) & 1) == face;
}

/* One message requests its link of level l. */
static void request(const passage *p, unsigned l, uint32_t number) {
    labels_columns *c = p->c;
    column_message *all = p->class->message, *m = &all[number - 1];
    if (m->end != COLUMN_DOWN) return;
    unsigned link = link_of(c, l, p->class->entry[number - 1].target, m->path);
    uint32_t *holder = &c->holder[link];
    c->claims++;
    if (l < c->reached) c->reached = l;
    if (free_from(c, l, p->column)[link] > p->class->L) {
        m->end = (uint8_t)l;
    } else if (!*holder) {
        *holder = number;
    } else if (is_first(p, l, link, m)) {
        all[*holder - 1].end = (uint8_t)l;
        *holder = number;
    } else {
        m->end = (uint8_t)l;
    }
}

static void pass(const passage *p) {
    labels_columns *c = p->c;
    for (unsigned from = 0; from < c->ranks; from++)
        if (p->message[from]) climb(p, &p->class->message[p->message[from] - 1]);
    for (unsigned l = p->class->L; l-- > c->h;) {
        memset(c->holder, 0, c->ranks * sizeof *c->holder);
        for (unsigned from = 0; from < c->ranks; from++)
            if (p->message[from]) request(p, l, p->message[from]);
    }
}

static uint32_t *slot_of(const labels_columns *c, const column_class *class, uint64_t i) {
    return c->slot + class->entry[i].column * (uint64_t)c->ranks + class->message[i].from;
}

/* Late rounds have few messages, so only their columns are visited. */
void labels_columns_run(labels_columns *c, const column_class *class) {
    c->reached = class->L;
    for (uint64_t i = 0; i < class->count; i++) *slot_of(c, class, i) = (uint32_t)(i + 1);
    for (uint64_t i = 0; i < class->count; i++) {
        const uint64_t column = class->entry[i].column;
        if (!*slot_of(c, class, i)) continue; /* visited */
        pass(&(passage){c, class, column, c->slot + column * c->ranks});
        memset(c->slot + column * c->ranks, 0, c->ranks * sizeof *c->slot);
    }
}

/* The first class that finds the link of level l free, which a message of this class has got. */
static unsigned free_class(const column_class *class, unsigned l, unsigned end) {
    unsigned later = 1;
    if (end != LABELS_ARRIVED) return class->L + (3 * (l - end) + 3) / 4;
    while (class->L + later < LABELS_TOP_MAX && labels_blocks(class->round, l, later)) later++;
    return class->L + later;
}

void labels_columns_keep(labels_columns *c, const column_class *class) {
    for (uint64_t i = 0; i < class->count; i++) {
        const column_message *m = &class->message[i];
        const column_entry *e = &class->entry[i];
        unsigned end = m->end, lowest = end == LABELS_ARRIVED || end < c->h ? c->h : end + 1;
        for (unsigned l = lowest; l <= class->L; l++)
            free_from(c, l, e->column)[link_of(c, l, e->target, m->path)] =
                (uint8_t)free_class(class, l, end);
    }
}

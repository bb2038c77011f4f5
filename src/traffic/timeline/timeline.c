#include "traffic/timeline/timeline.h"

#include "base/memory/memory.h"
#include "base/status/try.h"

#include <string.h>

/* What a record has room for. */
typedef struct room {
    uint64_t ops, sends, cpus, links;
} room;

static room room_of(const bough_schedule *s, uint64_t links) {
    return (room){s->ops, s->sends, bough_mul(s->ranks, s->cpus ? s->cpus : 1), links};
}

static room room_for(uint64_t messages, uint64_t links) {
    return (room){messages, messages, 1, links};
}

static uint64_t bytes_of(room r) {
    uint64_t bytes = bough_mul(r.ops, sizeof(timeline_op));
    bytes = bough_add(bytes, bough_mul(bough_add(r.sends, r.cpus), sizeof(uint32_t)));
    return bough_add(bytes, bough_mul(r.links, TIMELINE_BINS * sizeof(double)));
}

uint64_t timeline_bytes(const bough_schedule *s, uint64_t links) {
    return bytes_of(room_of(s, links));
}

uint64_t timeline_list_bytes(uint64_t messages, uint64_t links) {
    return bytes_of(room_for(messages, links));
}

static bough_status make(room r, timeline **out, bough_error *error) {
    timeline *t;
    *out = NULL;
    bough_status status = bough_memory_check(bytes_of(r), "the timeline of the schedule", error);
    TRY(bough_alloc(&t, 1, sizeof *t, error));
    if (status) return status;
    t->ops = (uint32_t)r.ops;
    t->cpus = (uint32_t)r.cpus;
    t->links = r.links;
    const bough_array array[] = {{&t->op, r.ops, sizeof *t->op},
                                 {&t->message, r.sends, sizeof *t->message},
                                 {&t->last, r.cpus, sizeof *t->last},
                                 {&t->bits, bough_mul(r.links, TIMELINE_BINS), sizeof *t->bits}};
    status = bough_alloc_all(array, r.links ? 4 : 3, error);
    if (status) {
        timeline_destroy(t);
        return status;
    }
    timeline_clear(t);
    *out = t;
    return BOUGH_OK;
}

bough_status timeline_make(const bough_schedule *s, uint64_t links, timeline **out, bough_error *error) {
    return make(room_of(s, links), out, error);
}

bough_status timeline_list_make(uint64_t messages, uint64_t links, timeline **out, bough_error *error) {
    return make(room_for(messages, links), out, error);
}

void timeline_destroy(timeline *t) {
    if (t) FREE_ALL(t->op, t->message, t->last, t->bits, t);
}

void timeline_clear(timeline *t) {
    for (uint32_t o = 0; o < t->ops; o++)
        t->op[o] = (timeline_op){.start = BOUGH_NONE,
                                 .end = BOUGH_NONE,
                                 .free = BOUGH_NONE,
                                 .after = TIMELINE_NONE,
                                 .before = TIMELINE_NONE,
                                 .partner = TIMELINE_NONE,
                                 .message_before = TIMELINE_NONE,
                                 .link = TIMELINE_NONE,
                                 .left = BOUGH_NONE,
                                 .arrived = BOUGH_NONE,
                                 .taken = BOUGH_NONE,
                                 .done = BOUGH_NONE,
                                 .alone = BOUGH_NONE};
    memset(t->last, 0xff, t->cpus * sizeof *t->last);
    if (t->bits) memset(t->bits, 0, t->links * TIMELINE_BINS * sizeof *t->bits);
    t->width = 1000; /* 1 ns; doubled as time goes on */
}

/* Doubles the width of the bins. */
static void widen(timeline *t) {
    for (uint64_t l = 0; l < t->links; l++) {
        double *bin = &t->bits[l * TIMELINE_BINS];
        for (unsigned i = 0; i < TIMELINE_BINS / 2; i++) bin[i] = bin[2 * i] + bin[2 * i + 1];
        memset(&bin[TIMELINE_BINS / 2], 0, TIMELINE_BINS / 2 * sizeof *bin);
    }
    t->width *= 2;
}

void timeline_carry(timeline *t, uint64_t link, uint64_t from, uint64_t to, double bits) {
    if (!t->bits) return;
    while ((to > from ? to - 1 : to) / t->width >= TIMELINE_BINS) widen(t);
    double *bin = &t->bits[link * TIMELINE_BINS];
    if (to <= from) {
        bin[from / t->width] += bits;
        return;
    }
    for (uint64_t i = from / t->width; i * t->width < to; i++) {
        uint64_t a = i * t->width > from ? i * t->width : from,
                 b = (i + 1) * t->width < to ? (i + 1) * t->width : to;
        bin[i] += bits * ((double)(b - a) / (double)(to - from));
    }
}

uint32_t timeline_rank(const bough_schedule *s, uint32_t op) {
    uint32_t low = 0, high = s->ranks - 1;
    while (low < high) {
        uint32_t middle = low + (high - low + 1) / 2;
        if (s->first[middle] <= op)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

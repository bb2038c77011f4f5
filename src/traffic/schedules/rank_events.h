/* Event queue ordered by (time, sequence). Sequence numbers are unique, so the order is total.
 *
 * Most events are pushed nearly in order, because they follow their cause after a constant time. So there are
 * a few sorted *lanes*; an event is appended to the first lane whose last event precedes it. Other events go
 * to a 4-ary heap. The next event is the smallest head. */
#ifndef BOUGH_TRAFFIC_SCHEDULES_RANK_EVENTS_H
#define BOUGH_TRAFFIC_SCHEDULES_RANK_EVENTS_H

#include "base/memory/memory.h"

typedef struct rank_event {
    uint64_t time, order; /* order: sequence, then what; read by the functions below */
} rank_event;

enum { RANK_LANES = 4, RANK_HEAP = RANK_LANES };

/* A ring buffer; its size is a power of two. The entry after the last event is NEVER. */
typedef struct rank_lane {
    rank_event *entry;
    uint32_t mask, first, end;
} rank_lane;

typedef struct rank_events {
    rank_event head[RANK_LANES + 1]; /* of the lanes and of the heap; NEVER if empty */
    rank_event tail[RANK_LANES];     /* last event appended, possibly removed since */
    rank_lane lane[RANK_LANES];
    rank_event *heap;
    size_t heaped, capacity;
    uint64_t count; /* total */
} rank_events;

#define RANK_NO_EVENT ((rank_event){UINT64_MAX, UINT64_MAX})

static inline rank_event rank_event_of(uint64_t time, uint32_t sequence, uint32_t what) {
    return (rank_event){time, (uint64_t)sequence << 32 | what};
}

static inline uint32_t rank_event_sequence(rank_event e) {
    return (uint32_t)(e.order >> 32);
}

static inline uint32_t rank_event_what(rank_event e) {
    return (uint32_t)e.order;
}

/* One number, for comparison without branches. */
static inline unsigned __int128 rank_event_key(rank_event e) {
    return (unsigned __int128)e.time << 64 | e.order;
}

static inline bool rank_event_before(const rank_event *a, const rank_event *b) {
    return rank_event_key(*a) < rank_event_key(*b);
}

bough_status rank_events_make(rank_events *h, bough_error *error);
void rank_events_clear(rank_events *h);
void rank_events_fini(rank_events *h);
/* Doubles a full lane or the heap. */
bough_status rank_events_grow(rank_events *h, unsigned lane, bough_error *error);

/* The lane of an event, or the heap. */
static inline unsigned rank_events_lane(const rank_events *h, const rank_event *e) {
    unsigned fits = 1u << RANK_HEAP;
    for (unsigned i = 0; i < RANK_LANES; i++) fits |= (unsigned)!rank_event_before(e, &h->tail[i]) << i;
    return (unsigned)__builtin_ctz(fits);
}

static inline bool rank_events_full(const rank_events *h, unsigned lane) {
    if (lane == RANK_HEAP) return h->heaped == h->capacity;
    return h->lane[lane].end - h->lane[lane].first == h->lane[lane].mask;
}

/* Pushes an event; there must be space. */
static inline void rank_events_push(rank_events *h, unsigned lane, rank_event e) {
    h->count++;
    if (lane != RANK_HEAP) {
        rank_lane *l = &h->lane[lane];
        if (l->first == l->end) h->head[lane] = e;
        l->entry[l->end++ & l->mask] = e;
        l->entry[l->end & l->mask] = RANK_NO_EVENT;
        h->tail[lane] = e;
        return;
    }
    size_t place = h->heaped++;
    while (place > 0) {
        size_t parent = (place - 1) / 4;
        if (!rank_event_before(&e, &h->heap[parent])) break;
        h->heap[place] = h->heap[parent];
        place = parent;
    }
    h->heap[place] = e;
    h->head[RANK_HEAP] = h->heap[0];
}

/* Pushes an event, for which there need not be space. Errors: those of rank_events_grow. */
static inline bough_status rank_events_put(rank_events *h, rank_event e, bough_error *error) {
    const unsigned lane = rank_events_lane(h, &e);
    bough_status status = rank_events_full(h, lane) ? rank_events_grow(h, lane, error) : BOUGH_OK;
    if (!status) rank_events_push(h, lane, e);
    return status;
}

/* The position, of two, whose event comes first. */
static inline size_t rank_events_first(const rank_event *e, size_t a, size_t b) {
    return rank_event_before(&e[b], &e[a]) ? b : a;
}

static inline void rank_events_pop_heap(rank_events *h) {
    rank_event e = h->heap[--h->heaped];
    size_t place = 0, child = 1;
    for (; child < h->heaped; child = 4 * place + 1) {
        size_t least = child, end = child + 4 < h->heaped ? child + 4 : h->heaped;
        for (size_t c = child + 1; c < end; c++) least = rank_events_first(h->heap, least, c);
        if (!rank_event_before(&h->heap[least], &e)) break;
        h->heap[place] = h->heap[least];
        place = least;
    }
    h->heap[place] = e;
    h->head[RANK_HEAP] = h->heaped ? h->heap[0] : RANK_NO_EVENT;
}

/* The lane of the next event. */
static inline unsigned rank_events_next(const rank_events *h) {
    unsigned __int128 least = rank_event_key(h->head[0]);
    unsigned first = 0;
    for (unsigned i = 1; i <= RANK_HEAP; i++) {
        unsigned __int128 key = rank_event_key(h->head[i]);
        first = key < least ? i : first;
        least = key < least ? key : least;
    }
    return first;
}

static inline rank_event rank_events_pop(rank_events *h, unsigned lane) {
    rank_event first = h->head[lane];
    h->count--;
    if (lane == RANK_HEAP) {
        rank_events_pop_heap(h);
        return first;
    }
    rank_lane *l = &h->lane[lane];
    h->head[lane] = l->entry[++l->first & l->mask];
    return first;
}

#define RANK_NOTHING UINT32_MAX

/* What an event of a lane is about, so many places after the next one; RANK_NOTHING: there is none, or its
 * place is not known. */
static inline uint32_t rank_events_ahead(const rank_events *h, unsigned lane, uint32_t places) {
    if (lane == RANK_HEAP) return RANK_NOTHING;
    const rank_lane *l = &h->lane[lane];
    if (l->end - l->first <= places) return RANK_NOTHING;
    return rank_event_what(l->entry[(l->first + places) & l->mask]);
}

#endif

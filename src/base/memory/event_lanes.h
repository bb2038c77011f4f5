/* Event queue ordered by (time, sequence). Sequence numbers are unique, so the order is total.
 *
 * Most events are pushed nearly in order, because they follow their cause after a constant time. So there are
 * a few sorted *lanes*; an event is appended to the first lane whose last event precedes it. Other events go
 * to a 4-ary heap. The next event is the smallest head. */
#ifndef BOUGH_BASE_MEMORY_EVENT_LANES_H
#define BOUGH_BASE_MEMORY_EVENT_LANES_H

#include "base/memory/memory.h"

typedef struct lane_event {
    uint64_t time, order; /* order: sequence, then what; read by the functions below */
} lane_event;

enum { EVENT_LANES = 4, EVENT_HEAP = EVENT_LANES };

/* A ring buffer; its size is a power of two. The entry after the last event is NEVER. */
typedef struct event_lane {
    lane_event *entry;
    uint32_t mask, first, end;
} event_lane;

typedef struct event_lanes {
    lane_event head[EVENT_LANES + 1]; /* of the lanes and of the heap; NEVER if empty */
    lane_event tail[EVENT_LANES];     /* last event appended, possibly removed since */
    event_lane lane[EVENT_LANES];
    lane_event *heap;
    size_t heaped, capacity;
    uint64_t count; /* total */
} event_lanes;

#define EVENT_NONE ((lane_event){UINT64_MAX, UINT64_MAX})

static inline lane_event lane_event_of(uint64_t time, uint32_t sequence, uint32_t what) {
    return (lane_event){time, (uint64_t)sequence << 32 | what};
}

static inline uint32_t lane_event_sequence(lane_event e) {
    return (uint32_t)(e.order >> 32);
}

static inline uint32_t lane_event_what(lane_event e) {
    return (uint32_t)e.order;
}

/* One number, for comparison without branches. */
static inline unsigned __int128 lane_event_key(lane_event e) {
    return (unsigned __int128)e.time << 64 | e.order;
}

static inline bool lane_event_before(const lane_event *a, const lane_event *b) {
    return lane_event_key(*a) < lane_event_key(*b);
}

bough_status event_lanes_make(event_lanes *h, bough_error *error);
void event_lanes_clear(event_lanes *h);
void event_lanes_fini(event_lanes *h);
/* Doubles a full lane or the heap. */
bough_status event_lanes_grow(event_lanes *h, unsigned lane, bough_error *error);

/* The lane of an event, or the heap. */
static inline unsigned event_lanes_lane(const event_lanes *h, const lane_event *e) {
    unsigned fits = 1u << EVENT_HEAP;
    for (unsigned i = 0; i < EVENT_LANES; i++) fits |= (unsigned)!lane_event_before(e, &h->tail[i]) << i;
    return (unsigned)__builtin_ctz(fits);
}

static inline bool event_lanes_full(const event_lanes *h, unsigned lane) {
    if (lane == EVENT_HEAP) return h->heaped == h->capacity;
    return h->lane[lane].end - h->lane[lane].first == h->lane[lane].mask;
}

/* Pushes an event; there must be space. */
static inline void event_lanes_push(event_lanes *h, unsigned lane, lane_event e) {
    h->count++;
    if (lane != EVENT_HEAP) {
        event_lane *l = &h->lane[lane];
        if (l->first == l->end) h->head[lane] = e;
        l->entry[l->end++ & l->mask] = e;
        l->entry[l->end & l->mask] = EVENT_NONE;
        h->tail[lane] = e;
        return;
    }
    size_t place = h->heaped++;
    while (place > 0) {
        size_t parent = (place - 1) / 4;
        if (!lane_event_before(&e, &h->heap[parent])) break;
        h->heap[place] = h->heap[parent];
        place = parent;
    }
    h->heap[place] = e;
    h->head[EVENT_HEAP] = h->heap[0];
}

/* Pushes an event, for which there need not be space. Errors: those of event_lanes_grow. */
static inline bough_status event_lanes_put(event_lanes *h, lane_event e, bough_error *error) {
    const unsigned lane = event_lanes_lane(h, &e);
    bough_status status = event_lanes_full(h, lane) ? event_lanes_grow(h, lane, error) : BOUGH_OK;
    if (!status) event_lanes_push(h, lane, e);
    return status;
}

/* The position, of two, whose event comes first. */
static inline size_t event_lanes_first(const lane_event *e, size_t a, size_t b) {
    return lane_event_before(&e[b], &e[a]) ? b : a;
}

static inline void event_lanes_pop_heap(event_lanes *h) {
    lane_event e = h->heap[--h->heaped];
    size_t place = 0, child = 1;
    for (; child < h->heaped; child = 4 * place + 1) {
        size_t least = child, end = child + 4 < h->heaped ? child + 4 : h->heaped;
        for (size_t c = child + 1; c < end; c++) least = event_lanes_first(h->heap, least, c);
        if (!lane_event_before(&h->heap[least], &e)) break;
        h->heap[place] = h->heap[least];
        place = least;
    }
    h->heap[place] = e;
    h->head[EVENT_HEAP] = h->heaped ? h->heap[0] : EVENT_NONE;
}

/* The lane of the next event. */
static inline unsigned event_lanes_next(const event_lanes *h) {
    unsigned __int128 least = lane_event_key(h->head[0]);
    unsigned first = 0;
    for (unsigned i = 1; i <= EVENT_HEAP; i++) {
        unsigned __int128 key = lane_event_key(h->head[i]);
        first = key < least ? i : first;
        least = key < least ? key : least;
    }
    return first;
}

static inline lane_event event_lanes_pop(event_lanes *h, unsigned lane) {
    lane_event first = h->head[lane];
    h->count--;
    if (lane == EVENT_HEAP) {
        event_lanes_pop_heap(h);
        return first;
    }
    event_lane *l = &h->lane[lane];
    h->head[lane] = l->entry[++l->first & l->mask];
    return first;
}

#define EVENT_NOTHING UINT32_MAX

/* What an event of a lane is about, so many places after the next one; EVENT_NOTHING: there is none, or its
 * place is not known. */
static inline uint32_t event_lanes_ahead(const event_lanes *h, unsigned lane, uint32_t places) {
    if (lane == EVENT_HEAP) return EVENT_NOTHING;
    const event_lane *l = &h->lane[lane];
    if (l->end - l->first <= places) return EVENT_NOTHING;
    return lane_event_what(l->entry[(l->first + places) & l->mask]);
}

#endif

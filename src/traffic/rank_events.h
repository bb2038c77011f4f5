/* Events by (time, sequence): a heap with four children a node. Sequence numbers are unique, so that the
 * order is total. */
#ifndef BOUGH_TRAFFIC_RANK_EVENTS_H
#define BOUGH_TRAFFIC_RANK_EVENTS_H

#include "base/memory.h"

typedef struct rank_event {
    uint64_t time;
    uint32_t sequence, what;
} rank_event;

typedef struct rank_events {
    rank_event *entry;
    size_t count, capacity;
} rank_events;

/* One comparison of 128 bits: no branch to guess. */
static inline bool rank_event_before(const rank_event *a, const rank_event *b) {
    unsigned __int128 x = (unsigned __int128)a->time << 32 | a->sequence;
    unsigned __int128 y = (unsigned __int128)b->time << 32 | b->sequence;
    return x < y;
}

/* There must be room. */
static inline void rank_events_push(rank_events *h, rank_event e) {
    size_t place = h->count++;
    while (place > 0) {
        size_t parent = (place - 1) / 4;
        if (!rank_event_before(&e, &h->entry[parent])) break;
        h->entry[place] = h->entry[parent];
        place = parent;
    }
    h->entry[place] = e;
}

/* Of two children the place of the one that comes first. */
static inline size_t rank_events_first(const rank_events *h, size_t a, size_t b) {
    return rank_event_before(&h->entry[b], &h->entry[a]) ? b : a;
}

static inline rank_event rank_events_pop(rank_events *h) {
    rank_event first = h->entry[0], e = h->entry[--h->count];
    size_t place = 0, child = 1;
    for (; child + 4 <= h->count; child = 4 * place + 1) {
        size_t least = rank_events_first(h, rank_events_first(h, child, child + 1),
                                         rank_events_first(h, child + 2, child + 3));
        if (!rank_event_before(&h->entry[least], &e)) break;
        h->entry[place] = h->entry[least];
        place = least;
    }
    if (child < h->count && child + 4 > h->count) {
        size_t least = child;
        for (size_t c = child + 1; c < h->count; c++) least = rank_events_first(h, least, c);
        if (rank_event_before(&h->entry[least], &e)) {
            h->entry[place] = h->entry[least];
            place = least;
        }
    }
    h->entry[place] = e;
    return first;
}

#endif

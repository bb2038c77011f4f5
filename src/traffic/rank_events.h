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

static inline bool rank_event_before(const rank_event *a, const rank_event *b) {
    return a->time != b->time ? a->time < b->time : a->sequence < b->sequence;
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

static inline rank_event rank_events_pop(rank_events *h) {
    rank_event first = h->entry[0], e = h->entry[--h->count];
    size_t place = 0;
    for (;;) {
        size_t child = 4 * place + 1, least = child, last = child + 4 < h->count ? child + 4 : h->count;
        if (child >= h->count) break;
        for (size_t c = child + 1; c < last; c++)
            if (rank_event_before(&h->entry[c], &h->entry[least])) least = c;
        if (!rank_event_before(&h->entry[least], &e)) break;
        h->entry[place] = h->entry[least];
        place = least;
    }
    h->entry[place] = e;
    return first;
}

#endif

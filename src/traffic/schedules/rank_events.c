#include "traffic/schedules/rank_events.h"

#include <stdlib.h>

void rank_events_clear(rank_events *h) {
    for (unsigned i = 0; i < RANK_LANES; i++) {
        rank_lane *l = &h->lane[i];
        l->first = l->end = 0;
        l->entry[0] = h->head[i] = RANK_NO_EVENT;
        h->tail[i] = (rank_event){0, 0};
    }
    h->head[RANK_HEAP] = RANK_NO_EVENT;
    h->heaped = 0;
    h->count = 0;
}

bough_status rank_events_make(rank_events *h, bough_error *error) {
    enum { PLACES = 64 };
    bough_status status = BOUGH_OK;
    *h = (rank_events){0};
    for (unsigned i = 0; i < RANK_LANES && !status; i++) {
        status = bough_alloc(&h->lane[i].entry, PLACES, sizeof(rank_event), error);
        h->lane[i].mask = PLACES - 1;
    }
    if (!status) rank_events_clear(h);
    return status;
}

bough_status rank_events_grow(rank_events *h, unsigned lane, bough_error *error) {
    if (lane == RANK_HEAP) return bough_grow(&h->heap, &h->capacity, h->heaped + 1, sizeof *h->heap, error);
    rank_lane *l = &h->lane[lane];
    rank_event *grown;
    uint32_t count = l->end - l->first, mask = l->mask * 2 + 1;
    if (mask == UINT32_MAX)
        return bough_fail(error, BOUGH_TOO_LARGE, NULL, "2^31 or more simultaneous events");
    bough_status status = bough_alloc(&grown, (uint64_t)mask + 1, sizeof *grown, error);
    if (status) return status;
    for (uint32_t i = 0; i <= count; i++) grown[i] = l->entry[(l->first + i) & l->mask];
    free(l->entry);
    *l = (rank_lane){grown, mask, 0, count};
    return BOUGH_OK;
}

void rank_events_fini(rank_events *h) {
    for (unsigned i = 0; i < RANK_LANES; i++) free(h->lane[i].entry);
    free(h->heap);
    *h = (rank_events){0};
}

#include "base/memory/event_lanes.h"

#include <stdlib.h>

void event_lanes_clear(event_lanes *h) {
    for (unsigned i = 0; i < EVENT_LANES; i++) {
        event_lane *l = &h->lane[i];
        l->first = l->end = 0;
        l->entry[0] = h->head[i] = EVENT_NONE;
        h->tail[i] = (lane_event){0, 0};
    }
    h->head[EVENT_HEAP] = EVENT_NONE;
    h->heaped = 0;
    h->count = 0;
}

bough_status event_lanes_make(event_lanes *h, bough_error *error) {
    enum { PLACES = 64 };
    bough_status status = BOUGH_OK;
    *h = (event_lanes){0};
    for (unsigned i = 0; i < EVENT_LANES && !status; i++) {
        status = bough_alloc(&h->lane[i].entry, PLACES, sizeof(lane_event), error);
        h->lane[i].mask = PLACES - 1;
    }
    if (!status) event_lanes_clear(h);
    return status;
}

bough_status event_lanes_grow(event_lanes *h, unsigned lane, bough_error *error) {
    if (lane == EVENT_HEAP) return bough_grow(&h->heap, &h->capacity, h->heaped + 1, sizeof *h->heap, error);
    event_lane *l = &h->lane[lane];
    lane_event *grown;
    uint32_t count = l->end - l->first, mask = l->mask * 2 + 1;
    if (mask == UINT32_MAX)
        return bough_fail(error, BOUGH_TOO_LARGE, NULL, "2^31 or more simultaneous events");
    bough_status status = bough_alloc(&grown, (uint64_t)mask + 1, sizeof *grown, error);
    if (status) return status;
    for (uint32_t i = 0; i <= count; i++) grown[i] = l->entry[(l->first + i) & l->mask];
    free(l->entry);
    *l = (event_lane){grown, mask, 0, count};
    return BOUGH_OK;
}

void event_lanes_fini(event_lanes *h) {
    for (unsigned i = 0; i < EVENT_LANES; i++) free(h->lane[i].entry);
    free(h->heap);
    *h = (event_lanes){0};
}

#include "engines/flow/flow_path_ring.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/thread_team.h"

#include <stdatomic.h>
#include <string.h>

#define BYTES_MAX (UINT64_C(64) << 20)

/* A path; the next one is `stride` bytes further. */
typedef struct given {
    uint32_t id, source, address;
    uint16_t hops;
    uint8_t end; /* flow_path_end */
    uint64_t at;
    uint32_t path[];
} given;

struct flow_path_ring {
    unsigned char *memory;
    uint64_t places, stride;
    unsigned hops;
    char apart[THREAD_APART];
    _Atomic uint64_t gave; /* paths so far; written by the thread that gives */
    char apart_too[THREAD_APART];
    _Atomic uint64_t took; /* or passed; written by the thread that takes */
};

static uint64_t stride_of(unsigned hops) {
    const uint64_t bytes = sizeof(given) + hops * sizeof(uint32_t);
    return (bytes + _Alignof(given) - 1) / _Alignof(given) * _Alignof(given);
}

/* A power of two. */
static uint64_t places_for(uint64_t messages, unsigned hops) {
    uint64_t places = 1;
    while (places < messages && 2 * places * stride_of(hops) <= BYTES_MAX) places *= 2;
    return places;
}

uint64_t flow_path_ring_bytes(uint64_t messages, unsigned hops) {
    return sizeof(flow_path_ring) + places_for(messages, hops) * stride_of(hops);
}

bough_status flow_path_ring_make(uint64_t messages, unsigned hops, flow_path_ring **ring,
                                 bough_error *error) {
    flow_path_ring *r;
    *ring = NULL;
    bough_status status = bough_alloc(&r, 1, sizeof *r, error);
    if (status) return status;
    r->hops = hops;
    r->stride = stride_of(hops);
    r->places = places_for(messages, hops);
    status = bough_alloc(&r->memory, r->places, r->stride, error);
    if (status)
        flow_path_ring_free(r);
    else
        *ring = r;
    return status;
}

void flow_path_ring_free(flow_path_ring *r) {
    if (r) FREE_ALL(r->memory, r);
}

void flow_path_ring_clear(flow_path_ring *r) {
    atomic_store(&r->gave, 0);
    atomic_store(&r->took, 0);
}

static given *place(const flow_path_ring *r, uint64_t number) {
    return (given *)(void *)(r->memory + (number & (r->places - 1)) * r->stride);
}

void flow_path_ring_give(flow_path_ring *r, const bough_message *message, const message_links *links,
                         uint32_t count) {
    uint64_t gave = atomic_load_explicit(&r->gave, memory_order_relaxed);
    const uint64_t full = atomic_load_explicit(&r->took, memory_order_acquire) + r->places;
    for (uint32_t i = 0; i < count && gave < full; i++) {
        const bough_message *m = &message[i];
        const message_links *l = &links[i];
        if (l->hops > r->hops) continue;
        given *g = place(r, gave++);
        *g = (given){m->id, m->source, m->address, (uint16_t)l->hops, (uint8_t)l->end, l->at};
        memcpy(g->path, l->path, l->hops * sizeof *g->path);
    }
    atomic_store_explicit(&r->gave, gave, memory_order_release);
}

/* Whether the path is of this message; passes those of others before it. */
static bool finds(const flow_path_ring *r, const bough_message *m, uint64_t *took, uint64_t gave) {
    while (*took < gave && place(r, *took)->id < m->id) ++*took;
    if (*took == gave) return false;
    const given *g = place(r, *took);
    return g->id == m->id && g->source == m->source && g->address == m->address;
}

uint32_t flow_path_ring_take(flow_path_ring *r, const bough_message *message, message_links *links,
                             uint32_t count, bool *has) {
    uint64_t took = atomic_load_explicit(&r->took, memory_order_relaxed);
    const uint64_t gave = atomic_load_explicit(&r->gave, memory_order_acquire);
    uint32_t others = 0;
    for (uint32_t i = 0; i < count; i++) {
        has[i] = finds(r, &message[i], &took, gave);
        others += !has[i];
        if (!has[i]) continue;
        const given *g = place(r, took++);
        links[i].hops = links[i].count = g->hops;
        links[i].end = (flow_path_end)g->end;
        links[i].at = g->at;
        memcpy(links[i].path, g->path, g->hops * sizeof *g->path);
    }
    atomic_store_explicit(&r->took, took, memory_order_release);
    return others;
}

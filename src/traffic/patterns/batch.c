#include "traffic/patterns/batch.h"

#include "base/memory/memory.h"
#include "base/status/try.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct batch_state {
    bough_source base;
    bough_batch batch;
    uint64_t *size, *time; /* NULL: all 1; all 0 */
    uint64_t next;
} batch_state;

static uint64_t batch_next_time(bough_source *base) {
    batch_state *s = (batch_state *)base;
    if (s->next == s->batch.count) return BOUGH_NONE;
    return s->time ? s->time[s->next] : 0;
}

static uint32_t batch_pop(bough_source *base, uint64_t now, bough_message *out, uint32_t capacity) {
    batch_state *s = (batch_state *)base;
    uint32_t got = 0;
    for (; got < capacity && s->next < s->batch.count; got++, s->next++) {
        uint64_t i = s->next, time = s->time ? s->time[i] : 0;
        if (time > now) break;
        out[got] = (bough_message){time, s->size ? s->size[i] : 1, s->batch.source[i], s->batch.address[i],
                                   (uint32_t)i};
    }
    return got;
}

static void batch_close(bough_source *base) {
    batch_state *s = (batch_state *)base;
    bough_batch_fini(&s->batch);
    FREE_ALL(s->size, s->time, s);
}

bough_status batch_source(const bough_batch *batch, bough_source **out, bough_error *error) {
    bough_batch owned = *batch;
    batch_state *s;
    bough_status status = bough_alloc(&s, 1, sizeof *s, error);
    if (status) {
        bough_batch_fini(&owned);
        return status;
    }
    *s = (batch_state){.base = {batch_next_time, batch_pop, NULL, batch_close}, .batch = owned};
    *out = &s->base;
    return BOUGH_OK;
}

void batch_source_set(bough_source *source, uint64_t *size, uint64_t *time) {
    batch_state *s = (batch_state *)source;
    s->size = size;
    s->time = time;
}

static bough_status pop_all(bough_source *source, bough_batch *batch, bough_error *error) {
    bough_message some[256];
    size_t sources = 0, addresses = 0;
    uint32_t got;
    bough_status status = BOUGH_OK;
    while (!status && (got = source->pop(source, 0, some, 256))) {
        status = bough_grow(&batch->source, &sources, batch->count + got, sizeof *batch->source, error);
        TRY(bough_grow(&batch->address, &addresses, batch->count + got, sizeof *batch->address, error));
        for (uint32_t i = 0; i < got && !status; i++) {
            batch->source[batch->count] = some[i].source;
            batch->address[batch->count++] = some[i].address;
        }
    }
    if (status) bough_batch_fini(batch);
    return status;
}

bough_status bough_batch_read(const bough_traffic *traffic, bough_key key, bough_batch *batch,
                              bough_error *error) {
    *batch = (bough_batch){0};
    if (traffic->shape != BOUGH_BATCH)
        return bough_fail(error, BOUGH_UNSUPPORTED, NULL, "traffic %s is not a batch", traffic->spec);
    bough_source *source;
    bough_status status = bough_traffic_open(traffic, key, NULL, &source, error);
    if (status) return status;
    if (source->pop == batch_pop) { /* hand over the arrays instead of copying */
        batch_state *s = (batch_state *)source;
        *batch = s->batch;
        s->batch = (bough_batch){0};
    } else {
        status = pop_all(source, batch, error);
    }
    source->close(source);
    return status;
}

void bough_batch_fini(bough_batch *batch) {
    FREE_ALL(batch->source, batch->address);
    *batch = (bough_batch){0};
}

bough_status batch_alloc(uint64_t m, bough_batch *batch, bough_error *error) {
    *batch = (bough_batch){.count = m};
    bough_status status = bough_alloc(&batch->source, m, sizeof *batch->source, error);
    TRY(bough_alloc(&batch->address, m, sizeof *batch->address, error));
    if (status) bough_batch_fini(batch);
    return status;
}

/* Draws the smaller of the subset and its complement by rejection: at most 2 draws each on average. */
bough_status batch_draw_sources(uint64_t n, uint64_t m, bough_key key, bough_batch *batch,
                                bough_error *error) {
    uint64_t *chosen = NULL, k = 0;
    bough_status status = batch_alloc(m, batch, error);
    for (; m == n && k < n && !status; k++) batch->source[k] = (uint32_t)k;
    if (m == n) return status;
    TRY(bough_alloc(&chosen, (n + 63) / 64, sizeof *chosen, error));
    if (status) {
        bough_batch_fini(batch);
        return status;
    }
    bool complement = m > n / 2;
    bough_stream stream = bough_stream_make(key, BOUGH_DRAW_SOURCES, 0, 0);
    for (uint64_t left = complement ? n - m : m; left;) {
        uint64_t i = bough_stream_below(&stream, n);
        uint64_t bit = UINT64_C(1) << (i & 63);
        if (chosen[i >> 6] & bit) continue;
        chosen[i >> 6] |= bit;
        left--;
    }
    for (uint64_t i = 0; i < n; i++)
        if ((chosen[i >> 6] >> (i & 63) & 1) != complement) batch->source[k++] = (uint32_t)i;
    free(chosen);
    return BOUGH_OK;
}

bough_status refuse_m(const bough_args *args, const bough_traffic *traffic, bough_error *error) {
    if (!bough_args_get(args, "m")->given) return BOUGH_OK;
    return bough_fail(
        error, BOUGH_INVALID, NULL,
        "pattern %s: m is the number of messages of a batch, which a stream does not have; omit m",
        traffic->kind->name);
}

bough_status bind_m(bough_args *args, const bough_net *net, bough_traffic *traffic, bough_error *error) {
    if (traffic->of_stream) return refuse_m(args, traffic, error);
    const bough_value *m = bough_args_get(args, "m");
    if (!m->set) bough_args_set_int(args, "m", (int64_t)net->endpoints);
    if ((uint64_t)m->integer > net->endpoints || m->integer < 1)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "m=%" PRId64 " messages from distinct sources need 1 <= m <= %" PRIu64 " endpoints",
                          m->integer, net->endpoints);
    traffic->messages = (uint64_t)m->integer;
    traffic->distinct = true;
    return BOUGH_OK;
}

bough_status batch_each(const bough_traffic *traffic, bough_key key,
                        void (*visit)(void *context, const bough_message *message), void *context,
                        bough_error *error) {
    enum { ROOM = 256 };
    bough_message message[ROOM];
    bough_source *source;
    uint32_t got;
    bough_status status = bough_traffic_open(traffic, key, NULL, &source, error);
    if (status) return status;
    while ((got = source->pop(source, BOUGH_NONE - 1, message, ROOM)) > 0)
        for (uint32_t i = 0; i < got; i++) visit(context, &message[i]);
    source->close(source);
    return BOUGH_OK;
}

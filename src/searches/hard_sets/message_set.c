#include "searches/hard_sets/message_set.h"

#include "base/memory/memory.h"
#include "base/status/try.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

bough_status message_set_make(uint64_t endpoints, uint64_t degree, message_set *s, bough_error *error) {
    *s = (message_set){.endpoints = endpoints, .degree = degree};
    uint64_t most = bough_mul(endpoints, degree);
    const bough_array array[] = {
        {&s->source, most, sizeof *s->source},
        {&s->destination, most, sizeof *s->destination},
        {&s->sends, endpoints, sizeof *s->sends},
        {&s->receives, endpoints, sizeof *s->receives},
    };
    return bough_alloc_all(array, sizeof array / sizeof *array, error);
}

void message_set_fini(message_set *s) {
    FREE_ALL(s->source, s->destination, s->sends, s->receives);
}

static void clear(message_set *s) {
    s->count = 0;
    memset(s->sends, 0, s->endpoints * sizeof *s->sends);
    memset(s->receives, 0, s->endpoints * sizeof *s->receives);
}

void message_set_copy(const message_set *from, message_set *to) {
    to->count = from->count;
    memcpy(to->source, from->source, from->count * sizeof *to->source);
    memcpy(to->destination, from->destination, from->count * sizeof *to->destination);
    memcpy(to->sends, from->sends, from->endpoints * sizeof *to->sends);
    memcpy(to->receives, from->receives, from->endpoints * sizeof *to->receives);
}

/* Adds a message, unless an endpoint has as many as it may, or would send to itself. */
static void add(message_set *s, uint64_t source, uint64_t destination) {
    if (source == destination || source >= s->endpoints || destination >= s->endpoints) return;
    if (s->sends[source] == s->degree || s->receives[destination] == s->degree) return;
    s->source[s->count] = (uint32_t)source;
    s->destination[s->count++] = (uint32_t)destination;
    s->sends[source]++;
    s->receives[destination]++;
}

/* ---- where a search starts ---- */

static unsigned lg_below(uint64_t n) {
    return 63 - (unsigned)__builtin_clzll(n);
}

/* A set that cannot be bound to the network stays empty. */
static void start_pattern(const bough_net *net, set_start *start, message_set *s) {
    bough_traffic *traffic;
    bough_batch batch;
    bough_error error;
    bough_status status = bough_traffic_create(net, start->name, &traffic, &error);
    const bool bound = !status;
    TRY(bough_batch_read(traffic, start->key, &batch, &error));
    for (uint64_t i = 0; !status && i < batch.count; i++)
        add(s, batch.source[i], bough_address_node(net, batch.address[i]));
    if (!status) bough_batch_fini(&batch);
    if (bound) bough_traffic_destroy(traffic);
    start->no_memory = status == BOUGH_NO_MEMORY;
}

/* Every second block of this size sends to the one after it. */
static void start_neighbours(uint64_t size, message_set *s) {
    for (uint64_t e = 0; e < s->endpoints; e++)
        if (e / size % 2 == 0) add(s, e, e + size);
}

/* The first block of this size sends to the last. */
static void start_across(uint64_t size, message_set *s) {
    for (uint64_t e = 0; e < size; e++) add(s, e, s->endpoints - size + e);
}

/* One message for every height of the nearest common ancestor, each endpoint in at most one. */
static void start_heights(message_set *s) {
    for (uint64_t half = 1; 4 * half <= s->endpoints; half *= 2) add(s, 3 * half - 1, 3 * half);
    add(s, 0, s->endpoints / 2);
}

bool message_set_start(const bough_net *net, set_start *start, message_set *s) {
    static const char *const pattern[] = {"bitrev",  "transpose", "bitcomp", "shuffle",
                                          "tornado", "randperm",  "neighbor"};
    enum { PATTERNS = sizeof pattern / sizeof *pattern, SINGLE = PATTERNS + 2, KINDS = 4 };
    unsigned number = start->number, lg = lg_below(s->endpoints);
    clear(s);
    if (number >= SINGLE + KINDS * lg) return false;
    if (number < PATTERNS) snprintf(start->name, SET_NAME_MAX, "%s", pattern[number]);
    if (number == PATTERNS) snprintf(start->name, SET_NAME_MAX, "hrelation:h=%" PRIu64, s->degree);
    if (number == PATTERNS + 1) {
        snprintf(start->name, SET_NAME_MAX, "a message at each height");
        start_heights(s);
        return true;
    }
    uint64_t size = number >= SINGLE ? UINT64_C(1) << (number - SINGLE) / KINDS : 0;
    unsigned kind = number >= SINGLE ? (number - SINGLE) % KINDS : 0;
    if (size && kind == 0) snprintf(start->name, SET_NAME_MAX, "shift:k=%" PRIu64, size);
    if (kind == 1) snprintf(start->name, SET_NAME_MAX, "blocks of %" PRIu64 " to the next", size);
    if (kind == 2) snprintf(start->name, SET_NAME_MAX, "the first %" PRIu64 " to the last", size);
    if (kind == 3)
        snprintf(start->name, SET_NAME_MAX, "heights:load=%" PRIu64 ",degree=%" PRIu64, size, s->degree);
    if (kind == 0 || kind == 3) start_pattern(net, start, s);
    if (kind == 1) start_neighbours(size, s);
    if (kind == 2) start_across(size, s);
    return true;
}

/* ---- changes ---- */

typedef struct block {
    uint64_t first, size;
} block;

static bool in_block(block b, uint64_t e) {
    return e - b.first < b.size;
}

static block draw_block(const message_set *s, uint64_t size, bough_stream *draw) {
    return (block){bough_stream_below(draw, (s->endpoints - 1) / size + 1) * size, size};
}

/* The messages of the i-th senders of the blocks exchange their destinations. */
static void exchange(message_set *s, block a, block b) {
    for (uint64_t i = 0, j = 0; i < s->count; i++) {
        if (!in_block(a, s->source[i])) continue;
        while (j < s->count && !in_block(b, s->source[j])) j++;
        if (j == s->count) return;
        uint32_t there = s->destination[i];
        if (there != s->source[j] && s->destination[j] != s->source[i]) {
            s->destination[i] = s->destination[j];
            s->destination[j] = there;
        }
        j++;
    }
}

static void drop(message_set *s, block b) {
    uint64_t kept = 0;
    for (uint64_t i = 0; i < s->count; i++) {
        if (in_block(b, s->source[i])) {
            s->sends[s->source[i]]--;
            s->receives[s->destination[i]]--;
            continue;
        }
        s->source[kept] = s->source[i];
        s->destination[kept++] = s->destination[i];
    }
    s->count = kept;
}

void message_set_change(message_set *s, bough_stream *draw) {
    uint64_t size = UINT64_C(1) << bough_stream_below(draw, lg_below(s->endpoints) + 1);
    block a = draw_block(s, size, draw), b = draw_block(s, size, draw);
    switch (bough_stream_below(draw, 3)) {
    case 0:
        exchange(s, a, b);
        break;
    case 1:
        drop(s, a);
        break;
    default:
        for (uint64_t i = 0; i < size; i++) add(s, a.first + i, b.first + i);
    }
}

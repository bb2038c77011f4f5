#include "loads/shifts/shift_sweep.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "network/wiring.h"

#include <string.h>

bool shift_link_is_last(const bough_net *net, uint64_t link) {
    return !bough_is_switch(net, net->ops->link_end(net, link).node);
}

typedef struct node_class {
    const bough_net *net;
    const shift_question *question;
    uint64_t node;
    unsigned class;
} node_class;

/* Gives lanes to the links of one class; returns the next lane. */
static uint32_t place_links(const node_class *of, shift_lanes *lanes, uint32_t next) {
    for (node_links at = node_links_of(of->net, of->node); node_links_next(&at);)
        if (of->question->class_of[at.link] == of->class && !shift_link_is_last(of->net, at.link))
            lanes->lane[at.link] = next++;
    return (next + SHIFT_LANES - 1) / SHIFT_LANES * SHIFT_LANES;
}

bough_status shift_lanes_make(const bough_net *net, const shift_question *question, shift_lanes *lanes,
                              bough_error *error) {
    *lanes = (shift_lanes){0};
    bough_status status = bough_alloc(&lanes->lane, net->links, sizeof *lanes->lane, error);
    for (uint64_t node = 0; node < net->nodes && !status; node++) {
        uint32_t next = 0;
        for (unsigned class = 0; class < question->classes; class ++)
            next = place_links(&(node_class){net, question, node, class}, lanes, next);
        if (next > lanes->widest) lanes->widest = next;
    }
    return status;
}

uint64_t shift_sweep_bytes(const bough_net *net, const shift_question *question, const shift_lanes *lanes) {
    uint64_t maxima = bough_mul(question->classes, SHIFT_LANES);
    return bough_mul(bough_mul(net->endpoints + 1, lanes->widest + maxima), sizeof(uint16_t));
}

bough_status shift_sweep_make(shift_sweep *s, const bough_net *net, bough_error *error) {
    uint64_t n = net->endpoints, widest = s->lanes->widest;
    const bough_array arrays[] = {
        {&s->difference, bough_mul(n + 1, widest), sizeof *s->difference},
        {&s->addresses, widest + CACHE_LINE, sizeof *s->addresses},
        {&s->flows, widest + CACHE_LINE, sizeof *s->flows},
        {&s->max, bough_mul(n * s->question->classes, SHIFT_LANES), sizeof *s->max},
        {&s->class_of, widest / SHIFT_LANES + CACHE_LINE, sizeof *s->class_of},
    };
    s->endpoints = (uint32_t)n;
    bough_status status = bough_alloc_all(arrays, sizeof arrays / sizeof *arrays, error);
    for (uint64_t i = 0; i < n * s->question->classes * SHIFT_LANES && !status; i++) s->max[i] = INT16_MIN;
    return status;
}

void shift_sweep_fini(shift_sweep *s) {
    FREE_ALL(s->difference, s->addresses, s->flows, s->max, s->class_of);
}

void shift_sweep_start(shift_sweep *s, uint64_t node) {
    const bough_net *net = s->question->routing->net;
    s->node = node;
    s->width = 0;
    for (node_links at = node_links_of(net, node); node_links_next(&at);) {
        if (shift_link_is_last(net, at.link)) continue;
        uint32_t block = s->lanes->lane[at.link] / SHIFT_LANES;
        s->class_of[block] = s->question->class_of[at.link];
        if ((block + 1) * SHIFT_LANES > s->width) s->width = (block + 1) * SHIFT_LANES;
    }
}

static uint16_t *column_of(const shift_sweep *s, uint32_t lane) {
    uint64_t block = lane / SHIFT_LANES * ((uint64_t)s->endpoints + 1);
    return s->difference + block * SHIFT_LANES + lane % SHIFT_LANES;
}

void shift_sweep_add(shift_sweep *s, uint64_t link, endpoint_run run, uint32_t target) {
    const uint32_t n = s->endpoints;
    const uint32_t lane = s->lanes->lane[link];
    uint16_t *column = column_of(s, lane);
    int64_t low = (int64_t)target - run.end + 1, high = (int64_t)target - run.first; /* shifts, modulo n */
    bool inside = target >= run.first && target < run.end;
    s->flows[lane] += run.end - run.first - inside;
    if (high < 0) low += n, high += n;
    if (low < 0) { /* shift 0, a pair of one endpoint, is left out by the reader */
        column[(uint64_t)(low + n) * SHIFT_LANES]++;
        column[(uint64_t)n * SHIFT_LANES]--;
        low = 0;
    }
    column[(uint64_t)low * SHIFT_LANES]++;
    column[(uint64_t)(high + 1) * SHIFT_LANES]--;
}

typedef int16_t lanes __attribute__((vector_size(2 * SHIFT_LANES)));
typedef uint16_t sums __attribute__((vector_size(2 * SHIFT_LANES)));

/* Loads are less 32768: the largest of signed numbers is one instruction of every x86-64. */
static lanes larger_of(lanes a, lanes b) {
    lanes larger = a > b;
    return (a & larger) | (b & ~larger);
}

/* The loads of one block of lanes under the next shift; clears the entries of the table. */
static lanes next_loads(uint16_t *row, lanes *load) {
    const lanes zero = {0};
    sums change;
    memcpy(&change, row, sizeof change);
    memcpy(row, &zero, sizeof zero);
    return *load = (lanes)((sums)*load + change);
}

enum { TOGETHER = 4 }; /* blocks whose largest loads are written once */

/* Blocks of one class over all shifts, TOGETHER of them or one. */
static void sum_blocks(shift_sweep *s, uint32_t block, unsigned blocks) {
    const uint32_t n = s->endpoints;
    const size_t next = blocks == TOGETHER ? ((size_t)n + 1) * SHIFT_LANES : 0;
    uint16_t *row = column_of(s, block * SHIFT_LANES);
    int16_t *max = s->max + (uint64_t)s->class_of[block] * n * SHIFT_LANES;
    lanes a, b, c, d, before;
    for (unsigned i = 0; i < SHIFT_LANES; i++) a[i] = INT16_MIN;
    b = c = d = a;
    for (uint32_t k = 0; k < n; k++, row += SHIFT_LANES, max += SHIFT_LANES) {
        memcpy(&before, max, sizeof before);
        before = larger_of(next_loads(row, &a), before);
        if (blocks == TOGETHER) {
            const lanes others = larger_of(next_loads(row + next, &b), next_loads(row + 2 * next, &c));
            before = larger_of(before, larger_of(others, next_loads(row + 3 * next, &d)));
        }
        memcpy(max, &before, sizeof before);
    }
}

static void sum_all(shift_sweep *s) {
    const uint32_t blocks = s->width / SHIFT_LANES;
    for (uint32_t b = 0, count; b < blocks; b += count) {
        count = b + TOGETHER <= blocks ? TOGETHER : 1;
        for (uint32_t i = 1; i < TOGETHER && count == TOGETHER; i++)
            if (s->class_of[b + i] != s->class_of[b]) count = 1;
        sum_blocks(s, b, count);
    }
}

static void add_totals(shift_sweep *s) {
    for (node_links at = node_links_of(s->question->routing->net, s->node); node_links_next(&at);) {
        if (shift_link_is_last(s->question->routing->net, at.link)) continue;
        s->total[at.link] += s->flows[s->lanes->lane[at.link]];
        s->flows[s->lanes->lane[at.link]] = 0;
    }
}

bough_status shift_sweep_end(shift_sweep *s, uint32_t own, bough_error *error) {
    for (uint32_t i = 0; i < s->width; i++) {
        if (s->addresses[i] && s->addresses[i] + own > UINT16_MAX) {
            char name[128];
            return bough_fail(error, BOUGH_TOO_LARGE, NULL, "a link of %s may carry 65536 flows of one shift",
                              bough_node_name(s->question->routing->net, s->node, name, sizeof name));
        }
        s->addresses[i] = 0;
    }
    add_totals(s);
    sum_all(s);
    return BOUGH_OK;
}

void shift_sweep_collect(const shift_sweep *s, uint16_t *max) {
    uint64_t cells = (uint64_t)s->question->classes * s->endpoints;
    for (uint64_t c = 0; c < cells; c++)
        for (unsigned i = 0; i < SHIFT_LANES; i++) {
            uint16_t load = (uint16_t)(s->max[c * SHIFT_LANES + i] - INT16_MIN);
            if (load > max[c]) max[c] = load;
        }
}

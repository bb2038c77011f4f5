#include "papers/bay1991/bitserial/bit_machine.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "network/families/pruned_shape.h"

#include <inttypes.h>
#include <string.h>

static unsigned bits_for(uint64_t n) {
    return n > 1 ? 64 - (unsigned)__builtin_clzll(n - 1) : 0;
}

/* ---- memory ---- */

typedef struct sizes {
    uint64_t edges, vertices, nodes, leaves;
} sizes;

static sizes sizes_of(unsigned lg, uint64_t *edge, uint64_t *vertex, uint64_t *node) {
    sizes s = {.leaves = UINT64_C(1) << lg};
    for (unsigned h = 0; h <= lg; h++) {
        uint64_t nodes = s.leaves >> h;
        if (edge) edge[h] = s.edges, vertex[h] = s.vertices, node[h] = s.nodes;
        if (h < lg) s.edges += nodes << pruned_lg_capacity(h);
        s.vertices += nodes << pruned_lg_vertices(h);
        s.nodes += nodes;
    }
    return s;
}

/* Words on top: at most 2 leaves, at stages of height 0. */
static uint64_t tops_for(uint64_t leaves) {
    return 2 * leaves;
}

uint64_t bit_machine_bytes(unsigned lg, uint64_t messages) {
    sizes s = sizes_of(lg, NULL, NULL, NULL);
    uint64_t bytes = sizeof(bit_machine) + 4 * s.edges + s.vertices * sizeof(bit_switch) +
                     s.nodes * sizeof(bit_node) + s.leaves * (sizeof(bit_leaf) + lg * sizeof(uint64_t)) +
                     tops_for(s.leaves) * sizeof(bit_top);
    bytes = bough_add(bytes, bough_mul(messages, sizeof(uint32_t)));
    return bough_add(bytes, bit_queues_bytes((uint32_t)s.leaves, messages));
}

bough_status bit_machine_create(unsigned lg, uint64_t messages, bit_machine **out, bough_error *error) {
    bit_machine *m;
    bough_status status = bough_alloc(out, 1, sizeof *m, error);
    if (status) return status;
    m = *out;
    sizes s = sizes_of(lg, m->base, m->vertices, m->nodes);
    m->lg = lg;
    m->leaves = (uint32_t)s.leaves;
    m->edges = s.edges;
    m->switches = s.vertices;
    const bough_array arrays[] = {
        {&m->up.now, s.edges, 1},
        {&m->up.then, s.edges, 1},
        {&m->down.now, s.edges, 1},
        {&m->down.then, s.edges, 1},
        {&m->node, s.nodes, sizeof *m->node},
        {&m->leaf, s.leaves, sizeof *m->leaf},
        {&m->vertex, s.vertices, sizeof *m->vertex},
        {&m->top, tops_for(s.leaves), sizeof *m->top},
        {&m->counter, s.leaves * lg, sizeof *m->counter},
        {&m->at, messages, sizeof *m->at},
    };
    status = bough_alloc_all(arrays, sizeof arrays / sizeof *arrays, error);
    TRY(bit_queues_init(&m->queues, m->leaves, messages, error));
    if (status) {
        bit_machine_destroy(m);
        *out = NULL;
    }
    return status;
}

void bit_machine_destroy(bit_machine *m) {
    if (!m) return;
    bit_queues_fini(&m->queues);
    FREE_ALL(m->up.now, m->up.then, m->down.now, m->down.then, m->node, m->leaf, m->vertex, m->top,
             m->counter, m->at, m);
}

unsigned bit_machine_body_max(const sidetrack_machine *shape) {
    unsigned lg = shape->lg_leaves;
    return 64 - 2 * lg; /* a packet has a destination, a rank and a body */
}

unsigned bit_machine_body_min(uint64_t messages) {
    unsigned bits = bits_for(messages);
    return bits ? bits : 1;
}

/* ---- vertices and edges ---- */

uint64_t bit_edge(const bit_machine *m, unsigned height, uint32_t node, uint32_t e) {
    return m->base[height] + ((uint64_t)node << pruned_lg_capacity(height)) + e;
}

uint64_t bit_vertex(const bit_machine *m, bit_place at) {
    return m->vertices[at.height] + ((uint64_t)at.node << pruned_lg_vertices(at.height)) + at.k;
}

bit_top *bit_top_of(const bit_machine *m, uint32_t subtree, uint32_t k) {
    return &m->top[((uint64_t)subtree << pruned_lg_vertices(bit_lg_top(m))) + k];
}

void bit_send(bit_machine *m, bit_edges *edges, uint64_t edge, unsigned bit) {
    if (edges->then[edge] != BIT_SILENT) m->clash = true;
    edges->then[edge] = (uint8_t)bit;
}

/* ---- the clock ---- */

static void swap_edges(const bit_machine *m, bit_edges *edges) {
    uint8_t *read = edges->now;
    edges->now = edges->then;
    edges->then = read;
    memset(edges->then, BIT_SILENT, m->edges);
}

static void tick(bit_machine *m) {
    swap_edges(m, &m->up);
    swap_edges(m, &m->down);
    bit_queues_tick(&m->queues);
}

static bool run_height(bit_machine *m, bit_run run, unsigned height) {
    bool works = false;
    uint32_t vertices = run.nodes ? 1 : UINT32_C(1) << pruned_lg_vertices(height);
    for (uint32_t node = 0; node < m->leaves >> height; node++)
        for (uint32_t k = 0; k < vertices; k++) works |= run.work(m, (bit_place){height, node, k});
    return works;
}

static void reset_switches(bit_machine *m) {
    for (bit_switch *s = m->vertex; s < m->vertex + m->switches; s++)
        *s = (bit_switch){.delay = {BIT_SILENT, BIT_SILENT}, .direction = s->direction};
}

void bit_run_steps(bit_machine *m, bit_run run, uint64_t *steps) {
    if (!run.nodes) reset_switches(m);
    for (m->step = 1;; m->step++) {
        bool works = false;
        for (unsigned height = 0; height <= run.highest; height++) works |= run_height(m, run, height);
        if (!works) break;
        tick(m);
        ++*steps;
    }
    /* A bit that was on an edge in this last step has not been read. */
    for (uint64_t e = 0; e < m->edges; e++)
        if (m->up.now[e] != BIT_SILENT || m->down.now[e] != BIT_SILENT) m->clash = true;
    memset(m->up.now, BIT_SILENT, m->edges);
    memset(m->down.now, BIT_SILENT, m->edges);
}

/* ---- operations ---- */

#define X(id, of, steps, text) text,
static const char *const names[] = {SIDETRACK_OPERATION_MAP(X)};
#undef X

static bough_status count(bit_machine *m, sidetrack_operation o, uint64_t steps, bough_error *error) {
    unsigned stage = m->lg - m->peak;
    if (m->clash || m->queues.full)
        return bough_fail(error, BOUGH_FAILED, NULL,
                          "engine=bits: stage %u, pass %" PRIu64 ": operation %d (%s) lost bits", stage,
                          m->pass, o + 1, names[o]);
    if (steps > m->steps[o])
        return bough_fail(error, BOUGH_FAILED, NULL,
                          "engine=bits: stage %u, pass %" PRIu64 ": operation %d (%s) took %" PRIu64
                          " bit steps, more than the %" PRIu64 " of its formula",
                          stage, m->pass, o + 1, names[o], steps, m->steps[o]);
    if (steps > m->longest[o]) m->longest[o] = steps;
    /* Vertices wait for the end of the longest possible run of the operation; queues go on. */
    for (uint64_t rest = m->steps[o] - steps; rest; rest--) bit_queues_tick(&m->queues);
    return BOUGH_OK;
}

typedef struct operation {
    sidetrack_operation id;
    uint64_t (*run)(bit_machine *m);
} operation;

static bough_status run_all(bit_machine *m, const operation *list, size_t count_of, bough_error *error) {
    bough_status status = BOUGH_OK;
    for (size_t i = 0; i < count_of && !status; i++) status = count(m, list[i].id, list[i].run(m), error);
    return status;
}

static bough_status partition(bit_machine *m, bough_error *error) {
    static const operation list[] = {
        {SIDETRACK_OP_LOAD, bit_load},           {SIDETRACK_OP_SUM, bit_sum},
        {SIDETRACK_OP_CEILING, bit_ceiling},     {SIDETRACK_OP_MAXIMUM, bit_maximum},
        {SIDETRACK_OP_BROADCAST, bit_broadcast}, {SIDETRACK_OP_PASSES, bit_passes},
        {SIDETRACK_OP_PREFIX, bit_prefix},       {SIDETRACK_OP_MODULO, bit_modulo},
    };
    sidetrack_steps(&m->shape, m->peak, m->steps);
    memset(m->longest, 0, sizeof m->longest);
    m->pass = 0;
    m->width = m->shape.counter;
    bough_status status = run_all(m, list, sizeof list / sizeof *list, error);
    m->passes = m->leaf[0].passes;
    return status;
}

static bough_status run_pass(bit_machine *m, bough_error *error) {
    static const operation list[] = {
        {SIDETRACK_OP_SELECT, bit_select},     {SIDETRACK_OP_DELETEMIN, bit_deletemin},
        {SIDETRACK_OP_RANK, bit_rank},         {SIDETRACK_OP_COMPRESS, bit_compress},
        {SIDETRACK_OP_TRANSFER, bit_transfer}, {SIDETRACK_OP_SORT, bit_sort},
        {SIDETRACK_OP_EXPAND, bit_expand},     {SIDETRACK_OP_PEAK, bit_peak},
        {SIDETRACK_OP_INSERT, bit_insert},
    };
    return run_all(m, list, sizeof list / sizeof *list, error);
}

/* The clock of a stage allows each operation what its longest run took. */
static void end_stage(bit_machine *m) {
    for (int o = 0; o < SIDETRACK_OPERATIONS; o++) {
        bool in_passes = sidetrack_in_passes((sidetrack_operation)o);
        m->counted[o] += m->longest[o] * (in_passes ? m->passes : 1);
    }
}

/* ---- a run ---- */

void bit_machine_begin(bit_machine *m, const sidetrack_machine *shape, const bough_batch *batch) {
    unsigned lg = m->lg;
    m->shape = *shape;
    m->level_bits = bits_for(lg);
    m->word_bits = lg + shape->body;
    m->record_bits = m->level_bits + m->word_bits;
    m->messages = batch->count;
    m->peak = lg + 1;
    m->pass = m->passes = 0;
    m->clash = false;
    memset(m->counted, 0, sizeof m->counted);
    memset(m->counter, 0, (uint64_t)m->leaves * lg * sizeof *m->counter);
    memset(m->vertex, 0, m->switches * sizeof *m->vertex);
    reset_switches(m);
    for (bit_edges *edges = &m->up; edges; edges = edges == &m->up ? &m->down : NULL) {
        memset(edges->now, BIT_SILENT, m->edges);
        memset(edges->then, BIT_SILENT, m->edges);
    }
    bit_queues_reset(&m->queues, m->level_bits, m->record_bits);
    for (uint64_t i = 0; i < batch->count; i++) {
        uint32_t leaf = batch->source[i], target = batch->address[i];
        m->at[i] = leaf;
        if (leaf == target) continue;
        unsigned level = lg - (32 - (unsigned)__builtin_clz(leaf ^ target));
        m->counter[(uint64_t)leaf * lg + level]++;
        bit_queue_load(&m->queues, leaf, ((uint64_t)level << lg | target) << shape->body | i);
    }
}

bough_status bit_machine_pass(bit_machine *m, bool *more, bough_error *error) {
    bough_status status = BOUGH_OK;
    *more = true;
    while (m->pass == m->passes && !status) {
        if (m->peak <= m->lg) end_stage(m);
        if (m->peak == 1) {
            *more = false;
            m->pass = m->passes = 0;
            return BOUGH_OK;
        }
        m->peak--;
        status = partition(m, error);
    }
    TRY(run_pass(m, error));
    m->pass++;
    return status;
}

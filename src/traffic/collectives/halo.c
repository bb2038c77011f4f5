/* Halo exchange: ranks form a grid. Every rank sends a face to both neighbours in every dimension
 * simultaneously, and continues when all faces have arrived. The first dimension varies fastest. */
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "traffic/collectives/collective_kinds.h"

#include <inttypes.h>
#include <string.h>

enum { P_DIMS, P_SIZE, P_PERIODIC, P_ROUNDS, P_COMPUTE };

static const bough_param params[] = {
    [P_DIMS] = {"dims", "ranks per dimension, as in 8x8x8", BOUGH_LIST, NULL, 1, 0x1p28, .echo = true},
    [P_SIZE] = {"size", "bytes of a face", BOUGH_BYTES, "1MB", 0, 0x1p50, .echo = true},
    [P_PERIODIC] = {"periodic", "the first and last rank of a row are neighbours", BOUGH_FLAG, "1",
                    .echo = true},
    [P_ROUNDS] = {"rounds", "number of repetitions", BOUGH_INT, "1", 1, 0x1p28},
    [P_COMPUTE] = {"compute", "CPU time of a rank before each exchange", BOUGH_TIME, "0ps", 0, 1e15},
    WORKLOAD_PARAM_LIST,
    BOUGH_PARAMS_END,
};

typedef struct grid {
    uint32_t ranks;
    const int64_t *dim;
    unsigned dims;
    bool periodic;
    uint64_t size, compute_ns;
    uint32_t rounds;
} grid;

/* The neighbour of a rank in a dimension, or COLLECTIVE_NOBODY at the end of a row, or if it is the rank
 * itself. */
static uint32_t neighbour(const grid *g, uint32_t rank, unsigned d, bool up) {
    uint64_t stride = 1;
    for (unsigned i = 0; i < d; i++) stride *= (uint64_t)g->dim[i];
    uint64_t n = (uint64_t)g->dim[d], at = rank / stride % n, to = up ? (at + 1) % n : (at + n - 1) % n;
    bool over = up ? at + 1 == n : at == 0;
    if (to == at || (over && !g->periodic)) return COLLECTIVE_NOBODY;
    return (uint32_t)(rank - at * stride + to * stride);
}

/* Tags within a round: 2 d + 1 for faces sent up in dimension d, 2 d for those sent down. */
static void exchange(collective *c, const grid *g, uint32_t rank) {
    uint32_t base = c->tag, own[4 * BOUGH_LIST_MAX], count = 0;
    if (g->compute_ns) {
        c->last[rank][0] = collective_add(c, rank, (bough_op){.size = g->compute_ns, .kind = BOUGH_OP_CALC});
        c->last[rank][1] = COLLECTIVE_NOBODY;
    }
    for (unsigned side = 0; side < 2 * g->dims && !c->status; side++) {
        uint32_t to = neighbour(g, rank, side / 2, side % 2);
        c->tag = base + side;
        if (to != COLLECTIVE_NOBODY) own[count++] = collective_send(c, rank, to, g->size);
    }
    for (unsigned side = 0; side < 2 * g->dims && !c->status; side++) {
        uint32_t from = neighbour(g, rank, side / 2, side % 2);
        c->tag = base + (side ^ 1);
        if (from != COLLECTIVE_NOBODY) own[count++] = collective_recv(c, rank, from, g->size);
    }
    c->tag = base;
    if (count == 0) return;
    c->last[rank][0] = c->last[rank][1] = COLLECTIVE_NOBODY;
    uint32_t join = collective_add(c, rank, (bough_op){.kind = BOUGH_OP_CALC});
    for (uint32_t i = 0; i < count; i++) collective_wait(c, join, own[i]);
    c->last[rank][0] = join;
}

static void generate(collective *c, const grid *g) {
    for (uint32_t i = 0; i < g->rounds && !c->status; i++) {
        for (uint32_t r = 0; r < g->ranks && !c->status; r++) exchange(c, g, r);
        c->tag += 2 * g->dims;
    }
}

static bough_status build(const grid *g, const char *name, uint32_t (*last)[2], bough_schedule **out,
                          bough_error *error) {
    collective fresh = {.n = g->ranks, .size = g->size, .last = last, .error = error};
    collective counted = fresh, built = fresh;
    memset(last, 0xff, g->ranks * sizeof *last);
    generate(&counted, g);
    if (counted.status) return counted.status;
    bough_status status = collective_check_size(counted.ops, counted.waits, name, error);
    TRY(bough_schedule_begin(name, g->ranks, &built.builder, error));
    TRY(bough_schedule_reserve(built.builder, counted.ops, counted.waits, error));
    memset(last, 0xff, g->ranks * sizeof *last);
    built.status = status;
    generate(&built, g);
    if (!built.status) return bough_schedule_finish(built.builder, out, error);
    bough_schedule_abandon(built.builder);
    return built.status;
}

static bough_status halo_bind(bough_args *args, const bough_net *net, bough_traffic *t, bough_error *error) {
    const bough_value *v = args->value;
    grid g = {.ranks = 1,
              .dim = v[P_DIMS].list,
              .dims = v[P_DIMS].count,
              .periodic = v[P_PERIODIC].integer,
              .size = (uint64_t)v[P_SIZE].integer,
              .compute_ns = ((uint64_t)v[P_COMPUTE].integer + 500) / 1000,
              .rounds = (uint32_t)v[P_ROUNDS].integer};
    uint64_t ranks = 1;
    uint32_t(*last)[2];
    bough_schedule *s;
    for (unsigned d = 0; d < g.dims; d++) ranks = bough_mul(ranks, (uint64_t)g.dim[d]);
    bough_status status = workload_check_room(args, net, ranks, "halo", error);
    if (!status && ranks > UINT32_C(1) << 28)
        status = bough_fail(error, BOUGH_TOO_LARGE, NULL, "halo: more than 2^28 ranks");
    if (status) return status;
    g.ranks = (uint32_t)ranks;
    status = bough_alloc(&last, g.ranks, sizeof *last, error);
    if (status) return status;
    char *name = bough_args_format("halo", args);
    status = name ? build(&g, name, last, &s, error) : bough_fail_memory(error, 64);
    FREE_ALL(name, last);
    return status ? status : workload_make(s, 0, 0, t, error);
}

const bough_traffic_kind bough_traffic_halo = {
    .name = "halo",
    .summary = "ranks of a grid exchange faces with their neighbours",
    .source = "",
    .params = params,
    .shape = BOUGH_SCHEDULE,
    .bind = halo_bind,
    .open = workload_open,
    .fini = workload_fini,
};

/* Every combination of radix, dilation, levels, capacity and leaf cluster that a package and a board can hold
 * is tried; sizes are those of the network (transit_shape.c). */
#include "fabric/plan/stack_plan.h"

#include "base/memory/memory.h"
#include "network/families/transit/transit.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

const bough_stack_limits bough_stack_limits_default = {.hosts = 4096,
                                                       .ports = 2,
                                                       .pins = 144,
                                                       .width = 9,
                                                       .board = 24,
                                                       .pitch = 3,
                                                       .height = 2,
                                                       .layer = 0.5,
                                                       .fill = 1};

#define HOSTS_MAX (UINT64_C(1) << 30)

typedef struct search {
    const bough_stack_limits *limits;
    bough_stack_design *found;
    size_t count, capacity;
    uint64_t counts[BOUGH_STACK_VERDICTS];
    bough_status status;
    bough_error *error;
} search;

/* ---- one design ---- */

static double board_side(const bough_stack_limits *limits, uint64_t routers) {
    return ceil(sqrt((double)routers) - 1e-9) * limits->pitch;
}

/* Routers of the largest layer of a unit tree: the up layer. */
static uint64_t tree_layer(const transit_ask *ask, unsigned capacity) {
    return bough_mul(capacity / ask->dilation, transit_power(ask->radix, ask->levels - 1));
}

/* Routers of a unit tree, and of a leaf cluster. */
static uint64_t tree_routers(const transit_ask *ask, unsigned capacity) {
    uint64_t sum = tree_layer(ask, capacity);
    for (unsigned k = 1; k <= ask->levels; k++)
        sum += transit_layer_routers(ask, capacity / ask->dilation, k) *
               transit_power(ask->radix, ask->levels - k);
    return sum;
}

static uint64_t leaf_layer(const transit_ask *ask, unsigned layer) {
    return ask->leaf / (layer ? ask->radix : ask->lead) * ask->ports / ask->dilation;
}

static unsigned leaf_layers(const transit_ask *ask) {
    unsigned layers = 1;
    for (uint64_t rest = ask->leaf / ask->lead; rest > 1; rest /= ask->radix) layers++;
    return layers;
}

/* Area of the stacks of a node of a stage; stage 0: leaf clusters. */
static double node_area(const transit_ask *ask, const bough_stack_limits *limits, unsigned stage) {
    bool first = stage == 1 && ask->leaf == 1;
    uint64_t layer = stage == 0 ? leaf_layer(ask, 0) : tree_layer(ask, first ? ask->ports : ask->capacity);
    uint64_t stacks = stage == 0 ? 1 : transit_unit_trees(ask, stage);
    return (double)stacks * board_side(limits, layer) * board_side(limits, layer);
}

static bool is_square(uint64_t n) {
    uint64_t root = (uint64_t)(sqrt((double)n) + 0.5);
    return n > 0 && root * root == n;
}

static bough_stack_verdict judge_stacks(const transit_ask *ask, const bough_stack_limits *limits,
                                        bough_stack_design *d) {
    bool leaf = ask->leaf > 1;
    uint64_t inner = ask->stages > !leaf ? tree_layer(ask, ask->capacity) : 0;
    uint64_t outer = leaf ? leaf_layer(ask, 0) : tree_layer(ask, ask->ports);
    unsigned below = leaf ? leaf_layers(ask) : 0;
    d->layers = below > ask->levels + 1 ? below : ask->levels + 1;
    d->side = board_side(limits, inner > outer ? inner : outer);
    if (2.0 * ask->radix * ask->dilation * limits->width > limits->pins) return BOUGH_STACK_PINS;
    if (d->layers * limits->layer > limits->height * (1 + 1e-9)) return BOUGH_STACK_HEIGHT;
    return d->side > limits->board * (1 + 1e-9) ? BOUGH_STACK_BOARD : BOUGH_STACK_FITS;
}

/* The hollow cubes: numbers of stacks that are squares, sides as large as tops. */
static bough_stack_verdict judge_cubes(const transit_ask *ask, const bough_stack_limits *limits,
                                       bough_stack_design *d) {
    uint64_t nodes = transit_power(ask->radix, ask->levels);
    unsigned first = ask->leaf == 1;
    for (unsigned s = 1; s <= ask->stages; s++)
        if (transit_unit_trees(ask, s) == 0) return BOUGH_STACK_WHOLE;
    d->fill = 1;
    for (unsigned s = first; s <= ask->stages; s++) {
        if (s && !is_square(transit_unit_trees(ask, s))) return BOUGH_STACK_SQUARE;
        if (s == first) continue;
        if (nodes % 4 || !is_square(nodes / 4)) return BOUGH_STACK_SQUARE;
        double sides = (double)nodes / 4 * node_area(ask, limits, s - 1), top = node_area(ask, limits, s);
        d->fill = fmax(d->fill, fmax(sides / top, top / sides));
    }
    return d->fill > limits->fill * (1 + 1e-9) ? BOUGH_STACK_FILL : BOUGH_STACK_FITS;
}

static void count_parts(const transit_ask *ask, bough_stack_design *d) {
    uint64_t nodes = transit_power(ask->radix, ask->levels * ask->stages);
    bool leaf = ask->leaf > 1;
    if (leaf) {
        d->stacks = nodes;
        for (unsigned k = 0; k < leaf_layers(ask); k++) d->routers += nodes * leaf_layer(ask, k);
    }
    for (unsigned s = 1; s <= ask->stages; s++) {
        nodes /= transit_power(ask->radix, ask->levels);
        uint64_t stacks = nodes * transit_unit_trees(ask, s);
        d->stacks += stacks;
        d->routers += stacks * tree_routers(ask, !leaf && s == 1 ? ask->ports : ask->capacity);
    }
    d->path = ask->stages * (ask->levels + 1) + (leaf ? leaf_layers(ask) + 1 : 0);
    double growth = (ask->radix - ask->levels) * (double)transit_power(ask->radix, ask->levels - 1);
    d->universality = growth / pow(ask->radix, 2.0 * ask->levels / 3);
}

/* The spec with all that differs from the defaults of the family. */
static void write_names(const transit_ask *ask, bough_stack_design *d) {
    char more[64] = "";
    size_t n = 0;
    unsigned levels = ask->radix > 3 ? 3 : ask->radix - 1;
    unsigned capacity = ask->levels > 1 ? ask->radix * ask->ports : ask->ports;
    const struct {
        const char *key;
        unsigned value, usual;
    } part[] = {{"radix", ask->radix, 4},
                {"dilation", ask->dilation, 2},
                {"levels", ask->levels, levels},
                {"ports", ask->ports, ask->dilation},
                {"capacity", ask->capacity, capacity}};
    for (size_t i = 0; i < sizeof part / sizeof *part; i++)
        if (part[i].value != part[i].usual && n < sizeof more)
            n += (size_t)snprintf(more + n, sizeof more - n, ",%s=%u", part[i].key, part[i].value);
    unsigned channels = (unsigned)transit_power(ask->radix, ask->levels);
    if (ask->leaf == 1) {
        snprintf(d->spec, sizeof d->spec, "transit:n=%" PRIu64 "%s", d->processors, more);
        snprintf(d->outer, sizeof d->outer, "UT%ux%u", channels, ask->ports);
    } else {
        snprintf(d->spec, sizeof d->spec, "transit:leaf=%" PRIu64 ",stages=%u%s", ask->leaf, ask->stages,
                 more);
        snprintf(d->outer, sizeof d->outer, "B%" PRIu64, ask->leaf);
    }
    if (ask->stages > (ask->leaf == 1))
        snprintf(d->inner, sizeof d->inner, "UT%ux%u", channels, ask->capacity);
}

/* As few stages as join all hosts. */
static bool set_stages(transit_ask *ask, uint64_t hosts) {
    uint64_t tree = transit_power(ask->radix, ask->levels);
    ask->processors = ask->leaf;
    for (ask->stages = 0; ask->processors < hosts || ask->stages == 0; ask->stages++) {
        ask->processors = bough_mul(ask->processors, tree);
        if (ask->processors > HOSTS_MAX || ask->stages + 1 >= BOUGH_STAGES_MAX) return false;
    }
    return true;
}

static void try_design(search *s, const transit_ask *tried) {
    transit_ask ask = *tried;
    bough_stack_design d = {.radix = ask.radix,
                            .dilation = ask.dilation,
                            .levels = ask.levels,
                            .capacity = ask.capacity,
                            .leaf = ask.leaf};
    if (s->status || !set_stages(&ask, s->limits->hosts)) return;
    /* without inner unit trees their capacity makes no difference */
    if (ask.stages == 1 && ask.leaf == 1 && ask.capacity != ask.ports) return;
    d.stages = ask.stages;
    d.processors = ask.processors;
    bough_stack_verdict verdict = judge_stacks(&ask, s->limits, &d);
    if (verdict == BOUGH_STACK_FITS) verdict = judge_cubes(&ask, s->limits, &d);
    s->counts[verdict]++;
    if (verdict != BOUGH_STACK_FITS) return;
    count_parts(&ask, &d);
    write_names(&ask, &d);
    s->status = bough_grow(&s->found, &s->capacity, s->count + 1, sizeof *s->found, s->error);
    if (!s->status) s->found[s->count++] = d;
}

/* ---- all designs ---- */

/* Leaf clusters up to the first that is larger than a board. */
static void try_leaves(search *s, transit_ask *ask) {
    ask->leaf = ask->lead = 1;
    try_design(s, ask);
    ask->lead = ask->radix - 1;
    if (ask->radix < 3) return;
    for (ask->leaf = ask->lead * ask->radix; ask->leaf <= HOSTS_MAX; ask->leaf *= ask->radix) {
        try_design(s, ask);
        if (board_side(s->limits, leaf_layer(ask, 0)) > s->limits->board) return;
    }
}

/* Capacities up to the first unit tree that is larger than a board. */
static void try_capacities(search *s, transit_ask *ask) {
    for (ask->capacity = ask->dilation; ask->capacity <= 4096; ask->capacity += ask->dilation) {
        try_leaves(s, ask);
        if (board_side(s->limits, tree_layer(ask, ask->capacity)) > s->limits->board) return;
    }
}

static void try_levels(search *s, unsigned radix, unsigned dilation) {
    for (unsigned levels = 1; levels < radix && transit_power(radix, levels) <= HOSTS_MAX; levels++) {
        transit_ask ask = {.radix = radix,
                           .dilation = dilation,
                           .levels = levels,
                           .ports = s->limits->ports,
                           .shortcuts = true};
        try_capacities(s, &ask);
    }
}

static void try_all(search *s) {
    const bough_stack_limits *l = s->limits;
    unsigned radix = l->radix ? l->radix : 2, radix_end = l->radix ? l->radix : TRANSIT_RADIX_MAX;
    unsigned least = l->dilation ? l->dilation : 1, most = l->dilation ? l->dilation : TRANSIT_DILATION_MAX;
    for (; radix <= radix_end; radix++)
        for (unsigned d = least; d <= most; d++)
            if (l->ports % d == 0) try_levels(s, radix, d);
}

static bough_status check_length(const char *name, double value, double low, bough_error *error) {
    if (value >= low && value <= 1e6) return BOUGH_OK;
    return bough_fail(error, BOUGH_INVALID, NULL, "%s: %g is out of range; it must lie between %g and 1e6",
                      name, value, low);
}

static bough_status check_limits(const bough_stack_limits *l, bough_error *error) {
    const struct {
        const char *name;
        double value, low;
    } length[] = {{"board", l->board, 0.01},
                  {"pitch", l->pitch, 0.01},
                  {"height", l->height, 0.01},
                  {"layer", l->layer, 0.01},
                  {"fill", l->fill, 1}};
    for (size_t i = 0; i < sizeof length / sizeof *length; i++) {
        bough_status status = check_length(length[i].name, length[i].value, length[i].low, error);
        if (status) return status;
    }
    if (l->hosts < 1 || l->hosts > HOSTS_MAX)
        return bough_fail(error, BOUGH_INVALID, NULL, "hosts: 1 to 2^30");
    if (l->ports < 1 || l->ports > TRANSIT_PORTS_MAX)
        return bough_fail(error, BOUGH_INVALID, NULL, "ports: 1 to %d", TRANSIT_PORTS_MAX);
    if (l->pins < 1 || l->width < 1)
        return bough_fail(error, BOUGH_INVALID, NULL, "pins and width: 1 or more");
    if (l->radix == 1 || l->radix > TRANSIT_RADIX_MAX)
        return bough_fail(error, BOUGH_INVALID, NULL, "radix: a router has 2 to %d directions",
                          TRANSIT_RADIX_MAX);
    if (l->dilation > TRANSIT_DILATION_MAX)
        return bough_fail(error, BOUGH_INVALID, NULL, "dilation: 1 to %d", TRANSIT_DILATION_MAX);
    return BOUGH_OK;
}

static bough_status nothing_fits(const search *s) {
    static const char *const why[] = {[BOUGH_STACK_PINS] = "a router needs more pins",
                                      [BOUGH_STACK_HEIGHT] =
                                          "a stack needs more layers than its height allows",
                                      [BOUGH_STACK_BOARD] = "a layer needs a larger board",
                                      [BOUGH_STACK_WHOLE] = "wires do not fill whole unit trees",
                                      [BOUGH_STACK_SQUARE] = "stacks do not form squares",
                                      [BOUGH_STACK_FILL] = "sides and tops of cubes differ (--fill)"};
    unsigned most = BOUGH_STACK_PINS;
    uint64_t all = 0;
    for (unsigned v = BOUGH_STACK_PINS; v < BOUGH_STACK_VERDICTS; v++) {
        all += s->counts[v];
        if (s->counts[v] > s->counts[most]) most = v;
    }
    return bough_fail(s->error, BOUGH_UNSUPPORTED, NULL,
                      "none of %" PRIu64 " designs for %" PRIu64 " hosts fits; in %" PRIu64 " of them %s",
                      all, s->limits->hosts, s->counts[most], why[most]);
}

static int by_routers(const void *a, const void *b) {
    const bough_stack_design *x = a, *y = b;
    double p = (double)x->routers / (double)x->processors, q = (double)y->routers / (double)y->processors;
    if (p != q) return p < q ? -1 : 1;
    if (x->processors != y->processors) return x->processors < y->processors ? -1 : 1;
    return (x->stacks > y->stacks) - (x->stacks < y->stacks);
}

bough_status bough_stack_plan(const bough_stack_limits *limits, bough_stack_design **designs, size_t *count,
                              uint64_t counts[BOUGH_STACK_VERDICTS], bough_error *error) {
    search s = {.limits = limits, .error = error};
    *designs = NULL;
    *count = 0;
    s.status = check_limits(limits, error);
    if (!s.status) try_all(&s);
    for (unsigned v = 0; counts && v < BOUGH_STACK_VERDICTS; v++) counts[v] = s.counts[v];
    if (!s.status && s.count == 0) s.status = nothing_fits(&s);
    if (s.status) {
        free(s.found);
        return s.status;
    }
    qsort(s.found, s.count, sizeof *s.found, by_routers);
    bough_stack_plan_mark(s.found, s.count);
    *designs = s.found;
    *count = s.count;
    return BOUGH_OK;
}

/* ---- Pareto ---- */

enum { AIMS = 5 };

/* What is better when smaller. */
static void weigh(const bough_stack_design *d, double value[AIMS]) {
    value[0] = (double)d->routers / (double)d->processors;
    value[1] = (double)d->stacks / (double)d->processors;
    value[2] = d->path;
    value[3] = -d->success;
    value[4] = d->universality < 1 - 1e-9;
}

static bool beats(const bough_stack_design *a, const bough_stack_design *b) {
    double x[AIMS], y[AIMS];
    bool better = false;
    weigh(a, x);
    weigh(b, y);
    for (unsigned i = 0; i < AIMS; i++) {
        if (x[i] > y[i] + 1e-9) return false;
        better = better || x[i] < y[i] - 1e-9;
    }
    return better;
}

void bough_stack_plan_mark(bough_stack_design *designs, size_t count) {
    for (size_t i = 0; i < count; i++) {
        designs[i].pareto = true;
        for (size_t k = 0; k < count && designs[i].pareto; k++)
            designs[i].pareto = k == i || !beats(&designs[k], &designs[i]);
    }
}

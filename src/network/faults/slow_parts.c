/* slow: parts that stay, but slower. They are found as dead parts are: a fault on a copy of the marks names
 * nodes and links, and these are slow. */
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "network/faults/fault_marks.h"

#include <math.h>
#include <string.h>

enum { P_WHAT, P_NAME, P_RATE, P_COMPUTE, P_SHARE, P_COUNT, P_LEVEL, P_KEY };
enum { SLOW_LINKS, SLOW_CABLES, SLOW_SWITCHES, SLOW_HOSTS };
#define KINDS "links|cables|switches|hosts"

static const bough_param params[] = {
    [P_WHAT] = {"what",
                "parts to draw from: links between switches, cables (both directions), switches or hosts",
                BOUGH_CHOICE, "", .choices = KINDS},
    [P_NAME] = {"name", "parts by name instead, as of the kind name: a node stands for all its cables",
                BOUGH_TEXT, ""},
    [P_RATE] = {"rate", "fraction of its rate that a link of these parts has", BOUGH_SHARE, "", 1e-6, 1},
    [P_COMPUTE] = {"compute", "factor by which computations on these hosts take longer", BOUGH_REAL, "", 1,
                   1000},
    [P_SHARE] = {"share", "fraction of the candidates, rounded to a whole number", BOUGH_SHARE, "", 0, 1},
    [P_COUNT] = {"count", "number of candidates, instead of a fraction", BOUGH_INT, "", 0, 0x1p40},
    [P_LEVEL] = {"level",
                 "only links whose lower end has this level (0: endpoint links), or switches of this level",
                 BOUGH_INT, "", 0, 255},
    [P_KEY] = {"key", "selects another draw; with one key, a smaller fraction is part of a larger one",
               BOUGH_INT, "1", 0, 0x1p53},
    BOUGH_PARAMS_END,
};

static bough_status refuse(const bough_fault_marks *m, const char *why, bough_error *error) {
    return bough_fail(error, BOUGH_INVALID, NULL, "%s: %s", m->text, why);
}

static bough_status check(const bough_value *v, const bough_fault_marks *m, bough_error *error) {
    bool drawn = v[P_SHARE].given || v[P_COUNT].given || v[P_LEVEL].given || v[P_KEY].given;
    bool hosts = v[P_WHAT].given && v[P_WHAT].integer == SLOW_HOSTS;
    if (v[P_NAME].given == v[P_WHAT].given)
        return refuse(m, "expected one of name= and what= (" KINDS ")", error);
    if (v[P_NAME].given && drawn)
        return refuse(m, "share=, count=, level= and key= draw parts, and name= names them", error);
    if (!v[P_RATE].given && !v[P_COMPUTE].given)
        return refuse(m, "how slow is missing: rate=25% of links, compute=1.3 of hosts", error);
    if (v[P_WHAT].given && !hosts && v[P_COMPUTE].given) return refuse(m, "compute= applies to hosts", error);
    if (hosts && v[P_LEVEL].given) return refuse(m, "level= applies to links, cables and switches", error);
    return BOUGH_OK;
}

/* ---- which parts ---- */

typedef struct nodes {
    bough_fault_marks *marks;
    const bough_value *level;
    bool hosts;
} nodes;

static bool is_candidate_node(void *context, uint64_t node) {
    const nodes *n = context;
    const bough_net *net = n->marks->net;
    if (n->hosts) return node < net->endpoints;
    return bough_is_switch(net, node) &&
           (!n->level->set || net->ops->node_level(net, node) == (uint64_t)n->level->integer);
}

static void hit_node(void *context, uint64_t node) {
    marks_node(((nodes *)context)->marks, node, FAULT_MASKED);
}

/* The names of draws differ from those of dead parts: one key does not slow the parts that it kills. */
static bough_status find(const bough_args *args, bough_fault_marks *m, bough_error *error) {
    const bough_value *v = args->value;
    if (v[P_NAME].given) return fault_by_name(args, m, error);
    if (v[P_WHAT].integer == SLOW_LINKS) return fault_mark_wires(args, m, "slow links", false, error);
    if (v[P_WHAT].integer == SLOW_CABLES) return fault_mark_wires(args, m, "slow cables", true, error);
    nodes n = {m, &v[P_LEVEL], v[P_WHAT].integer == SLOW_HOSTS};
    const fault_draw draw = {
        m->net->nodes, is_candidate_node, hit_node, &n, m, n.hosts ? "hosts" : "switches"};
    return fault_strike(&draw, args, n.hosts ? "slow hosts" : "slow switches", error);
}

/* ---- how slow ---- */

static uint32_t millionths(double factor) {
    return (uint32_t)llround(factor * BOUGH_SPEED_ONE);
}

static bough_status need_speeds(uint32_t **speed, uint64_t count, bough_error *error) {
    if (*speed) return BOUGH_OK;
    bough_status status = bough_memory_check(bough_mul(count, sizeof **speed), "speeds of parts", error);
    TRY(bough_alloc(speed, count, sizeof **speed, error));
    for (uint64_t i = 0; i < count && !status; i++) (*speed)[i] = BOUGH_SPEED_ONE;
    return status;
}

static bough_status slow_links(const bough_fault_marks *found, double rate, bough_fault_marks *m,
                               bough_error *error) {
    const uint32_t speed = millionths(rate);
    bough_status status = need_speeds(&m->rate, m->net->links, error);
    for (uint64_t l = 0; l < m->net->links && !status; l++)
        if (bit_of(found->dead, l) && speed < m->rate[l]) m->rate[l] = speed;
    return status;
}

static bough_status slow_hosts(const bough_fault_marks *found, double compute, bough_fault_marks *m,
                               bough_error *error) {
    const uint32_t factor = millionths(compute);
    bool any = !count_bits(found->dead_node, m->net->nodes) && !count_bits(found->dead, m->net->links);
    bough_status status = need_speeds(&m->compute, m->net->endpoints, error);
    for (uint64_t e = 0; e < m->net->endpoints && !status; e++) {
        if (!bit_of(found->dead_node, e)) continue;
        any = true;
        if (factor > m->compute[e]) m->compute[e] = factor;
    }
    if (!status && !any)
        status = refuse(m, "compute= applies to hosts, and none of these parts is one", error);
    return status;
}

static bough_status mark_slow(const bough_args *args, bough_fault_marks *m, bough_error *error) {
    const bough_value *v = args->value;
    bough_fault_marks found = {0};
    bough_status status = check(v, m, error);
    TRY(marks_make(&found, m->net, error));
    found.text = m->text;
    found.slow = true;
    TRY(find(args, &found, error));
    if (!status && v[P_COMPUTE].given) status = slow_hosts(&found, v[P_COMPUTE].real, m, error);
    TRY(marks_settle(&found, error));
    if (!status && v[P_RATE].given) status = slow_links(&found, v[P_RATE].real, m, error);
    marks_fini(&found);
    return status;
}

const bough_fault_kind bough_fault_slow = {
    .name = "slow",
    .summary = "slow parts, which stay: links at a fraction of their rate (a cable trained down), hosts that "
               "compute slower",
    .source = "",
    .params = params,
    .mark = mark_slow,
};

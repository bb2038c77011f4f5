#include "network/faults/fault_marks.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "network/wiring.h"

#include <string.h>

uint64_t count_bits(const uint64_t *bits, uint64_t count) {
    uint64_t sum = 0;
    for (uint64_t i = 0; bits && i < words_for(count); i++) sum += (uint64_t)__builtin_popcountll(bits[i]);
    return sum;
}

fault_mode fault_mode_of(const bough_args *args) {
    for (unsigned i = 0; args->params[i].key; i++)
        if (strcmp(args->params[i].key, "mode") == 0) return (fault_mode)args->value[i].integer;
    return FAULT_MASKED;
}

bough_status marks_make(bough_fault_marks *m, const bough_net *net, bough_error *error) {
    *m = (bough_fault_marks){.net = net};
    if (net->links >= UINT32_MAX || net->addresses >= UINT32_MAX || net->nodes >= UINT32_MAX)
        return bough_fail(error, BOUGH_TOO_LARGE, NULL,
                          "networks with faults must have fewer than 2^32 links; %s has more", net->spec);
    uint64_t links = words_for(net->links), nodes = words_for(net->nodes);
    bough_status status = bough_memory_check(16 * (links + nodes), "a bit for each link and node", error);
    TRY(bough_alloc(&m->dead, links, sizeof *m->dead, error));
    TRY(bough_alloc(&m->lost, links, sizeof *m->lost, error));
    TRY(bough_alloc(&m->dead_node, nodes, sizeof *m->dead_node, error));
    TRY(bough_alloc(&m->unknown, nodes, sizeof *m->unknown, error));
    return status;
}

void marks_fini(bough_fault_marks *m) {
    FREE_ALL(m->dead, m->lost, m->dead_node, m->unknown, m->rate, m->compute);
    *m = (bough_fault_marks){0};
}

void marks_link(bough_fault_marks *m, uint64_t link, fault_mode mode) {
    set_bit(mode == FAULT_BLIND ? m->lost : m->dead, link);
    m->rerouted |= mode == FAULT_REROUTED;
}

void marks_node(bough_fault_marks *m, uint64_t node, fault_mode mode) {
    set_bit(mode == FAULT_BLIND ? m->unknown : m->dead_node, node);
    m->rerouted |= mode == FAULT_REROUTED;
}

/* ---- links into a node ---- */

static bool all_have_twins(const bough_net *net) {
    if (!net->ops->link_twin) return false;
    for (uint64_t l = 0; l < net->links; l++)
        if (net->ops->link_twin(net, l) == BOUGH_NONE) return false;
    return true;
}

bough_status inputs_make(fault_inputs *in, const bough_net *net, bough_error *error) {
    *in = (fault_inputs){.net = net};
    if (all_have_twins(net)) return BOUGH_OK;
    bough_status status = bough_memory_check(bough_add(bough_mul(net->links, 4), bough_mul(net->nodes, 4)),
                                             "a list of links", error);
    TRY(wiring_in(&in->in, net, NULL, error));
    return status;
}

void inputs_fini(fault_inputs *in) {
    rows_fini(&in->in);
}

void inputs_visit(const fault_inputs *in, uint64_t node, void (*each)(void *, uint64_t), void *context) {
    const bough_net *net = in->net;
    if (in->in.item) {
        for (uint32_t i = in->in.first[node]; i < in->in.first[node + 1]; i++) each(context, in->in.item[i]);
        return;
    }
    for (node_links at = node_links_of(net, node); node_links_next(&at);)
        each(context, net->ops->link_twin(net, at.link));
}

/* ---- nodes that died ---- */

static void kill_input(void *context, uint64_t link) {
    set_bit(((bough_fault_marks *)context)->dead, link);
}

static void lose_input(void *context, uint64_t link) {
    set_bit(((bough_fault_marks *)context)->lost, link);
}

static void kill_outputs(bough_fault_marks *m, uint64_t node) {
    const bough_net *net = m->net;
    for (node_links at = node_links_of(net, node); node_links_next(&at);) set_bit(m->dead, at.link);
}

/* No link leaves a dead node, in any mode. */
bough_status marks_settle(bough_fault_marks *m, bough_error *error) {
    const bough_net *net = m->net;
    fault_inputs in = {0};
    if (!count_bits(m->dead_node, net->nodes) && !count_bits(m->unknown, net->nodes)) return BOUGH_OK;
    bough_status status = inputs_make(&in, net, error);
    for (uint64_t w = 0; w < words_for(net->nodes) && !status; w++)
        for (uint64_t bits = m->dead_node[w] | m->unknown[w]; bits; bits &= bits - 1) {
            uint64_t v = 64 * w + (uint64_t)__builtin_ctzll(bits);
            kill_outputs(m, v);
            inputs_visit(&in, v, bit_of(m->dead_node, v) ? kill_input : lose_input, m);
        }
    inputs_fini(&in);
    for (uint64_t w = 0; w < words_for(net->links) && !status; w++) m->lost[w] &= ~m->dead[w];
    return status;
}

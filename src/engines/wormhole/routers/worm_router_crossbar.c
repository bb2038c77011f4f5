/* Switch allocation, router by router. Requests, grants and accepts are bits of inputs and outputs. */
#include "engines/wormhole/routers/worm_router_state.h"

/* The state of one allocation; request and offer are 0 outside it. */
typedef struct crossbar {
    worm_router *w;
    const router_node *node;
    const uint32_t *bits;                /* by link: the channels at its end that take part */
    unsigned kind;                       /* 0, or 1 for speculative requests */
    uint64_t request[WORM_ROUTER_PORTS]; /* by output: inputs */
    uint64_t offer[WORM_ROUTER_PORTS];   /* by input: outputs */
    uint64_t used_inputs, used_outputs;
    uint32_t winner[WORM_ROUTER_PORTS]; /* channels */
    uint32_t winners;
} crossbar;

static uint32_t link_in(const crossbar *x, uint32_t input) {
    return x->w->ends[x->node->in + input];
}

static uint32_t link_out(const crossbar *x, uint32_t output) {
    return x->w->starts[x->node->out + output];
}

/* Returns the outputs that are requested. */
static uint64_t collect(crossbar *x, uint64_t inputs) {
    uint64_t outputs = 0;
    for (; inputs; inputs &= inputs - 1) {
        const uint32_t input = (uint32_t)__builtin_ctzll(inputs), link = link_in(x, input);
        for (uint32_t bits = x->bits[link]; bits; bits &= bits - 1) {
            const uint32_t channel = link << x->w->shift | (uint32_t)__builtin_ctz(bits);
            const uint8_t out = x->w->channel[channel].out;
            x->request[out] |= UINT64_C(1) << input;
            outputs |= UINT64_C(1) << out;
        }
    }
    return outputs;
}

/* Returns the inputs that have a grant. */
static uint64_t grant(crossbar *x, uint64_t outputs) {
    uint64_t inputs = 0;
    for (; outputs; outputs &= outputs - 1) {
        const uint32_t output = (uint32_t)__builtin_ctzll(outputs);
        const uint32_t from = x->w->link[link_out(x, output)].grant[x->kind];
        const uint32_t input = router_first_from(x->request[output], from);
        x->request[output] = 0;
        x->offer[input] |= UINT64_C(1) << output;
        inputs |= UINT64_C(1) << input;
    }
    return inputs;
}

static uint32_t choose_channel(const crossbar *x, uint32_t link, uint32_t output) {
    uint32_t same = 0;
    for (uint32_t bits = x->bits[link]; bits; bits &= bits - 1) {
        const uint32_t v = (uint32_t)__builtin_ctz(bits);
        if (x->w->channel[link << x->w->shift | v].out == output) same |= UINT32_C(1) << v;
    }
    return router_first_from(same, x->w->link[link].next);
}

/* Grants of speculative requests count only where the others left both sides idle. */
static void accept(crossbar *x, uint32_t input) {
    router_link *in = &x->w->link[link_in(x, input)];
    const uint32_t output = router_first_from(x->offer[input], in->accept[x->kind]);
    router_link *out = &x->w->link[link_out(x, output)];
    x->offer[input] = 0;
    in->accept[x->kind] = (uint8_t)(output + 1 == x->node->outputs ? 0 : output + 1);
    out->grant[x->kind] = (uint8_t)(input + 1 == x->node->inputs ? 0 : input + 1);
    if ((x->used_inputs >> input & 1) || (x->used_outputs >> output & 1)) return;
    const uint32_t v = choose_channel(x, link_in(x, input), output);
    in->next = (uint8_t)(v + 1 == x->w->vcs ? 0 : v + 1);
    x->winner[x->winners++] = link_in(x, input) << x->w->shift | v;
    if (x->kind) return;
    x->used_inputs |= UINT64_C(1) << input;
    x->used_outputs |= UINT64_C(1) << output;
}

static void allocate(crossbar *x, unsigned kind, const uint32_t *bits, uint64_t inputs) {
    x->kind = kind;
    x->bits = bits;
    x->winners = 0;
    for (uint64_t granted = grant(x, collect(x, inputs)); granted; granted &= granted - 1)
        accept(x, (uint32_t)__builtin_ctzll(granted));
}

static void clear_ready(worm_router *w, uint32_t channel) {
    const uint32_t l = router_link_of(w, channel), phase = w->channel[channel].phase;
    uint32_t *ready = &w->ready[phase * w->net->links + l];
    *ready &= ~(UINT32_C(1) << router_number_of(w, channel));
    if (*ready) return;
    w->inputs[(uint64_t)phase * w->routers + w->link[l].end] &= ~(UINT64_C(1) << w->link[l].input);
}

static void leave_all(worm_router *w, uint32_t *list) {
    for (uint32_t channel = *list, next; channel != ROUTER_NONE; channel = next) {
        next = w->channel[channel].next;
        router_leave(w, channel);
    }
    *list = ROUTER_NONE;
}

static void win(worm_router *w, const crossbar *x) {
    uint32_t *list = &w->leaves_at[(w->base.now + w->s.switch_alloc - 1) % w->s.switch_alloc];
    for (uint32_t i = 0; i < x->winners; i++) {
        router_channel *c = &w->channel[x->winner[i]];
        clear_ready(w, x->winner[i]);
        c->stage = ROUTER_LEAVES;
        if (w->s.switch_alloc == 1) {
            router_leave(w, x->winner[i]);
            continue;
        }
        c->next = *list;
        *list = x->winner[i];
    }
}

/* Winners of speculative requests are known before their channels are: they leave in router_leave_early. */
static void try_early(worm_router *w, crossbar *x, uint32_t r) {
    allocate(x, 1, w->tries, w->tryings[r]);
    for (uint32_t i = 0; i < x->winners; i++) w->early[w->earlies++] = x->winner[i];
    for (uint64_t bits = w->tryings[r]; bits; bits &= bits - 1)
        w->tries[link_in(x, (uint32_t)__builtin_ctzll(bits))] = 0;
    w->tryings[r] = 0;
}

static void allocate_router(worm_router *w, crossbar *x, uint64_t phase, uint32_t r) {
    x->node = &w->node[r];
    x->used_inputs = x->used_outputs = 0;
    allocate(x, 0, w->ready + phase * w->net->links, w->inputs[phase * w->routers + r]);
    win(w, x);
    if (w->s.speculative && w->tryings[r]) try_early(w, x, r);
}

void router_allocate_switches(worm_router *w) {
    const uint64_t phase = w->base.now % w->s.switch_alloc;
    uint64_t *active = w->active + phase * w->words;
    crossbar x = {.w = w};
    w->earlies = 0;
    for (uint64_t i = 0; i < w->words; i++) {
        uint64_t bits = active[i];
        active[i] = 0;
        for (uint64_t left = bits; left; left &= left - 1)
            allocate_router(w, &x, phase, (uint32_t)(i << 6) + (uint32_t)__builtin_ctzll(left));
        for (uint64_t left = bits; left; left &= left - 1)
            if (w->inputs[phase * w->routers + (i << 6) + (uint64_t)__builtin_ctzll(left)])
                active[i] |= left & -left;
    }
    if (w->s.switch_alloc > 1) leave_all(w, &w->leaves_at[phase]);
}

void router_leave_early(worm_router *w) {
    for (uint32_t i = 0; i < w->earlies; i++) {
        const router_channel *c = &w->channel[w->early[i]];
        if (c->stage != ROUTER_SENDS || !w->channel[c->to].credits) continue;
        clear_ready(w, w->early[i]);
        router_leave(w, w->early[i]);
    }
}

/* Completes a queueing network before it is solved: ratios of turns, blocking probabilities, and the order in
 * which service times depend on each other. */
#include "base/status/try.h"
#include "models/queueing/queueing.h"

#include "base/memory/memory.h"

#include <math.h>
#include <stdlib.h>

/* ---- blocking probabilities ---- */

/* Eq. 10, not below 0. */
static double block_published(const queueing_net *q, const queueing_turn *t) {
    const queueing_queue *to = &q->queue[t->queue];
    double p = 1 - to->servers * (t->rate / t->copies) / to->rate;
    return p > 0 ? p : 0;
}

/* An input of a queue: links of one channel, each with the same fraction of its traffic. */
typedef struct input {
    double share;
    uint64_t links;
    queueing_turn *turn;
} input;

/* b[k] = k! times the sum over all sets of k inputs of the product of their fractions: the probability that k
 * draws in proportion to traffic yield k different inputs. Adding an input of fraction p: b[k] + k p b[k -
 * 1]. */
static void take_in(double *b, uint32_t m, double share, uint64_t links) {
    for (uint64_t i = 0; i < links; i++)
        for (uint32_t k = m; k > 0; k--) b[k] += k * share * b[k - 1];
}

/* The probability that Eq. 10 approximates, in the paper's words: that m messages in service, each from an
 * input drawn in proportion to its traffic, come from m different inputs other than the requesting one. A
 * source at the queue's own node can have any number of messages there. */
static double block_conditional(const queueing_queue *to, const input *in, size_t inputs, size_t without,
                                double *b) {
    double source = to->enters / to->rate, p = 1;
    if (to->servers == 1 && without < inputs) return fmax(0, 1 - in[without].share);
    for (uint32_t k = 0; k <= to->servers; k++) b[k] = p, p *= source;
    for (size_t i = 0; i < inputs; i++) take_in(b, to->servers, in[i].share, in[i].links - (i == without));
    return b[to->servers];
}

static bough_status block_conditionally(queueing_net *q, bough_error *error) {
    input *in = NULL;
    double *b = NULL;
    uint64_t *first = NULL;
    uint32_t servers = 1;
    for (uint64_t i = 0; i < q->queues; i++)
        if (q->queue[i].servers > servers) servers = q->queue[i].servers;
    bough_status status = bough_alloc(&first, q->queues + 2, sizeof *first, error);
    TRY(bough_alloc(&in, q->turns, sizeof *in, error));
    TRY(bough_alloc(&b, (uint64_t)servers + 1, sizeof *b, error));
    if (status) goto done;
    for (uint64_t t = 0; t < q->turns; t++) first[q->turn[t].queue + 2]++;
    for (uint64_t i = 0; i < q->queues; i++) first[i + 2] += first[i + 1];
    for (uint64_t c = 0; c < q->channels; c++)
        for (uint32_t k = 0; k < q->channel[c].turns; k++) {
            queueing_turn *t = &q->turn[q->channel[c].first + k];
            const queueing_queue *to = &q->queue[t->queue];
            double links = q->channel[c].links * t->copies / to->copies;
            in[first[t->queue + 1]++] = (input){t->rate / t->copies / to->rate, (uint64_t)llround(links), t};
        }
    for (uint64_t i = 0; i < q->queues; i++) {
        size_t inputs = first[i + 1] - first[i];
        const input *of = in + first[i];
        for (size_t k = 0; k < inputs; k++)
            of[k].turn->block = block_conditional(&q->queue[i], of, inputs, k, b);
        if (q->queue[i].enters > 0)
            q->queue[i].enters_block = block_conditional(&q->queue[i], of, inputs, inputs, b);
    }
done:
    FREE_ALL(first, in, b);
    return status;
}

static bough_status set_blocks(queueing_net *q, bough_error *error) {
    for (uint64_t i = 0; i < q->queues; i++) q->queue[i].enters_block = 1;
    for (uint64_t t = 0; t < q->turns; t++)
        q->turn[t].block = q->variant == QUEUEING_UNCORRECTED ? 1 : block_published(q, &q->turn[t]);
    return q->variant == QUEUEING_CONDITIONAL ? block_conditionally(q, error) : BOUGH_OK;
}

/* ---- Eq. 12 as printed ---- */

static bool is_up(const queueing_net *q, const queueing_turn *t) {
    return q->channel[q->member[q->queue[t->queue].first]].direction > 0;
}

/* went: fraction of all messages that go up beyond the level of the link. */
static void print_turns(queueing_net *q, const queueing_channel *c, double went) {
    double up = 0, other = 0;
    for (uint32_t k = 0; k < c->turns; k++)
        *(is_up(q, &q->turn[c->first + k]) ? &up : &other) += q->turn[c->first + k].rate;
    if (other <= 0) return;
    for (uint32_t k = 0; k < c->turns; k++) {
        queueing_turn *t = &q->turn[c->first + k];
        t->rate *= is_up(q, t) ? went : (other + (1 - went) * up) / other;
    }
}

static bough_status print_all_turns(queueing_net *q, bough_error *error) {
    double *went;
    bough_status status = bough_alloc(&went, (uint64_t)q->net->levels + 1, sizeof *went, error);
    if (status) return status;
    for (uint64_t c = 0; c < q->channels; c++)
        if (q->channel[c].direction > 0)
            went[q->channel[c].level] += q->channel[c].links * q->channel[c].rate / q->messages;
    for (uint64_t c = 0; c < q->channels; c++)
        if (q->channel[c].direction > 0) print_turns(q, &q->channel[c], went[q->channel[c].level]);
    free(went);
    return BOUGH_OK;
}

/* ---- order ---- */

typedef struct step {
    uint32_t channel, turn, member; /* position at which its search resumes */
} step;

/* The next channel that the top of the stack depends on; false if there is none. */
static bool next_needed(const queueing_net *q, step *s, uint32_t *needed) {
    const queueing_channel *c = &q->channel[s->channel];
    for (; s->turn < c->turns; s->turn++, s->member = 0) {
        const queueing_queue *to = &q->queue[q->turn[c->first + s->turn].queue];
        if (s->member < to->members) {
            *needed = q->member[to->first + s->member++];
            return true;
        }
    }
    return false;
}

/* Depth-first order: each channel after those it depends on. */
static bough_status find_order(queueing_net *q, bough_error *error) {
    enum { NEW, OPEN, DONE };
    uint8_t *state = NULL;
    step *stack = NULL;
    uint64_t ordered = 0;
    bough_status status = bough_alloc(&q->order, q->channels, sizeof *q->order, error);
    TRY(bough_alloc(&state, q->channels, sizeof *state, error));
    TRY(bough_alloc(&stack, q->channels, sizeof *stack, error));
    for (uint64_t c = 0; c < q->channels && !status; c++) {
        uint64_t depth = 0;
        uint32_t next;
        if (state[c] != NEW) continue;
        stack[depth++] = (step){.channel = (uint32_t)c};
        state[c] = OPEN;
        while (depth) {
            step *top = &stack[depth - 1];
            if (!next_needed(q, top, &next)) {
                state[top->channel] = DONE;
                q->order[ordered++] = top->channel;
                depth--;
            } else if (state[next] == NEW) {
                state[next] = OPEN;
                stack[depth++] = (step){.channel = next};
            } else if (state[next] == OPEN) {
                q->cyclic = true;
            }
        }
    }
    FREE_ALL(state, stack);
    return status;
}

bough_status queueing_finish(queueing_net *q, bough_error *error) {
    for (uint64_t i = 0; i < q->queues; i++) {
        queueing_queue *to = &q->queue[i];
        to->rate = 0;
        for (uint32_t k = 0; k < to->members; k++) to->rate += q->channel[q->member[to->first + k]].rate;
        to->rate *= (double)to->servers / to->members;
        q->messages += to->enters * to->copies;
    }
    for (uint64_t c = 0; c < q->channels; c++) q->crossings += q->channel[c].rate * q->channel[c].links;
    bough_status status = q->printed ? print_all_turns(q, error) : BOUGH_OK;
    TRY(set_blocks(q, error));
    return status ? status : find_order(q, error);
}

uint64_t queueing_net_bytes(const queueing_counts *c) {
    uint64_t channels =
        bough_mul(c->channels, sizeof(queueing_channel) + sizeof(uint32_t) + sizeof(step) + 1);
    uint64_t queues = bough_mul(c->queues, sizeof(queueing_queue) + 8 + sizeof(uint64_t));
    return bough_add(bough_add(channels, queues), bough_mul(c->turns, sizeof(queueing_turn) + sizeof(input)));
}

void queueing_fini(queueing_net *q) {
    FREE_ALL(q->channel, q->queue, q->turn, q->member, q->order);
    *q = (queueing_net){0};
}

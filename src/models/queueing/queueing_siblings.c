/* clang-format off */
/* A group of m links leads up from a switch to m others. The paths over them part, and meet again at the switches
 * that the messages come down to: each of those m switches has a link of its own to each of these. So the links
 * that lead down to one switch, siblings, carry messages of the same groups, one group for each subtree that the
 * messages come from: `common` is the probability that two messages over two siblings are of one group.
 *
 * When a head takes one link of a group, more of the other links are taken than at any time: it comes while
 * there is traffic, and after a wait all others are taken. Messages over those links meet it again. So a head
 * that comes down finds a message of a sibling more often than at any time, by the factor
 *
 *     1 + common (met / taken - 1),    met / taken: over all groups that lead up from this level. */
/* clang-format on */
#include "models/queueing/queueing_siblings.h"

#include "base/memory/memory.h"
#include "base/status/try.h"

/* Of the subtree that a link leads down to, and the endpoints that send to it. */
static double common_of(const bough_net *net, const queueing_channel *c) {
    if (c->direction >= 0 || !net->ops->group_coverage || net->dead) return 0;
    bough_group_coverage k = net->ops->group_coverage(net, net->ops->link_group(net, c->link));
    double below = (double)(k.to.within.count - k.to.without.count);
    double others = (double)(k.from.within.count - k.from.without.count);
    return others > below ? below / others : others > 0;
}

bough_status queueing_siblings_make(const queueing_net *q, const queueing_inputs *in, queueing_siblings *s,
                                    bough_error *error) {
    *s = (queueing_siblings){.levels = (uint64_t)q->net->levels + 1};
    bough_status status = bough_alloc(&s->common, q->turns, sizeof *s->common, error);
    TRY(bough_alloc(&s->level, s->levels, sizeof *s->level, error));
    if (status) return status;
    for (uint64_t k = 0; k < q->turns; k++)
        s->common[k] = common_of(q->net, &q->channel[in->input[k].channel]);
    return BOUGH_OK;
}

void queueing_siblings_fini(queueing_siblings *s) {
    FREE_ALL(s->common, s->level);
    *s = (queueing_siblings){0};
}

void siblings_clear(queueing_siblings *s) {
    for (uint64_t l = 0; l < s->levels; l++) s->level[l] = (siblings_level){0};
}

void siblings_count(queueing_siblings *s, const queueing_net *q, uint32_t i, double met, double use) {
    const queueing_queue *queue = &q->queue[i];
    const queueing_channel *c = &q->channel[q->member[queue->first]];
    if (c->direction <= 0 || c->level >= s->levels) return;
    double weight = queue->rate * queue->copies;
    s->level[c->level].met += weight * met;
    s->level[c->level].taken += weight * use * (queue->servers - 1);
}

double siblings_factor(const queueing_siblings *s, const queueing_net *q, const queueing_inputs *in,
                       uint64_t k) {
    const queueing_channel *c = &q->channel[in->input[k].channel];
    const siblings_level *at = &s->level[c->level];
    if (!(s->common[k] > 0) || !(at->taken > 0)) return 1;
    return 1 + s->common[k] * (at->met / at->taken - 1);
}

#include "sim/one_cycle.h"

#include "base/memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bough_status one_cycle_tree_of(const bough_net *net, one_cycle_tree *tree, bough_error *error) {
    *tree = (one_cycle_tree){.lg = net->levels};
    if (!(net->gives & BOUGH_GIVES_CHANNELS) || net->levels >= 32 ||
        net->endpoints != UINT64_C(1) << net->levels)
        return bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                          "delivery cycles are those of a binary fat-tree of less than 2^32 endpoints "
                          "(pruned, fattree, kary:k=2); %s is none",
                          net->spec);
    for (unsigned h = 0; h < tree->lg; h++) tree->capacity[h] = net->ops->channel_capacity(net, h, 0);
    return BOUGH_OK;
}

/* ---- loads ---- */

/* The most messages with one end below a node of a height; they are in order of that end. */
static uint32_t most_below(const uint32_t *end, const uint32_t *order, uint32_t count, unsigned height) {
    uint32_t most = 0, run = 0;
    for (uint32_t i = 0; i < count; i++) {
        run = i && end[order[i]] >> height == end[order[i - 1]] >> height ? run + 1 : 1;
        if (run > most) most = run;
    }
    return most;
}

bool one_cycle_fits(const one_cycle_tree *tree, const bough_batch *b, const one_cycle_set *set,
                    unsigned peak) {
    for (unsigned h = 0; h < peak; h++)
        if (most_below(b->source, set->by_source, set->count, h) > tree->capacity[h] ||
            most_below(b->address, set->by_destination, set->count, h) > tree->capacity[h])
            return false;
    return true;
}

/* ---- halves ---- */

#define NOBODY UINT32_MAX

struct one_cycle_space {
    uint32_t *mate[2], *left; /* per message; those without one */
    uint8_t *half;            /* per message; 2: none yet */
};

bough_status one_cycle_space_make(uint32_t messages, one_cycle_space **out, bough_error *error) {
    one_cycle_space *s;
    bough_status status = bough_alloc(&s, 1, sizeof *s, error);
    *out = s;
    for (unsigned i = 0; i < 2 && !status; i++)
        status = bough_alloc(&s->mate[i], messages, sizeof(uint32_t), error);
    if (!status) status = bough_alloc(&s->left, messages, sizeof(uint32_t), error);
    if (!status) status = bough_alloc(&s->half, messages, 1, error);
    return status;
}

void one_cycle_space_free(one_cycle_space *s) {
    if (!s) return;
    free(s->mate[0]);
    free(s->mate[1]);
    free(s->left);
    free(s->half);
    free(s);
}

static void pair(const uint32_t *end, const uint32_t *order, uint32_t count, unsigned peak, uint32_t *mate,
                 uint32_t *left) {
    memcpy(left, order, count * sizeof *left);
    for (unsigned h = 0; h < peak && count > 1; h++) {
        uint32_t kept = 0;
        for (uint32_t i = 0; i < count; i++) {
            if (i + 1 < count && end[left[i]] >> h == end[left[i + 1]] >> h) {
                mate[left[i]] = left[i + 1];
                mate[left[i + 1]] = left[i];
                i++;
            } else {
                left[kept++] = left[i];
            }
        }
        count = kept;
    }
    for (uint32_t i = 0; i < count; i++) mate[left[i]] = NOBODY;
}

/* From a message along the mates of one pairing and the other in turn. */
static void walk(one_cycle_space *s, uint32_t from, unsigned pairing, uint8_t half) {
    for (uint32_t at = s->mate[pairing][from]; at != NOBODY && s->half[at] == 2; at = s->mate[pairing][at]) {
        half = !half;
        s->half[at] = half;
        pairing = !pairing;
    }
}

static uint32_t part(uint32_t *order, uint32_t count, const uint8_t *half, uint32_t *space) {
    uint32_t first = 0, second = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (half[order[i]])
            space[second++] = order[i];
        else
            order[first++] = order[i];
    }
    memcpy(order + first, space, second * sizeof *order);
    return first;
}

uint32_t one_cycle_halve(const bough_batch *b, const one_cycle_set *set, unsigned peak, one_cycle_space *s) {
    pair(b->source, set->by_source, set->count, peak, s->mate[0], s->left);
    pair(b->address, set->by_destination, set->count, peak, s->mate[1], s->left);
    for (uint32_t i = 0; i < set->count; i++) s->half[set->by_source[i]] = 2;
    for (uint32_t i = 0; i < set->count; i++) {
        uint32_t message = set->by_source[i];
        if (s->half[message] != 2) continue;
        s->half[message] = 0;
        walk(s, message, 0, 0);
        walk(s, message, 1, 0);
    }
    part(set->by_destination, set->count, s->half, s->left);
    return part(set->by_source, set->count, s->half, s->left);
}

/* Selects candidates by a keyed random order; the first ones die. The threshold is found with a histogram of
 * the upper bits, so only the candidates around it are stored and sorted. */
#include "network/faults/fault_marks.h"

#include "base/memory/fnv1a.h"
#include "base/memory/memory.h"
#include "base/random/random.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKET_BITS = 16, BUCKETS = 1 << BUCKET_BITS };

typedef struct ticket {
    uint64_t word, id;
} ticket;

static int by_word(const void *a, const void *b) {
    const ticket *x = a, *y = b;
    if (x->word != y->word) return x->word < y->word ? -1 : 1;
    return (x->id > y->id) - (x->id < y->id);
}

static bough_status find_number(const fault_draw *d, const bough_args *args, uint64_t candidates,
                                uint64_t *number, bough_error *error) {
    const bough_fault_marks *m = d->marks;
    const bough_value *share = bough_args_get(args, "share"), *count = bough_args_get(args, "count");
    if (share->given == count->given)
        return bough_fail(error, BOUGH_INVALID, NULL, "%s: %s; expected one of share= and count=", m->text,
                          share->given ? "both a share and a count" : "neither a share nor a count");
    if (candidates == 0)
        return bough_fail(error, BOUGH_INVALID, NULL, "%s: %s has no %s", m->text, m->net->spec, d->what);
    *number = share->given ? (uint64_t)llround(share->real * (double)candidates) : (uint64_t)count->integer;
    if (m->slow && *number > candidates)
        return bough_fail(error, BOUGH_INVALID, NULL, "%s: %s has %" PRIu64 " %s", m->text, m->net->spec,
                          candidates, d->what);
    if (!m->slow && *number >= candidates)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "%s removes all of the %" PRIu64 " %s in %s; at least one must remain", m->text,
                          candidates, d->what, m->net->spec);
    return BOUGH_OK;
}

bough_status fault_strike(const fault_draw *d, const bough_args *args, const char *name, bough_error *error) {
    bough_key key = bough_key_make((uint64_t)bough_args_get(args, "key")->integer, 0);
    /* Draws depend on the name of the kind, not on its table position. */
    uint64_t occasion = bough_fnv1a(BOUGH_FNV1A_START, name, strlen(name));
    uint64_t candidates = 0, number = 0, below = 0, at = 0, cut = 0, *bucket;
    ticket *edge = NULL;
    bough_status status = bough_alloc(&bucket, BUCKETS, sizeof *bucket, error);
    if (status) return status;
    for (uint64_t i = 0; i < d->range; i++)
        if (d->candidate(d->context, i)) {
            bucket[bough_word(key, BOUGH_DRAW_FAULT, i, occasion) >> (64 - BUCKET_BITS)]++;
            candidates++;
        }
    status = find_number(d, args, candidates, &number, error);
    while (!status && number && below + bucket[cut] < number) below += bucket[cut++];
    if (!status && number) status = bough_alloc(&edge, bucket[cut], sizeof *edge, error);
    for (uint64_t i = 0; i < d->range && number && !status; i++) {
        if (!d->candidate(d->context, i)) continue;
        uint64_t word = bough_word(key, BOUGH_DRAW_FAULT, i, occasion), b = word >> (64 - BUCKET_BITS);
        if (b < cut) d->strike(d->context, i);
        if (b == cut) edge[at++] = (ticket){word, i};
    }
    if (at) qsort(edge, at, sizeof *edge, by_word);
    for (uint64_t i = 0; i < at && below + i < number; i++) d->strike(d->context, edge[i].id);
    FREE_ALL(edge, bucket);
    return status;
}

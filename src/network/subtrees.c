#include "network/subtrees.h"

#include "base/memory/memory.h"
#include "base/status/try.h"

#include <stdlib.h>

/* The number of endpoints per subtree of a level if all are equal and consecutive; else 0. */
static uint64_t common_size(const bough_net *net, unsigned level) {
    uint64_t n = net->endpoints, size = 0, first = 0, id = 0;
    for (uint64_t e = 0; e <= n; e++) {
        uint64_t next = e < n ? net->ops->subtree(net, level, e) : id + 1;
        if (e == 0) id = next;
        if (next == id) continue;
        if (size == 0) size = e;
        if (e - first != size || id != first / size) return 0;
        first = e;
        id = next;
    }
    return size;
}

typedef struct sorted {
    const bough_net *net;
    uint32_t endpoint;
} sorted;

/* By subtree, highest level first. */
static int by_subtree(const void *a, const void *b) {
    const sorted *x = a, *y = b;
    const bough_net *net = x->net;
    for (unsigned level = net->levels; level-- > 0;) {
        uint64_t p = net->ops->subtree(net, level, x->endpoint),
                 q = net->ops->subtree(net, level, y->endpoint);
        if (p != q) return p < q ? -1 : 1;
    }
    return (x->endpoint > y->endpoint) - (x->endpoint < y->endpoint);
}

static bough_status sort_endpoints(subtrees *s, bough_error *error) {
    sorted *all;
    uint64_t n = s->net->endpoints;
    bough_status status = bough_alloc(&all, n, sizeof *all, error);
    if (status) return status;
    status = bough_alloc(&s->place, n, sizeof *s->place, error);
    TRY(bough_alloc(&s->endpoint, n, sizeof *s->endpoint, error));
    if (!status) {
        for (uint64_t e = 0; e < n; e++) all[e] = (sorted){s->net, (uint32_t)e};
        qsort(all, n, sizeof *all, by_subtree);
        for (uint64_t i = 0; i < n; i++) {
            s->endpoint[i] = all[i].endpoint;
            s->place[all[i].endpoint] = (uint32_t)i;
        }
    }
    free(all);
    return status;
}

/* Subtree ids are below the number of endpoints and may have gaps. */
static bough_status find_rows(subtrees *s, unsigned level, bough_error *error) {
    uint64_t n = s->net->endpoints;
    bough_status status = bough_alloc(&s->row[level], n, sizeof *s->row[level], error);
    for (uint64_t i = 0; i < n && !status; i++) {
        subtree_range *row = &s->row[level][s->net->ops->subtree(s->net, level, s->endpoint[i])];
        if (row->count++ == 0) row->first = (uint32_t)i;
    }
    return status;
}

bough_status subtrees_make(const bough_net *net, subtrees *s, bough_error *error) {
    *s = (subtrees){.net = net, .levels = net->levels};
    bool regular = true;
    if (net->levels > SUBTREES_LEVELS)
        return bough_fail(error, BOUGH_UNSUPPORTED, NULL, "%s has more than %d levels", net->spec,
                          SUBTREES_LEVELS);
    for (unsigned level = 0; level < net->levels && regular; level++) {
        s->size[level] = common_size(net, level);
        regular = s->size[level] > 0;
    }
    bough_status status = regular ? BOUGH_OK : sort_endpoints(s, error);
    for (unsigned level = 0; level < net->levels && !regular && !status; level++)
        status = find_rows(s, level, error);
    if (status) subtrees_fini(s);
    return status;
}

void subtrees_fini(subtrees *s) {
    FREE_ALL(s->place, s->endpoint);
    for (unsigned level = 0; level < SUBTREES_LEVELS; level++) free(s->row[level]);
    *s = (subtrees){0};
}

unsigned subtrees_nca_level(const subtrees *s, uint64_t a, uint64_t b) {
    uint64_t place = subtrees_place(s, a), other = subtrees_place(s, b);
    for (unsigned level = 0; level < s->levels; level++) {
        bough_range around = subtrees_around(s, level, place);
        if (other - around.first < around.count) return level;
    }
    return s->levels;
}

/* The subtrees of a level are parts of those of the next. */
unsigned subtrees_common_level(const bough_net *net, uint64_t a, uint64_t b) {
    unsigned low = 0, high = net->levels;
    if (a == b) return 0;
    while (low < high) {
        const unsigned middle = (low + high) / 2;
        if (net->ops->subtree(net, middle, a) == net->ops->subtree(net, middle, b))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

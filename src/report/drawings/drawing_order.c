/* The order of boxes in their rows: by subtree (families) or name (fabrics), unless the barycentre heuristic,
 * a few passes that move each box to the mean position of its neighbours in the next row, removes a tenth of
 * the crossings. */
#include "base/status/try.h"
#include "report/drawings/drawing.h"

#include "base/memory/memory.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { SWEEPS = 6 };

/* A line between two rows, by the positions of its ends. */
typedef struct span {
    uint64_t rows;
    uint32_t low, high;
} span;

typedef struct ordering {
    const drawing *d;
    const drawing_rows *r;
    uint32_t *place; /* position of a box in its row */
    uint32_t *best;
    double *want; /* desired position of a box */
    span *span;   /* of lines, and the ends seen so far in a binary indexed tree: for counting crossings */
    uint32_t *seen;
} ordering;

/* ---- initial order ---- */

typedef struct sorted {
    uint32_t box;
    uint64_t major, minor;
    char name[96];
} sorted;

/* Compares numbers in names by value: rack2 before rack10. */
static int compare_names(const char *a, const char *b) {
    while (*a && *b) {
        if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
            char *end_a, *end_b;
            unsigned long long x = strtoull(a, &end_a, 10), y = strtoull(b, &end_b, 10);
            if (x != y) return x < y ? -1 : 1;
            a = end_a, b = end_b;
        } else if (*a != *b) {
            return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
        } else {
            a++, b++;
        }
    }
    return (*a != 0) - (*b != 0);
}

static int compare_sorted(const void *p, const void *q) {
    const sorted *a = p, *b = q;
    if (a->major != b->major) return a->major < b->major ? -1 : 1;
    int names = compare_names(a->name, b->name);
    if (names) return names;
    return a->minor < b->minor ? -1 : a->minor > b->minor;
}

/* The position of the leaf above a box of the lowest row. */
static uint64_t place_above(const ordering *a, uint32_t box) {
    for (uint32_t i = a->r->near_first[box]; i < a->r->near_first[box + 1]; i++)
        if (a->d->box[a->r->near[i]].row > a->d->box[box].row) return a->place[a->r->near[i]];
    return UINT64_MAX;
}

static void set_places(ordering *a, unsigned row) {
    for (uint32_t i = a->r->first[row]; i < a->r->first[row + 1]; i++)
        a->place[a->r->order[i]] = i - a->r->first[row];
}

static void sort_row(ordering *a, unsigned row, sorted *list) {
    const bough_net *net = a->d->net;
    uint32_t *order = a->r->order + a->r->first[row], count = drawing_row_size(a->r, row);
    for (uint32_t i = 0; i < count; i++) {
        const drawing_box *box = &a->d->box[order[i]];
        sorted *s = &list[i];
        *s = (sorted){.box = order[i], .minor = box->node};
        if (net->fabric) bough_node_name(net, box->node, s->name, sizeof s->name);
        if (net->fabric && row == 0) s->major = place_above(a, order[i]);
        if (!net->fabric && row > 0) s->major = box->tree;
    }
    qsort(list, count, sizeof *list, compare_sorted);
    for (uint32_t i = 0; i < count; i++) order[i] = list[i].box;
    set_places(a, row);
}

/* The lowest row is last, because hosts of a fabric are placed below their leaves. */
static bough_status sort_rows(ordering *a, bough_error *error) {
    sorted *list;
    bough_status status = bough_alloc(&list, a->d->boxes, sizeof *list, error);
    if (status) return status;
    for (unsigned row = a->d->rows; row-- > 0;) sort_row(a, row, list);
    free(list);
    return BOUGH_OK;
}

/* ---- fewer crossings ---- */

static int compare_spans(const void *p, const void *q) {
    const span *a = p, *b = q;
    if (a->rows != b->rows) return a->rows < b->rows ? -1 : 1;
    if (a->low != b->low) return a->low < b->low ? -1 : 1;
    return a->high < b->high ? -1 : a->high > b->high;
}

/* Lines between the same two rows cross if their ends are in opposite order: sorted by their lower ends, a
 * line crosses those before it that end further right. */
static uint64_t crossings(const ordering *a) {
    const drawing *d = a->d;
    size_t spans = 0, first = 0;
    uint64_t count = 0;
    for (size_t i = 0; i < d->lines; i++) {
        const drawing_line *l = &d->line[i];
        uint64_t low = d->box[l->from].row, high = d->box[l->to].row;
        if (low != high) a->span[spans++] = (span){low << 32 | high, a->place[l->from], a->place[l->to]};
    }
    qsort(a->span, spans, sizeof *a->span, compare_spans);
    for (size_t i = 0; i < spans; i++) {
        uint32_t size = drawing_row_size(a->r, (unsigned)(a->span[i].rows & UINT32_MAX)), left = 0;
        if (i == 0 || a->span[i].rows != a->span[i - 1].rows) {
            memset(a->seen, 0, ((size_t)size + 1) * sizeof *a->seen);
            first = i;
        }
        for (uint32_t k = a->span[i].high + 1; k; k &= k - 1) left += a->seen[k];
        count += i - first - left;
        for (uint32_t k = a->span[i].high + 1; k <= size; k += k & -k) a->seen[k]++;
    }
    return count;
}

static double share_of_row(const ordering *a, uint32_t box) {
    return (a->place[box] + 0.5) / drawing_row_size(a->r, a->d->box[box].row);
}

/* Mean position of the neighbours below (or above); the box's own position if it has none. */
static void want_middle(ordering *a, unsigned row, bool below) {
    const drawing_rows *r = a->r;
    for (uint32_t i = r->first[row]; i < r->first[row + 1]; i++) {
        uint32_t b = r->order[i];
        double sum = 0, count = 0;
        for (uint32_t k = r->near_first[b]; k < r->near_first[b + 1]; k++) {
            unsigned other = a->d->box[r->near[k]].row;
            if (below ? other >= row : other <= row) continue;
            sum += share_of_row(a, r->near[k]);
            count++;
        }
        a->want[b] = count > 0 ? sum / count : share_of_row(a, b);
    }
}

/* Insertion sort is stable. */
static void sort_by_want(ordering *a, unsigned row) {
    uint32_t *order = a->r->order, first = a->r->first[row];
    for (uint32_t i = first + 1; i < a->r->first[row + 1]; i++) {
        uint32_t b = order[i], k = i;
        for (; k > first && a->want[order[k - 1]] > a->want[b] + 1e-12; k--) order[k] = order[k - 1];
        order[k] = b;
    }
    set_places(a, row);
}

static void reduce_crossings(ordering *a) {
    const drawing *d = a->d;
    uint32_t *order = a->r->order;
    uint64_t at_first = crossings(a), fewest = at_first;
    unsigned fixed = d->net->fabric ? 0 : 1; /* endpoints of families stay in numerical order */
    memcpy(a->best, order, d->boxes * sizeof *a->best);
    for (int sweep = 0; sweep < SWEEPS && fewest; sweep++) {
        if (sweep % 2 == 0)
            for (unsigned row = 1; row < d->rows; row++) want_middle(a, row, true), sort_by_want(a, row);
        else
            for (unsigned row = d->rows - 1; row-- > fixed;) want_middle(a, row, false), sort_by_want(a, row);
        uint64_t now = crossings(a);
        if (now >= fewest || (double)now > 0.9 * (double)at_first) continue;
        fewest = now;
        memcpy(a->best, order, d->boxes * sizeof *a->best);
    }
    memcpy(order, a->best, d->boxes * sizeof *a->best);
}

bough_status drawing_order(const drawing *d, drawing_rows *r, bough_error *error) {
    ordering a = {.d = d, .r = r};
    bough_status status = bough_alloc(&a.place, d->boxes, sizeof *a.place, error);
    TRY(bough_alloc(&a.best, d->boxes, sizeof *a.best, error));
    TRY(bough_alloc(&a.want, d->boxes, sizeof *a.want, error));
    TRY(bough_alloc(&a.span, d->lines, sizeof *a.span, error));
    TRY(bough_alloc(&a.seen, d->boxes + 1, sizeof *a.seen, error));
    TRY(sort_rows(&a, error));
    if (!status) reduce_crossings(&a);
    FREE_ALL(a.place, a.best, a.want, a.span, a.seen);
    return status;
}

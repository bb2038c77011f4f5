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

typedef struct ordering {
    const bough_net *net;
    drawing *d;
    uint32_t *order, *first;
    uint32_t *place; /* position of a box in its row */
    uint32_t *best;
    double *want; /* desired position of a box */
} ordering;

static uint32_t row_size(const ordering *a, unsigned row) {
    return a->first[row + 1] - a->first[row];
}

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
    for (size_t i = 0; i < a->d->lines; i++)
        if (a->d->line[i].from == box) return a->place[a->d->line[i].to];
    return UINT64_MAX;
}

static void set_places(ordering *a, unsigned row) {
    for (uint32_t i = a->first[row]; i < a->first[row + 1]; i++) a->place[a->order[i]] = i - a->first[row];
}

/* The lowest row is last, because hosts of a fabric are placed below their leaves. */
static bough_status sort_rows(ordering *a, bough_error *error) {
    const drawing *d = a->d;
    sorted *list;
    bough_status status = bough_alloc(&list, d->boxes, sizeof *list, error);
    if (status) return status;
    for (unsigned row = d->rows; row-- > 0;) {
        uint32_t count = row_size(a, row), at = 0;
        for (uint32_t b = 0; b < d->boxes; b++) {
            const drawing_box *box = &d->box[b];
            if (box->row != row) continue;
            sorted *s = &list[at++];
            *s = (sorted){.box = b, .minor = box->node};
            if (a->net->fabric) {
                bough_node_name(a->net, box->node, s->name, sizeof s->name);
                if (row == 0) s->major = place_above(a, b);
            } else if (row > 0) {
                s->major = box->tree;
            }
        }
        qsort(list, count, sizeof *list, compare_sorted);
        for (uint32_t i = 0; i < count; i++) a->order[a->first[row] + i] = list[i].box;
        set_places(a, row);
    }
    free(list);
    return BOUGH_OK;
}

/* ---- fewer crossings ---- */

static uint64_t crossings(const ordering *a) {
    const drawing *d = a->d;
    uint64_t count = 0;
    for (size_t i = 0; i < d->lines; i++) {
        const drawing_line *p = &d->line[i];
        if (d->box[p->from].row == d->box[p->to].row) continue;
        for (size_t k = i + 1; k < d->lines; k++) {
            const drawing_line *q = &d->line[k];
            if (d->box[p->from].row != d->box[q->from].row || d->box[p->to].row != d->box[q->to].row)
                continue;
            int64_t low = (int64_t)a->place[p->from] - a->place[q->from],
                    high = (int64_t)a->place[p->to] - a->place[q->to];
            count += (low < 0 && high > 0) || (low > 0 && high < 0);
        }
    }
    return count;
}

static double share_of_row(const ordering *a, uint32_t box) {
    return (a->place[box] + 0.5) / row_size(a, a->d->box[box].row);
}

/* Mean position of the neighbours below (or above); the box's own position if it has none. */
static void want_middle(ordering *a, unsigned row, bool below) {
    const drawing *d = a->d;
    for (uint32_t i = a->first[row]; i < a->first[row + 1]; i++) {
        uint32_t b = a->order[i];
        double sum = 0, count = 0;
        for (size_t k = 0; k < d->lines; k++) {
            const drawing_line *l = &d->line[k];
            uint32_t other = l->to == b && below ? l->from : l->from == b && !below ? l->to : b;
            if (other == b || d->box[other].row == row) continue;
            sum += share_of_row(a, other);
            count++;
        }
        a->want[b] = count > 0 ? sum / count : share_of_row(a, b);
    }
}

/* Insertion sort is stable. */
static void sort_by_want(ordering *a, unsigned row) {
    for (uint32_t i = a->first[row] + 1; i < a->first[row + 1]; i++) {
        uint32_t b = a->order[i], k = i;
        for (; k > a->first[row] && a->want[a->order[k - 1]] > a->want[b] + 1e-12; k--)
            a->order[k] = a->order[k - 1];
        a->order[k] = b;
    }
    set_places(a, row);
}

static void untangle(ordering *a) {
    drawing *d = a->d;
    uint64_t at_first = crossings(a), fewest = at_first;
    unsigned fixed = a->net->fabric ? 0 : 1; /* endpoints of families stay in numerical order */
    memcpy(a->best, a->order, d->boxes * sizeof *a->best);
    for (int sweep = 0; sweep < SWEEPS && fewest; sweep++) {
        if (sweep % 2 == 0)
            for (unsigned row = 1; row < d->rows; row++) want_middle(a, row, true), sort_by_want(a, row);
        else
            for (unsigned row = d->rows - 1; row-- > fixed;) want_middle(a, row, false), sort_by_want(a, row);
        uint64_t now = crossings(a);
        if (now >= fewest || (double)now > 0.9 * (double)at_first) continue;
        fewest = now;
        memcpy(a->best, a->order, d->boxes * sizeof *a->best);
    }
    memcpy(a->order, a->best, d->boxes * sizeof *a->best);
    for (unsigned row = 0; row < d->rows; row++) set_places(a, row);
}

bough_status drawing_order(const bough_net *net, drawing *d, uint32_t *order, uint32_t *first,
                           bough_error *error) {
    ordering a = {.net = net, .d = d, .order = order, .first = first};
    bough_status status = bough_alloc(&a.place, d->boxes, sizeof *a.place, error);
    TRY(bough_alloc(&a.best, d->boxes, sizeof *a.best, error));
    TRY(bough_alloc(&a.want, d->boxes, sizeof *a.want, error));
    if (!status) {
        for (size_t b = 0; b < d->boxes; b++) first[d->box[b].row + 1]++;
        for (unsigned row = 0; row < d->rows; row++) first[row + 1] += first[row];
        status = sort_rows(&a, error);
    }
    if (!status) untangle(&a);
    free(a.place);
    free(a.best);
    free(a.want);
    return status;
}

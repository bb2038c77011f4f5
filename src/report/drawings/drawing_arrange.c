/* Positions. Rows are stacked by level, with the roots on top; boxes are spaced evenly within their rows. */
#include "base/status/try.h"
#include "report/drawings/drawing.h"

#include "base/memory/memory.h"

#include <math.h>
#include <stdlib.h>

enum {
    MARGIN = 24,
    HEADING = 22,
    SLOT_HOST = 17,
    SLOT_SWITCH = 30,
    SLOT_LEAF = 96, /* of a tree, so that labels fit */
    NARROWEST = 460,
    WIDEST = 1500,
    LINE_WIDTH = 7, /* including the distance to the next line */
    WIDEST_LINES = 1200,
    FULL_WIDTH = 16,
    GAP_TREE = 26,
};

/* Boxes of one row that touch each other. */
typedef struct touching {
    double middle;
    uint32_t size;
} touching;

typedef struct arranging {
    drawing *d;
    drawing_rows rows;
    double lines; /* the largest number of lines that start in one row */
    double *x;    /* of the boxes of a row */
    touching *run;
} arranging;

static drawing_box *box_at(const arranging *a, uint32_t i) {
    return &a->d->box[a->rows.order[i]];
}

static bool is_single_host(const drawing_box *b) {
    return b->kind == DRAWING_HOST && b->count == 1;
}

/* ---- rows ---- */

/* Levels without a box take no row. */
static bough_status close_rows(drawing *d, bough_error *error) {
    unsigned *row, rows = 0;
    bough_status status = bough_alloc(&row, d->rows, sizeof *row, error);
    if (status) return status;
    for (size_t b = 0; b < d->boxes; b++) row[d->box[b].row] = 1;
    for (unsigned r = 0; r < d->rows; r++) {
        bool used = row[r];
        row[r] = rows;
        rows += used;
    }
    for (size_t b = 0; b < d->boxes; b++) d->box[b].row = row[d->box[b].row];
    d->rows = rows;
    free(row);
    return BOUGH_OK;
}

static void list_rows(arranging *a) {
    const drawing *d = a->d;
    uint32_t *first = a->rows.first;
    for (size_t b = 0; b < d->boxes; b++) first[d->box[b].row + 1]++;
    for (unsigned row = 0; row < d->rows; row++) first[row + 1] += first[row];
    for (uint32_t b = 0; b < d->boxes; b++) a->rows.order[first[d->box[b].row]++] = b;
    for (unsigned row = d->rows; row > 0; row--) first[row] = first[row - 1];
    first[0] = 0;
}

static void list_neighbours(arranging *a) {
    const drawing *d = a->d;
    uint32_t *first = a->rows.near_first;
    for (size_t k = 0; k < d->lines; k++) first[d->line[k].from + 1]++, first[d->line[k].to + 1]++;
    for (size_t b = 0; b < d->boxes; b++) first[b + 1] += first[b];
    for (size_t k = 0; k < d->lines; k++) {
        const drawing_line *l = &d->line[k];
        a->rows.near[first[l->from]++] = l->to;
        a->rows.near[first[l->to]++] = l->from;
    }
    for (size_t b = d->boxes; b > 0; b--) first[b] = first[b - 1];
    first[0] = 0;
}

/* ---- horizontal ---- */

static double page_width(const arranging *a) {
    double widest = NARROWEST;
    for (unsigned row = 0; row < a->d->rows; row++) {
        bool hosts = is_single_host(box_at(a, a->rows.first[row]));
        widest = fmax(widest, (double)drawing_row_size(&a->rows, row) * (hosts ? SLOT_HOST : SLOT_SWITCH));
    }
    return fmin(fmax(widest, fmin(LINE_WIDTH * a->lines, WIDEST_LINES)), WIDEST);
}

/* The nearest positions to x with a distance of at least `apart`, in the same order: groups of boxes that
 * would overlap are centred on the mean of their desired positions. */
static void separate(arranging *a, uint32_t count, double apart, double width) {
    touching *run = a->run;
    uint32_t runs = 0, at = 0;
    for (uint32_t i = 0; i < count; i++) {
        run[runs].middle = a->x[i] - i * apart;
        run[runs++].size = 1;
        for (; runs > 1 && run[runs - 2].middle > run[runs - 1].middle; runs--) {
            uint32_t both = run[runs - 2].size + run[runs - 1].size;
            run[runs - 2].middle =
                (run[runs - 2].middle * run[runs - 2].size + run[runs - 1].middle * run[runs - 1].size) /
                both;
            run[runs - 2].size = both;
        }
    }
    double low = apart / 2, high = width - apart / 2 - (count - 1) * apart;
    for (uint32_t r = 0; r < runs; r++)
        for (uint32_t k = 0; k < run[r].size; k++, at++)
            a->x[at] = (run[r].middle < low ? low : fmin(run[r].middle, high)) + at * apart;
}

/* The mean position of the single hosts below a box, or NaN. */
static double middle_of_hosts(const arranging *a, uint32_t b) {
    double sum = 0, hosts = 0;
    for (uint32_t k = a->rows.near_first[b]; k < a->rows.near_first[b + 1]; k++) {
        const drawing_box *other = &a->d->box[a->rows.near[k]];
        if (other->row < a->d->box[b].row && is_single_host(other)) sum += other->x - MARGIN, hosts++;
    }
    return sum / hosts;
}

/* Spaces boxes evenly; a row above single hosts is centred over them. */
static void spread_row(arranging *a, unsigned row, double width) {
    uint32_t count = drawing_row_size(&a->rows, row), first = a->rows.first[row];
    double *x = a->x, slot = width / count, apart = fmin(slot, SLOT_SWITCH * 1.5);
    bool over_hosts = false;
    for (uint32_t i = 0; i < count; i++) {
        double middle = a->d->net->fabric ? middle_of_hosts(a, a->rows.order[first + i]) : NAN;
        over_hosts |= !isnan(middle);
        x[i] = isnan(middle) ? (i + 0.5) * slot : middle;
    }
    if (over_hosts) separate(a, count, apart, width);
    for (uint32_t i = 0; i < count; i++) {
        drawing_box *b = box_at(a, first + i);
        b->x = MARGIN + x[i];
        b->slot = slot;
        if (over_hosts) b->slot = 2 * fmin(x[i], width - x[i]);
        if (over_hosts && i > 0) b->slot = fmin(b->slot, x[i] - x[i - 1]);
        if (over_hosts && i + 1 < count) b->slot = fmin(b->slot, x[i + 1] - x[i]);
    }
}

/* ---- trees ---- */

static bough_status spread_tree(arranging *a, bough_error *error) {
    drawing *d = a->d;
    drawing_leaves t = {0};
    bough_status status = bough_alloc(&t.weight, d->boxes, sizeof *t.weight, error);
    TRY(bough_alloc(&t.left, d->boxes, sizeof *t.left, error));
    TRY(bough_alloc(&t.next, d->boxes, sizeof *t.next, error));
    TRY(bough_alloc(&t.parent, d->boxes, sizeof *t.parent, error));
    if (!status) {
        double leaves = drawing_place_tree(d, &a->rows, &t);
        double width = fmin(fmax(leaves * SLOT_LEAF, NARROWEST), WIDEST), slot = width / leaves;
        d->width = width + 2 * MARGIN;
        d->left = MARGIN, d->right = MARGIN + width;
        for (size_t b = 0; b < d->boxes; b++) {
            d->box[b].x = MARGIN + (t.left[b] + t.weight[b] / 2) * slot;
            d->box[b].slot = t.weight[b] * slot;
        }
    }
    FREE_ALL(t.weight, t.left, t.next, t.parent);
    return status;
}

static void spread_rows(arranging *a) {
    drawing *d = a->d;
    double width = page_width(a);
    d->width = width + 2 * MARGIN;
    d->left = MARGIN, d->right = MARGIN + width;
    for (unsigned row = 0; row < d->rows; row++) spread_row(a, row, width);
}

/* ---- vertical ---- */

static void stack_rows(arranging *a) {
    drawing *d = a->d;
    double y = MARGIN + HEADING, gap = d->depths ? GAP_TREE : 50 + 0.055 * d->width;
    for (size_t k = 0; k < d->lines; k++) {
        drawing_line *l = &d->line[k];
        if (d->box[l->from].row != d->box[l->to].row) continue;
        l->bend = fmin(10 + 0.16 * fabs(d->box[l->from].x - d->box[l->to].x), 0.75 * gap);
        if (d->box[l->from].row + 1 == d->rows) y = fmax(y, MARGIN + HEADING + l->bend / 2);
    }
    for (unsigned row = d->rows; row-- > 0;) {
        double highest = 0;
        for (uint32_t i = a->rows.first[row]; i < a->rows.first[row + 1]; i++)
            highest = fmax(highest, box_at(a, i)->height);
        for (uint32_t i = a->rows.first[row]; i < a->rows.first[row + 1]; i++)
            box_at(a, i)->y = y + highest / 2;
        y += highest + (row ? gap : 0);
    }
    d->height = y + MARGIN;
}

/* ---- lines ---- */

typedef struct line_end {
    drawing_line *line;
    uint32_t box;
    bool other, up; /* the line's second end; at the upper edge of the box */
    double toward;  /* x of the other end */
} line_end;

static int compare_ends(const void *p, const void *q) {
    const line_end *a = p, *b = q;
    if (a->box != b->box) return a->box < b->box ? -1 : 1;
    if (a->up != b->up) return a->up - b->up;
    if (a->toward != b->toward) return a->toward < b->toward ? -1 : 1;
    return a->line < b->line ? -1 : a->line > b->line;
}

/* Spreads the lines at one edge of a box. */
static void attach(const drawing_box *box, const line_end *end, size_t count) {
    double used = is_single_host(box) ? 0 : 0.8 * box->width;
    double step = count > 1 ? fmin(used / (double)(count - 1), 7) : 0;
    for (size_t i = 0; i < count; i++) {
        end[i].line->x[end[i].other] = box->x + ((double)i - 0.5 * (double)(count - 1)) * step;
        end[i].line->y[end[i].other] = box->y + (end[i].up ? -0.5 : 0.5) * box->height;
    }
}

/* Attaches lines to the upper or lower edges of boxes, ordered by their other ends. */
static bough_status attach_all(drawing *d, bough_error *error) {
    line_end *end;
    size_t ends = 2 * d->lines, next;
    bough_status status = bough_alloc(&end, ends, sizeof *end, error);
    if (status) return status;
    for (size_t i = 0; i < ends; i++) {
        drawing_line *l = &d->line[i / 2];
        uint32_t b = i % 2 ? l->to : l->from, other = i % 2 ? l->from : l->to;
        end[i] = (line_end){l, b, i % 2, d->box[other].row >= d->box[b].row, d->box[other].x};
    }
    qsort(end, ends, sizeof *end, compare_ends);
    for (size_t i = 0; i < ends; i = next) {
        for (next = i; next < ends && end[next].box == end[i].box && end[next].up == end[i].up;) next++;
        attach(&d->box[end[i].box], &end[i], next - i);
    }
    free(end);
    return BOUGH_OK;
}

/* ---- frames ---- */

static bough_status frame_row(arranging *a, unsigned row, bough_error *error) {
    drawing *d = a->d;
    const uint32_t *order = a->rows.order, end = a->rows.first[row + 1];
    for (uint32_t i = a->rows.first[row], next; i < end; i = next) {
        const drawing_box *b = box_at(a, i);
        for (next = i + 1; next < end && box_at(a, next)->tree == b->tree;) next++;
        if (b->tree == BOUGH_NONE || next == i + 1) continue;
        bough_status status =
            bough_grow(&d->frame, &d->frame_capacity, d->frames + 1, sizeof *d->frame, error);
        if (status) return status;
        double pad = fmin(6, 0.35 * (box_at(a, i + 1)->x - b->x - b->width));
        d->frame[d->frames++] = (drawing_frame){.first = order[i],
                                                .last = order[next - 1],
                                                .x = b->x - b->width / 2 - pad,
                                                .y = b->y - b->height / 2 - 5,
                                                .width = box_at(a, next - 1)->x - b->x + b->width + 2 * pad,
                                                .height = b->height + 10};
    }
    return BOUGH_OK;
}

static bough_status arrange_rows(arranging *a, bough_error *error) {
    drawing *d = a->d;
    list_rows(a);
    list_neighbours(a);
    for (size_t k = 0; k < d->lines; k++) /* x is zero so far */
        a->lines = fmax(a->lines, ++a->x[d->box[d->line[k].from].row]);
    bough_status status = drawing_order(d, &a->rows, error);
    if (status) return status;
    if (d->depths)
        status = spread_tree(a, error);
    else
        spread_rows(a);
    d->thin = fmax(fmin((d->right - d->left) / (FULL_WIDTH * a->lines + 1), 1), 0.3);
    TRY(drawing_label(d, error));
    if (!status) stack_rows(a);
    TRY(attach_all(d, error));
    for (unsigned row = 0; row < d->rows && !d->net->fabric; row++) TRY(frame_row(a, row, error));
    return status;
}

bough_status drawing_arrange(drawing *d, bough_error *error) {
    if (d->placed) return drawing_arrange_places(d, error);
    arranging a = {.d = d};
    drawing_rows *r = &a.rows;
    bough_status status = close_rows(d, error);
    TRY(bough_alloc(&r->order, d->boxes, sizeof *r->order, error));
    TRY(bough_alloc(&r->first, (uint64_t)d->rows + 1, sizeof *r->first, error));
    TRY(bough_alloc(&r->near, 2 * d->lines, sizeof *r->near, error));
    TRY(bough_alloc(&r->near_first, d->boxes + 1, sizeof *r->near_first, error));
    TRY(bough_alloc(&a.x, d->boxes, sizeof *a.x, error));
    TRY(bough_alloc(&a.run, d->boxes, sizeof *a.run, error));
    TRY(arrange_rows(&a, error));
    FREE_ALL(r->order, r->first, r->near, r->near_first, a.x, a.run);
    return status;
}

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
    NARROWEST = 460,
    WIDEST = 1500,
    LINE_ROOM = 7,
    WIDEST_LINES = 1200,
    FULL_WIDTH = 16,
};

typedef struct arranging {
    const bough_net *net;
    drawing *d;
    uint32_t *order; /* boxes, row by row from the bottom */
    uint32_t *first; /* start of a row in `order`; rows + 1 */
} arranging;

static uint32_t row_size(const arranging *a, unsigned row) {
    return a->first[row + 1] - a->first[row];
}

/* ---- horizontal ---- */

/* The largest number of lines that start in one row. */
static double crowd(const drawing *d) {
    size_t most = 0;
    for (unsigned row = 0; row < d->rows; row++) {
        size_t count = 0;
        for (size_t k = 0; k < d->lines; k++) count += d->box[d->line[k].from].row == row;
        if (count > most) most = count;
    }
    return (double)most;
}

static double page_width(const arranging *a) {
    double widest = NARROWEST;
    for (unsigned row = 0; row < a->d->rows; row++) {
        const drawing_box *b = &a->d->box[a->order[a->first[row]]];
        bool hosts = b->kind == DRAWING_HOST && b->count == 1;
        double width = (double)row_size(a, row) * (hosts ? SLOT_HOST : SLOT_SWITCH);
        if (width > widest) widest = width;
    }
    return fmin(fmax(widest, fmin(LINE_ROOM * crowd(a->d), WIDEST_LINES)), WIDEST);
}

/* The nearest positions to x with a distance of at least `apart`, in the same order: groups of boxes that
 * would overlap are centred on the mean of their desired positions. */
static void part(double *x, uint32_t count, double apart, double low, double high) {
    double middle[DRAWING_ROW];
    uint32_t size[DRAWING_ROW], runs = 0, at = 0;
    for (uint32_t i = 0; i < count; i++) {
        middle[runs] = x[i] - i * apart;
        size[runs++] = 1;
        for (; runs > 1 && middle[runs - 2] > middle[runs - 1]; runs--) {
            uint32_t both = size[runs - 2] + size[runs - 1];
            middle[runs - 2] = (middle[runs - 2] * size[runs - 2] + middle[runs - 1] * size[runs - 1]) / both;
            size[runs - 2] = both;
        }
    }
    double last = high - (count - 1) * apart;
    for (uint32_t r = 0; r < runs; r++)
        for (uint32_t k = 0; k < size[r]; k++, at++) {
            double place = middle[r] < low ? low : middle[r] > last ? last : middle[r];
            x[at] = place + at * apart;
        }
}

/* Spaces boxes evenly; a row above single hosts is centred over them. */
static void spread_row(arranging *a, unsigned row, double width, double *x) {
    drawing *d = a->d;
    uint32_t count = row_size(a, row);
    double slot = width / count, apart = slot < SLOT_SWITCH * 1.5 ? slot : SLOT_SWITCH * 1.5;
    bool over_hosts = false;
    for (uint32_t i = 0; i < count; i++) x[i] = (i + 0.5) * slot;
    for (uint32_t i = 0; i < count && row > 0 && a->net->fabric; i++) {
        uint32_t b = a->order[a->first[row] + i];
        double sum = 0, below = 0;
        for (size_t k = 0; k < d->lines; k++)
            if (d->line[k].to == b && d->box[d->line[k].from].kind == DRAWING_HOST &&
                d->box[d->line[k].from].count == 1)
                sum += d->box[d->line[k].from].x - MARGIN, below++;
        if (below > 0) x[i] = sum / below, over_hosts = true;
    }
    if (over_hosts) part(x, count, apart, apart / 2, width - apart / 2);
    for (uint32_t i = 0; i < count; i++) {
        drawing_box *b = &d->box[a->order[a->first[row] + i]];
        b->x = MARGIN + x[i];
        b->width = slot;
        if (over_hosts) b->width = 2 * fmin(x[i], width - x[i]);
        if (over_hosts && i > 0) b->width = fmin(b->width, x[i] - x[i - 1]);
        if (over_hosts && i + 1 < count) b->width = fmin(b->width, x[i + 1] - x[i]);
    }
}

/* Levels without a box take no row. */
static void close_rows(drawing *d) {
    unsigned rows = 0;
    for (unsigned row = 0; row < d->rows; row++) {
        bool used = false;
        for (size_t b = 0; b < d->boxes; b++)
            if (d->box[b].row == row) d->box[b].row = rows, used = true;
        rows += used;
    }
    d->rows = rows;
}

/* ---- vertical ---- */

static void stack_rows(arranging *a) {
    drawing *d = a->d;
    double y = MARGIN + HEADING, gap = 50 + 0.055 * d->width;
    for (unsigned row = d->rows; row-- > 0;) {
        double highest = 0, arcs = 0;
        for (uint32_t i = a->first[row]; i < a->first[row + 1]; i++) {
            const drawing_box *b = &d->box[a->order[i]];
            if (b->height > highest) highest = b->height;
        }
        for (size_t k = 0; k < d->lines; k++) {
            drawing_line *l = &d->line[k];
            if (d->box[l->from].row != row || d->box[l->to].row != row) continue;
            l->bend = fmin(10 + 0.16 * fabs(d->box[l->from].x - d->box[l->to].x), 0.75 * gap);
            if (row + 1 == d->rows && l->bend / 2 > arcs) arcs = l->bend / 2;
        }
        y += arcs;
        for (uint32_t i = a->first[row]; i < a->first[row + 1]; i++) d->box[a->order[i]].y = y + highest / 2;
        y += highest + (row ? gap : 0);
    }
    d->height = y + MARGIN;
}

/* ---- lines ---- */

typedef struct end {
    drawing_line *line;
    int which;
    double toward; /* x of the other end */
} end;

static int compare_ends(const void *p, const void *q) {
    const end *a = p, *b = q;
    if (a->toward != b->toward) return a->toward < b->toward ? -1 : 1;
    return a->line < b->line ? -1 : a->line > b->line;
}

/* Attaches the lines that leave a box at its upper (or lower) edge, ordered by their other ends. */
static void attach(drawing *d, uint32_t b, bool up, end *list) {
    const drawing_box *box = &d->box[b];
    size_t count = 0;
    for (size_t k = 0; k < d->lines; k++) {
        drawing_line *l = &d->line[k];
        if (l->from != b && l->to != b) continue;
        uint32_t other = l->from == b ? l->to : l->from;
        bool leads_up = d->box[other].y < box->y || d->box[other].row == box->row;
        if (leads_up == up) list[count++] = (end){l, l->to == b, d->box[other].x};
    }
    qsort(list, count, sizeof *list, compare_ends);
    double round = box->kind == DRAWING_HOST && box->count == 1 ? 0 : 0.8;
    double step = count > 1 ? fmin(round * box->width / (double)(count - 1), 7) : 0;
    for (size_t i = 0; i < count; i++) {
        drawing_line *l = list[i].line;
        l->x[list[i].which] = box->x + ((double)i - 0.5 * (double)(count - 1)) * step;
        l->y[list[i].which] = box->y + (up ? -0.5 : 0.5) * box->height;
    }
}

static bough_status attach_all(drawing *d, bough_error *error) {
    end *list;
    bough_status status = bough_alloc(&list, d->lines + 1, sizeof *list, error);
    for (uint32_t b = 0; b < d->boxes && !status; b++) {
        attach(d, b, true, list);
        attach(d, b, false, list);
    }
    if (!status) free(list);
    return status;
}

/* ---- frames ---- */

static bough_status frame_row(arranging *a, unsigned row, bough_error *error) {
    drawing *d = a->d;
    for (uint32_t i = a->first[row], next; i < a->first[row + 1]; i = next) {
        const drawing_box *b = &d->box[a->order[i]], *last = b;
        for (next = i + 1; next < a->first[row + 1] && d->box[a->order[next]].tree == b->tree; next++)
            last = &d->box[a->order[next]];
        if (b->tree == BOUGH_NONE || next == i + 1) continue;
        bough_status status = bough_grow(&d->frame, &d->frame_room, d->frames + 1, sizeof *d->frame, error);
        if (status) return status;
        double pad = fmin(6, 0.35 * (d->box[a->order[i + 1]].x - b->x - b->width));
        d->frame[d->frames++] = (drawing_frame){b->x - b->width / 2 - pad, b->y - b->height / 2 - 5,
                                                last->x - b->x + b->width + 2 * pad, b->height + 10};
    }
    return BOUGH_OK;
}

static bough_status arrange_rows(arranging *a, bough_error *error) {
    drawing *d = a->d;
    bough_status status = drawing_order(a->net, d, a->order, a->first, error);
    if (status) return status;
    double width = page_width(a), x[DRAWING_ROW];
    d->width = width + 2 * MARGIN;
    d->thin = fmax(fmin(width / (FULL_WIDTH * crowd(d) + 1), 1), 0.3);
    for (unsigned row = 0; row < d->rows; row++) spread_row(a, row, width, x);
    status = drawing_name(a->net, d, error);
    if (!status) stack_rows(a);
    TRY(attach_all(d, error));
    for (unsigned row = 0; row < d->rows && !status && !a->net->fabric; row++)
        status = frame_row(a, row, error);
    return status;
}

bough_status drawing_arrange(const bough_net *net, drawing *d, bough_error *error) {
    if (d->cube) return drawing_arrange_cube(net, d, error);
    arranging a = {.net = net, .d = d};
    close_rows(d);
    bough_status status = bough_alloc(&a.order, d->boxes, sizeof *a.order, error);
    TRY(bough_alloc(&a.first, (uint64_t)d->rows + 1, sizeof *a.first, error));
    TRY(arrange_rows(&a, error));
    free(a.order);
    free(a.first);
    return status;
}

/* Stacks in a plane, or in a solid block: what hollow cubes are compared with. */
#include "network/layout/packaging.h"

#include "base/memory/memory.h"

#include <math.h>
#include <string.h>

enum { AXES = 3, UP = 1 };

/* The axes of an arrangement, and the size of a stack on each. */
typedef struct shape {
    bool flat; /* two axes: x and z */
    double unit[AXES];
} shape;

static bool has_axis(bool flat, int axis) {
    return !flat || axis != UP;
}

static shape stack_shape(const bough_stack_stage *s, bough_arrangement arrangement) {
    double cube = cbrt(s->side * s->side * s->thickness);
    if (arrangement == BOUGH_ARRANGE_CUBES) return (shape){false, {cube, cube, cube}};
    if (arrangement == BOUGH_ARRANGE_PLANE) return (shape){true, {s->side, 0, s->side}};
    return (shape){false, {s->side, s->thickness, s->side}};
}

/* ---- grids ---- */

static uint64_t largest_prime(uint64_t n) {
    uint64_t prime = 1;
    for (uint64_t p = 2; p * p <= n; p++)
        for (; n % p == 0; n /= p) prime = p;
    return n > 1 ? n : prime;
}

/* A grid of n equal boxes: each prime factor, from the largest, multiplies the axis on which the grid is
 * shortest. */
static void make_grid(uint64_t n, const shape *box, uint64_t grid[AXES]) {
    for (int k = 0; k < AXES; k++) grid[k] = 1;
    while (n > 1) {
        uint64_t prime = largest_prime(n);
        int shortest = 0;
        for (int k = 1; k < AXES; k++)
            if (has_axis(box->flat, k) &&
                (double)grid[k] * box->unit[k] < (double)grid[shortest] * box->unit[shortest] - 1e-9)
                shortest = k;
        grid[shortest] *= prime;
        n /= prime;
    }
}

/* The place of box i of a grid: halves (thirds, ...) of the longest axis, and so on, so boxes with near
 * numbers are neighbours. */
static void grid_place(const uint64_t grid[AXES], const double unit[AXES], uint64_t i, uint64_t at[AXES]) {
    uint64_t left[AXES], rest = grid[0] * grid[1] * grid[2];
    memcpy(left, grid, sizeof left);
    memset(at, 0, AXES * sizeof *at);
    while (rest > 1) {
        int longest = 0;
        for (int k = 1; k < AXES; k++)
            if (left[longest] == 1 ||
                (left[k] > 1 && (double)left[k] * unit[k] > (double)left[longest] * unit[longest] + 1e-9))
                longest = k;
        uint64_t parts = 2;
        while (left[longest] % parts) parts++;
        left[longest] /= parts;
        rest /= parts;
        at[longest] += i / rest % parts * left[longest];
    }
}

/* ---- blocks ---- */

static double measure(bool flat, const double size[AXES]) {
    return flat ? size[0] * size[2] : size[0] * size[1] * size[2];
}

/* The slab of a node's stacks across one axis of its grid. */
static void add_slab(bough_stack_block *b, unsigned axis, const shape *own, uint64_t stacks) {
    uint64_t across = 1;
    double squares = 0, all = b->size[axis];
    for (int k = 0; k < AXES; k++) {
        b->row[k] = 1;
        if (k == (int)axis || !has_axis(own->flat, k)) continue;
        uint64_t fit = (uint64_t)(b->size[k] / own->unit[k] + 1e-9), need = (stacks + across - 1) / across;
        b->row[k] = fit < 1 ? 1 : fit < need ? fit : need;
        across *= b->row[k];
        b->size[k] = fmax(b->size[k], own->unit[k]);
        squares += b->size[k] * b->size[k];
    }
    bool between = b->grid[axis] % 2 == 0;
    b->axis = axis;
    b->row[axis] = (stacks + across - 1) / across;
    b->slab = (double)b->row[axis] * own->unit[axis];
    b->before = between ? all / 2 : all;
    b->size[axis] += b->slab;
    double along = b->before + b->slab;
    b->wire = sqrt(squares + along * along);
}

static void lowest_block(bough_stack_block *b, const shape *own, uint64_t stacks) {
    double squares = 0;
    make_grid(stacks, own, b->grid);
    for (int k = 0; k < AXES; k++) {
        b->size[k] = (double)b->grid[k] * own->unit[k];
        squares += b->size[k] * b->size[k];
    }
    if (stacks > 1) b->wire = sqrt(squares);
}

/* The slab lies across the axis that gives the shortest wires. */
static void joined_block(bough_stack_block *b, const bough_stack_block *below, const shape *own,
                         const bough_packaging *p, uint64_t stacks) {
    shape node = {own->flat, {below->size[0], below->size[1], below->size[2]}};
    bough_stack_block best = {0};
    make_grid(bough_packaging_nodes(p), &node, b->grid);
    for (int k = 0; k < AXES; k++) b->size[k] = (double)b->grid[k] * below->size[k];
    for (int axis = 0; axis < AXES; axis++) {
        bough_stack_block candidate = *b;
        if (!has_axis(own->flat, axis)) continue;
        add_slab(&candidate, (unsigned)axis, own, stacks);
        if (best.wire == 0 || candidate.wire < best.wire - 1e-9) best = candidate;
    }
    *b = best;
}

bough_status bough_stack_blocks(const bough_packaging *p, bough_arrangement arrangement,
                                bough_stack_block *block, bough_error *error) {
    double used = 0;
    if (p->stages == 0 || p->stages > BOUGH_STAGES_MAX)
        return bough_fail(error, BOUGH_INVALID, NULL, "%u stages of stacks; the range is 1 to %d", p->stages,
                          BOUGH_STAGES_MAX);
    for (unsigned s = 0; s < p->stages; s++) {
        const bough_stack_stage *stage = &p->stage[s];
        if (!(stage->stacks > 0 && stage->side > 0 && stage->thickness > 0))
            return bough_fail(error, BOUGH_INVALID, NULL, "stacks %s have no size", stage->name);
        const shape own = stack_shape(stage, arrangement);
        block[s] = (bough_stack_block){0};
        if (s)
            joined_block(&block[s], &block[s - 1], &own, p, stage->stacks);
        else
            lowest_block(&block[s], &own, stage->stacks);
        used = (double)stage->stacks * measure(own.flat, own.unit) +
               (s ? (double)bough_packaging_nodes(p) * used : 0);
        block[s].fill = used / measure(own.flat, block[s].size);
    }
    return BOUGH_OK;
}

/* ---- boxes ---- */

typedef struct drawing {
    const bough_packaging *packaging;
    bough_arrangement arrangement;
    bough_stack_block block[BOUGH_STAGES_MAX];
    void (*visit)(void *context, const bough_box *box);
    void *context;
} drawing;

static void draw_stack(const drawing *d, unsigned s, uint64_t number, const double corner[AXES]) {
    const shape own = stack_shape(&d->packaging->stage[s], d->arrangement);
    bough_box box = {.stage = s, .number = number, .up = {0, 1, 0}};
    for (int k = 0; k < AXES; k++) {
        box.size[k] = own.unit[k];
        box.centre[k] = corner[k] + own.unit[k] / 2;
    }
    d->visit(d->context, &box);
}

/* Stacks of a flat network are numbered row by row in a square plane; those of one quarter of it, of a
 * quarter of that, and so on, stay together. */
static uint64_t row_by_row(uint64_t i, uint64_t stacks) {
    uint64_t column = 0, row = 0, columns = 1;
    for (uint64_t quarter = stacks / 4; quarter; quarter /= 4, columns *= 2) {
        unsigned digit = (unsigned)(i / quarter & 3);
        column = 2 * column + digit % 2;
        row = 2 * row + digit / 2;
    }
    return columns * columns == stacks ? row * columns + column : i;
}

static void draw_lowest(const drawing *d, uint64_t node, const double corner[AXES]) {
    const shape own = stack_shape(&d->packaging->stage[0], d->arrangement);
    uint64_t stacks = d->packaging->stage[0].stacks, at[AXES];
    for (uint64_t i = 0; i < stacks; i++) {
        double place[AXES];
        grid_place(d->block[0].grid, own.unit, i, at);
        for (int k = 0; k < AXES; k++) place[k] = corner[k] + (double)at[k] * own.unit[k];
        uint64_t number = d->packaging->stages == 1 ? row_by_row(i, stacks) : i;
        draw_stack(d, 0, node * stacks + number, place);
    }
}

static void draw_slab(const drawing *d, unsigned s, uint64_t node, const double corner[AXES]) {
    const bough_stack_block *b = &d->block[s];
    const shape own = stack_shape(&d->packaging->stage[s], d->arrangement);
    uint64_t stacks = d->packaging->stage[s].stacks;
    for (uint64_t i = 0; i < stacks; i++) {
        double place[AXES];
        uint64_t rest = i;
        for (int k = 0; k < AXES; k++) {
            place[k] =
                corner[k] + (double)(rest % b->row[k]) * own.unit[k] + (k == (int)b->axis ? b->before : 0);
            rest /= b->row[k];
        }
        draw_stack(d, s, node * stacks + i, place);
    }
}

static void draw_node(const drawing *d, unsigned s, uint64_t node, const double corner[AXES]) {
    if (s == 0) {
        draw_lowest(d, node, corner);
        return;
    }
    const bough_stack_block *b = &d->block[s];
    const double *unit = d->block[s - 1].size;
    const uint64_t nodes = bough_packaging_nodes(d->packaging);
    draw_slab(d, s, node, corner);
    for (uint64_t i = 0; i < nodes; i++) {
        uint64_t at[AXES];
        double place[AXES];
        grid_place(b->grid, unit, i, at);
        for (int k = 0; k < AXES; k++) place[k] = corner[k] + (double)at[k] * unit[k];
        if ((double)at[b->axis] * unit[b->axis] > b->before - 1e-9) place[b->axis] += b->slab;
        draw_node(d, s - 1, node * nodes + i, place);
    }
}

bough_status bough_stack_block_boxes(const bough_packaging *p, bough_arrangement arrangement,
                                     void (*visit)(void *context, const bough_box *box), void *context,
                                     bough_error *error) {
    drawing d = {.packaging = p, .arrangement = arrangement, .visit = visit, .context = context};
    const double origin[AXES] = {0};
    uint64_t stacks = 0;
    bough_status status = bough_stack_blocks(p, arrangement, d.block, error);
    if (status) return status;
    for (unsigned s = 0; s < p->stages; s++) stacks = bough_add(stacks, bough_packaging_stacks(p, s));
    if (stacks > BOUGH_CUBE_BOXES)
        return bough_fail(error, BOUGH_TOO_LARGE, NULL, "%llu stacks; a drawing has at most %llu",
                          (unsigned long long)stacks, (unsigned long long)BOUGH_CUBE_BOXES);
    draw_node(&d, p->stages - 1, 0, origin);
    return BOUGH_OK;
}

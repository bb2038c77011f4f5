/* Draws strips as cells. The cell of a step contains two cells of the step below, a stack of boxes, and the
 * wires of its strip; wires of the halves belong to the halves.
 *
 * Turning a cell by 90 degrees turns its vertical wires into horizontal ones of the same metal, so the two
 * metals alternate from step to step. Layer names refer to the whole. */
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "network/layout/htree.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct pen {
    bough_layout *layout;
    const htree_shape *shape;
    uint32_t pitch;
    bough_layout_cell *cell; /* the cell being drawn */
    bool swapped;            /* metals exchanged relative to the whole */
    uint8_t level;
    bough_error *error;
} pen;

/* ---- shapes ---- */

typedef struct rectangle {
    int64_t x0, y0, x1, y1;
} rectangle;

static void put(pen *p, bough_layer layer, rectangle r) {
    p->cell->shape[p->cell->shapes++] = (bough_layout_shape){(int32_t)r.x0, (int32_t)r.y0,  (int32_t)r.x1,
                                                             (int32_t)r.y1, (uint8_t)layer, p->level};
}

static bough_layer metal(const pen *p, bool vertical) {
    return vertical != p->swapped ? BOUGH_LAYER_VERTICAL : BOUGH_LAYER_HORIZONTAL;
}

/* The end of a wire: centred in a track where it turns (low or high), or flush with the edge of a box. */
typedef struct stop {
    uint64_t track;
    bool turns;
} stop;

static int64_t low_end(const pen *p, stop s) {
    return (int64_t)s.track * p->pitch + (s.turns ? p->pitch / 4 : 0);
}
static int64_t high_end(const pen *p, stop s) {
    return (int64_t)s.track * p->pitch + (s.turns ? p->pitch / 4 * 3 : 0);
}

/* A wire along a row (from the top), from west to east. */
static void run(pen *p, uint64_t row, stop west, stop east) {
    int64_t y = p->cell->height - (int64_t)(row + 1) * p->pitch + p->pitch / 4;
    int64_t from = low_end(p, west), to = high_end(p, east);
    if (from < to) put(p, metal(p, false), (rectangle){from, y, to, y + p->pitch / 2});
}

/* A wire along a column, from a row to a lower one, turning at both. top: it ends flush at the upper edge. */
static void fall(pen *p, uint64_t column, stop upper, uint64_t lower) {
    int64_t x = (int64_t)column * p->pitch + p->pitch / 4;
    int64_t y0 = p->cell->height - high_end(p, (stop){lower, true}), y1 = p->cell->height - low_end(p, upper);
    put(p, metal(p, true), (rectangle){x, y0, x + p->pitch / 2, y1});
}

static void via(pen *p, uint64_t column, uint64_t row) {
    int64_t x = (int64_t)column * p->pitch + p->pitch / 4;
    int64_t y = p->cell->height - (int64_t)(row + 1) * p->pitch + p->pitch / 4;
    put(p, BOUGH_LAYER_VIA, (rectangle){x, y, x + p->pitch / 2, y + p->pitch / 2});
}

static stop turn_at(uint64_t track) {
    return (stop){track, true};
}
static stop edge_at(uint64_t track) {
    return (stop){track, false};
}

/* ---- cells ---- */

typedef struct cell_size {
    uint64_t width, height; /* in tracks */
    uint64_t shapes, places, ports;
} cell_size;

/* Adds the cell that is drawn next. */
static bough_status add_cell(pen *p, const char *name, const cell_size *size) {
    bough_layout_cell *c = &p->layout->cell[p->layout->cells++];
    snprintf(c->name, sizeof c->name, "%s", name);
    c->width = (int32_t)(size->width * p->pitch);
    c->height = (int32_t)(size->height * p->pitch);
    p->cell = c;
    bough_status status = bough_alloc(&c->shape, size->shapes, sizeof *c->shape, p->error);
    TRY(bough_alloc(&c->place, size->places, sizeof *c->place, p->error));
    TRY(bough_alloc(&c->port, size->ports, sizeof *c->port, p->error));
    return status;
}

static void add_port(bough_layout_cell *c, bough_side side, uint64_t track) {
    c->port[c->ports++] = (bough_layout_port){(uint32_t)track, (uint8_t)side};
}

static void add_place(bough_layout_cell *c, bough_layout_place place) {
    c->place[c->places++] = place;
}

/* A terminal: with the wires of its channel, or in a mesh with those to its four neighbours. */
static bough_status draw_terminal(pen *p, const htree_half *leaf) {
    uint64_t side = p->shape->terminal;
    bool mesh = p->shape->mesh > 1;
    bough_status status = add_cell(p, "terminal", &(cell_size){side, side, 1, 0, mesh ? 4 : leaf->wires});
    if (status) return status;
    bough_layout_cell *c = p->cell;
    put(p, BOUGH_LAYER_TERMINAL, (rectangle){0, 0, c->width, c->height});
    for (uint64_t k = 0; k < leaf->wires && !mesh; k++) add_port(c, BOUGH_NORTH, leaf->place[k]);
    for (unsigned s = BOUGH_NORTH; s <= BOUGH_WEST && mesh; s++) add_port(c, (bough_side)s, side / 2);
    return BOUGH_OK;
}

/* Wires between neighbours are one track long, as are the northward ones out of the mesh. */
static bough_status draw_mesh(pen *p, const htree_half *leaf) {
    uint64_t t = p->shape->terminal, n = p->shape->mesh, middle = t - 1 - t / 2;
    bough_status status =
        add_cell(p, "mesh", &(cell_size){leaf->width, leaf->height, 2 * n * n, 1, leaf->wires});
    if (status) return status;
    bough_layout_cell *c = p->cell;
    int32_t step = (int32_t)((t + 1) * p->pitch);
    add_place(c, (bough_layout_place){.columns = (uint32_t)n, .rows = (uint32_t)n, .dx = step, .dy = step});
    for (uint64_t row = 0; row < n; row++)
        for (uint64_t column = 0; column < n; column++) {
            uint64_t x = column * (t + 1), top = row * (t + 1);
            int64_t at = (int64_t)(x + t / 2) * p->pitch + p->pitch / 4;
            put(p, metal(p, true),
                (rectangle){at, c->height - (int64_t)(top + 1) * p->pitch, at + p->pitch / 2,
                            c->height - (int64_t)top * p->pitch});
            if (column + 1 < n) run(p, top + 1 + middle, edge_at(x + t), edge_at(x + t + 1));
        }
    for (uint64_t k = 0; k < leaf->wires; k++) add_port(c, BOUGH_NORTH, leaf->place[k]);
    return BOUGH_OK;
}

/* Boxes of equal size and ports share one cell. */
static bough_status draw_box(pen *p, const htree_step *step, uint32_t *cell) {
    size_t ports = 2 * step->down + step->up;
    int64_t width = (int64_t)(step->across * p->pitch), height = (int64_t)(step->along * p->pitch);
    for (uint32_t i = 0; i < p->layout->cells; i++) {
        const bough_layout_cell *c = &p->layout->cell[i];
        if (c->width == width && c->height == height && c->ports == ports && c->shapes == 1 &&
            c->shape->layer == (step->sorter ? BOUGH_LAYER_SORTER : BOUGH_LAYER_SWITCH)) {
            *cell = i;
            return BOUGH_OK;
        }
    }
    char name[32];
    snprintf(name, sizeof name, "%s_%u", step->sorter ? "sorter" : "switch", step->level);
    *cell = p->layout->cells;
    bough_status status = add_cell(p, name, &(cell_size){step->across, step->along, 1, 0, ports});
    if (status) return status;
    bough_layout_cell *c = p->cell;
    put(p, step->sorter ? BOUGH_LAYER_SORTER : BOUGH_LAYER_SWITCH, (rectangle){0, 0, c->width, c->height});
    for (unsigned half = 0; half < 2; half++)
        for (uint64_t r = 0; r < step->down; r++)
            add_port(c, half ? BOUGH_EAST : BOUGH_WEST, step->along - 1 - step->skip - r);
    for (uint64_t r = 0; r < step->up; r++)
        add_port(c, BOUGH_EAST, step->along - 1 - step->skip - step->down - r);
    return BOUGH_OK;
}

/* ---- strips ---- */

typedef struct strip_site {
    const htree_step *step;
    const htree_half *half;
    const htree_strip *strip;
    uint64_t west, east, width; /* edges of the strip and width of the cell, in tracks */
} strip_site;

/* A wire from the west half to its box, and its mirror image, which also crosses the upward wires. */
static void draw_end(pen *p, const strip_site *s, uint64_t k) {
    uint64_t row = s->strip->half_top + s->half->place[k], target = s->strip->target[k];
    uint64_t box_west = s->west + s->strip->box_column, box_east = box_west + s->step->across;
    if (s->strip->column[k] == HTREE_STRAIGHT) {
        run(p, row, edge_at(s->west), edge_at(box_west));
        run(p, row, edge_at(box_east), edge_at(s->east));
        return;
    }
    uint64_t west = s->west + s->strip->passing + s->strip->column[k], east = s->width - 1 - west;
    uint64_t upper = row < target ? row : target, lower = row < target ? target : row;
    run(p, row, edge_at(s->west), turn_at(west));
    run(p, target, turn_at(west), edge_at(box_west));
    run(p, target, edge_at(box_east), turn_at(east));
    run(p, row, turn_at(east), edge_at(s->east));
    for (unsigned half = 0; half < 2; half++) {
        uint64_t column = half ? east : west;
        fall(p, column, turn_at(upper), lower);
        via(p, column, row);
        via(p, column, target);
    }
}

static void draw_pass(pen *p, const strip_site *s, uint64_t k) {
    uint64_t row = s->strip->half_top + s->half->place[k], rank = s->strip->target[k];
    uint64_t west = s->west + rank;
    uint64_t east = s->step->boxes ? s->east - s->strip->passing + rank : s->west + rank + s->step->group;
    run(p, row, edge_at(s->west), turn_at(west));
    run(p, row, turn_at(east), edge_at(s->east));
    for (unsigned half = 0; half < 2; half++) {
        uint64_t column = half ? east : west;
        fall(p, column, edge_at(0), row);
        via(p, column, row);
    }
}

static void draw_up(pen *p, const strip_site *s, uint64_t u) {
    const htree_step *step = s->step;
    uint64_t row = htree_wire_row(s->strip, step, u / step->up) + step->down + u % step->up;
    uint64_t column = s->west + s->strip->up_column + u;
    run(p, row, edge_at(s->west + s->strip->box_column + step->across), turn_at(column));
    fall(p, column, edge_at(0), row);
    via(p, column, row);
}

static void draw_strip(pen *p, const strip_site *s) {
    for (uint64_t k = 0; k < s->half->wires; k++) {
        p->level = s->half->level[k];
        if (htree_ends(s->step, s->half, k))
            draw_end(p, s, k);
        else
            draw_pass(p, s, k);
    }
    p->level = (uint8_t)s->step->level;
    for (uint64_t u = 0; u < s->step->boxes * s->step->up; u++) draw_up(p, s, u);
}

/* Both halves on their side, the second mirrored. */
static void place_halves(pen *p, const strip_site *s, uint32_t half) {
    int32_t y = p->cell->height - (int32_t)(s->strip->half_top * p->pitch);
    bough_layout_place west = {.cell = half, .turn = 3, .y = y, .columns = 1, .rows = 1}, east = west;
    east.mirror = 1;
    east.x = p->cell->width;
    add_place(p->cell, west);
    add_place(p->cell, east);
}

/* last: the cell of the step below, then of this one. */
static bough_status draw_step(pen *p, const htree_step *step, const htree_half *half, uint32_t *last,
                              htree_half *whole) {
    htree_strip strip;
    uint32_t box = 0, below = *last;
    char name[32];
    bough_status status = htree_join(step, half, &strip, whole, p->error);
    if (status) return status;
    p->level = (uint8_t)step->level;
    if (step->boxes) status = draw_box(p, step, &box);
    snprintf(name, sizeof name, "half_%u", (unsigned)(step - p->shape->step) + 1);
    if (step == &p->shape->step[p->shape->steps - 1]) snprintf(name, sizeof name, "layout");
    *last = p->layout->cells;
    TRY(add_cell(p, name,
                 &(cell_size){whole->width, whole->height, 10 * half->wires + 3 * step->boxes * step->up + 1,
                              3, whole->wires}));
    if (!status) {
        strip_site site = {step, half, &strip, half->height, half->height + strip.width, whole->width};
        place_halves(p, &site, below);
        if (step->boxes)
            add_place(
                p->cell,
                (bough_layout_place){
                    .cell = box,
                    .x = (int32_t)((site.west + strip.box_column) * p->pitch),
                    .y = (int32_t)((whole->height - strip.box_top - step->boxes * step->along) * p->pitch),
                    .columns = 1,
                    .rows = (uint32_t)step->boxes,
                    .dy = (int32_t)(step->along * p->pitch)});
        draw_strip(p, &site);
        for (uint64_t k = 0; k < whole->wires; k++) add_port(p->cell, BOUGH_NORTH, whole->place[k]);
    }
    htree_strip_fini(&strip);
    return status;
}

/* ---- the whole ---- */

static bough_status check_fit(const bough_layout_size *size, bough_error *error) {
    const bough_layout_step *top = &size->step[size->steps];
    if (top->width_nm > INT32_MAX || top->height_nm > INT32_MAX)
        return bough_fail(error, BOUGH_TOO_LARGE, NULL,
                          "the layout is %.6g x %.6g m; drawings are limited to 2^31 nm (2.1 m)",
                          (double)top->width_nm * 1e-9, (double)top->height_nm * 1e-9);
    return bough_memory_check(size->bytes, "the drawing", error);
}

static bough_status draw_all(pen *p) {
    unsigned steps = p->shape->steps;
    htree_half half, whole = {0};
    uint32_t last = 0;
    bough_status status = htree_leaf(p->shape, &half, p->error);
    if (status) return status;
    p->swapped = steps % 2;
    status = draw_terminal(p, &half);
    if (!status && p->shape->mesh > 1) {
        last = p->layout->cells;
        status = draw_mesh(p, &half);
    }
    for (unsigned i = 0; i < steps && !status; i++) {
        p->swapped = (steps - 1 - i) % 2;
        status = draw_step(p, &p->shape->step[i], &half, &last, &whole);
        htree_half_fini(&half);
        half = whole;
    }
    if (!status) {
        bough_layout_cell *top = &p->layout->cell[p->layout->cells - 1];
        p->level = 0;
        put(p, BOUGH_LAYER_OUTLINE, (rectangle){0, 0, top->width, top->height});
    }
    htree_half_fini(&half);
    return status;
}

bough_status bough_layout_draw(const bough_net *net, const bough_layout_rules *rules, bough_layout **out,
                               bough_error *error) {
    htree_shape shape;
    bough_layout *layout = NULL;
    *out = NULL;
    bough_status status = bough_alloc(&layout, 1, sizeof *layout, error);
    TRY(bough_layout_measure(net, rules, &layout->size, error));
    TRY(check_fit(&layout->size, error));
    TRY(htree_shape_of(net, &layout->size.rules, &shape, error));
    TRY(bough_alloc(&layout->cell, 2 + 2 * (uint64_t)shape.steps, sizeof *layout->cell, error));
    if (!status) {
        pen p = {.layout = layout, .shape = &shape, .pitch = layout->size.rules.pitch_nm, .error = error};
        status = draw_all(&p);
    }
    if (status)
        bough_layout_destroy(layout);
    else
        *out = layout;
    return status;
}

void bough_layout_destroy(bough_layout *layout) {
    if (!layout) return;
    for (uint32_t i = 0; i < layout->cells && layout->cell; i++)
        FREE_ALL(layout->cell[i].shape, layout->cell[i].place, layout->cell[i].port);
    FREE_ALL(layout->cell, layout);
}

bough_layout_shape bough_layout_placed(const bough_layout_place *place, uint32_t column, uint32_t row,
                                       bough_layout_shape s) {
    int32_t x[2] = {s.x0, s.x1}, y[2] = {s.y0, s.y1};
    for (unsigned i = 0; i < 2; i++) {
        if (place->mirror) y[i] = -y[i];
        for (unsigned t = place->turn; t > 0; t--) {
            int32_t was = x[i];
            x[i] = -y[i];
            y[i] = was;
        }
        x[i] += place->x + (int32_t)column * place->dx;
        y[i] += place->y + (int32_t)row * place->dy;
    }
    s.x0 = x[0] < x[1] ? x[0] : x[1];
    s.x1 = x[0] < x[1] ? x[1] : x[0];
    s.y0 = y[0] < y[1] ? y[0] : y[1];
    s.y1 = y[0] < y[1] ? y[1] : y[0];
    return s;
}

#include "support/layout_oracle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- lists ---- */

static drawn *add(drawing *d, drawn item) {
    if (d->count == d->capacity) {
        d->capacity = d->capacity ? 2 * d->capacity : 64;
        d->item = realloc(d->item, d->capacity * sizeof *d->item);
        assert_non_null(d->item);
    }
    d->item[d->count] = item;
    return &d->item[d->count++];
}

void drawing_free(drawing *d) {
    free(d->item);
    *d = (drawing){0};
}

static unsigned turned(const bough_layout_place *p, unsigned side) {
    static const unsigned mirrored[] = {BOUGH_SOUTH, BOUGH_EAST, BOUGH_NORTH, BOUGH_WEST};
    if (p->mirror) side = mirrored[side];
    return (side + 4 - p->turn) % 4; /* north becomes west */
}

static drawn placed(const bough_layout_place *p, uint32_t column, uint32_t row, drawn item) {
    item.shape = bough_layout_placed(p, column, row, item.shape);
    item.side = (uint8_t)turned(p, item.side);
    return item;
}

static drawn port_of(const bough_layout_cell *c, size_t i, uint32_t pitch) {
    int32_t at = (int32_t)(c->port[i].track * pitch + pitch / 2);
    int32_t x = at, y = at;
    switch (c->port[i].side) {
    case BOUGH_NORTH:
        y = c->height;
        break;
    case BOUGH_SOUTH:
        y = 0;
        break;
    case BOUGH_EAST:
        x = c->width;
        break;
    default:
        x = 0;
    }
    return (drawn){
        .shape = {x - 1, y - 1, x + 1, y + 1, DRAWN_PORT, 0}, .side = c->port[i].side, .number = (uint32_t)i};
}

static bool is_box(const bough_layout_cell *c) {
    return c->places == 0;
}

static void add_ports(drawing *d, const bough_layout_cell *c, uint32_t pitch) {
    for (size_t i = 0; i < c->ports; i++) add(d, port_of(c, i, pitch));
}

/* Steps are cells with halves; the mesh and the terminal are step 0. */
static drawing flat_cell(const bough_layout *layout, uint32_t number, uint32_t step) {
    const bough_layout_cell *c = &layout->cell[number];
    drawing d = {0};
    for (size_t i = 0; i < c->shapes; i++)
        if (c->shape[i].layer != BOUGH_LAYER_OUTLINE) add(&d, (drawn){.shape = c->shape[i]});
    if (is_box(c)) add_ports(&d, c, layout->size.rules.pitch_nm);
    for (size_t p = 0; p < c->places; p++) {
        const bough_layout_place *place = &c->place[p];
        bool half = step > 0 && p < 2;
        drawing inner = flat_cell(layout, place->cell, half ? step - 1 : step);
        for (uint32_t column = 0; column < place->columns; column++)
            for (uint32_t row = 0; row < place->rows; row++)
                for (size_t i = 0; i < inner.count; i++) {
                    drawn *item = add(&d, placed(place, column, row, inner.item[i]));
                    if (half) {
                        item->subtree += (uint64_t)p << (step - 1 - item->step);
                    } else {
                        item->step = step;
                        item->box = (uint64_t)(place->rows - 1 - row) * place->columns + column;
                    }
                }
        drawing_free(&inner);
    }
    return d;
}

drawing drawing_flat(const bough_layout *layout) {
    return flat_cell(layout, layout->cells - 1, layout->size.steps);
}

drawing drawing_of_cell(const bough_layout *layout, uint32_t number) {
    const bough_layout_cell *c = &layout->cell[number];
    uint32_t pitch = layout->size.rules.pitch_nm;
    drawing d = {0};
    for (size_t i = 0; i < c->shapes; i++)
        if (c->shape[i].layer != BOUGH_LAYER_OUTLINE) add(&d, (drawn){.shape = c->shape[i]});
    for (size_t i = 0; i < c->ports; i++) {
        drawn port = port_of(c, i, pitch);
        port.step = UINT32_MAX;
        add(&d, port);
    }
    for (size_t p = 0; p < c->places; p++) {
        const bough_layout_place *place = &c->place[p];
        const bough_layout_cell *inner = &layout->cell[place->cell];
        for (uint32_t column = 0; column < place->columns; column++)
            for (uint32_t row = 0; row < place->rows; row++) {
                uint64_t box = (uint64_t)(place->rows - 1 - row) * place->columns + column;
                drawn outline = {.shape = {0, 0, inner->width, inner->height, DRAWN_HALF, 0},
                                 .step = (uint32_t)p,
                                 .box = box};
                add(&d, placed(place, column, row, outline));
                for (size_t i = 0; i < inner->ports; i++) {
                    drawn port = placed(place, column, row, port_of(inner, i, pitch));
                    port.step = (uint32_t)p;
                    port.box = box;
                    add(&d, port);
                }
            }
    }
    return d;
}

/* ---- checking ---- */

typedef struct checker {
    const drawing *d;
    const char *name;
    int32_t pitch;
    size_t *net;      /* union-find over items */
    size_t *order[3]; /* horizontal metal by y0, vertical metal by x0, boxes */
    size_t orders[3];
    bool flipped; /* the cell's metals are turned: "horizontal" runs north */
} checker;

static size_t find(size_t *net, size_t i) {
    while (net[i] != i) i = net[i] = net[net[i]];
    return i;
}

static void join(checker *c, size_t a, size_t b) {
    c->net[find(c->net, a)] = find(c->net, b);
}

static const bough_layout_shape *shape(const checker *c, size_t i) {
    return &c->d->item[i].shape;
}

/* 0: runs from west to east, 1: north, 2: a box, 3: a via, 4: a port. */
static unsigned class_of(const checker *c, size_t i) {
    switch (shape(c, i)->layer) {
    case BOUGH_LAYER_HORIZONTAL:
        return c->flipped;
    case BOUGH_LAYER_VERTICAL:
        return !c->flipped;
    case BOUGH_LAYER_VIA:
        return 3;
    case DRAWN_PORT:
        return 4;
    default:
        return 2;
    }
}

static const checker *sorting; /* qsort has no context; tests are one thread */
static int by_y(const void *a, const void *b) {
    const bough_layout_shape *s = shape(sorting, *(const size_t *)a), *t = shape(sorting, *(const size_t *)b);
    if (s->y0 != t->y0) return (s->y0 > t->y0) - (s->y0 < t->y0);
    return (s->x0 > t->x0) - (s->x0 < t->x0);
}
static int by_x(const void *a, const void *b) {
    const bough_layout_shape *s = shape(sorting, *(const size_t *)a), *t = shape(sorting, *(const size_t *)b);
    if (s->x0 != t->x0) return (s->x0 > t->x0) - (s->x0 < t->x0);
    return (s->y0 > t->y0) - (s->y0 < t->y0);
}

static void sort_into(checker *c, unsigned class) {
    c->order[class] = calloc(c->d->count + 1, sizeof(size_t));
    for (size_t i = 0; i < c->d->count; i++)
        if (class_of(c, i) == class) c->order[class][c->orders[class]++] = i;
    sorting = c;
    qsort(c->order[class], c->orders[class], sizeof(size_t), class == 0 ? by_y : by_x);
}

static int32_t gap(int32_t a0, int32_t a1, int32_t b0, int32_t b1) {
    return (a0 > b0 ? a0 : b0) - (a1 < b1 ? a1 : b1);
}

static void complain(const checker *c, const char *what, size_t a, size_t b) {
    const bough_layout_shape *s = shape(c, a), *t = shape(c, b);
    fail_msg("%s: %s: (%d,%d)-(%d,%d) layer %u, (%d,%d)-(%d,%d) layer %u", c->name, what, s->x0, s->y0, s->x1,
             s->y1, s->layer, t->x0, t->y0, t->x1, t->y1, t->layer);
}

/* Visits pairs of one class that come nearer than half a pitch; those of a metal run one way, so that few are
 * ever near. */
static void near_pairs(checker *c, unsigned class, void (*visit)(checker *c, size_t a, size_t b)) {
    int32_t near = c->pitch / 2;
    size_t first = 0, *order = c->order[class];
    int32_t thickest = 0;
    for (size_t i = 0; i < c->orders[class]; i++) {
        const bough_layout_shape *s = shape(c, order[i]);
        int32_t thick = class == 0 ? s->y1 - s->y0 : s->x1 - s->x0;
        if (thick > thickest) thickest = thick;
    }
    for (size_t i = 0; i < c->orders[class]; i++) {
        const bough_layout_shape *s = shape(c, order[i]);
        int32_t at = class == 0 ? s->y0 : s->x0;
        while (at - (class == 0 ? shape(c, order[first])->y0 : shape(c, order[first])->x0) > thickest + near)
            first++;
        for (size_t j = first; j < i; j++) {
            const bough_layout_shape *t = shape(c, order[j]);
            if (gap(s->x0, s->x1, t->x0, t->x1) < near && gap(s->y0, s->y1, t->y0, t->y1) < near)
                visit(c, order[i], order[j]);
        }
    }
}

static void join_touching(checker *c, size_t a, size_t b) {
    const bough_layout_shape *s = shape(c, a), *t = shape(c, b);
    int32_t x = gap(s->x0, s->x1, t->x0, t->x1), y = gap(s->y0, s->y1, t->y0, t->y1);
    if (x < 0 && y < 0) complain(c, "wires of one metal overlap", a, b);
    if (x <= 0 && y <= 0) join(c, a, b);
}

static void apart(checker *c, size_t a, size_t b) {
    if (find(c->net, a) != find(c->net, b)) complain(c, "wires are nearer than half a pitch", a, b);
}

static void no_overlap(checker *c, size_t a, size_t b) {
    const bough_layout_shape *s = shape(c, a), *t = shape(c, b);
    if (gap(s->x0, s->x1, t->x0, t->x1) < 0 && gap(s->y0, s->y1, t->y0, t->y1) < 0)
        complain(c, "boxes overlap", a, b);
}

/* Wires of a metal and boxes, in the order of the metal. */
static void no_metal_in_boxes(checker *c, unsigned class) {
    size_t boxes = c->orders[2], active = 0, next = 0;
    size_t *box = calloc(boxes + 1, sizeof *box), *order = calloc(boxes + 1, sizeof *order);
    memcpy(order, c->order[2], boxes * sizeof *order);
    sorting = c;
    qsort(order, boxes, sizeof *order, class == 0 ? by_y : by_x);
    for (size_t i = 0; i < c->orders[class]; i++) {
        size_t wire = c->order[class][i], kept = 0;
        const bough_layout_shape *s = shape(c, wire);
        int32_t low = class == 0 ? s->y0 : s->x0, high = class == 0 ? s->y1 : s->x1;
        for (; next < boxes; next++) {
            const bough_layout_shape *t = shape(c, order[next]);
            if ((class == 0 ? t->y0 : t->x0) >= high) break;
            if ((class == 0 ? t->y1 : t->x1) > low) box[active++] = order[next];
        }
        for (size_t b = 0; b < active; b++) {
            const bough_layout_shape *t = shape(c, box[b]);
            if ((class == 0 ? t->y1 : t->x1) <= low) continue;
            if (gap(s->x0, s->x1, t->x0, t->x1) < 0 && gap(s->y0, s->y1, t->y0, t->y1) < 0)
                complain(c, "metal in a box", wire, box[b]);
            box[kept++] = box[b];
        }
        active = kept;
    }
    free(box);
    free(order);
}

/* The wires of a metal that overlap a spot; joins them to it, and counts them. */
static unsigned touch(checker *c, unsigned class, size_t spot) {
    const bough_layout_shape *s = shape(c, spot);
    int32_t low = class == 0 ? s->y0 : s->x0, high = class == 0 ? s->y1 : s->x1;
    size_t from = 0, to = c->orders[class], *order = c->order[class];
    unsigned found = 0;
    while (from < to) { /* the first that may reach low: wires of a metal are half a pitch thick */
        size_t middle = (from + to) / 2;
        const bough_layout_shape *t = shape(c, order[middle]);
        if ((class == 0 ? t->y0 : t->x0) + c->pitch / 2 <= low)
            from = middle + 1;
        else
            to = middle;
    }
    for (size_t i = from; i < c->orders[class]; i++) {
        const bough_layout_shape *t = shape(c, order[i]);
        if ((class == 0 ? t->y0 : t->x0) >= high) break;
        if (gap(s->x0, s->x1, t->x0, t->x1) >= 0 || gap(s->y0, s->y1, t->y0, t->y1) >= 0) continue;
        join(c, spot, order[i]);
        found++;
    }
    return found;
}

static void join_vias_and_ports(checker *c) {
    for (size_t i = 0; i < c->d->count; i++) {
        unsigned class = class_of(c, i);
        if (class == 3 && (touch(c, 0, i) != 1 || touch(c, 1, i) != 1))
            complain(c, "a via joins no two wires", i, i);
        if (class == 4) touch(c, c->d->item[i].side % 2 ? 0 : 1, i);
    }
}

static void stay_inside(const checker *c, int32_t width, int32_t height) {
    for (size_t i = 0; i < c->d->count; i++) {
        const bough_layout_shape *s = shape(c, i);
        if (s->x0 >= s->x1 || s->y0 >= s->y1) complain(c, "an empty rectangle", i, i);
        if (s->layer == DRAWN_PORT) continue;
        if (s->x0 < 0 || s->y0 < 0 || s->x1 > width || s->y1 > height) complain(c, "outside", i, i);
    }
}

/* Which ports nets have. */
static size_t *pair_ports(checker *c) {
    size_t *partner = malloc((c->d->count + 1) * sizeof *partner),
           *first = malloc((c->d->count + 1) * sizeof *first);
    unsigned *ports = calloc(c->d->count + 1, sizeof *ports);
    bool *metal = calloc(c->d->count + 1, sizeof *metal);
    for (size_t i = 0; i < c->d->count; i++) partner[i] = SIZE_MAX;
    for (size_t i = 0; i < c->d->count; i++) {
        size_t net = find(c->net, i);
        if (class_of(c, i) < 2) metal[net] = true;
        if (class_of(c, i) != 4) continue;
        if (ports[net]++ == 0) {
            first[net] = i;
        } else {
            partner[i] = first[net];
            partner[first[net]] = i;
        }
    }
    for (size_t i = 0; i < c->d->count; i++)
        if (metal[i] && ports[i] != 2)
            fail_msg("%s: a net of %u ports at (%d,%d)", c->name, ports[i], shape(c, i)->x0, shape(c, i)->y0);
    free(first);
    free(ports);
    free(metal);
    return partner;
}

/* Which metal runs from west to east: the names are those of the whole drawing. */
static bool metals_are_turned(const drawing *d) {
    int64_t lies = 0;
    for (size_t i = 0; i < d->count; i++)
        if (d->item[i].shape.layer == BOUGH_LAYER_HORIZONTAL) {
            const bough_layout_shape *s = &d->item[i].shape;
            lies += (int64_t)(s->x1 - s->x0) - (s->y1 - s->y0);
        }
    return lies < 0;
}

connections drawing_check(const drawing *d, uint32_t pitch, int32_t width, int32_t height, const char *name) {
    checker c = {.d = d, .name = name, .pitch = (int32_t)pitch, .flipped = metals_are_turned(d)};
    c.net = malloc((d->count + 1) * sizeof *c.net);
    for (size_t i = 0; i < d->count; i++) c.net[i] = i;
    for (unsigned class = 0; class < 3; class ++) sort_into(&c, class);
    stay_inside(&c, width, height);
    near_pairs(&c, 0, join_touching);
    near_pairs(&c, 1, join_touching);
    near_pairs(&c, 2, no_overlap);
    no_metal_in_boxes(&c, 0);
    no_metal_in_boxes(&c, 1);
    join_vias_and_ports(&c);
    near_pairs(&c, 0, apart);
    near_pairs(&c, 1, apart);
    connections found = {pair_ports(&c), c.net};
    for (size_t i = 0; i < d->count; i++) c.net[i] = find(c.net, i);
    for (unsigned class = 0; class < 3; class ++) free(c.order[class]);
    return found;
}

void connections_free(connections *c) {
    free(c->partner);
    free(c->net);
    *c = (connections){0};
}

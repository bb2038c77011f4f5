/* Layout of drawings whose boxes have places in both directions: hypercubes, meshes and tori. */
#include "network/families/hypercube.h"
#include "network/families/mesh.h"
#include "report/drawings/drawing.h"

#include <math.h>

enum { MARGIN = 24, NARROWEST = 460, WIDEST = 1840, GRID_DIMENSIONS = 4, GRID_NODES = 512 };

/* A coordinate moves a box by a step; on a ring the boxes of a line bow, so that its last cable does not run
 * through all of them. */
typedef struct places {
    unsigned dimensions;
    uint64_t size[BOUGH_LIST_MAX];
    double step[BOUGH_LIST_MAX][2], bow[BOUGH_LIST_MAX][2];
} places;

/* Each bit is a step: the first three form a cube, the next three shift it. No step is a multiple of another,
 * so that lines do not overlap. */
static void place_cube(const drawing *d, places *p) {
    static const double step[][2] = {{84, 0}, {0, -84}, {36, -30}, {219, 22}, {-30, -251}, {408, -162}};
    for (; UINT64_C(1) << p->dimensions < d->boxes; p->dimensions++) {
        p->size[p->dimensions] = 2;
        for (int k = 0; k < 2; k++) p->step[p->dimensions][k] = step[p->dimensions][k];
    }
}

/* Two dimensions are a grid, the third is its depth, the fourth puts such grids side by side. */
static void place_grid(const mesh_shape *m, places *p) {
    const double depth = m->dimensions > 2 ? (double)m->size[2] : 1, pitch = 28 * fmax(2, depth);
    const double width = pitch * (double)m->size[0] + 30 * depth;
    const double step[GRID_DIMENSIONS][2] = {{pitch, 0}, {0, -pitch}, {22, -17}, {width, 0}};
    p->dimensions = m->dimensions;
    for (unsigned i = 0; i < m->dimensions; i++) {
        p->size[i] = m->size[i];
        for (int k = 0; k < 2; k++) {
            p->step[i][k] = step[i][k];
            p->bow[i][k] = m->ring[i] && (i == 0) == (k == 1) ? 0.45 * pitch : 0;
        }
    }
}

bool drawing_is_grid(const bough_net *base) {
    mesh_shape m;
    places p = {0};
    double extent[2] = {0, 0};
    if (!mesh_shape_of(base, &m) || m.dimensions > GRID_DIMENSIONS || base->nodes > GRID_NODES) return false;
    place_grid(&m, &p);
    for (unsigned i = 0; i < p.dimensions; i++)
        for (int k = 0; k < 2; k++) extent[k] += (double)(p.size[i] - 1) * fabs(p.step[i][k]) + p.bow[i][k];
    return extent[0] <= WIDEST && extent[1] <= WIDEST;
}

uint64_t drawing_grid_row(const bough_net *base, uint64_t node) {
    mesh_shape m;
    return mesh_shape_of(base, &m) ? node / m.size[0] : 0;
}

static void place(const places *p, uint64_t number, drawing_box *box) {
    box->x = box->y = 0;
    for (unsigned i = 0; i < p->dimensions; i++) {
        const double c = (double)(number % p->size[i]), last = (double)p->size[i] - 1;
        const double bow = last > 1 ? 4 * c * (last - c) / (last * last) : 0;
        box->x += c * p->step[i][0] + bow * p->bow[i][0];
        box->y += c * p->step[i][1] + bow * p->bow[i][1];
        number /= p->size[i];
    }
    box->slot = 44;
}

static void shift(drawing *d) {
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (size_t i = 0; i < d->boxes; i++) {
        low[0] = fmin(low[0], d->box[i].x), high[0] = fmax(high[0], d->box[i].x);
        low[1] = fmin(low[1], d->box[i].y), high[1] = fmax(high[1], d->box[i].y);
    }
    d->left = d->top = 2 * MARGIN;
    d->right = d->left + high[0] - low[0];
    d->bottom = d->top + high[1] - low[1];
    for (size_t i = 0; i < d->boxes; i++) {
        d->box[i].x += d->left - low[0];
        d->box[i].y += d->top - low[1];
    }
}

bough_status drawing_arrange_places(drawing *d, bough_error *error) {
    const bough_net *base = drawing_base(d->net);
    const uint64_t subcube = hypercube_dimensions(base) ? base->nodes / d->boxes : 1;
    mesh_shape m;
    places p = {0};
    if (mesh_shape_of(base, &m))
        place_grid(&m, &p);
    else
        place_cube(d, &p);
    for (size_t i = 0; i < d->boxes; i++) place(&p, d->box[i].node / subcube, &d->box[i]);
    shift(d);
    d->width = fmax(d->right + 2 * MARGIN, NARROWEST);
    d->height = d->bottom + 2 * MARGIN;
    d->thin = 1;
    for (size_t i = 0; i < d->lines; i++)
        for (int k = 0; k < 2; k++) {
            const drawing_box *box = &d->box[k ? d->line[i].to : d->line[i].from];
            d->line[i].x[k] = box->x;
            d->line[i].y[k] = box->y;
        }
    return drawing_label(d, error);
}

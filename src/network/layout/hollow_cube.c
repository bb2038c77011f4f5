/* Cubes are placed top inward, so each is drawn in its own frame: the origin in the middle of its top, +y out
 * of it. Frames turn by 90 degrees only, so boxes stay parallel to the axes. */
#include "network/layout/packaging.h"

#include "base/memory/memory.h"

#include <math.h>
#include <string.h>

/* The square root of n if it is a whole number, else 0. */
static uint64_t whole_root(uint64_t n) {
    uint64_t root = (uint64_t)(sqrt((double)n) + 0.5);
    return root * root == n ? root : 0;
}

/* Nodes along an edge of a side: the sides are four squares. 0: they are none. */
static uint64_t edge_nodes(const bough_packaging *p) {
    uint64_t nodes = bough_packaging_nodes(p);
    return nodes % 4 ? 0 : whole_root(nodes / 4);
}

static bough_status check(const bough_packaging *p, bough_error *error) {
    if (p->stages == 0 || p->stages > BOUGH_STAGES_MAX)
        return bough_fail(error, BOUGH_INVALID, NULL, "%u stages of stacks; the range is 1 to %d", p->stages,
                          BOUGH_STAGES_MAX);
    if (p->stages > 1 && !edge_nodes(p))
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "the %llu nodes below do not fill four square sides; a hollow cube requires 4, 16, "
                          "36, 64, ...",
                          (unsigned long long)bough_packaging_nodes(p));
    for (unsigned s = 0; s < p->stages; s++) {
        const bough_stack_stage *stage = &p->stage[s];
        if (stage->stacks == 0 || stage->stacks > UINT32_MAX || !whole_root(stage->stacks))
            return bough_fail(error, BOUGH_INVALID, NULL,
                              "%llu stacks %s do not fill a square; a hollow cube requires 1, 4, 16, 64, ...",
                              (unsigned long long)stage->stacks, stage->name);
        if (!(stage->side > 0 && stage->thickness > 0))
            return bough_fail(error, BOUGH_INVALID, NULL, "stacks %s have no size", stage->name);
    }
    return BOUGH_OK;
}

uint64_t bough_packaging_stacks(const bough_packaging *p, unsigned stage) {
    uint64_t nodes = 1;
    for (unsigned s = stage + 1; s < p->stages; s++) nodes = bough_mul(nodes, bough_packaging_nodes(p));
    return bough_mul(nodes, p->stage[stage].stacks);
}

bough_status bough_hollow_cube(const bough_packaging *p, bough_cube *cube, bough_error *error) {
    bough_status status = check(p, error);
    const uint64_t nodes = bough_packaging_nodes(p);
    const double edge = (double)edge_nodes(p);
    for (unsigned s = 0; s < p->stages && !status; s++) {
        const bough_stack_stage *stage = &p->stage[s];
        const bough_cube *below = s ? &cube[s - 1] : NULL;
        bough_cube *c = &cube[s];
        double plane = (double)whole_root(stage->stacks) * stage->side;
        *c = (bough_cube){.side = plane, .built_side = plane, .width = plane, .height = stage->thickness};
        if (!s && stage->stacks > 1) c->wire = c->built_wire = sqrt(2) * plane;
        if (s) {
            c->side = fmax(plane, edge * below->side);
            c->built_side = fmax(plane, edge * below->width);
            c->wire = sqrt(3) * c->side;
            c->built_wire = sqrt(3) * c->built_side;
            c->width = c->built_side + 2 * below->height;
            c->height += c->built_side;
        }
        c->volume = c->width * c->width * c->height;
        c->stacks = bough_add(stage->stacks, s ? bough_mul(nodes, below->stacks) : 0);
        c->stack_volume = (double)stage->stacks * stage->side * stage->side * stage->thickness +
                          (s ? (double)nodes * below->stack_volume : 0);
        if (c->stacks == UINT64_MAX) status = bough_fail(error, BOUGH_TOO_LARGE, NULL, "too many stacks");
    }
    return status;
}

/* ---- boxes ---- */

/* Origin and axis directions of a frame. */
typedef struct frame {
    double origin[3], axis[3][3];
} frame;

typedef struct drawing {
    const bough_packaging *packaging;
    bough_cube cube[BOUGH_STAGES_MAX];
    void (*visit)(void *context, const bough_box *box);
    void *context;
} drawing;

static void place(const frame *f, const double local[3], double out[3]) {
    for (int i = 0; i < 3; i++) {
        out[i] = f->origin[i];
        for (int k = 0; k < 3; k++) out[i] += local[k] * f->axis[k][i];
    }
}

/* Draws stack i of a node. */
static void draw_stack(const drawing *d, const frame *f, unsigned s, uint64_t node, uint64_t i) {
    const bough_stack_stage *stage = &d->packaging->stage[s];
    const uint64_t root = whole_root(stage->stacks), column = i % root, row = i / root;
    double x = ((double)column - (double)(root - 1) / 2) * stage->side;
    double z = ((double)row - (double)(root - 1) / 2) * stage->side;
    const double centre[3] = {x, -stage->thickness / 2, z};
    const double size[3] = {stage->side, stage->thickness, stage->side};
    bough_box box = {.stage = s, .number = node * stage->stacks + i};
    place(f, centre, box.centre);
    memcpy(box.up, f->axis[1], sizeof box.up);
    for (int k = 0; k < 3; k++)
        for (int j = 0; j < 3; j++) box.size[j] += size[k] * fabs(f->axis[k][j]);
    d->visit(d->context, &box);
}

/* The frame of a child, one of a square on a side: its +y points inward. */
static frame child_frame(const drawing *d, const frame *f, unsigned s, uint64_t k) {
    const uint64_t edge = edge_nodes(d->packaging), side = k / (edge * edge);
    const double row = (double)(k / edge % edge), column = (double)(k % edge), across = (double)edge;
    static const double inward[4][3] = {{-1, 0, 0}, {1, 0, 0}, {0, 0, -1}, {0, 0, 1}};
    static const double along[4][3] = {{0, 0, 1}, {0, 0, 1}, {1, 0, 0}, {1, 0, 0}};
    static const double down[3] = {0, -1, 0};
    double half = d->cube[s].built_side / 2, pitch = d->cube[s].built_side / across, local[3];
    frame child;
    for (int i = 0; i < 3; i++)
        local[i] = -half * inward[side][i] + (column - (across - 1) / 2) * pitch * along[side][i] +
                   (row + 0.5) * pitch * down[i];
    local[1] -= d->packaging->stage[s].thickness;
    place(f, local, child.origin);
    const double *axes[3] = {along[side], inward[side], down};
    for (int a = 0; a < 3; a++)
        for (int i = 0; i < 3; i++) {
            child.axis[a][i] = 0;
            for (int j = 0; j < 3; j++) child.axis[a][i] += axes[a][j] * f->axis[j][i];
        }
    return child;
}

static void draw_node(const drawing *d, const frame *f, unsigned s, uint64_t node) {
    const bough_stack_stage *stage = &d->packaging->stage[s];
    for (uint64_t i = 0; i < stage->stacks; i++) draw_stack(d, f, s, node, i);
    const uint64_t nodes = bough_packaging_nodes(d->packaging);
    for (uint64_t k = 0; s && k < nodes; k++) {
        frame child = child_frame(d, f, s, k);
        draw_node(d, &child, s - 1, node * nodes + k);
    }
}

bough_status bough_hollow_cube_boxes(const bough_packaging *p,
                                     void (*visit)(void *context, const bough_box *box), void *context,
                                     bough_error *error) {
    drawing d = {.packaging = p, .visit = visit, .context = context};
    const frame world = {.axis = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    bough_status status = bough_hollow_cube(p, d.cube, error);
    if (status) return status;
    uint64_t stacks = d.cube[p->stages - 1].stacks;
    if (stacks > BOUGH_CUBE_BOXES)
        return bough_fail(error, BOUGH_TOO_LARGE, NULL, "%llu stacks; a drawing has at most %llu",
                          (unsigned long long)stacks, (unsigned long long)BOUGH_CUBE_BOXES);
    draw_node(&d, &world, p->stages - 1, 0);
    return BOUGH_OK;
}

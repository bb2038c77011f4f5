/* What a network is as a thing: sides, wires, volume. */
#include "model/models.h"

enum { P_KIND };

static const bough_param params[] = {
    [P_KIND] = {"kind", "hollowcube: stacks on the sides of hollow cubes", BOUGH_CHOICE, "hollowcube",
                .choices = "hollowcube", .echo = true},
    BOUGH_PARAMS_END,
};

/* Document 004, section 4. */
static bough_status add_hollow_cube(const bough_packaging *p, bough_rows *rows, bough_error *error) {
    bough_cube cube[BOUGH_STAGES_MAX];
    bough_status status = bough_hollow_cube(p, cube, error);
    uint64_t nodes = 1;
    for (unsigned s = p->stages; s-- > 0 && !status; nodes *= BOUGH_CUBE_NODES) {
        const bough_cube *c = &cube[s];
        const struct {
            bool said;
            bough_metric_id metric;
            double value;
        } row[] = {
            {true, BOUGH_METRIC_STACKS, (double)nodes * (double)p->stage[s].stacks},
            {true, BOUGH_METRIC_CUBE_SIDE, c->side},
            {s > 0, BOUGH_METRIC_CUBE_WIRE, c->wire},
            {s > 0, BOUGH_METRIC_CUBE_GROWTH, s ? c->side / cube[s - 1].side : 0},
            {true, BOUGH_METRIC_CUBE_BUILT_SIDE, c->built_side},
            {s > 0, BOUGH_METRIC_CUBE_BUILT_WIRE, c->built_wire},
            {true, BOUGH_METRIC_CUBE_VOLUME, c->volume},
            {true, BOUGH_METRIC_STACK_VOLUME, c->stack_volume},
        };
        for (unsigned r = 0; r < sizeof row / sizeof *row && !status; r++)
            if (row[r].said) status = bough_rows_add(rows, row[r].metric, s, row[r].value, error);
    }
    return status;
}

static bough_status trial_layout(const bough_run *run, bough_key key, void **workspace, bough_rows *rows,
                                 bough_error *error) {
    (void)key;
    (void)workspace;
    return add_hollow_cube(run->point.net->packaging, rows, error);
}

const bough_method bough_method_layout = {
    .name = "layout",
    .summary = "what a network is as a thing: sides, longest wires, volume",
    .source = "document 004, section 4",
    .params = params,
    .headline = BOUGH_METRIC_CUBE_WIRE,
    .needs_net = BOUGH_GIVES_STACKS,
    .exact = true,
    .ignores_traffic = true,
    .trial = trial_layout,
};

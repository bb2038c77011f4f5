/* The physical layout of a network: sides, wires, volume of hollow cubes; sides, wires, area of a chip. */
#include "network/layout/layout.h"
#include "base/status/try.h"

#include "method/method_run.h"
#include "method/rows.h"
#include "models/geometry/area_time.h"
#include "models/model_list.h"
#include "network/families/sorting_shape.h"
#include "network/sorting_hardware/sorter.h"
#include "network/sorting_hardware/sorting_circuit.h"

#include <math.h>
#include <stdlib.h>

enum {
    P_KIND,
    P_PITCH,
    P_TERMINAL,
    P_SWITCH,
    P_BIT,
    P_BITS,
    P_DEGREE,
    P_SORTERS,
    P_CIRCUITS,
    P_LEMMA9,
    P_HOLDS
};
enum { DRAWN, FORMULA };
enum { AUTO, HOLLOW_CUBE, HTREE, SORTER, PLANE, SOLID, CUBES };

static const bough_param params[] = {
    [P_KIND] =
        {"kind",
         "hollowcube: stacks on the sides of hollow cubes; htree: a chip with the H-tree layout; "
         "sorter: the flexible sorter at the root of a sorting fat-tree; plane: stacks side by side; "
         "solid: stacks packed in a block; cubes: a block of cubes, each of the volume of a stack; auto: "
         "hollowcube for networks of stacks, else htree",
         BOUGH_CHOICE, "auto", .choices = "auto|hollowcube|htree|sorter|plane|solid|cubes", .echo = true},
    [P_PITCH] = {"pitch", "htree: wire pitch, centre to centre; a multiple of 4nm", BOUGH_LENGTH, "100nm", 4,
                 1e6},
    [P_TERMINAL] = {"terminal", "htree: side of an endpoint; default: lg n pitches", BOUGH_LENGTH, "", 4,
                    1e8},
    [P_SWITCH] = {"switch",
                  "htree: side of a switch, height of a line of a sorter; default: 4 pitches, or the space "
                  "its wires need",
                  BOUGH_LENGTH, "", 4, 1e8},
    [P_BIT] = {"bit", "htree, sorting: length of a bit of a register; default: one pitch", BOUGH_LENGTH, "",
               4, 1e8},
    [P_BITS] = {"bits",
                "htree, sorting: word length in bits; default: as in sortroute for bodies of lg n bits",
                BOUGH_INT, "", 1, 4096},
    [P_DEGREE] = {"degree", "htree, sorting, circuits=1: maximum messages that a terminal sends", BOUGH_INT,
                  "1", 1, 1024},
    [P_SORTERS] =
        {"sorters",
         "htree, sorting: drawn: as in Figure 4 of bay1991, with the control registers of all K phases; "
         "formula: Theorem 2 with constant 1, which has none",
         BOUGH_CHOICE, "drawn", .choices = "drawn|formula"},
    [P_CIRCUITS] =
        {"circuits",
         "htree, pruned: the circuits of section 3.2 of bay1991 too, for bodies of lg n bits and n messages "
         "times degree",
         BOUGH_FLAG, "0"},
    [P_LEMMA9] =
        {"lemma9",
         "htree, sorting; sorter: the circuit for s words: constant 1, s ceil(b / lg s) switches a line and "
         "b + lg s bit steps; trees: Columnsort on meshes of trees, which sortroute:engine=bits runs",
         BOUGH_CHOICE, "constant", .choices = "constant|trees"},
    [P_HOLDS] = {"holds", "sorter: capacity in words; default: that at the root", BOUGH_INT, "", 2, 0x1p40},
    BOUGH_PARAMS_END,
};

/* dehon1991, section 4. */
static bough_status add_hollow_cube(const bough_packaging *p, bough_rows *rows, bough_error *error) {
    bough_cube cube[BOUGH_STAGES_MAX];
    bough_status status = bough_hollow_cube(p, cube, error);
    uint64_t nodes = 1;
    for (unsigned s = p->stages; s-- > 0 && !status; nodes *= bough_packaging_nodes(p)) {
        const bough_cube *c = &cube[s];
        const struct {
            bool said;
            bough_metric_id metric;
            double value;
        } row[] = {
            {true, BOUGH_METRIC_STACKS, (double)nodes * (double)p->stage[s].stacks},
            {true, BOUGH_METRIC_CUBE_SIDE, c->side},
            {c->wire > 0, BOUGH_METRIC_CUBE_WIRE, c->wire},
            {s > 0, BOUGH_METRIC_CUBE_GROWTH, s ? c->side / cube[s - 1].side : 0},
            {true, BOUGH_METRIC_CUBE_BUILT_SIDE, c->built_side},
            {c->wire > 0, BOUGH_METRIC_CUBE_BUILT_WIRE, c->built_wire},
            {true, BOUGH_METRIC_CUBE_VOLUME, c->volume},
            {true, BOUGH_METRIC_STACK_VOLUME, c->stack_volume},
        };
        for (unsigned r = 0; r < sizeof row / sizeof *row && !status; r++)
            if (row[r].said) status = bough_rows_add(rows, row[r].metric, s, row[r].value, error);
    }
    return status;
}

/* Other arrangements of the same stacks. */
static bough_status add_blocks(const bough_packaging *p, int64_t kind, bough_rows *rows, bough_error *error) {
    static const bough_arrangement arrangement[] = {
        [PLANE] = BOUGH_ARRANGE_PLANE, [SOLID] = BOUGH_ARRANGE_SOLID, [CUBES] = BOUGH_ARRANGE_CUBES};
    bough_stack_block block[BOUGH_STAGES_MAX];
    bough_status status = bough_stack_blocks(p, arrangement[kind], block, error);
    double below = 0;
    for (unsigned s = 0; s < p->stages && !status; s++) {
        const bough_stack_block *b = &block[s];
        double side = fmax(b->size[0], fmax(b->size[1], b->size[2]));
        status = bough_rows_add(rows, BOUGH_METRIC_STACKS, s, (double)bough_packaging_stacks(p, s), error);
        TRY(bough_rows_add(rows, BOUGH_METRIC_BLOCK_SIDE, s, side, error));
        if (b->wire > 0) TRY(bough_rows_add(rows, BOUGH_METRIC_BLOCK_WIRE, s, b->wire, error));
        if (s > 1) TRY(bough_rows_add(rows, BOUGH_METRIC_BLOCK_GROWTH, s, b->wire / below, error));
        TRY(bough_rows_add(rows, BOUGH_METRIC_BLOCK_FILL, s, b->fill, error));
        below = b->wire;
    }
    return status;
}

/* ---- chips ---- */

static double mm(uint64_t nm) {
    return (double)nm * 1e-6;
}

static bough_status add_chip(const bough_net *net, const bough_layout_size *size, bough_rows *rows,
                             bough_error *error) {
    const bough_layout_step *top = &size->step[size->steps];
    double width = mm(top->width_nm), height = mm(top->height_nm), pitch = mm(size->rules.pitch_nm);
    double n = (double)net->endpoints, grid = width / pitch * (height / pitch);
    const optional_row lines[] = {
        {true, BOUGH_METRIC_AREA, width * height},
        {true, BOUGH_METRIC_LAYOUT_WIDTH, width},
        {true, BOUGH_METRIC_LAYOUT_HEIGHT, height},
        {true, BOUGH_METRIC_WIRE_MAX, mm(size->wire_max_nm)},
        {true, BOUGH_METRIC_AREA_GRID, grid},
        {true, BOUGH_METRIC_AREA_RATIO, grid / (n * log2(n) * log2(n))},
    };
    return rows_add_present(rows, lines, sizeof lines / sizeof *lines, error);
}

/* The last step of a level joins its subtrees; several steps may end wires of the level below. */
static bough_status add_levels(const bough_net *net, const bough_layout_size *size, bough_rows *rows,
                               bough_error *error) {
    bough_status status = BOUGH_OK;
    for (unsigned level = 0; level <= net->levels && !status; level++) {
        const bough_layout_step *subtree = NULL;
        uint64_t wire = 0;
        for (unsigned i = 0; i <= size->steps; i++) {
            const bough_layout_step *s = &size->step[i];
            bool here = i == 0 ? level == 0 : s->joins && s->level == level;
            if (here) subtree = s;
            if (i && s->joins && s->level == level + 1 && s->wire_max_nm > wire) wire = s->wire_max_nm;
        }
        if (!subtree) continue;
        double width = mm(subtree->width_nm), height = mm(subtree->height_nm);
        bool top = level == net->levels;
        if (!top)
            status = bough_rows_add(rows, BOUGH_METRIC_CHANNEL_WIDTH, level,
                                    (double)subtree->wires * size->rules.pitch_nm * 1e-3, error);
        if (!status && !top) status = bough_rows_add(rows, BOUGH_METRIC_WIRE_LEVEL, level, mm(wire), error);
        TRY(bough_rows_add(rows, BOUGH_METRIC_SUBTREE_AREA, level, width * height, error));
        TRY(bough_rows_add(rows, BOUGH_METRIC_SUBTREE_SIDE, level, fmax(width, height), error));
    }
    return status;
}

static uint32_t given(const bough_run *run, unsigned param) {
    const bough_value *v = &run->args.value[param];
    return v->set ? (uint32_t)v->integer : 0;
}

static unsigned lg_up(uint64_t n) {
    return n > 1 ? 64 - (unsigned)__builtin_clzll(n - 1) : 0;
}

/* Section 3.2 for a message set of this degree, bodies of lg n bits, and queues as long as Lemma 7 lets them
 * be. */
static void add_circuits(const bough_run *run, bough_layout_rules *rules) {
    uint64_t n = run->point.net->endpoints, degree = (uint64_t)run->args.value[P_DEGREE].integer;
    unsigned lg = lg_up(n);
    rules->record_bits = 2 * lg + lg_up(lg);
    rules->counter_bits = lg_up(n * degree + 1);
    rules->queue = (uint32_t)((degree + 1) * lg + degree);
}

static bough_status measure(const bough_run *run, bough_layout_size *size, bough_error *error) {
    bough_layout_rules rules = {
        .pitch_nm = given(run, P_PITCH),
        .terminal_nm = given(run, P_TERMINAL),
        .switch_nm = given(run, P_SWITCH),
        .bit_nm = given(run, P_BIT),
        .bits = given(run, P_BITS),
        .degree = given(run, P_DEGREE),
        .formula = run->args.value[P_SORTERS].integer == FORMULA,
        .circuit = run->args.value[P_LEMMA9].integer,
    };
    if (run->args.value[P_CIRCUITS].integer) add_circuits(run, &rules);
    return bough_layout_measure(run->point.net, &rules, size, error);
}

/* Measured once, as it depends on the network only. */
static bough_status open_chip(bough_run *run, bough_error *error) {
    bough_layout_size *size = malloc(sizeof *size);
    if (!size) return bough_fail_memory(error, sizeof *size);
    run->data = size;
    run->bytes = sizeof *size;
    return measure(run, size, error);
}

/* ---- flexible sorters ---- */

typedef struct sorter_run {
    bough_sorter sorter;
    bough_sorter_length length;
    double line; /* its height in bits of a register */
    bough_layout_rules rules;
} sorter_run;

static bough_status open_sorter(bough_run *run, bough_error *error) {
    const sorting_shape *shape = sorting_shape_of(run->point.net);
    if (!shape)
        return bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                          "layout:kind=sorter needs the sorting fat-tree (sorting:n=...); %s is not one",
                          run->point.net->spec);
    bough_layout_size size;
    bough_status status = measure(run, &size, error);
    sorter_run *r = malloc(sizeof *r);
    if (!r && !status) status = bough_fail_memory(error, sizeof *r);
    if (status) {
        free(r);
        return status;
    }
    run->data = r;
    run->bytes = sizeof *r;
    r->rules = size.rules;
    r->sorter = bough_sorter_at(shape->n, size.rules.degree, size.rules.bits);
    if (run->args.value[P_HOLDS].set) r->sorter.capacity = (uint64_t)run->args.value[P_HOLDS].integer;
    r->line = (double)size.rules.switch_nm / size.rules.pitch_nm;
    return bough_sorter_lay_out(&r->sorter, &r->length, error);
}

/* The sorting circuit consists of switches, as long as they are high; a bit of a register has its own
 * length. */
static double along(const sorter_run *r, uint64_t switches, uint64_t bits) {
    return (double)switches * r->line + (double)bits * r->rules.bit_nm / r->rules.pitch_nm;
}

/* The circuit for s words as lemma9=trees has it. */
static sorting_circuit_size circuit_of(const sorter_run *r) {
    uint64_t pitch = r->rules.pitch_nm;
    return sorting_circuit_measure(r->sorter.lines, r->sorter.bits, r->rules.switch_nm / pitch,
                                   (r->rules.bit_nm + pitch - 1) / pitch);
}

static uint64_t steps_of(const sorter_run *r, const bough_sorter_time *time) {
    uint64_t one = sorting_circuit_steps(r->sorter.lines, r->sorter.bits);
    return r->rules.circuit ? time->bit_steps - time->sort + time->passes * one : time->bit_steps;
}

static bough_status add_sorter(const sorter_run *r, bough_rows *rows, bough_error *error) {
    const bough_sorter_length *l = &r->length;
    double high = (double)r->sorter.lines * r->line, lines = high, whole = 0;
    sorting_circuit_size trees = circuit_of(r);
    if (r->rules.circuit) high = (double)trees.height;
    const double part[] = {r->rules.circuit ? (double)trees.length : along(r, l->circuit, 0),
                           along(r, 0, l->words), along(r, 0, l->cells), along(r, 0, l->omega),
                           (double)l->wires};
    bough_status status = BOUGH_OK;
    for (unsigned i = 0; i < sizeof part / sizeof *part && !status; i++) {
        status = bough_rows_add(rows, BOUGH_METRIC_SORTER_LENGTH, i + 1, part[i], error);
        whole += part[i];
    }
    double formula = lines * along(r, l->circuit, l->formula - l->circuit);
    TRY(bough_rows_add(rows, BOUGH_METRIC_SORTER_AREA, BOUGH_NO_ROW_INDEX, high * whole, error));
    TRY(bough_rows_add(rows, BOUGH_METRIC_SORTER_AREA_FORMULA, BOUGH_NO_ROW_INDEX, formula, error));
    for (uint64_t words = r->sorter.lines, lg; words <= r->sorter.capacity && !status; words *= 2) {
        bough_sorter_time time;
        status = bough_sorter_measure(&r->sorter, words, &time, error);
        lg = (unsigned)__builtin_ctzll(words);
        double steps = (double)steps_of(r, &time), unit = (double)words * (double)lg;
        double ratio = steps / unit * (steps / unit);
        TRY(bough_rows_add(rows, BOUGH_METRIC_SORTER_BIT_STEPS, (int64_t)lg, steps, error));
        if (!r->rules.circuit)
            TRY(bough_rows_add(rows, BOUGH_METRIC_SORTER_AT2, (int64_t)lg, formula * ratio, error));
        TRY(bough_rows_add(rows, BOUGH_METRIC_SORTER_AT2_FIGURE, (int64_t)lg, high * whole * ratio, error));
    }
    return status;
}

/* ---- the method ---- */

static const char *const kind_name[] = {
    [HOLLOW_CUBE] = "hollowcube", [PLANE] = "plane", [SOLID] = "solid", [CUBES] = "cubes"};

static bough_status open_layout(bough_run *run, bough_error *error) {
    const bough_net *net = run->point.net;
    bool stacks = net->packaging;
    int64_t kind = run->args.value[P_KIND].integer;
    if (kind == AUTO) {
        kind = stacks ? HOLLOW_CUBE : HTREE;
        bough_status status = bough_args_set_text(&run->args, "kind", stacks ? "hollowcube" : "htree", error);
        if (status) return status;
    }
    if (kind != SORTER && run->args.value[P_HOLDS].given)
        return bough_fail(error, BOUGH_INVALID, NULL, "layout: holds applies to kind=sorter");
    if (kind == HTREE) return open_chip(run, error);
    if (kind == SORTER) return open_sorter(run, error);
    for (unsigned p = P_PITCH; p <= P_LEMMA9; p++)
        if (run->args.value[p].given)
            return bough_fail(error, BOUGH_INVALID, NULL,
                              "layout: %s applies to kind=htree; here the kind is %s", params[p].key,
                              kind_name[kind]);
    if (stacks) return BOUGH_OK;
    return bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                      "layout:kind=%s needs a network made of stacks (transit:...); %s is not one",
                      kind_name[kind], net->spec);
}

static bough_status trial_layout(const bough_run *run, bough_key key, void **workspace, bough_rows *rows,
                                 bough_error *error) {
    (void)key;
    (void)workspace;
    const bough_layout_size *size = run->data;
    if (run->args.value[P_KIND].integer == SORTER) return add_sorter(run->data, rows, error);
    if (run->args.value[P_KIND].integer >= PLANE)
        return add_blocks(run->point.net->packaging, run->args.value[P_KIND].integer, rows, error);
    if (!size) return add_hollow_cube(run->point.net->packaging, rows, error);
    bough_status status = add_chip(run->point.net, size, rows, error);
    note_sorters(size, rows);
    return status ? status : add_levels(run->point.net, size, rows, error);
}

const bough_method bough_method_layout = {
    .name = "layout",
    .summary = "physical layout of a network: sides, longest wires, volume or area",
    .source = "dehon1991, section 4; bay1991, sections 3.1 and 4.2",
    .params = params,
    .headline = BOUGH_METRIC_WIRE_MAX,
    .exact = true,
    .ignores_traffic = true,
    .assumes = BOUGH_ASSUMES_NO_FAULTS,
    .open = open_layout,
    .trial = trial_layout,
    .close = run_free_data,
};

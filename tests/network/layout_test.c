/* H-tree layouts: sizes by hand and in closed form, drawings that obey the rules of design, wires that
 * connect what the network's cables do. */
#include "network/families/mesh_of_trees_family.h"
#include "network/families/sorting_shape.h"
#include "network/families/xgft_tree.h"
#include "network/graphs/mesh_of_trees.h"
#include "network/layout/layout.h"
#include "support/fabrics.h"
#include "support/layout_names.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

static bough_layout_size measured(const bough_net *net, const bough_layout_rules *rules) {
    bough_layout_size size;
    bough_error error;
    if (bough_layout_measure(net, rules, &size, &error)) fail_msg("%s: %s", net->spec, error.reason);
    return size;
}

static bough_layout *drawn_layout(const bough_net *net, const bough_layout_rules *rules) {
    bough_layout *layout;
    bough_error error;
    if (bough_layout_draw(net, rules, &layout, &error)) fail_msg("%s: %s", net->spec, error.reason);
    return layout;
}

/* ---- bad input ---- */

static void refused(const char *spec, bough_layout_rules rules, bough_status status, const char *reason) {
    bough_net *net = net_make(spec);
    bough_layout_size size;
    bough_layout *layout;
    bough_error error = {0};
    bough_status got = bough_layout_measure(net, &rules, &size, &error);
    if (!got) got = bough_layout_draw(net, &rules, &layout, &error);
    if (got != status) fail_msg("%s: status %d: %s", spec, got, error.reason);
    if (!strstr(error.reason, reason)) fail_msg("%s: '%s' does not say '%s'", spec, error.reason, reason);
    assert_int_equal(bough_layout_draw(net, &rules, &layout, &error), status);
    assert_null(layout);
    bough_net_destroy(net);
}

static void what_cannot_be_laid_out_is_refused(void **state) {
    (void)state;
    refused("cube:n=16", (bough_layout_rules){0}, BOUGH_UNSUPPORTED, "not cube:n=16");
    refused("kary:k=3,levels=2", (bough_layout_rules){0}, BOUGH_UNSUPPORTED, "level 1 of");
    refused("kary:k=1,levels=1", (bough_layout_rules){0}, BOUGH_UNSUPPORTED, "has 1 children");
    refused("pruned:n=16", (bough_layout_rules){.pitch_nm = 102}, BOUGH_INVALID, "multiple of 4 nm");
    refused("bft:n=256", (bough_layout_rules){.record_bits = 20, .counter_bits = 9, .queue = 17},
            BOUGH_UNSUPPORTED, "belong to the pruned butterfly");
    refused("sorting:n=256", (bough_layout_rules){.degree = 3}, BOUGH_INVALID,
            "capacity of a sorter must be a power of two");
    refused("fattree:n=2^40", (bough_layout_rules){0}, BOUGH_TOO_LARGE, "wires at one node");
    refused("pruned:n=4^15", (bough_layout_rules){.pitch_nm = 1000}, BOUGH_TOO_LARGE, "2.1 m");
}

/* ---- sizes ---- */

static void check_step(const bough_layout_size *s, unsigned step, uint64_t width, uint64_t height) {
    uint64_t pitch = s->rules.pitch_nm;
    assert_int_equal(s->step[step].width_nm, width * pitch);
    assert_int_equal(s->step[step].height_nm, height * pitch);
}

/* Two terminals of one track, a switch of four between fans of one column. */
static void two_terminals_by_hand(void **state) {
    (void)state;
    bough_net *net = net_make("fattree:n=2");
    bough_layout_size s = measured(net, NULL);
    check_step(&s, 0, 1, 1);
    check_step(&s, 1, 1 + 1 + 4 + 1 + 1, 4);
    assert_int_equal(s.wire_max_nm, 100);
    bough_net_destroy(net);
}

/* Terminals of two tracks with two wires each. Step 1: two switches, each with one wire up; the wires come in
 * side by side and go to rows 0 and 4. Step 2: two switches without wires up. */
static void four_leaves_by_hand(void **state) {
    (void)state;
    bough_net *net = net_make("pruned:n=4");
    bough_layout_size s = measured(net, NULL);
    assert_int_equal(s.steps, 2);
    check_step(&s, 0, 2, 2);
    check_step(&s, 1, 2 + (1 + 4 + 2 + 1) + 2, 8);
    check_step(&s, 2, 8 + (1 + 4 + 1) + 8, 12);
    assert_int_equal(s.step[1].wires, 2);
    assert_int_equal(s.step[2].wires, 0);
    /* the second wire enters at row 1 + 3 of the halves and goes straight to row 4; the first from row 3 to
     * 0, past the two wires up */
    assert_int_equal(s.step[1].wire_max_nm, 100 * (3 + 1 + 2));
    bough_net_destroy(net);
}

/* The recurrence solved: W(2j) = 2 W(2j - 2) + 3 2^j + 4 and W(2j - 1) = 2 W(2j - 3) + 2 2^j + 4 pitches,
 * from lg N at the leaves; at the root the wires up are missing. */
static void pruned_in_closed_form(void **state) {
    (void)state;
    for (unsigned k = 4; k <= 12; k++) {
        char spec[32];
        snprintf(spec, sizeof spec, "pruned:n=4^%u", k);
        bough_net *net = net_make(spec);
        bough_layout_size s = measured(net, NULL);
        uint64_t side = UINT64_C(1) << k, lg = 2 * k;
        check_step(&s, s.steps, side * (lg + 3 * k + 2) - 4, side * (lg + 2 * k + 4) - 4);
        for (unsigned j = 1; j < k; j++) {
            assert_int_equal(s.step[2 * j].width_nm, 100 * ((UINT64_C(1) << j) * (lg + 3 * j + 4) - 4));
            if (j > 1)
                assert_int_equal(s.step[2 * j - 1].width_nm,
                                 100 * ((UINT64_C(1) << j) * (lg + 2 * j + 4) - 4));
        }
        bough_net_destroy(net);
    }
}

/* Stacks of switches are what is high: 2 n x (2 n + n / 2 + 4) pitches. */
static void fattree_in_closed_form(void **state) {
    (void)state;
    for (unsigned lg = 13; lg <= 20; lg++) {
        char spec[32];
        snprintf(spec, sizeof spec, "fattree:n=2^%u", lg);
        bough_net *net = net_make(spec);
        bough_layout_size s = measured(net, NULL);
        uint64_t n = UINT64_C(1) << lg;
        check_step(&s, s.steps, 2 * n + n / 2 + 4, 2 * n);
        bough_net_destroy(net);
    }
}

/* bay1991, section 4.2: V(n) = max(length, strip + 2 S(n/4)) and H(n) = strip + 2 max(S(n/4), length),
 * with the sorters' lengths and the strips as they are drawn. */
static void sorting_obeys_the_document(void **state) {
    (void)state;
    static const char *const specs[] = {"sorting:n=256", "sorting:n=65536", "sorting:n=2^20"};
    for (size_t i = 0; i < COUNT(specs); i++) {
        bough_net *net = net_make(specs[i]);
        bough_layout_size s = measured(net, NULL);
        for (unsigned k = 2; k <= s.steps; k += 2) {
            const bough_layout_step *quarter = &s.step[k - 2], *half = &s.step[k - 1], *all = &s.step[k];
            uint64_t v = half->strip_nm + 2 * quarter->height_nm, h = all->strip_nm;
            uint64_t inner = quarter->width_nm;
            if (half->box_height_nm > inner) inner = half->box_height_nm;
            h += 2 * inner;
            if (all->box_height_nm > v) v = all->box_height_nm;
            assert_int_equal(all->height_nm, v);
            assert_int_equal(all->width_nm, h);
        }
        bough_net_destroy(net);
    }
}

/* The boxes of sorters are as long as bough_sorter_lay_out says, for the K of the measured time; by Theorem
 * 2's formula the same network is smaller. */
static void sorters_have_room(void **state) {
    (void)state;
    bough_net *net = net_make("sorting:n=65536");
    bough_layout_size whole = measured(net, NULL),
                      formula = measured(net, &(bough_layout_rules){.formula = true});
    bough_sorter_length length;
    bough_error error = {0};
    const bough_layout_step *root = &whole.step[whole.steps];
    uint64_t pitch = whole.rules.pitch_nm,
             wide = formula.step[formula.steps].width_nm / formula.rules.pitch_nm;
    assert_int_equal(whole.sorter.lines, 512);
    assert_int_equal(whole.sorter.capacity, 65536);
    assert_int_equal(bough_sorter_lay_out(&whole.sorter, &length, &error), BOUGH_OK);
    uint64_t bits = length.words + length.cells + length.omega;
    assert_int_equal(root->box_height_nm / pitch, length.circuit * 4 + bits + length.wires);
    assert_true(root->height_nm >= root->box_height_nm);
    if (formula.step[formula.steps].height_nm / formula.rules.pitch_nm > wide)
        wide = formula.step[formula.steps].height_nm / formula.rules.pitch_nm;
    assert_int_equal(wide, 47902);
    bough_net_destroy(net);
}

/* Theorem 1 with the circuits of section 3.2: area / (N lg^2 N) falls from 181 at N = 16, up to 2^24. */
static void area_of_theorem_1(void **state) {
    (void)state;
    double last = 181;
    for (unsigned lg = 4; lg <= 24; lg += 2) {
        char spec[32];
        snprintf(spec, sizeof spec, "pruned:n=2^%u", lg);
        bough_net *net = net_make(spec);
        unsigned lg_lg = lg > 16 ? 5 : lg > 8 ? 4 : lg > 4 ? 3 : 2;
        const bough_layout_rules rules = {
            .record_bits = 2 * lg + lg_lg, .counter_bits = lg + 1, .queue = 2 * lg + 1};
        bough_layout_size all = measured(net, &rules), bare = measured(net, NULL);
        const bough_layout_step *top = &all.step[all.steps], *without = &bare.step[bare.steps];
        double pitch = all.rules.pitch_nm, n = (double)net->endpoints;
        double ratio = (double)top->width_nm / pitch * ((double)top->height_nm / pitch) / (n * lg * lg);
        if (ratio > last) fail_msg("%s: %g, the smaller one has %g", spec, ratio, last);
        assert_true(top->width_nm > without->width_nm && top->height_nm > without->height_nm);
        last = ratio;
        bough_net_destroy(net);
    }
}

/* The recurrence of section 4.2 by its word, in units of xi sqrt(n): from lg N at a mesh of lg^2 N terminals
 * it comes to 5/2 lg N - lg lg N at the root, and the induction hypothesis, lg(N n), does not hold: two
 * sorters of length xi sqrt(n) lg N lie side by side. */
static void the_documents_recurrence_solved(void **state) {
    (void)state;
    for (unsigned lg_lg = 3; lg_lg <= 6; lg_lg++) {
        double lg = (double)(1U << lg_lg), side = lg;
        for (double lg_n = 2.0 * lg_lg + 2; lg_n <= lg; lg_n += 2) {
            double v = 1 + side > lg ? 1 + side : lg, h = 1 + (side > 2 * lg ? side : 2 * lg);
            side = v > h ? v : h;
            assert_true(side > lg + lg_n);
        }
        assert_true(side == 2.5 * lg - lg_lg);
    }
}

/* Twice the pitch, twice all lengths; a switch of other size only moves what it should. */
static void rules_scale(void **state) {
    (void)state;
    static const char *const specs[] = {"bft:n=64", "pruned:n=64", "sorting:n=256", "meshoftrees:n=64"};
    for (size_t i = 0; i < COUNT(specs); i++) {
        bough_net *net = net_make(specs[i]);
        bough_layout_size one = measured(net, NULL);
        bough_layout_size two = measured(net, &(bough_layout_rules){.pitch_nm = 200});
        bough_layout_size larger = measured(net, &(bough_layout_rules){.switch_nm = 950});
        bough_layout_size again = measured(net, &one.rules);
        for (unsigned k = 0; k <= one.steps; k++) {
            assert_int_equal(two.step[k].width_nm, 2 * one.step[k].width_nm);
            assert_int_equal(two.step[k].wire_max_nm, 2 * one.step[k].wire_max_nm);
            assert_int_equal(again.step[k].width_nm, one.step[k].width_nm);
            assert_true(larger.step[k].width_nm >= one.step[k].width_nm);
        }
        assert_true(larger.step[one.steps].width_nm > one.step[one.steps].width_nm);
        assert_int_equal(larger.rules.switch_nm, 1000);
        bough_net_destroy(net);
    }
}

/* ---- drawings ---- */

static int by_ends(const void *a, const void *b) {
    return memcmp(a, b, 2 * sizeof(uint64_t));
}

typedef struct pairs {
    uint64_t (*end)[2];
    size_t count;
} pairs;

static void add_pair(pairs *p, uint64_t a, uint64_t b) {
    p->end[p->count][0] = a < b ? a : b;
    p->end[p->count++][1] = a < b ? b : a;
}

static pairs cables_of(const bough_net *net) {
    pairs p = {calloc(net->links + 1, sizeof *p.end), 0};
    for (uint64_t l = 0; l < net->links; l++)
        if (net->ops->link_twin(net, l) > l)
            add_pair(&p, bough_link_start(net, l), net->ops->link_end(net, l).node);
    qsort(p.end, p.count, sizeof *p.end, by_ends);
    return p;
}

/* What metal connects is what cables connect. */
static void same_cables(const naming *n, const drawing *d, const size_t *partner) {
    pairs want = cables_of(n->net), got = {calloc(d->count + 1, sizeof *got.end), 0};
    for (size_t i = 0; i < d->count; i++)
        if (d->item[i].shape.layer == DRAWN_PORT && partner[i] != SIZE_MAX && partner[i] > i)
            add_pair(&got, naming_node(n, &d->item[i]), naming_node(n, &d->item[partner[i]]));
    qsort(got.end, got.count, sizeof *got.end, by_ends);
    if (got.count != want.count)
        fail_msg("%s: %zu wires for %zu cables", n->net->spec, got.count, want.count);
    for (size_t i = 0; i < got.count; i++)
        if (by_ends(&got.end[i], &want.end[i]))
            fail_msg("%s: a wire between %" PRIu64 " and %" PRIu64 ", a cable between %" PRIu64
                     " and %" PRIu64,
                     n->net->spec, got.end[i][0], got.end[i][1], want.end[i][0], want.end[i][1]);
    free(want.end);
    free(got.end);
}

/* Along centre lines: a wire goes a quarter of a pitch beyond the centre of a via, on both metals. */
static uint64_t longest_net(const drawing *d, const size_t *net, uint32_t pitch) {
    int64_t *length = calloc(d->count + 1, sizeof *length), longest = 0;
    for (size_t i = 0; i < d->count; i++) {
        const bough_layout_shape *s = &d->item[i].shape;
        int64_t x = s->x1 - s->x0, y = s->y1 - s->y0;
        if (s->layer == BOUGH_LAYER_HORIZONTAL || s->layer == BOUGH_LAYER_VERTICAL)
            length[net[i]] += x > y ? x : y;
        if (s->layer == BOUGH_LAYER_VIA) length[net[i]] -= pitch / 2;
    }
    for (size_t i = 0; i < d->count; i++)
        if (length[i] > longest) longest = length[i];
    free(length);
    return (uint64_t)longest;
}

static void box_is(const drawing *d, int32_t width, int32_t height) {
    int32_t x0 = INT32_MAX, y0 = INT32_MAX, x1 = 0, y1 = 0;
    for (size_t i = 0; i < d->count; i++) {
        const bough_layout_shape *s = &d->item[i].shape;
        if (s->layer == DRAWN_PORT) continue;
        if (s->x0 < x0) x0 = s->x0;
        if (s->y0 < y0) y0 = s->y0;
        if (s->x1 > x1) x1 = s->x1;
        if (s->y1 > y1) y1 = s->y1;
    }
    assert_true(x0 >= 0 && y0 >= 0 && x1 <= width && y1 <= height);
    assert_int_equal(x1 - x0, width); /* a half reaches both sides */
}

static void check_flat(const char *spec, const bough_layout_rules *rules) {
    bough_net *net = net_make(spec);
    bough_layout *layout = drawn_layout(net, rules);
    const bough_layout_cell *top = &layout->cell[layout->cells - 1];
    uint32_t pitch = layout->size.rules.pitch_nm;
    drawing d = drawing_flat(layout);
    connections c = drawing_check(&d, pitch, top->width, top->height, spec);
    naming n = naming_make(net, &layout->size);
    same_cables(&n, &d, c.partner);
    assert_int_equal(longest_net(&d, c.net, pitch), layout->size.wire_max_nm);
    assert_int_equal(top->width, layout->size.step[layout->size.steps].width_nm);
    assert_int_equal(top->height, layout->size.step[layout->size.steps].height_nm);
    box_is(&d, top->width, top->height);
    naming_free(&n);
    connections_free(&c);
    drawing_free(&d);
    bough_layout_destroy(layout);
    bough_net_destroy(net);
}

static void wires_are_the_networks_cables(void **state) {
    (void)state;
    static const char *const specs[] = {"fattree:n=2",
                                        "fattree:n=4",
                                        "fattree:n=8",
                                        "fattree:n=64",
                                        "fattree:n=128",
                                        "pruned:n=4",
                                        "pruned:n=16",
                                        "pruned:n=64",
                                        "pruned:n=256",
                                        "bft:n=4",
                                        "bft:n=16",
                                        "bft:n=64",
                                        "bft:n=256",
                                        "kary:k=2,levels=4",
                                        "kary:k=4,levels=3",
                                        "kary:k=8,levels=2",
                                        "xgft:down=4x2x2,up=2x1x3,links=1x3x2",
                                        "clos:radix=8,hosts=32",
                                        "meshoftrees:n=4",
                                        "meshoftrees:n=16",
                                        "meshoftrees:n=64",
                                        "meshoftrees:n=256",
                                        "sorting:n=128",
                                        "sorting:n=256",
                                        "sorting:n=1024"};
    for (size_t i = 0; i < COUNT(specs); i++) check_flat(specs[i], NULL);
}

static void other_rules_draw_as_well(void **state) {
    (void)state;
    check_flat("pruned:n=64", &(bough_layout_rules){.pitch_nm = 4, .switch_nm = 12, .terminal_nm = 8});
    check_flat("pruned:n=64", &(bough_layout_rules){.switch_nm = 1700, .terminal_nm = 3000});
    check_flat("bft:n=64", &(bough_layout_rules){.switch_nm = 3000, .terminal_nm = 100});
    check_flat("meshoftrees:n=64", &(bough_layout_rules){.switch_nm = 200, .terminal_nm = 5000});
    check_flat("sorting:n=256", &(bough_layout_rules){.bits = 3, .bit_nm = 300, .degree = 4});
}

/* Cell by cell at sizes whose flat drawings would be too large: every port of a half or box has one partner.
 */
static void check_cells(const char *spec) {
    bough_net *net = net_make(spec);
    bough_layout *layout = drawn_layout(net, NULL);
    for (uint32_t i = 0; i < layout->cells; i++) {
        const bough_layout_cell *c = &layout->cell[i];
        drawing d = drawing_of_cell(layout, i);
        connections found = drawing_check(&d, layout->size.rules.pitch_nm, c->width, c->height, c->name);
        size_t alone = 0;
        for (size_t k = 0; k < d.count; k++)
            alone += d.item[k].shape.layer == DRAWN_PORT && c->places > 1 && found.partner[k] == SIZE_MAX;
        if (alone) fail_msg("%s: %s: %zu ports without a wire", spec, c->name, alone);
        connections_free(&found);
        drawing_free(&d);
    }
    size_t shapes = 0;
    for (uint32_t i = 0; i < layout->cells; i++) shapes += layout->cell[i].shapes;
    assert_true(shapes <= layout->size.shapes);
    bough_layout_destroy(layout);
    bough_net_destroy(net);
}

static void every_cell_of_large_drawings(void **state) {
    (void)state;
    static const char *const specs[] = {"fattree:n=4096", "pruned:n=65536", "bft:n=65536", "sorting:n=65536",
                                        "meshoftrees:n=65536"};
    for (size_t i = 0; i < COUNT(specs); i++) check_cells(specs[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_cannot_be_laid_out_is_refused),
        cmocka_unit_test(two_terminals_by_hand),
        cmocka_unit_test(four_leaves_by_hand),
        cmocka_unit_test(pruned_in_closed_form),
        cmocka_unit_test(fattree_in_closed_form),
        cmocka_unit_test(sorting_obeys_the_document),
        cmocka_unit_test(sorters_have_room),
        cmocka_unit_test(area_of_theorem_1),
        cmocka_unit_test(the_documents_recurrence_solved),
        cmocka_unit_test(rules_scale),
        cmocka_unit_test(wires_are_the_networks_cables),
        cmocka_unit_test(other_rules_draw_as_well),
        cmocka_unit_test(every_cell_of_large_drawings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

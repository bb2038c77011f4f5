/* Faults on transit networks by the names of dehon1991: wrong ones first, then what dies with a name. */
#include "network/faults/faults.h"
#include "support/fabrics.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void refused(const bough_net *base, const char *spec, const char *text) {
    bough_net *net;
    bough_error error = {0};
    if (bough_net_with_faults(base, spec, &net, &error) != BOUGH_INVALID) fail_msg("%s: not refused", spec);
    assert_null(net);
    if (!strstr(error.reason, text)) fail_msg("%s: expected '%s' in: %s", spec, text, error.reason);
}

static void names_that_match_nothing(void **state) {
    (void)state;
    static const struct {
        const char *network, *spec, *text;
    } wrong[] = {
        {"transit:n=4096", "name:s2.u1.u.r5",
         "contains nothing named 's2.u1.u.r5' (did you mean 's2.u1.up.r5'?"},
        {"transit:n=4096", "name:s1.u5.d1.r3c", "did you mean 's1.u5.d1.r3"},
        {"transit:n=4096", "name:s2.u9", "did you mean 's1.u9'?"},
        {"transit:n=4096", "name:s2.u1.dn", "did you mean 's2.u1.d"},
        {"transit:n=4096", "name:s2.u1.up.r64", "did you mean 's2.u1.up.r"},
        {"transit:n=4096", "name:s2.u1.up.r1/9", "no cable leaves s2.u1.up.r1 by port 9; it has 6"},
        {"transit:n=4096", "name:h4096", "did you mean 'h4"},
        {"transit:n=4096", "name:stack68", "did you mean 'stack6"},
        {"transit:n=4096", "name:layr3", "did you mean 'layer3'?"},
        {"transit:n=4096", "name:banyan", "or matches it; nodes are named h0 .. s1.u63.d1.r14b"},
        {"transit:n=4096", "name:s2[", "no node has this name"},
        {"transit:n=4096", "staks:count=1", "unknown kind of fault 'staks' (did you mean 'stacks'"},
        {"transit:n=4096", "layer:count=1", "did you mean 'layers'"},
        {"transit:leaf=12", "name:b9.l3.r0", "did you mean 'b9.l1.r0'?"},
        {"transit:leaf=12", "name:layer2",
         "contains nothing named 'layer2' (did you mean 'layer"}, /* of two */
        {"transit:leaf=12", "name:b64", "did you mean '"},
        {"transit:flat=64", "name:l2.r77", "did you mean 'l2.r7'?"},
        {"transit:flat=64", "stacks:count=1", ": chips, links, cables, name"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        bough_net *net = net_make(wrong[i].network);
        refused(net, wrong[i].spec, wrong[i].text);
        bough_net_destroy(net);
    }
}

static void what_leaves_nothing(void **state) {
    (void)state;
    static const struct {
        const char *spec, *text;
    } wrong[] = {
        {"chips:share=100%", "removes all of the 2112 chips without links to endpoints"},
        {"chips:edge=1,count=4160", "removes all of the 4160 chips"},
        {"stacks:count=68", "removes all of the 68 stacks"},
        {"layers:share=1", "removes all of the 272 layers"},
        {"links:share=1", "removes all of the 24576 links between switches"},
        {"name:s1", "leaves no endpoint of transit:n=4096 that can send and receive"},
        {"name:h.*", "leaves no endpoint"},
    };
    bough_net *net = net_make("transit:n=4096");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) refused(net, wrong[i].spec, wrong[i].text);
    bough_net_destroy(net);
}

/* ---- what dies ---- */

static void dies(const char *network, const char *spec, uint64_t chips, uint64_t switches) {
    bough_net *base = net_make(network), *net;
    bough_error error;
    if (bough_net_with_faults(base, spec, &net, &error)) fail_msg("%s: %s", spec, error.reason);
    if (net->faults->chips != chips || net->faults->switches != switches)
        fail_msg("%s of %s: %lu chips, %lu switches", spec, network, (unsigned long)net->faults->chips,
                 (unsigned long)net->faults->switches);
    bough_net_destroy(net);
    bough_net_destroy(base);
}

/* Table 1: 64 + 64 + 48 + 32 chips of a UT64x8, 16 + 16 + 12 + 8 of a UT64x2 whose layer 1 is in halves; a
 * B192 has 64 + 48 + 48 + 48. */
static void stacks_layers_and_chips(void **state) {
    (void)state;
    dies("transit:n=4096", "name:s2.u1", 208, 208);
    dies("transit:n=4096", "name:s2.u1.", 208, 208);
    dies("transit:n=4096", "name:stack65", 208, 208);
    dies("transit:n=4096", "name:s2", 4 * 208, 4 * 208);
    dies("transit:n=4096", "name:s2.u3.d2", 48, 48);
    dies("transit:n=4096", "name:s2.u3.d3.r7", 1, 1);
    dies("transit:n=4096", "name:s1.u5", 52, 68);
    dies("transit:n=4096", "name:s1.u5.d1", 16, 32);
    dies("transit:n=4096", "name:s1.u5.d1.r3", 1, 2);
    dies("transit:n=4096", "name:s1.u5.d1.r3a", 0, 1); /* half a chip */
    dies("transit:leaf=192", "name:b9", 208, 208);
    dies("transit:leaf=192", "name:b9.l4", 48, 48);
    dies("transit:leaf=192", "name:stack9", 208, 208);
    dies("transit:leaf=192,leafmode=dual", "name:b9.l4.r11", 1, 2);
    dies("transit:flat=64", "name:l2.r3", 1, 1);
}

/* Members of modules partition the switches, layer by layer and stack by stack. */
static void a_layer_is_of_one_stack(void **state) {
    (void)state;
    static const char *const spec[] = {"transit:n=4096", "transit:leaf=12", "transit:leaf=48",
                                       "transit:leaf=192", "transit:leaf=12,stages=2"};
    for (size_t i = 0; i < sizeof spec / sizeof *spec; i++) {
        bough_net *net = net_make(spec[i]);
        assert_string_equal(net->modules[0].name, "stack");
        assert_string_equal(net->modules[1].name, "layer");
        uint64_t *layer = calloc(net->modules[1].count, sizeof *layer);
        assert_non_null(layer);
        for (uint64_t v = net->endpoints; v < net->nodes; v++) {
            bough_place place;
            uint64_t stack = net->ops->node_module(net, 0, v), number = net->ops->node_module(net, 1, v);
            assert_true(net->ops->node_place(net, v, &place));
            assert_true(stack < net->modules[0].count && number < net->modules[1].count);
            uint64_t name = 1 + 8 * stack + place.layer;
            assert_true(layer[number] == 0 || layer[number] == name);
            layer[number] = name;
        }
        free(layer);
        bough_net_destroy(net);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_that_match_nothing),
        cmocka_unit_test(what_leaves_nothing),
        cmocka_unit_test(stacks_layers_and_chips),
        cmocka_unit_test(a_layer_is_of_one_stack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The sorting fat-tree: sizes, channels and wiring of bay1991, section 4.2. */
#include "network/families/sorting_shape.h"

#include "network/sorting_hardware/sorter.h"
#include "routing/routing.h"
#include "support/fabrics.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

static bough_net *sorting(unsigned lg) {
    char spec[32];
    snprintf(spec, sizeof spec, "sorting:n=2^%u", lg);
    return net_make(spec);
}

static void wrong_sizes_are_refused(void **state) {
    (void)state;
    net_refused("sorting:n=64", BOUGH_INVALID,
                "n=64 terminals fit in one mesh, so there is no tree; the minimum is 128");
    net_refused("sorting:n=1", BOUGH_INVALID, "fit in one mesh");
    net_refused("sorting:n=0", BOUGH_INVALID, "n must lie between 1 and");
    net_refused("sorting:n=300", BOUGH_INVALID, "n=300 is not a power of two; the nearest are 256 and 512");
    net_refused("sorting:n=65535", BOUGH_INVALID, "the nearest are 32768 and 65536");
    net_refused("sorting:n=2^37", BOUGH_INVALID, "n must lie between 1 and");
    net_refused("sorting:side=8", BOUGH_INVALID, "no parameter 'side'");
}

/* n, side of a mesh, height, capacities from the meshes up. 256 and 65536 are literal: lg n is the side. */
static void sizes_by_hand(void **state) {
    (void)state;
    const struct {
        unsigned lg, side, height;
        uint64_t capacity[12], cables;
    } want[] = {
        {7, 8, 1, {8}, 2 * 112 + 16},
        {8, 8, 2, {8, 16}, 4 * 112 + 4 * 8 + 2 * 16},
        {9, 16, 1, {16}, 2 * 480 + 2 * 16},
        {10, 16, 2, {16, 32}, 4 * 480 + 4 * 16 + 2 * 32},
        {16, 16, 8, {16, 32, 32, 64, 64, 128, 128, 256}, 0},
        {20, 32, 10, {32, 64, 64, 128, 128, 256, 256, 512, 512, 1024}, 0},
    };
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        bough_net *net = sorting(want[i].lg);
        const sorting_shape *shape = sorting_shape_of(net);
        uint64_t switches = 0;
        assert_int_equal(shape->side, want[i].side);
        assert_int_equal(shape->height, want[i].height);
        assert_int_equal(net->levels, want[i].height);
        for (unsigned l = 0; l < net->levels; l++) {
            assert_int_equal(net->ops->channel_capacity(net, l, 0), want[i].capacity[l]);
            switches += UINT64_C(1) << l;
        }
        assert_int_equal(net->nodes, net->endpoints + switches);
        if (want[i].cables) assert_int_equal(net->cables, want[i].cables);
        assert_int_equal(net->links, 2 * net->cables);
        bough_net_destroy(net);
    }
    bough_net *other = net_make("fattree:n=8");
    assert_null(sorting_shape_of(other));
    bough_net_destroy(other);
}

/* The s lines of a sorter are the wires of both children; its channel up has s of them, or half as many. */
static void sorters_fit_their_channels(void **state) {
    (void)state;
    for (unsigned lg = 7; lg <= 36; lg++) {
        bough_net *net = sorting(lg);
        const sorting_shape *shape = sorting_shape_of(net);
        for (unsigned l = 1; l <= shape->height; l++) {
            unsigned below = 2 * shape->lg_side + l;
            bough_sorter sorter = bough_sorter_at(UINT64_C(1) << below, 1, 8);
            assert_int_equal(sorter.lines, 2 * sorting_capacity(shape, l - 1));
            assert_int_equal(sorting_capacity(shape, l), below % 2 ? sorter.lines : sorter.lines / 2);
            assert_int_equal(sorter.capacity, UINT64_C(1) << below);
        }
        bough_net_destroy(net);
    }
}

static void all_sizes_are_sound(void **state) {
    (void)state;
    for (unsigned lg = 7; lg <= 12; lg++) {
        bough_net *net = sorting(lg);
        bough_error error;
        if (bough_net_check(net, lg == 7 ? 16384 : 1000, &error)) fail_msg("%s: %s", net->spec, error.reason);
        bough_net_destroy(net);
    }
}

/* Channels: as many links as the capacity says leave every subtree, and as many enter it. */
static void channels_count_cables(void **state) {
    (void)state;
    bough_net *net = sorting(10);
    for (unsigned level = 0; level < net->levels; level++) {
        uint64_t up[8] = {0}, down[8] = {0};
        for (uint64_t l = 0; l < net->links; l++) {
            uint64_t a = bough_link_start(net, l), b = net->ops->link_end(net, l).node;
            if (bough_link_direction(net, l) == 0 || bough_link_level(net, l) != level) continue;
            bool rises = bough_link_direction(net, l) > 0;
            uint64_t low = rises ? a : b;
            uint64_t e = low;
            while (net->ops->node_level(net, e) > 0) { /* down to some terminal */
                bough_range r = net->ops->group_links(net, net->ops->node_group(net, e, 0));
                e = net->ops->link_end(net, r.first).node;
            }
            (rises ? up : down)[net->ops->subtree(net, level, e)]++;
        }
        for (uint64_t t = 0; t < UINT64_C(1) << (net->levels - level); t++) {
            assert_int_equal(up[t], net->ops->channel_capacity(net, level, t));
            assert_int_equal(down[t], up[t]);
        }
    }
    bough_net_destroy(net);
}

/* From the bottom of one mesh to the bottom of another: up the column, up and down the tree, down the column.
 */
static void a_path_by_hand(void **state) {
    (void)state;
    bough_net *net = sorting(8);
    bough_routing *routing;
    bough_error error;
    char name[64];
    assert_int_equal(bough_routing_create(net, "first", &routing, &error), BOUGH_OK);
    uint64_t path[64];
    int hops = bough_path(routing, &(bough_flow){.source = 63, .address = 3 * 64 + 56}, path, 64);
    assert_int_equal(hops, 7 + 4 + 7);
    assert_int_equal(hops, net->hops_max);
    assert_string_equal(bough_node_name(net, bough_link_start(net, path[6]), name, sizeof name), "m0.1.7");
    assert_string_equal(bough_node_name(net, bough_link_start(net, path[8]), name, sizeof name), "s1.0");
    assert_string_equal(bough_node_name(net, bough_link_start(net, path[9]), name, sizeof name), "s2.0");
    assert_string_equal(bough_node_name(net, bough_link_start(net, path[11]), name, sizeof name), "m3.0.0");
    hops = bough_path(routing, &(bough_flow){.source = 9, .address = 46}, path, 64); /* (1, 1) to (5, 6) */
    assert_int_equal(hops, 5 + 4);
    assert_string_equal(bough_node_name(net, bough_link_start(net, path[5]), name, sizeof name), "m0.1.6");
    bough_routing_destroy(routing);
    bough_net_destroy(net);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_sizes_are_refused),    cmocka_unit_test(sizes_by_hand),
        cmocka_unit_test(sorters_fit_their_channels), cmocka_unit_test(all_sizes_are_sound),
        cmocka_unit_test(channels_count_cables),      cmocka_unit_test(a_path_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

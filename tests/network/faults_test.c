/* Faults by their specs: wrong ones first, then small networks by hand, then what holds for all. */
#include "network/families/bft.h"
#include "network/faults/faults.h"
#include "routing/routing.h"
#include "support/fabric_texts.h"
#include "support/fabrics.h"
#include "support/faulty_nets.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static bough_net *faulty(const bough_net *base, const char *spec) {
    bough_net *net;
    bough_error error = {0};
    if (bough_net_with_faults(base, spec, &net, &error)) fail_msg("%s: %s", spec, error.reason);
    if (bough_net_check(net, 3000, &error)) fail_msg("%s: %s", net->spec, error.reason);
    return net;
}

static void refused(const bough_net *base, const char *spec, bough_status status, const char *text) {
    bough_net *net;
    bough_error error = {0};
    if (bough_net_with_faults(base, spec, &net, &error) != status) fail_msg("%s: %s", spec, error.reason);
    assert_null(net);
    if (!strstr(error.reason, text)) fail_msg("%s: expected '%s' in: %s", spec, text, error.reason);
}

static uint64_t dead_links(const bough_net *net) {
    uint64_t count = 0;
    for (uint64_t l = 0; l < net->links; l++) count += !bough_link_alive(net, l);
    return count;
}

/* ---- wrong ones ---- */

static void wrong_specs_are_refused(void **state) {
    (void)state;
    bough_net *net = net_make("kary:k=4,levels=3");
    static const struct {
        const char *spec, *text;
    } wrong[] = {
        {"", "write none"},
        {"chips", "neither a share nor a count"},
        {"chips:share=5%,count=2", "both a share and a count"},
        {"chips:share=1.5", "share=1.5 is not between 0 and 1"},
        {"chips:share=-1%", "is not between 0 and 1"},
        {"chips:share=5%,mode=silent", "mode=silent is unknown"},
        {"chips:share=5%,mode=blnd", "did you mean 'blind'"},
        {"chips:shar=5%", "did you mean 'share'"},
        {"chops:share=5%", "unknown kind of fault 'chops' (did you mean 'chips'"},
        {"stacks:share=5%", ": chips, links, cables, name, slow, pods, planes"},
        {"parts:share=5%", "unknown kind of fault 'parts'"},
        {"each:cable", "use it with `bough check`"},
        {"chips:share=100%", "removes all of the 32 chips without links to endpoints"},
        {"links:share=1", "removes all of the 256 links between switches"},
        {"links:count=256", "removes all of the 256 links between switches"},
        {"cables:count=128", "removes all of the 128 cables between switches"},
        {"links:share=10%,level=7", "has no links of level 7"},
        {"chips:share=5%,level=9", "has no chips of level 9"},
        {"pods:count=4", "removes all of the 4 pods"},
        {"name:s2.77", "did you mean 's2.7'"},
        {"name:h99", "kary:k=4,levels=3 contains nothing named 'h99' (did you mean 'h9'"},
        {"name:spine", "nodes are named h0 .. s3.15, their cables NODE/PORT"},
        {"name:s1.0/9", "no cable leaves s1.0 by port 9; it has 8, ports 1 to 8"},
        {"name:s1.0 - s1.1", "no cable joins these two"},
        {"name:s1.0/5 -> s2.1/1", "no cable joins these two"},
        {"name:s1.0 - x", "contains nothing that is named 's1.0 - x'"},
        {"name:n5.gpu0",
         "'n5.gpu0' is a part of a compute node. Name its NIC, one of the endpoints h0 .. h63 of the "
         "network"},
        {"name:n5.gpux", "is a part of a compute node"},
        {"name:n5.nvswitch", "is a part of a compute node"},
        {"name:n.pcie", "contains nothing"},
        {"name:x(", "no node has this name, and 'x(' is not a regular expression"},
        {"name:t.*", "is named 't.*' or matches it"},
        {"name:s1\\.[0-9]*", "leaves no endpoint"},
        {"name", "needs name="},
        {"chips:share=5%+", "missing fault next to +"},
        {"chips:share=5%+chip:count=1", "did you mean 'chips'"},
        {"chips:share=5%,share=6%", "share is given twice"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        refused(net, wrong[i].spec, BOUGH_INVALID, wrong[i].text);
    bough_net_destroy(net);
    net = net_make("kary:k=4,levels=1");
    refused(net, "chips:share=5%", BOUGH_INVALID, "has no chips without links to endpoints");
    refused(net, "links:share=5%", BOUGH_INVALID, "has no links between switches");
    refused(net, "chips:count=1,edge=1", BOUGH_INVALID, "removes all of the 1 chips");
    bough_net_destroy(net);
    net = net_make("fattree:n=2^31");
    refused(net, "name:h1", BOUGH_TOO_LARGE, "fewer than 2^32 links");
    bough_net_destroy(net);
}

/* ---- by hand ---- */

/* Words or a part of a name, a host of two adapters; of several names with them none is taken. */
static void words_of_names(void **state) {
    (void)state;
    static const char cables[] =
        "node,port,node,port\nMF0;rack#1-leaf:MSB7700/U1,1,n1 mlx5_0,1\nMF0;rack#1-leaf:MSB7700/U1,2,n2 "
        "mlx5_0,1\n"
        "MF0;rack#2-leaf:MSB7700/U1,1,n3 mlx5_0,1\nMF0;rack#2-leaf:MSB7700/U1,2,n1 mlx5_1,1\n"
        "MF0;rack#1-leaf:MSB7700/U1,3,leaf10,1\nMF0;rack#2-leaf:MSB7700/U1,3,leaf10,2\n";
    static const struct {
        const char *spec;
        uint64_t links;
    } right[] = {{"name:rack#1-leaf", 6},   {"name:rack#2", 6},
                 {"name:rack#1-leaf/3", 2}, {"name:rack#2-leaf - leaf10", 2},
                 {"name:leaf10", 4},        {"name:n1", 4},
                 {"name:n1/mlx5_1", 2},     {"name:af10", 4},
                 {"name:RACK#2", 6},        {"name:Leaf10/1", 2},
                 {"name:ck#2 - eaf10", 2}};
    static const struct {
        const char *spec, *text;
    } wrong[] = {{"name:leaf", "2 names contain 'leaf': rack#1-leaf, rack#2-leaf"},
                 {"name:rack", "give one of them, or an expression that matches whole names, as .*rack.*"},
                 {"name:EAF", "3 names contain 'EAF': rack#1-leaf, rack#2-leaf, leaf10; "},
                 {"name:eaf1", "(did you mean 'leaf10'?)"},
                 {"name:rack#1-laef", "(did you mean 'rack#1-leaf'?)"},
                 {"name:leaf1", "(did you mean 'leaf10'?)"},
                 {"name:rack#3-leaf", "contains nothing"},
                 {"name:leaf/1", "contains nothing"}};
    bough_net *base = fabric_net_from(cables, NULL);
    assert_int_equal(base->endpoints, 4);
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
        bough_net *net = faulty(base, right[i].spec);
        if (dead_links(net) != right[i].links) fail_msg("%s: %d links", right[i].spec, (int)dead_links(net));
        bough_net_destroy(net);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        refused(base, wrong[i].spec, BOUGH_INVALID, wrong[i].text);
    bough_net_destroy(base);
}

/* A port has the name that its file has, with slashes in it, too. */
static void names_of_ports(void **state) {
    (void)state;
    bough_net *base = fabric_net_from("node,port,node,port\nh1,eth0,leaf1,mgmt\nh2,eth0,leaf1,Ethernet1/1\n"
                                      "h3,eth0,leaf2,Ethernet1/1\nleaf1,Ethernet1/2,leaf2,mgmt\n",
                                      NULL);
    static const char *const right[] = {"name:leaf1/Ethernet1/2", "name:leaf2/mgmt",
                                        "name:leaf1/Ethernet1/2 -> leaf2/mgmt", "name:leaf1 - leaf2"};
    char name[200];
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
        bough_net *net = faulty(base, right[i]);
        assert_int_equal(dead_links(net), 2);
        for (uint64_t l = 0; l < net->links; l++)
            if (!bough_link_alive(net, l))
                assert_non_null(strstr(bough_link_name(net, l, name, sizeof name), "leaf1/Ethernet1/2"));
        bough_net_destroy(net);
    }
    refused(base, "name:leaf1/9", BOUGH_INVALID, "no cable leaves leaf1 by port 9; it has 3 such as mgmt");
    refused(base, "name:leaf1/eth7", BOUGH_INVALID, "contains nothing");
    bough_net_destroy(base);
}

/* Four leaves of two endpoints, two spines: leaf i has up links 2i and 2i + 1 of its group, spine k port i.
 */
static void a_leaf_and_spine_tree_by_hand(void **state) {
    (void)state;
    bough_net *base = net_make("xgft:down=2x4,up=1x2");
    bough_route route, was;
    /* leaf 0 to spine 0, both directions */
    bough_net *net = faulty(base, "name:s1.0/3");
    assert_int_equal(net->faults->links, 2);
    assert_int_equal(net->faults->cables, 1);
    assert_int_equal(net->faults->switches + net->faults->chips + net->faults->endpoints + net->faults->lost,
                     0);
    assert_true(net->dead_ends);
    uint64_t leaf = 8, spine = 12;
    base->ops->route(base, leaf, 7, &was);
    net->ops->route(net, leaf, 7, &route);
    assert_int_equal(route.count, 1); /* to spine 1 only */
    assert_int_equal(bough_route_link(&route, 0), was.first + 1);
    net->ops->route(net, leaf + 1, 0, &route);
    assert_int_equal(route.count, 2); /* it does not know of it */
    net->ops->route(net, spine, 0, &route);
    assert_int_equal(route.count, 0);
    for (uint64_t s = 0; s < 8; s++) assert_int_equal(net->ops->reached(net, s), 7);
    bough_net_destroy(net);
    /* the same cable by its ends */
    static const char *const names[] = {"s1.0/3 -> s2.0/1", "s2.0/1 -> s1.0/3", "s1.0 - s2.0/1",
                                        "s2.0 - s1.0"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char spec[64];
        snprintf(spec, sizeof spec, "name:%s", names[i]);
        net = faulty(base, spec);
        assert_int_equal(net->faults->links, 2);
        net->ops->route(net, leaf, 7, &route);
        assert_int_equal(route.count, 1);
        assert_int_equal(bough_route_link(&route, 0), was.first + 1);
        bough_net_destroy(net);
    }
    net = faulty(base, "name:s1.0/3,mode=rerouted");
    assert_false(net->dead_ends);
    net->ops->route(net, leaf + 1, 0, &route);
    base->ops->route(base, leaf + 1, 0, &was);
    assert_int_equal(route.count, 1); /* now it does */
    assert_int_equal(bough_route_link(&route, 0), was.first + 1);
    net->ops->route(net, leaf + 1, 5, &route);
    assert_int_equal(route.count, 2);
    bough_net_destroy(net);
    /* both spines lose leaf 3: its endpoints have each other only */
    net = faulty(base, "name:s1.3/3+name:s1.3/4,mode=rerouted");
    for (uint64_t s = 0; s < 8; s++) assert_int_equal(net->ops->reached(net, s), s < 6 ? 5 : 1);
    net->ops->route(net, 0, 7, &route);
    assert_int_equal(route.count, 0);
    net->ops->route(net, 6, 7, &route);
    assert_int_equal(route.count, 1);
    assert_int_equal(net->faults->endpoints, 0); /* they can send, and be sent to */
    assert_string_equal(net->faults->spec, "name:name=s1.3/3+name:name=s1.3/4,mode=rerouted");
    assert_string_equal(net->spec,
                        "xgft:down=2x4,up=1x2 with name:name=s1.3/3+name:name=s1.3/4,mode=rerouted");
    bough_net_destroy(net);
    /* a switch takes its cables along, a leaf its endpoints */
    net = faulty(base, "name:s1.3");
    assert_int_equal(net->faults->links, 2 * 2 + 2 * 2);
    assert_int_equal(net->faults->endpoints, 2);
    assert_int_equal(net->faults->chips, 1);
    for (uint64_t s = 0; s < 8; s++) assert_int_equal(net->ops->reached(net, s), s < 6 ? 5 : 0);
    bough_net_destroy(net);
    net = faulty(base, "name:s2.1,mode=blind");
    assert_int_equal(net->faults->lost, 4); /* from the leaves; what it would send is dead */
    assert_int_equal(net->faults->links, 4);
    net->ops->route(net, leaf, 7, &route);
    assert_int_equal(route.count, 2);
    assert_false(bough_link_lost(net, bough_route_link(&route, 0)));
    assert_true(bough_link_lost(net, bough_route_link(&route, 1)));
    assert_true(bough_link_alive(net, bough_route_link(&route, 1)));
    bough_net_destroy(net);
    bough_net_destroy(base);
}

static void nothing_is_nothing(void **state) {
    (void)state;
    static const char *const none[] = {"none", "chips:share=0", "none+links:count=0",
                                       "links:share=0%,mode=rerouted"};
    bough_net *base = net_make("bft:n=64");
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        bough_net *net = faulty(base, none[i]);
        assert_int_equal(dead_links(net), 0);
        assert_int_equal(net->capabilities, base->capabilities);
        for (uint64_t v = 0; v < net->nodes; v++)
            for (uint64_t a = 0; a < 64; a++) {
                bough_route is, was;
                if (v == a) continue;
                net->ops->route(net, v, a, &is);
                base->ops->route(base, v, a, &was);
                assert_int_equal(is.count, was.count);
                assert_int_equal(is.first, was.first);
            }
        for (uint64_t s = 0; s < 64; s++) assert_int_equal(net->ops->reached(net, s), 63);
        bough_net_destroy(net);
    }
    bough_net_destroy(base);
}

/* Capabilities that faults break are gone, those that they do not break are kept. */
static void capabilities_are_honest(void **state) {
    (void)state;
    bough_net *base = net_make("fattree:n=16"), *net = faulty(base, "links:count=1");
    assert_int_equal(net->capabilities & BOUGH_HAS_EVEN, 0);
    assert_int_equal(net->capabilities &
                         (BOUGH_HAS_ROUTES | BOUGH_HAS_ORDER | BOUGH_HAS_MODK | BOUGH_HAS_CHANNELS),
                     BOUGH_HAS_ROUTES | BOUGH_HAS_ORDER | BOUGH_HAS_MODK | BOUGH_HAS_CHANNELS);
    bough_net_destroy(net);
    bough_net_destroy(base);
    base = net_make("bft:n=16");
    net = faulty(base, "links:count=1");
    assert_false(is_bft(net));
    assert_null(net->ops->step);
    bough_net_destroy(net);
    bough_net_destroy(base);
}

/* A channel loses the cables of which a direction died, once each. */
static void channels_lose_their_cables(void **state) {
    (void)state;
    bough_net *base = net_make("xgft:down=2x4,up=1x2,links=1x3");
    bough_net *net = faulty(base, "name:s1.1/3+name:s1.1/4+name:h5/1");
    assert_int_equal(net->ops->channel_capacity(net, 1, 0), 6);
    assert_int_equal(net->ops->channel_capacity(net, 1, 1), 4);
    assert_int_equal(net->ops->channel_capacity(net, 0, 5), 0);
    assert_int_equal(net->ops->channel_capacity(net, 0, 4), 1);
    bough_net_destroy(net);
    fault_bits bits = {0};
    uint64_t dead[4] = {0};
    base->ops->group_links(base, base->ops->node_group(base, 8, 2));
    uint64_t up = base->ops->group_links(base, base->ops->node_group(base, 8, 2)).first;
    dead[up / 64] |= UINT64_C(1) << up % 64; /* one direction alone */
    bits.dead = dead;
    net = net_without(base, bits);
    assert_int_equal(net->ops->channel_capacity(net, 1, 0), 5);
    bough_net_destroy(net);
    bough_net_destroy(base);
}

/* ---- draws ---- */

static bool contains(const bough_net *large, const bough_net *small) {
    for (uint64_t l = 0; l < small->links; l++)
        if (!bough_link_alive(small, l) && bough_link_alive(large, l)) return false;
    return true;
}

/* Shares of one key are nested, and what is connected only shrinks. */
static void draws_are_nested(void **state) {
    (void)state;
    static const char *const kind[] = {"chips", "links", "cables", "planes"};
    bough_net *base = net_make("xgft:down=4x4x4,up=1x4x4");
    for (size_t k = 0; k < sizeof kind / sizeof *kind; k++)
        for (unsigned key = 1; key <= 5; key++) {
            bough_net *before = NULL;
            uint64_t reached_before = UINT64_MAX;
            for (unsigned percent = 0; percent <= 75; percent += 5) {
                char spec[80];
                snprintf(spec, sizeof spec, "%s:share=%u%%,key=%u", kind[k], percent, key);
                bough_net *net = faulty(base, spec);
                uint64_t reached = 0;
                for (uint64_t s = 0; s < net->endpoints; s++) reached += net->ops->reached(net, s);
                if (before) assert_true(contains(net, before));
                assert_true(reached <= reached_before);
                reached_before = reached;
                bough_net_destroy(before);
                before = net;
            }
            bough_net_destroy(before);
        }
    bough_net_destroy(base);
}

/* Keys differ; the same spec is the same draw; numbers are those asked for. */
static void keys_and_counts(void **state) {
    (void)state;
    bough_net *base = net_make("kary:k=4,levels=4");
    bough_net *a = faulty(base, "chips:share=10%"), *b = faulty(base, "chips:share=0.1,key=1"),
              *c = faulty(base, "chips:10%,key=2"), *d = faulty(base, "chips:count=19,key=2");
    assert_int_equal(a->faults->chips, 19); /* of 192 */
    assert_true(contains(a, b) && contains(b, a));
    assert_false(contains(a, c));
    assert_true(contains(c, d) && contains(d, c));
    for (uint64_t l = 0; l < base->links; l++) {
        uint64_t from = bough_link_start(base, l), to = base->ops->link_end(base, l).node;
        if (from < base->endpoints || to < base->endpoints) assert_true(bough_link_alive(a, l));
    }
    bough_net_destroy(a);
    bough_net_destroy(b);
    bough_net_destroy(c);
    bough_net_destroy(d);
    a = faulty(base, "chips:count=10,level=3");
    for (uint64_t l = 0; l < base->links; l++)
        if (!bough_link_alive(a, l))
            assert_true(base->ops->node_level(base, bough_link_start(base, l)) == 3 ||
                        base->ops->node_level(base, base->ops->link_end(base, l).node) == 3);
    bough_net_destroy(a);
    a = faulty(base, "links:count=7,level=0");
    assert_int_equal(dead_links(a), 7);
    for (uint64_t l = 0; l < base->links; l++)
        if (!bough_link_alive(a, l)) assert_int_equal(bough_link_level(base, l), 0);
    bough_net_destroy(a);
    a = faulty(base, "cables:count=9+links:count=4");
    for (uint64_t l = 0, twins = 0; l < base->links; l++) {
        twins += !bough_link_alive(a, l) && !bough_link_alive(a, base->ops->link_twin(base, l));
        if (l + 1 == base->links) assert_in_range(twins, 18, 22);
    }
    assert_in_range(dead_links(a), 20, 22);
    bough_net_destroy(a);
    bough_net_destroy(base);
}

/* Each of 12 chips dies with its share, over many keys (600 expected, standard deviation 21). */
static void every_chip_is_as_likely(void **state) {
    (void)state;
    bough_net *base = net_make("xgft:down=2x4,up=1x12");
    unsigned died[12] = {0};
    for (unsigned key = 0; key < 2400; key++) {
        char spec[64];
        bough_net *net;
        snprintf(spec, sizeof spec, "chips:count=3,key=%u", key);
        assert_int_equal(bough_net_with_faults(base, spec, &net, NULL), BOUGH_OK);
        for (uint64_t i = 0; i < 12; i++) {
            uint64_t v = base->nodes - 12 + i;
            died[i] += !bough_link_alive(net, bough_injection_link(base, v));
        }
        bough_net_destroy(net);
    }
    for (int i = 0; i < 12; i++) assert_in_range(died[i], 600 - 85, 600 + 85);
    bough_net_destroy(base);
}

/* ---- chips of several switches, parts, names ---- */

static uint64_t pair_chip(const bough_net *net, uint64_t node) {
    return net->endpoints + (node - net->endpoints) / 2;
}

static void a_chip_takes_all_its_switches(void **state) {
    (void)state;
    bough_net *base = net_make("xgft:down=2x4x2,up=1x4x4");
    bough_net_ops ops = *base->ops;
    ops.node_chip = pair_chip;
    const bough_net_ops *own = base->ops;
    base->ops = &ops;
    bough_net *net = faulty(base, "chips:count=3");
    assert_int_equal(net->faults->chips, 3);
    assert_int_equal(net->faults->switches, 6);
    bough_net_destroy(net);
    net = faulty(base, "name:s2.1"); /* half a chip is no dead chip */
    assert_int_equal(net->faults->chips, 0);
    assert_int_equal(net->faults->switches, 1);
    bough_net_destroy(net);
    base->ops = own;
    bough_net_destroy(base);
}

static void parts_die_whole(void **state) {
    (void)state;
    bough_net *base = net_make("kary:k=4,levels=3"); /* 4 pods, 4 planes of 4 + 4 switches */
    bough_net *net = faulty(base, "planes:count=1");
    assert_int_equal(net->faults->switches, 8);
    for (uint64_t s = 0; s < 64; s++) assert_int_equal(net->ops->reached(net, s), 63);
    assert_string_equal(net->faults->spec, "planes:count=1");
    bough_net_destroy(net);
    net = faulty(base, "name:pod2");
    assert_int_equal(net->faults->switches, 8);
    assert_int_equal(net->faults->endpoints, 16);
    for (uint64_t s = 0; s < 64; s++) assert_int_equal(net->ops->reached(net, s), s / 16 == 2 ? 0 : 47);
    bough_net_destroy(net);
    net = faulty(base, "name:s2\\.[0-3]");
    assert_int_equal(net->faults->switches, 4);
    bough_net_destroy(net);
    net = faulty(base, "name:s2.1");
    assert_int_equal(net->faults->switches, 1); /* a name, and not also what its dot would match */
    bough_net_destroy(net);
    bough_net_destroy(base);
}

/* Names of real switches have slashes, signs and blanks in them. */
static void names_of_a_fabric(void **state) {
    (void)state;
    char *path = data_path("example:cluster.ibnetdiscover"), *spec = spec_of("ibnet", path);
    bough_net *base = net_make(spec);
    bough_net *net = faulty(base, "name:\"MF0;core#4-spine:MSB7700/U1\"");
    assert_int_equal(net->faults->switches, 1);
    bough_net_destroy(net);
    net = faulty(base, "name:\"MF0;rack#6-leaf:MSB7700/U1/20\",mode=rerouted");
    assert_int_equal(net->faults->cables, 1);
    bough_net *again = faulty(base, net->faults->spec);
    assert_string_equal(again->faults->spec, net->faults->spec);
    bough_net_destroy(again);
    bough_net_destroy(net);
    refused(base, "name:core#9-spine", BOUGH_INVALID, "did you mean 'core#");
    bough_net_destroy(base);
    free(path);
    free(spec);
}

static void joined_specs(void **state) {
    (void)state;
    const char *const two[] = {"links:share=1%", "name:a+b"};
    char *joined;
    assert_int_equal(bough_faults_join(two, 2, NULL, &joined, NULL), BOUGH_OK);
    assert_string_equal(joined, "links:share=1%+name:a+b");
    free(joined);
    assert_int_equal(bough_faults_join(NULL, 0, NULL, &joined, NULL), BOUGH_OK);
    assert_null(joined);
    bough_net *base = net_make("bft:n=64");
    refused(base, "name:\"a+b\"", BOUGH_INVALID, "is named 'a+b'");
    refused(base, "name:a+b", BOUGH_INVALID, "nothing that is named 'a'");
    bough_net *net = faulty(base, "links:share=1e-2+none+links:share=5%,key=3,mode=blind");
    assert_string_equal(net->faults->spec, "links:share=0.01+links:share=0.05,key=3,mode=blind");
    assert_true(net->faults->lost > 0);
    bough_net_destroy(net);
    bough_net_destroy(base);
}

/* ---- tables ---- */

/* Two leaves, two spines; the table sends all by spine 1 (S3). */
static void tables_stay_as_they_are(void **state) {
    (void)state;
    static const char *const lines[] = {"S1 lid 1",  "S2 lid 2",  "S3 lid 3",  "S4 lid 4",  "H1 lid 11",
                                        "H2 lid 12", "S1:1 S3:1", "S1:2 S4:1", "S2:1 S3:2", "S2:2 S4:2",
                                        "H1:1 S1:9", "H2:1 S2:9", NULL},
                             *const tables[] = {"S1 11>9 12>1", "S2 11>1 12>9", "S3 11>1 12>2",
                                                "S4 11>1 12>2", NULL};
    bough_net *base = fabric_net(lines, NULL);
    char *file = tables_text(lines, tables), spec[300];
    snprintf(spec, sizeof spec, "lft:file=\"%s\"", temporary_file("t.lfts", file, 0));
    uint64_t path[8];
    bough_net *net = faulty(base, "name:S3/2,mode=rerouted");
    bough_routing *lft = routing_make(net, spec), *whole = routing_make(base, spec),
                  *own = routing_make(net, "random");
    assert_int_equal(bough_path(whole, &(bough_flow){0, 1, 0}, path, 8), 4);
    assert_int_equal(bough_path(lft, &(bough_flow){0, 1, 0}, path, 8), 0);
    assert_int_equal(bough_path(lft, &(bough_flow){1, 0, 0}, path, 8), 0);
    assert_int_equal(bough_path(own, &(bough_flow){0, 1, 0}, path, 8), 4);
    assert_int_equal(net->ops->link_end(net, path[1]).node, 5); /* S4 */
    bough_routing_destroy(lft);
    bough_routing_destroy(whole);
    bough_routing_destroy(own);
    bough_net_destroy(net);
    bough_net_destroy(base);
    free(file);
}

/* Minimal ways anew may be longer than before, and go down and up again. */
static void shortest_ways_get_longer(void **state) {
    (void)state;
    static const char *const lines[] = {"S1 lid 1",  "S2 lid 2",  "S3 lid 3",  "S4 lid 4",  "S5 lid 5",
                                        "H1 lid 11", "H2 lid 12", "H3 lid 13", "S1:1 S4:1", "S1:2 S5:1",
                                        "S2:1 S4:2", "S2:2 S5:2", "S3:1 S4:3", "S3:2 S5:3", "H1:1 S1:9",
                                        "H2:1 S2:9", "H3:1 S3:9", NULL};
    bough_net *base = fabric_net(lines, NULL);
    assert_int_equal(base->hops_max, 4);
    assert_true(base->capabilities & BOUGH_HAS_ORDER);
    /* S1 keeps S4, S2 keeps S5: from H1 to H2 by S4, S3, S5 */
    bough_net *net = faulty(base, "name:S1/2+name:S2/1,mode=rerouted");
    assert_int_equal(net->hops_max, 6);
    assert_false(net->capabilities & BOUGH_HAS_ORDER);
    uint64_t path[16];
    bough_routing *r = routing_make(net, NULL);
    assert_int_equal(bough_path(r, &(bough_flow){0, 1, 0}, path, 16), 6);
    assert_int_equal(net->ops->link_end(net, path[2]).node, 5);
    bough_routing_destroy(r);
    bough_net_destroy(net);
    net = faulty(base, "name:S1/2+name:S2/1");
    assert_int_equal(net->ops->reached(net, 0), 1); /* by its own routes it does not come to H2 */
    bough_net_destroy(net);
    bough_net_destroy(base);
}

/* A view borrows its network, but faults of a view own what they found: they are no view. */
static void faults_of_a_view(void **state) {
    (void)state;
    bough_net *whole, *view, *seen;
    bough_error e;
    static const char *const specs[] = {"cables:count=3", "cables:count=0"};
    assert_int_equal(bough_net_create("fattree:n=64", &whole, &e), BOUGH_OK);
    assert_int_equal(bough_net_view(whole, &view, &e), BOUGH_OK);
    assert_true(view->view);
    for (size_t i = 0; i < 2; i++) {
        bough_net *net = faulty(view, specs[i]);
        assert_false(net->view);
        assert_int_equal(net->faults->cables, i ? 0 : 3);
        assert_int_equal(bough_net_view(net, &seen, &e), BOUGH_OK);
        assert_true(seen->view);
        bough_net_destroy(seen); /* what it shows stays */
        assert_int_equal(bough_net_check(net, 500, &e), BOUGH_OK);
        bough_net_destroy(net);
    }
    bough_net_destroy(view);
    assert_int_equal(bough_net_check(whole, 500, &e), BOUGH_OK);
    bough_net_destroy(whole);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_specs_are_refused),
        cmocka_unit_test(a_leaf_and_spine_tree_by_hand),
        cmocka_unit_test(nothing_is_nothing),
        cmocka_unit_test(faults_of_a_view),
        cmocka_unit_test(capabilities_are_honest),
        cmocka_unit_test(channels_lose_their_cables),
        cmocka_unit_test(draws_are_nested),
        cmocka_unit_test(keys_and_counts),
        cmocka_unit_test(every_chip_is_as_likely),
        cmocka_unit_test(a_chip_takes_all_its_switches),
        cmocka_unit_test(parts_die_whole),
        cmocka_unit_test(names_of_a_fabric),
        cmocka_unit_test(joined_specs),
        cmocka_unit_test(tables_stay_as_they_are),
        cmocka_unit_test(shortest_ways_get_longer),
        cmocka_unit_test(words_of_names),
        cmocka_unit_test(names_of_ports),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

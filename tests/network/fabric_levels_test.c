/* Levels of imported fabrics: trees with a host on a spine, a leaf without hosts, a missing and a stray cable
 * keep theirs, whatever the order of the file; what is no tree has those by distance. */
#include "base/random/random.h"
#include "base/text/text.h"
#include "network/net.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS = 4000 };

typedef struct cables {
    char row[ROWS][32];
    unsigned count;
} cables;

static void put(cables *c, const char *a, unsigned i, const char *b, unsigned j) {
    assert_true(c->count < ROWS);
    snprintf(c->row[c->count++], sizeof c->row[0], "%s%u,%s%u,%s\n", a, i, b, j, *a == 'h' ? "host" : "");
}

static bough_net *net_of(const cables *c) {
    bough_text text = {0};
    bough_fabric f;
    bough_net *net = NULL;
    bough_error error = {0};
    bough_text_put(&text, "node,node,kind\n");
    for (unsigned i = 0; i < c->count; i++) bough_text_put(&text, c->row[i]);
    if (bough_fabric_parse("f", text.data, text.length, &f, &error) ||
        bough_net_from_fabric(&f, NULL, "f", &net, &error))
        fail_msg("%s\n%s", error.reason, text.data);
    bough_text_fini(&text);
    return net;
}

/* The first letter of a switch is its level: l, m, c. */
static void levels_are_right(const cables *c, const char *what) {
    bough_net *net = net_of(c);
    for (uint64_t v = net->endpoints; v < net->nodes; v++) {
        char name[64];
        bough_node_name(net, v, name, sizeof name);
        const unsigned want = *name == 'l' ? 1 : *name == 'm' ? 2 : 3, level = net->ops->node_level(net, v);
        if (level == want) continue;
        for (unsigned i = 0; i < c->count; i++) print_message("%s", c->row[i]);
        fail_msg("%s: %s has level %u", what, name, level);
    }
    bough_net_destroy(net);
}

typedef struct tree {
    unsigned pods, leaves, middles, hosts, cores; /* in a pod; of a leaf; above each middle switch */
} tree;

static void put_tree(cables *c, const tree *t) {
    c->count = 0;
    for (unsigned l = 0; l < t->pods * t->leaves; l++) {
        for (unsigned h = 0; h < t->hosts; h++) put(c, "h", 100 * l + h, "l", l);
        for (unsigned m = 0; m < t->middles; m++) put(c, "l", l, "m", l / t->leaves * t->middles + m);
    }
    for (unsigned m = 0; m < t->pods * t->middles && t->pods > 1; m++)
        for (unsigned k = 0; k < t->cores; k++) put(c, "m", m, "c", m % t->middles * t->cores + k);
}

static unsigned draw(uint64_t trial, uint64_t purpose, unsigned below) {
    return (unsigned)bough_scale(bough_word(bough_key_make(1, trial), BOUGH_DRAW_TEST, purpose, 0), below);
}

static void drop_row(cables *c, unsigned i) {
    memcpy(c->row[i], c->row[--c->count], sizeof c->row[0]);
}

/* Removes the hosts of a leaf. */
static void empty_leaf(cables *c, unsigned leaf) {
    char end[16];
    snprintf(end, sizeof end, ",l%u,host\n", leaf);
    for (unsigned i = c->count; i-- > 0;)
        if (strstr(c->row[i], end)) drop_row(c, i);
}

static void shuffle(cables *c, uint64_t trial) {
    for (unsigned i = c->count; i > 1; i--) {
        const unsigned k = draw(trial, 1000 + i, i);
        char row[32];
        memcpy(row, c->row[k], sizeof row);
        memcpy(c->row[k], c->row[i - 1], sizeof row);
        memcpy(c->row[i - 1], row, sizeof row);
    }
}

static void trees_with_oddities(void **state) {
    (void)state;
    cables *c = malloc(sizeof *c);
    assert_non_null(c);
    for (uint64_t trial = 0; trial < 600; trial++) {
        const tree t = {1 + draw(trial, 1, 4), 3 + draw(trial, 2, 6), 2 + draw(trial, 3, 3),
                        4 + draw(trial, 4, 5), 1 + draw(trial, 5, 3)};
        const unsigned leaves = t.pods * t.leaves, middles = t.pods * t.middles,
                       hosts = 1 + draw(trial, 6, t.hosts / 4);
        char what[200] = "a tree";
        put_tree(c, &t);
        switch (trial % 6) {
        case 1:
            for (unsigned h = 0; h < hosts; h++) put(c, "h", 90000 + h, "m", trial / 6 % middles);
            snprintf(what, sizeof what, "%u hosts on a middle switch", hosts);
            break;
        case 2:
            if (t.pods == 1) break;
            for (unsigned h = 0; h < hosts; h++)
                put(c, "h", 90000 + h, "c", trial / 6 % (t.middles * t.cores));
            snprintf(what, sizeof what, "%u hosts on a core", hosts);
            break;
        case 3:
            if (leaves < 5) break;
            empty_leaf(c, draw(trial, 7, leaves));
            strcpy(what, "a leaf without hosts");
            break;
        case 4:
            drop_row(c, t.hosts + draw(trial, 7, t.middles)); /* of leaf 0 */
            strcpy(what, "a missing cable");
            break;
        case 5:
            if (t.pods == 1) break;
            put(c, "l", draw(trial, 7, leaves), "c", draw(trial, 8, t.middles * t.cores));
            strcpy(what, "a cable from a leaf to a core");
            break;
        default:
            break;
        }
        shuffle(c, trial);
        snprintf(what + strlen(what), 100,
                 " (trial %u: %u pods of %u leaves, %u middle, %u cores each, %u hosts)", (unsigned)trial,
                 t.pods, t.leaves, t.middles, t.cores, t.hosts);
        levels_are_right(c, what);
    }
    free(c);
}

/* Two middle switches of many, with ten hosts each. */
static void management_hosts(void **state) {
    (void)state;
    cables *c = malloc(sizeof *c);
    const tree t = {10, 8, 8, 20, 4};
    assert_non_null(c);
    put_tree(c, &t);
    for (unsigned h = 0; h < 10; h++) put(c, "h", 90000 + h, "m", 3), put(c, "h", 90100 + h, "m", 40);
    levels_are_right(c, "management hosts");
    free(c);
}

/* A ring, a mesh and a torus of switches with hosts, one of which has fewer: all are leaves. */
static void what_is_no_tree(void **state) {
    (void)state;
    cables *c = malloc(sizeof *c);
    assert_non_null(c);
    for (unsigned side = 3; side < 7; side++)
        for (unsigned hosts = 1; hosts < 4; hosts++) {
            c->count = 0;
            for (unsigned i = 0; i < side * side; i++) {
                const unsigned x = i % side, y = i / side;
                for (unsigned h = 0; h < (i == 4 && hosts > 1 ? 1 : hosts); h++)
                    put(c, "h", 100 * i + h, "l", i);
                put(c, "l", i, "l", (x + 1) % side + y * side);
                put(c, "l", i, "l", x + (y + 1) % side * side);
            }
            shuffle(c, side);
            levels_are_right(c, "a torus");
        }
    free(c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_with_oddities),
        cmocka_unit_test(management_hosts),
        cmocka_unit_test(what_is_no_tree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The cabling against a plan: regular networks with some cables changed, and what must be reported of them.
 */
#include "fabric/expect/expect.h"

#include "fabric/expect/deviations.h"
#include "support/cable_lists.h"
#include "support/fabric_texts.h"
#include "support/fabrics.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { LINE = 400, LINES = 64 };

/* What is expected and what was reported: lines "swapped: now, now | planned, planned". */
typedef struct lines {
    char line[LINES][LINE];
    size_t count;
} lines;

static uint64_t state;

static size_t draw(size_t below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (size_t)(state >> 33) % below;
}

/* ---- lines ---- */

static int by_text(const void *a, const void *b) {
    return strcmp(a, b);
}

/* The ends in the order of the alphabet, and without ports if they are not wanted. */
static void normalise(char *buffer, size_t size, const char *name, bool ports) {
    listed_cable c = {0};
    char x[64], y[64];
    if (!name) {
        *buffer = 0;
        return;
    }
    assert_int_equal(sscanf(name, "%63s %*[->] %63s", x, y), 2);
    char *ends[] = {x, y};
    for (int i = 0; i < 2; i++) {
        char *slash = strchr(ends[i], '/');
        c.end[i].port = slash ? (unsigned)strtoul(slash + 1, NULL, 10) : 0;
        if (slash) *slash = 0;
        snprintf(c.end[i].node, sizeof c.end[i].node, "%s", ends[i]);
    }
    cable_name(buffer, size, &c, ports);
}

static void add_line(lines *l, const char *kind, const char *const now[2], const char *const planned[2],
                     bool ports) {
    char names[4][80];
    for (int i = 0; i < 2; i++) {
        normalise(names[i], sizeof names[i], now[i], ports);
        normalise(names[2 + i], sizeof names[i], planned[i], ports);
    }
    qsort(names[0], 2, sizeof names[0], by_text);
    qsort(names[2], 2, sizeof names[0], by_text);
    assert_true(l->count < LINES);
    snprintf(l->line[l->count++], LINE, "%s: %s, %s | %s, %s", kind, names[0], names[1], names[2], names[3]);
}

static void expect_line(lines *l, const char *kind, const listed_cable *now, const listed_cable *planned) {
    char names[2][80] = {{0}};
    if (now) cable_name(names[0], sizeof names[0], now, true);
    if (planned) cable_name(names[1], sizeof names[1], planned, true);
    add_line(l, kind, (const char *const[]){now ? names[0] : NULL, NULL},
             (const char *const[]){planned ? names[1] : NULL, NULL}, true);
}

static void print(const char *title, const lines *l) {
    print_message("%s\n", title);
    for (size_t i = 0; i < l->count; i++) print_message("  %s\n", l->line[i]);
}

static void same_lines(lines *expected, lines *found, const char *context) {
    qsort(expected->line, expected->count, LINE, by_text);
    qsort(found->line, found->count, LINE, by_text);
    bool same = expected->count == found->count;
    for (size_t i = 0; i < expected->count && same; i++) same = !strcmp(expected->line[i], found->line[i]);
    if (same) return;
    print("expected", expected);
    print("found", found);
    fail_msg("%s", context);
}

static lines lines_of(const bough_expected *e, bool ports) {
    lines l = {0};
    for (size_t i = 0; i < e->deviations; i++) {
        const bough_deviation *d = &e->deviation[i];
        add_line(&l, bough_deviation_name(d->kind), (const char *const *)d->now,
                 (const char *const *)d->planned, ports);
    }
    return l;
}

/* ---- changes of a list ---- */

static void put_swap(lines *l, const listed_cable now[2], const listed_cable planned[2]) {
    char names[4][80];
    for (int i = 0; i < 2; i++) {
        cable_name(names[i], sizeof names[i], &now[i], true);
        cable_name(names[2 + i], sizeof names[i], &planned[i], true);
    }
    add_line(l, "swapped", (const char *const[]){names[0], names[1]},
             (const char *const[]){names[2], names[3]}, true);
}

static bool same_node(const listed_end *a, const listed_end *b) {
    return strcmp(a->node, b->node) == 0;
}

static bool touches(const listed_cable *c, const listed_end *e) {
    return same_node(&c->end[0], e) || same_node(&c->end[1], e);
}

static bool disjoint(const listed_cable *a, const listed_cable *b) {
    return !touches(a, &b->end[0]) && !touches(a, &b->end[1]);
}

/* A cable that no change has touched, nor another one between its nodes. */
static listed_cable *pick(cable_list *list) {
    for (;;) {
        listed_cable *c = &list->cable[draw(list->count)];
        bool free = !c->gone;
        for (size_t i = 0; i < list->count && free; i++) {
            const listed_cable *o = &list->cable[i];
            free = !(o->touched && touches(o, &c->end[0]) && touches(o, &c->end[1]));
        }
        if (free) return c;
    }
}

/* Whether a cable that a change has touched, as planned or as it is, is between these nodes. */
static bool used(const cable_list *list, const listed_end *a, const listed_end *b) {
    for (size_t i = 0; i < list->count; i++)
        if (list->cable[i].touched && touches(&list->cable[i], a) && touches(&list->cable[i], b)) return true;
    return false;
}

/* Keeps what was planned as a cable that is gone, so that its nodes stay touched. */
static void leave_trace(cable_list *list, listed_cable planned) {
    listed_cable *trace = cable_list_add(list, planned.end[0], planned.end[1]);
    trace->gone = trace->touched = true;
}

static void swap_some(cable_list *list, lines *l) {
    for (;;) {
        size_t i = (size_t)(pick(list) - list->cable), k = (size_t)(pick(list) - list->cable);
        const listed_cable before[] = {list->cable[i], list->cable[k]};
        listed_cable now[] = {before[0], before[1]};
        now[0].end[1] = before[1].end[1];
        now[1].end[1] = before[0].end[1];
        if (!disjoint(&before[0], &before[1])) continue;
        if (used(list, &now[0].end[0], &now[0].end[1]) || used(list, &now[1].end[0], &now[1].end[1]))
            continue;
        now[0].touched = now[1].touched = true;
        list->cable[i] = now[0];
        list->cable[k] = now[1];
        leave_trace(list, before[0]);
        leave_trace(list, before[1]);
        put_swap(l, now, before);
        return;
    }
}

/* One end at another node, at a port that was free. */
static void move_some(cable_list *list, lines *l) {
    for (;;) {
        size_t i = (size_t)(pick(list) - list->cable);
        const listed_cable before = list->cable[i], *other = &list->cable[draw(list->count)];
        listed_cable now = before;
        int end = (int)draw(2);
        if (before.end[end].host || other->end[end].host || touches(&before, &other->end[end])) continue;
        if (used(list, &before.end[1 - end], &other->end[end])) continue;
        now.end[end] = free_port(list, other->end[end]);
        now.touched = true;
        list->cable[i] = now;
        leave_trace(list, before);
        expect_line(l, "moved", &now, &before);
        return;
    }
}

static void other_port(cable_list *list, lines *l) {
    listed_cable *c = pick(list);
    const listed_cable before = *c;
    int end = before.end[0].host ? 1 : 0;
    c->end[end] = free_port(list, c->end[end]);
    c->touched = true;
    expect_line(l, "other_port", c, &before);
}

static void remove_some(cable_list *list, lines *l) {
    listed_cable *c = pick(list);
    while (c->end[0].host || c->end[1].host) c = pick(list); /* the host would go, too */
    c->gone = c->touched = true;
    expect_line(l, "missing", NULL, c);
}

static void add_some(cable_list *list, lines *l) {
    for (;;) {
        listed_end a = list->cable[draw(list->count)].end[1], b = list->cable[draw(list->count)].end[1];
        if (same_node(&a, &b) || used(list, &a, &b)) continue;
        listed_cable *c = cable_list_add(list, free_port(list, a), free_port(list, b));
        c->touched = true;
        expect_line(l, "extra", c, NULL);
        return;
    }
}

static void slow_some(cable_list *list, lines *l) {
    listed_cable *c = pick(list);
    c->rate = 50;
    c->touched = true;
    expect_line(l, "other_rate", c, c);
}

typedef void change(cable_list *list, lines *l);
static change *const changes[] = {swap_some, move_some, other_port, remove_some, add_some, slow_some};

/* ---- files ---- */

static bough_expected compare_files(const cable_list *now, const cable_list *plan, bool ports) {
    bough_expected e = {.basis = BOUGH_EXPECT_FILE};
    bough_error error;
    bough_fabric fabric = cable_list_fabric(now, ports), planned = cable_list_fabric(plan, ports);
    if (expect_plan(&fabric, &planned, &e, &error) || deviations_finish(&e, &error))
        fail_msg("%s", error.reason);
    bough_fabric_fini(&fabric);
    bough_fabric_fini(&planned);
    return e;
}

static const char *const shapes[] = {"xgft:down=3x6,up=1x4", "xgft:down=4x4x4,up=1x4x4", "kary:k=4,levels=3",
                                     "xgft:down=2x5x3,up=1x3x5,links=1x2x1"};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static void file_with_changes(void **unused) {
    (void)unused;
    for (unsigned trial = 0; trial < 200; trial++) {
        const char *spec = shapes[trial % SHAPES];
        char context[80];
        state = trial;
        cable_list plan = cable_list_of(spec), now = cable_list_of(spec);
        lines expected = {0};
        for (size_t k = 1 + draw(6); k > 0; k--)
            changes[draw(sizeof changes / sizeof *changes)](&now, &expected);
        bough_expected e = compare_files(&now, &plan, true);
        lines found = lines_of(&e, true);
        snprintf(context, sizeof context, "%s, trial %u", spec, trial);
        same_lines(&expected, &found, context);
        assert_int_equal(e.findings.count, e.deviations);
        uint64_t other = e.count[BOUGH_DEVIATION_MOVED] + e.count[BOUGH_DEVIATION_OTHER_PORT] +
                         2 * e.count[BOUGH_DEVIATION_SWAPPED];
        assert_int_equal(e.right + other + e.count[BOUGH_DEVIATION_MISSING], e.cables_planned);
        assert_int_equal(e.right + other + e.count[BOUGH_DEVIATION_EXTRA], e.cables);
        bough_expected_fini(&e);
        cable_list_free(&plan);
        cable_list_free(&now);
    }
}

/* Without port numbers the nodes are compared. */
static void file_without_ports(void **unused) {
    (void)unused;
    for (unsigned trial = 0; trial < 100; trial++) {
        state = 1000 + trial;
        cable_list plan = cable_list_of(shapes[trial % 2]), now = cable_list_of(shapes[trial % 2]);
        lines with_ports = {0}, expected = {0};
        change *const one[] = {swap_some, move_some, remove_some, add_some};
        one[trial % 4](&now, &with_ports);
        bough_expected e = compare_files(&now, &plan, false);
        lines found = lines_of(&e, false);
        bough_expected exact = compare_files(&now, &plan, true);
        expected = lines_of(&exact, false);
        same_lines(&expected, &found, shapes[trial % 2]);
        bough_expected_fini(&e);
        bough_expected_fini(&exact);
        cable_list_free(&plan);
        cable_list_free(&now);
    }
}

/* ---- trees ---- */

static bough_expected compare_tree(const cable_list *now, const char *plan) {
    bough_expected e;
    bough_error error;
    bough_net *net;
    bough_fabric fabric = cable_list_fabric(now, true);
    if (bough_net_from_fabric(&fabric, NULL, "test", &net, &error)) fail_msg("%s", error.reason);
    if (bough_expect(net, plan, &e, &error)) fail_msg("%s: %s", plan, error.reason);
    bough_net_destroy(net);
    return e;
}

static void tree_has(const cable_list *now, const char *plan, lines *expected, const char *context) {
    bough_expected e = compare_tree(now, plan);
    lines found = lines_of(&e, false);
    same_lines(expected, &found, context);
    bough_expected_fini(&e);
}

/* Between switches only, and with nodes that no other change has. */
static bool is_new(const cable_list *list, const listed_cable *c) {
    if (c->end[0].host || c->end[1].host || c->gone) return false;
    for (size_t i = 0; i < list->count; i++)
        if (list->cable[i].touched && !disjoint(&list->cable[i], c)) return false;
    return true;
}

static listed_cable *pick_new(cable_list *list) {
    for (;;) {
        listed_cable *c = &list->cable[draw(list->count)];
        if (is_new(list, c)) return c;
    }
}

static void expect_without_ports(lines *l, const char *kind, const listed_cable now[],
                                 const listed_cable planned[], int count) {
    char names[4][80] = {{0}};
    const char *text[4] = {0};
    for (int i = 0; i < count; i++) {
        if (now) cable_name(names[i], sizeof names[i], &now[i], false), text[i] = names[i];
        if (planned)
            cable_name(names[2 + i], sizeof names[i], &planned[i], false), text[2 + i] = names[2 + i];
    }
    add_line(l, kind, text, text + 2, false);
}

/* Cables of one layer of the tree, both from the lower to the upper switch: other nodes, and other groups or
 * not. */
static bool one_layer(const listed_cable *a, const listed_cable *b) {
    return a->end[0].node[1] == b->end[0].node[1] && a->end[1].node[1] == b->end[1].node[1];
}

static void tree_swap(cable_list *list, lines *l) {
    listed_cable *a = pick_new(list), *b = pick_new(list);
    while (!disjoint(a, b) || !one_layer(a, b)) a = pick_new(list), b = pick_new(list);
    const listed_cable before[] = {*a, *b};
    a->end[1] = before[1].end[1];
    b->end[1] = before[0].end[1];
    a->touched = b->touched = true;
    expect_without_ports(l, "swapped", (listed_cable[]){*a, *b}, before, 2);
}

static void tree_remove(cable_list *list, lines *l) {
    listed_cable *c = pick_new(list);
    c->gone = c->touched = true;
    expect_without_ports(l, "missing", NULL, c, 1);
}

static void tree_add(cable_list *list, lines *l) {
    const listed_cable *a = pick_new(list), *b = pick_new(list);
    while (!disjoint(a, b)) b = pick_new(list);
    listed_end x = a->end[draw(2)], y = b->end[draw(2)];
    listed_cable *c = cable_list_add(list, free_port(list, x), free_port(list, y));
    c->touched = true;
    expect_without_ports(l, "extra", c, NULL, 1);
}

static void tree_move(cable_list *list, lines *l) {
    listed_cable *a = pick_new(list);
    const listed_cable before = *a, *b = pick_new(list);
    while (!disjoint(a, b)) b = pick_new(list);
    a->end[1] = free_port(list, b->end[1]);
    a->touched = true;
    expect_without_ports(l, "moved", a, &before, 1);
    leave_trace(list, before);
}

static change *const tree_changes[] = {tree_swap, tree_remove, tree_add, tree_move};

/* Shapes in which no group has less than three switches on a side. */
static const char *const wide[] = {"xgft:down=3x6,up=1x4", "xgft:down=4x4x4,up=1x4x4", "kary:k=4,levels=3",
                                   "xgft:down=2x5x5,up=1x3x5,links=1x2x1", "clos:radix=12,hosts=216"};
enum { WIDE = sizeof wide / sizeof *wide };

static void tree_changed(unsigned count, unsigned trials) {
    for (unsigned trial = 0; trial < trials; trial++) {
        const char *spec = wide[trial % WIDE], *plan = trial / WIDE % 2 ? spec : "regular";
        char context[120];
        lines expected = {0};
        state = 7919 * count + trial;
        cable_list now = cable_list_of(spec);
        for (unsigned k = 0; k < count; k++) tree_changes[draw(4)](&now, &expected);
        snprintf(context, sizeof context, "%s as %s, trial %u", spec, plan, trial);
        tree_has(&now, plan, &expected, context);
        cable_list_free(&now);
    }
}

static void tree_as_planned(void **unused) {
    (void)unused;
    tree_changed(0, 2 * WIDE);
}

static void tree_one_change(void **unused) {
    (void)unused;
    tree_changed(1, 200);
}

static void tree_two_changes(void **unused) {
    (void)unused;
    tree_changed(2, 200);
}

/* ---- single cases ---- */

static bough_expected compare_texts(const char *now, const char *plan) {
    bough_expected e = {.basis = BOUGH_EXPECT_FILE};
    bough_error error;
    bough_fabric fabric = fabric_from(now), planned = fabric_from(plan);
    if (expect_plan(&fabric, &planned, &e, &error) || deviations_finish(&e, &error))
        fail_msg("%s", error.reason);
    bough_fabric_fini(&fabric);
    bough_fabric_fini(&planned);
    return e;
}

#define SWITCHES                                                                                             \
    "node,port,node,port,rate\nleaf1,1,spine1,1,100G\nleaf1,2,spine2,1,100G\nleaf2,1,spine1,2,100G\n"

/* Nodes that one file has: their cables are counted. A plan of switches says nothing of hosts. */
static void file_nodes(void **unused) {
    (void)unused;
    bough_expected e = compare_texts(SWITCHES "leaf1,3,h1,1,100G\nleaf2,3,h3,1,100G\n",
                                     SWITCHES "leaf1,3,h1,1,100G\nleaf2,3,h2,1,100G\n");
    assert_int_equal(e.deviations, 2);
    assert_string_equal(e.findings.item[0].text, "this host is missing; planned: h2/1 -> leaf2/3");
    assert_string_equal(e.findings.item[1].where, "h3");
    assert_int_equal(e.cables_of_missing, 1);
    assert_int_equal(e.cables_of_extra, 1);
    assert_int_equal(e.right, 4);
    bough_expected_fini(&e);
    e = compare_texts(SWITCHES "leaf2,2,spine2,2,100G\nleaf1,3,h1,1,100G\nleaf2,3,h3,1,100G\n", SWITCHES);
    assert_int_equal(e.deviations, 1);
    assert_int_equal(e.deviation[0].kind, BOUGH_DEVIATION_EXTRA);
    assert_string_equal(e.deviation[0].now[0], "spine2/2 -> leaf2/2");
    assert_int_equal(count_findings(&e.findings, "plan"), 1);
    bough_expected_fini(&e);
}

#define NAMED_PORTS "node,port,node,port\nh1,eth0,leaf1,swp1\nh2,eth0,leaf2,swp1\nleaf2,swp5s0,spine1,2\n"

/* Names that are no numbers say which port is which, in whatever order a file has them. */
static void file_port_names(void **unused) {
    (void)unused;
    bough_expected e = compare_texts(NAMED_PORTS "leaf1,swp6s0,spine1,1\nleaf1,swp5s1,spine2,1\n",
                                     NAMED_PORTS "leaf1,swp5s1,spine1,1\nleaf1,swp6s0,spine2,1\n");
    assert_int_equal(e.deviations, 1);
    assert_int_equal(e.deviation[0].kind, BOUGH_DEVIATION_SWAPPED);
    assert_string_equal(e.deviation[0].now[0], "leaf1/swp5s1 -> spine2/1");
    assert_int_equal(e.right, 3);
    bough_expected_fini(&e);
    e = compare_texts(
        "node,port,node,port\nleaf1,swp6s0,spine2,1\nleaf1,swp5s1,spine1,1\nleaf2,swp5s0,spine1,2\n"
        "h2,eth0,leaf2,swp1\nh1,eth0,leaf1,swp1\n",
        NAMED_PORTS "leaf1,swp5s1,spine1,1\nleaf1,swp6s0,spine2,1\n");
    assert_int_equal(e.deviations, 0);
    assert_int_equal(e.right, 5);
    bough_expected_fini(&e);
}

/* A host at a spine makes no leaf of it, and a leaf with one host stays one. */
static void tree_odd_hosts(void **unused) {
    (void)unused;
    cable_list now = cable_list_of("xgft:down=6x8,up=1x4");
    for (size_t i = 1; i < 6; i++) now.cable[i].gone = true; /* all hosts of the first leaf but one */
    listed_end spine = now.cable[now.count - 1].end[1], host = {"extra", true, 1};
    assert_true(spine.node[1] == '2');
    cable_list_add(&now, host, free_port(&now, spine));
    bough_expected e = compare_tree(&now, "xgft:down=6x8,up=1x4");
    assert_int_equal(e.deviations, 2);
    assert_string_equal(e.findings.item[0].text, "1 host at a switch of level 2");
    assert_string_equal(e.findings.item[1].where, "s1.0");
    assert_string_equal(e.findings.item[1].text, "1 host, planned 6");
    bough_expected_fini(&e);
    cable_list_free(&now);
}

/* Another tree: what differs is its numbers, not every cable. */
static void tree_other(void **unused) {
    (void)unused;
    cable_list now = cable_list_of("xgft:down=6x8,up=1x4");
    bough_expected e = compare_tree(&now, "xgft:down=6x8,up=1x4,links=1x2");
    assert_int_equal(e.count[BOUGH_DEVIATION_MISSING], 0);
    assert_int_equal(e.deviations, 1);
    assert_string_equal(e.deviation[0].node, "levels 1 and 2");
    bough_expected_fini(&e);
    e = compare_tree(&now, "xgft:down=6x9,up=1x4");
    assert_int_equal(e.deviations, 2);
    assert_string_equal(e.deviation[0].text, "8 switches, planned 9");
    assert_string_equal(e.deviation[1].text,
                        "the group of this switch has 8 switches of level 1 below 4, planned 9 below 4");
    bough_expected_fini(&e);
    cable_list_free(&now);
}

static void refused(const char *spec, const char *plan, bough_status status, const char *reason) {
    bough_expected e;
    bough_error error = {0};
    bough_net *net = net_make(spec);
    assert_int_equal(bough_expect(net, plan, &e, &error), status);
    if (!strstr(error.reason, reason)) fail_msg("%s", error.reason);
    bough_expected_fini(&e);
    bough_net_destroy(net);
}

static void wrong_plans(void **unused) {
    (void)unused;
    refused("xgft:down=4x4,up=1x2", "cube:n=8", BOUGH_UNSUPPORTED, "and cube:n=8");
    refused("xgft:down=4x4,up=1x2", "mesh:dims=4x4", BOUGH_UNSUPPORTED, "--expect needs a tree");
    refused("xgft:down=4x4,up=1x2", "./nosuch.csv", BOUGH_INVALID, "with a file needs a fabric file");
    refused("xgft:down=4x4,up=1x2", "nosuch", BOUGH_INVALID, "no network family");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_plans),        cmocka_unit_test(file_nodes),
        cmocka_unit_test(file_port_names),    cmocka_unit_test(tree_odd_hosts),
        cmocka_unit_test(tree_other),         cmocka_unit_test(file_with_changes),
        cmocka_unit_test(file_without_ports), cmocka_unit_test(tree_as_planned),
        cmocka_unit_test(tree_one_change),    cmocka_unit_test(tree_two_changes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

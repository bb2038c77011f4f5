/* What changed between two lists of cables: no GUIDs, and often no port numbers. */
#include "fabric/changes/changes.h"

#include "network/export/network_exports.h"
#include "support/fabric_texts.h"
#include "support/fabrics.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static arena memory; /* of results */

enum { LINES = 12, TEXT_MAX = 2000 };

/* 3 leaves with 2 hosts, 2 spines: with port numbers everywhere, at switches only, and nowhere. */
static const char *const numbered[] = {
    "leaf1,1,h1,1,100G",     "leaf1,2,h2,1,100G",     "leaf2,1,h3,1,100G",     "leaf2,2,h4,1,100G",
    "leaf3,1,h5,1,100G",     "leaf3,2,h6,1,100G",     "leaf1,3,spine1,1,100G", "leaf1,4,spine2,1,100G",
    "leaf2,3,spine1,2,100G", "leaf2,4,spine2,2,100G", "leaf3,3,spine1,3,100G", "leaf3,4,spine2,3,100G"};
static const char *const half[] = {"leaf1,1,h1,,100G",      "leaf1,2,h2,,100G",      "leaf2,1,h3,,100G",
                                   "leaf2,2,h4,,100G",      "leaf3,1,h5,,100G",      "leaf3,2,h6,,100G",
                                   "leaf1,3,spine1,1,100G", "leaf1,4,spine2,1,100G", "leaf2,3,spine1,2,100G",
                                   "leaf2,4,spine2,2,100G", "leaf3,3,spine1,3,100G", "leaf3,4,spine2,3,100G"};
static const char *const bare[] = {"leaf1,,h1,,100G",     "leaf1,,h2,,100G",     "leaf2,,h3,,100G",
                                   "leaf2,,h4,,100G",     "leaf3,,h5,,100G",     "leaf3,,h6,,100G",
                                   "leaf1,,spine1,,100G", "leaf1,,spine2,,100G", "leaf2,,spine1,,100G",
                                   "leaf2,,spine2,,100G", "leaf3,,spine1,,100G", "leaf3,,spine2,,100G"};
static const char *const *const lists[] = {numbered, half, bare};

static void add(char *text, const char *line) {
    if (strlen(text) + strlen(line) + 2 > TEXT_MAX) fail_msg("too long");
    strcat(text, line);
    strcat(text, "\n");
}

/* The file of a list. */
static void list_text(char *text, const char *const *list) {
    *text = 0;
    add(text, "node,port,node,port,rate");
    for (int i = 0; i < LINES; i++)
        if (list[i]) add(text, list[i]);
}

/* list with some lines replaced; NULL: left out. */
static void edited_text(char *text, const char *const *list, int at, const char *with, int at2,
                        const char *with2) {
    const char *lines[LINES];
    memcpy(lines, list, sizeof lines);
    lines[at] = with;
    if (at2 >= 0) lines[at2] = with2;
    list_text(text, lines);
}

static void reversed_text(char *text, const char *const *list) {
    const char *lines[LINES];
    for (int i = 0; i < LINES; i++) lines[i] = list[LINES - 1 - i];
    list_text(text, lines);
}

typedef struct compared {
    bough_fabric_changes c;
    bough_findings findings;
} compared;

static compared compare_texts(const char *before, const char *after) {
    compared r = {0};
    bough_error error;
    bough_fabric old = fabric_from(before), now = fabric_from(after);
    if (bough_fabric_compare(&old, &now, &r.c, &r.findings, &error)) fail_msg("%s", error.reason);
    bough_fabric_fini(&old);
    bough_fabric_fini(&now);
    return r;
}

static void says(const compared *r, size_t at, const char *kind, const char *where, const char *text) {
    if (at >= r->findings.count) fail_msg("no finding %zu, %s", at, kind);
    assert_string_equal(r->findings.item[at].kind, kind);
    assert_string_equal(r->findings.item[at].where, where);
    assert_string_equal(r->findings.item[at].text, text);
}

static void done(compared *r, size_t findings) {
    if (r->findings.count > findings) fail_msg("also: %s", r->findings.item[findings].text);
    assert_int_equal(r->findings.count, findings);
    bough_findings_fini(&r->findings);
}

/* Counts of changed nodes and cables, but for those that are asserted by name. */
static uint64_t node_changes(const bough_fabric_changes *c) {
    const bough_node_changes *n[] = {&c->host, &c->other};
    uint64_t sum = 0;
    for (int k = 0; k < 2; k++)
        sum += n[k]->gone + n[k]->fresh + n[k]->replaced + n[k]->renamed + n[k]->relabelled;
    return sum;
}
static uint64_t cable_changes(const bough_fabric_changes *c) {
    const bough_cable_changes *n[] = {&c->access, &c->inner};
    uint64_t sum = 0;
    for (int k = 0; k < 2; k++) sum += n[k]->gone + n[k]->fresh + n[k]->moved + n[k]->slower + n[k]->faster;
    return sum;
}

/* ---- bad input ---- */

static void lists_without_a_common_name_are_refused(void **state) {
    (void)state;
    bough_fabric old = fabric_from("node,node\na,x\na,y\n"), now = fabric_from("node,node\nb,z\nb,w\n");
    bough_fabric_changes c;
    bough_findings findings = {0};
    bough_error error;
    assert_int_equal(bough_fabric_compare(&old, &now, &c, &findings, &error), BOUGH_INVALID);
    assert_non_null(strstr(error.reason, "no name in it is in f; both files have to be of one fabric"));
    assert_int_equal(findings.count, 0);
    bough_fabric_fini(&old);
    bough_fabric_fini(&now);
}

/* ---- one change at a time ---- */

static void the_order_of_lines_does_not_matter(void **state) {
    (void)state;
    char before[TEXT_MAX], after[TEXT_MAX];
    for (int k = 0; k < 3; k++) {
        list_text(before, lists[k]);
        reversed_text(after, lists[k]);
        compared r = compare_texts(before, after);
        assert_int_equal(r.c.host.now, 6);
        assert_int_equal(r.c.inner.now, 6);
        assert_int_equal(node_changes(&r.c) + cable_changes(&r.c), 0);
        done(&r, 0);
    }
}

static void a_host_without_its_line_is_gone(void **state) {
    (void)state;
    char before[TEXT_MAX], after[TEXT_MAX];
    for (int k = 0; k < 3; k++) {
        list_text(before, lists[k]);
        edited_text(after, lists[k], 0, NULL, -1, NULL);
        compared r = compare_texts(before, after);
        assert_int_equal(r.c.host.gone, 1);
        assert_int_equal(r.c.access.gone, 1);
        assert_int_equal(node_changes(&r.c) + cable_changes(&r.c), 2);
        says(&r, 0, "node-gone", "h1", "this host adapter is gone");
        done(&r, 1);
        r = compare_texts(after, before);
        assert_int_equal(r.c.host.fresh + r.c.access.fresh, 2);
        assert_int_equal(node_changes(&r.c) + cable_changes(&r.c), 2);
        says(&r, 0, "node-new", "h1", "this host adapter is new");
        done(&r, 1);
    }
}

static void hosts_that_swap_leaves_are_moved(void **state) {
    (void)state;
    static const char *const swapped[][2] = {{"leaf1,1,h3,1,100G", "leaf2,1,h1,1,100G"},
                                             {"leaf1,1,h3,,100G", "leaf2,1,h1,,100G"},
                                             {"leaf1,,h3,,100G", "leaf2,,h1,,100G"}};
    char before[TEXT_MAX], after[TEXT_MAX];
    for (int k = 0; k < 3; k++) {
        list_text(before, lists[k]);
        edited_text(after, lists[k], 0, swapped[k][0], 2, swapped[k][1]);
        compared r = compare_texts(before, after);
        assert_int_equal(r.c.access.moved, 2);
        assert_int_equal(node_changes(&r.c) + cable_changes(&r.c), 2);
        if (lists[k] == numbered) {
            says(&r, 0, "cable-moved", "leaf1/1", "the cable leads to h3/1, and led to h1/1");
        } else if (lists[k] == bare) {
            says(&r, 0, "cable-moved", "h1", "the cable leads to leaf2, and led to leaf1");
            says(&r, 1, "cable-moved", "h3", "the cable leads to leaf1, and led to leaf2");
        }
        done(&r, 2);
    }
}

static void a_cable_is_slower(void **state) {
    (void)state;
    static const char *const slow[] = {"leaf3,4,spine2,3,25G", "leaf3,4,spine2,3,25G", "leaf3,,spine2,,25G"};
    char before[TEXT_MAX], after[TEXT_MAX];
    for (int k = 0; k < 3; k++) {
        list_text(before, lists[k]);
        edited_text(after, lists[k], 11, slow[k], -1, NULL);
        compared r = compare_texts(before, after);
        assert_int_equal(r.c.inner.slower, 1);
        assert_int_equal(node_changes(&r.c) + cable_changes(&r.c), 1);
        says(&r, 0, "cable-slower", lists[k] == bare ? "leaf3" : "leaf3/4",
             lists[k] == bare ? "the cable to spine2 runs at 25 Gb/s, and ran at 100 Gb/s"
                              : "the cable to spine2/3 runs at 25 Gb/s, and ran at 100 Gb/s");
        done(&r, 1);
        r = compare_texts(after, before);
        assert_int_equal(r.c.inner.faster, 1);
        done(&r, 1);
    }
}

static void a_cable_between_switches_is_recabled(void **state) {
    (void)state;
    char before[TEXT_MAX], after[TEXT_MAX];
    list_text(before, numbered);
    edited_text(after, numbered, 11, "leaf3,9,spine2,9,100G", -1, NULL); /* other ports */
    compared r = compare_texts(before, after);
    assert_int_equal(r.c.inner.moved, 1);
    says(&r, 0, "cable-moved", "leaf3/9", "the cable to spine2/9 was between leaf3/4 and spine2/3");
    done(&r, 1);
    list_text(before, bare);
    edited_text(after, bare, 11, "leaf3,,spine1,,100G", -1,
                NULL); /* whether by the same port, nobody knows */
    r = compare_texts(before, after);
    assert_int_equal(r.c.inner.gone, 1);
    assert_int_equal(r.c.inner.fresh, 1);
    assert_int_equal(node_changes(&r.c) + cable_changes(&r.c), 2);
    says(&r, 0, "cable-gone", "leaf3", "the cable to spine2 is gone");
    says(&r, 1, "cable-new", "leaf3", "the cable to spine1 is new");
    done(&r, 2);
}

/* Two cables of different rates between two switches change lines; then one of them slows down. */
static void parallel_cables_are_told_by_their_rate(void **state) {
    (void)state;
    static const char before[] = "node,node,rate\na,h1,1G\nb,h2,1G\na,b,100G\na,b,25G\n";
    compared r = compare_texts(before, "node,node,rate\na,b,25G\na,b,100G\nb,h2,1G\na,h1,1G\n");
    assert_int_equal(node_changes(&r.c) + cable_changes(&r.c), 0);
    done(&r, 0);
    r = compare_texts(before, "node,node,rate\na,b,25G\na,b,10G\nb,h2,1G\na,h1,1G\n");
    assert_int_equal(r.c.inner.slower, 1);
    says(&r, 0, "cable-slower", "a", "the cable to b runs at 10 Gb/s, and ran at 100 Gb/s");
    done(&r, 1);
}

/* Port numbers that one of the files does not have say nothing. */
static void a_list_with_numbers_is_compared_with_one_without(void **state) {
    (void)state;
    char text[3][TEXT_MAX];
    for (int k = 0; k < 3; k++) list_text(text[k], lists[k]);
    for (int k = 0; k < 9; k++) {
        compared r = compare_texts(text[k / 3], text[k % 3]);
        assert_int_equal(node_changes(&r.c) + cable_changes(&r.c), 0);
        done(&r, 0);
    }
}

/* A short name may hold the GUID where the long ones look like a port of another node. */
static void names_are_what_the_file_says(void **state) {
    (void)state;
    compared r = compare_texts("node,node\ns,h:1\ns,h\ns,x mlx5_0\n", "node,node\ns,x mlx5_0\ns,h\ns,h:1\n");
    assert_int_equal(r.c.host.now, 3);
    assert_int_equal(node_changes(&r.c) + cable_changes(&r.c), 0);
    done(&r, 0);
}

static void anynet_is_compared_by_name(void **state) {
    (void)state;
    compared r = compare_texts("router 0 node 0 node 1 router 1\nrouter 1 node 2 node 3\n",
                               "router 1 node 2 node 3\nrouter 0 router 1 node 1 node 0\n");
    assert_int_equal(r.c.host.now, 4);
    assert_int_equal(node_changes(&r.c) + cable_changes(&r.c), 0);
    done(&r, 0);
    r = compare_texts("router 0 node 0 node 1 router 1\nrouter 1 node 2 node 3\n",
                      "router 0 node 0 router 1\nrouter 1 node 2 node 3 node 1\n");
    assert_int_equal(r.c.access.moved, 1);
    says(&r, 0, "cable-moved", "node1", "the cable leads to router1, and led to router0");
    done(&r, 1);
}

/* The plan of the cables against a recording: GUIDs are on one side only. */
static void a_list_is_compared_with_a_recording(void **state) {
    (void)state;
    static const char *const lines[] = {"S1 lid 1", "H1 lid 11", "H2 lid 12", "H1:1 S1:1", "H2:1 S1:2", NULL};
    char *recording = fabric_text(lines);
    compared r = compare_texts("node,port,node,port\nS1,2,H2,1\nS1,1,H1,1\n", recording);
    assert_int_equal(r.c.host.now, 2);
    assert_int_equal(node_changes(&r.c) + cable_changes(&r.c), 0);
    done(&r, 0);
    r = compare_texts(recording, "node,port,node,port\nS1,2,H1,1\nS1,1,H2,1\n");
    assert_int_equal(r.c.access.moved, 2);
    assert_int_equal(node_changes(&r.c) + cable_changes(&r.c), 2);
    done(&r, 2);
    free(recording);
}

/* H1 and S1 have the same number, and are not the same. */
static void orcs_numbers_hosts_and_switches_apart(void **state) {
    (void)state;
    static const char *const text[] = {
        "digraph {\nH1 -> S1\nS1 -> H1 [comment=\"*\"]\nH2 -> S1\nS1 -> H2 [comment=\"*\"]\n}\n",
        "digraph {\nH2 -> S1\nS1 -> H2 [comment=\"*\"]\nH1 -> S1\nS1 -> H1 [comment=\"*\"]\n}\n"};
    compared r = compare_texts(text[0], text[1]);
    assert_int_equal(r.c.host.now, 2);
    assert_int_equal(r.c.access.now, 2);
    assert_int_equal(node_changes(&r.c) + cable_changes(&r.c), 0);
    done(&r, 0);
}

/* ---- routings ---- */

/* What bough_routing_compare finds; the routing is computed for both. */
static bough_findings compare_routed(const char *const text[2], const char *order, const char *spec,
                                     bough_routing_changes *c, double *mean) {
    bough_net *net[2];
    bough_routing *r[2];
    bough_check_options o = {.memory = &memory, .threads = 1};
    bough_check_result after;
    bough_findings own = {0}, findings = {0};
    bough_error error;
    for (int k = 0; k < 2; k++) net[k] = fabric_net_from(text[k], order), r[k] = routing_make(net[k], spec);
    if (bough_check_routing(r[1], &o, &after, &own, &error)) fail_msg("%s", error.reason);
    if (bough_routing_compare(&(bough_routing_comparison){r[0], r[1], &after, &o}, c, &findings, &error))
        fail_msg("%s", error.reason);
    *mean = after.shift_mean;
    bough_findings_fini(&own);
    for (int k = 0; k < 2; k++) routing_free(r[k]);
    return findings;
}

/* One cable up for two hosts: h1 h2 h3 h4 have no busy shift that h1 h3 h2 h4 has. */
static void shifts_of_another_order_are_not_judged(void **state) {
    (void)state;
    static const char *const text[] = {"node,node\na,h1\na,h2\na,h3\nb,h4\nb,h5\nb,h6\na,s\nb,s\n",
                                       "node,node\na,h1\nb,h4\na,h2\nb,h5\na,h3\nb,h6\na,s\nb,s\n"};
    bough_routing_changes c;
    double mean;
    bough_findings findings = compare_routed(text, "lid", "random", &c, &mean);
    assert_int_equal(c.endpoints, 6);
    assert_int_equal(c.links, 0); /* every link was found again */
    assert_true(mean > c.before.shift_mean + .1);
    assert_int_equal(findings.count, 1);
    assert_string_equal(findings.item[0].kind, "other-order");
    assert_int_equal(findings.item[0].severity, BOUGH_INFO);
    bough_findings_fini(&findings);
    arena_fini(&memory);
}

/* Findings of this kind, which all say why they are no warnings. */
static void excused(const bough_findings *findings, const char *kind, const char *why) {
    unsigned count = 0;
    for (size_t i = 0; i < findings->count; i++) {
        const bough_finding *f = &findings->item[i];
        assert_int_equal(f->severity, BOUGH_INFO);
        if (strcmp(f->kind, kind) != 0) continue;
        if (!strstr(f->text, why)) fail_msg("%s", f->text);
        count++;
    }
    assert_true(count > 0);
}

/* Flows are the same: the cable between the switches, or every cable, is slower. */
static void slower_cables_take_longer(void **state) {
    (void)state;
    static const char *const text[] = {
        "node,node,rate\na,h1,1G\na,h2,1G\nb,h3,1G\nb,h4,1G\na,b,100G\n",
        "node,node,rate\na,h1,1G\na,h2,1G\nb,h3,1G\nb,h4,1G\na,b,1G\n",
        "node,node,rate\na,h1,4G\na,h2,4G\nb,h3,4G\nb,h4,4G\na,b,4G\n",
    };
    static const struct {
        int from, to;
        const char *kind, *say;
    } known[] = {{0, 1, "longer-time", "takes 1.333 times as long, by "}, /* 4 flows on it, 3 on a host's */
                 {2, 1, "longer-time", "4 flows at 1 Gb/s"},
                 {1, 2, "shorter-time", "takes 0.25 times as long"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const char *const two[] = {text[known[i].from], text[known[i].to]};
        bough_routing_changes c;
        double mean;
        bough_findings findings = compare_routed(two, NULL, "updn", &c, &mean);
        assert_int_equal(findings.count, 1);
        assert_string_equal(findings.item[0].kind, known[i].kind);
        assert_int_equal(findings.item[0].severity, i < 2 ? BOUGH_WARN : BOUGH_INFO);
        if (!strstr(findings.item[0].text, known[i].say)) fail_msg("%s", findings.item[0].text);
        bough_findings_fini(&findings);
        arena_fini(&memory);
    }
}

/* Three leaves of four hosts under three spines, one cable missing: which spine a leaf takes goes by GUIDs
 * and LIDs, and those by the order of the lines. */
static void ties_broken_otherwise_are_not_judged(void **state) {
    (void)state;
    char forth[1024] = "node,port,node,port\n", back[1024] = "node,port,node,port\n", line[21][32];
    unsigned lines = 0;
    for (int l = 0; l < 3; l++) {
        for (int h = 0; h < 4; h++) snprintf(line[lines++], 32, "l%d,%d,h%d_%d,1", l, h + 1, l, h);
        for (int s = 0; s < 3; s++)
            if (l != 2 || s != 0) snprintf(line[lines++], 32, "l%d,%d,s%d,%d", l, s + 5, s, l + 1);
    }
    for (unsigned i = 0; i < lines; i++) add(forth, line[i]), add(back, line[lines - 1 - i]);
    const char *const text[] = {forth, back}, *const same[] = {forth, forth};
    bough_routing_changes c;
    double mean;
    bough_findings findings = compare_routed(text, "name", "updn", &c, &mean);
    assert_true(mean > c.before.shift_mean + .1);
    excused(&findings, "heavier-load", "by which ties are broken");
    bough_findings_fini(&findings);
    arena_fini(&memory);
    findings = compare_routed(same, "name", "updn", &c, &mean);
    assert_int_equal(findings.count, 0);
    arena_fini(&memory);
}

/* The same netlist, with the LIDs of the 16 hosts in another order. */
static void other_lids_are_ties_too(void **state) {
    (void)state;
    bough_net *net = net_make("xgft:down=4x4,up=1x2");
    bough_text before = {0}, after = {0};
    bough_error error;
    if (export_netlist(net, &before, &error)) fail_msg("%s", error.reason);
    for (const char *at = before.data, *next; *at; at = next) {
        next = strstr(at, " lid ");
        next = next ? next + 5 : at + strlen(at);
        bough_text_add(&after, at, (size_t)(next - at));
        if (!*next) break;
        unsigned long lid = strtoul(next, (char **)&next, 10);
        bough_text_printf(&after, "%lu", lid <= 16 ? 17 - (lid * 5) % 17 : lid);
    }
    const char *const text[2][2] = {{before.data, after.data}, {after.data, before.data}};
    unsigned heavier = 0;
    for (int way = 0; way < 2; way++) {
        bough_routing_changes c;
        double mean;
        bough_findings findings = compare_routed(text[way], "lid", "hash", &c, &mean);
        for (size_t i = 0; i < findings.count; i++) {
            assert_int_equal(findings.item[i].severity, BOUGH_INFO);
            heavier += strcmp(findings.item[i].kind, "heavier-load") == 0;
        }
        bough_findings_fini(&findings);
        arena_fini(&memory);
    }
    assert_true(heavier > 0);
    bough_text_fini(&before);
    bough_text_fini(&after);
    bough_net_destroy(net);
}

/* One host more is one flow more on the others' links. */
static void other_hosts_are_not_judged(void **state) {
    (void)state;
    static const char *const text[] = {"node,node\na,h1\na,h2\nb,h3\na,s\nb,s\n",
                                       "node,node\na,h1\na,h2\nb,h3\na,s\nb,s\nb,h4\n"};
    static const char *const cut[] = {
        "node,port,node,port\na,1,h1,1\na,2,h2,1\nb,1,h3,1\nb,2,h4,1\na,3,s,1\na,4,s,2\nb,3,s,3\nb,4,s,4\n",
        "node,port,node,port\na,1,h1,1\na,2,h2,1\nb,1,h3,1\nb,2,h4,1\na,3,s,1\nb,3,s,3\nb,4,s,4\n"};
    bough_routing_changes c;
    double mean;
    bough_findings findings = compare_routed(text, "lid", "random", &c, &mean);
    excused(&findings, "heavier-load", "the hosts are not those of before");
    bough_findings_fini(&findings);
    arena_fini(&memory);
    findings = compare_routed(cut, NULL, "updn", &c, &mean); /* a cable less, and all else as before */
    bool warned = false;
    for (size_t i = 0; i < findings.count; i++) warned |= findings.item[i].severity == BOUGH_WARN;
    assert_true(warned);
    bough_findings_fini(&findings);
    arena_fini(&memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_without_a_common_name_are_refused),
        cmocka_unit_test(the_order_of_lines_does_not_matter),
        cmocka_unit_test(a_host_without_its_line_is_gone),
        cmocka_unit_test(hosts_that_swap_leaves_are_moved),
        cmocka_unit_test(a_cable_is_slower),
        cmocka_unit_test(a_cable_between_switches_is_recabled),
        cmocka_unit_test(parallel_cables_are_told_by_their_rate),
        cmocka_unit_test(a_list_with_numbers_is_compared_with_one_without),
        cmocka_unit_test(names_are_what_the_file_says),
        cmocka_unit_test(anynet_is_compared_by_name),
        cmocka_unit_test(a_list_is_compared_with_a_recording),
        cmocka_unit_test(orcs_numbers_hosts_and_switches_apart),
        cmocka_unit_test(shifts_of_another_order_are_not_judged),
        cmocka_unit_test(slower_cables_take_longer),
        cmocka_unit_test(ties_broken_otherwise_are_not_judged),
        cmocka_unit_test(other_lids_are_ties_too),
        cmocka_unit_test(other_hosts_are_not_judged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

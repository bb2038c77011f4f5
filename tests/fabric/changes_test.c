/* What changed between two fabrics: bad input, one change at a time by hand, then real fabrics. */
#include "fabric/changes/changes.h"

#include "support/fabrics.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static arena memory; /* of results */

static const char *const base[] = {"S1 lid 1",  "S2 lid 2",  "S3 lid 3",  "S4 lid 4",  "H1 lid 11",
                                   "H2 lid 12", "H3 lid 13", "H4 lid 14", "H1:1 S1:1", "H2:1 S1:2",
                                   "H3:1 S2:1", "H4:1 S2:2", "S1:3 S3:1", "S2:3 S3:2", "S1:4 S4:1",
                                   "S2:4 S4:2", NULL};
static const char *const base_tables[] = {"S1 11>1 12>2 13>4 14>3", "S2 11>4 12>3 13>1 14>2",
                                          "S3 11>1 12>1 13>2 14>2", "S4 11>1 12>1 13>2 14>2", NULL};

/* base with line `at` replaced, or left out where with is NULL. */
static const char *const *edited(const char *at, const char *with) {
    static const char *lines[32];
    size_t n = 0;
    for (size_t i = 0; base[i]; i++) {
        bool hit = strcmp(base[i], at) == 0;
        if (!hit || with) lines[n++] = hit ? with : base[i];
    }
    lines[n] = NULL;
    return lines;
}

typedef struct compared {
    bough_fabric_changes c;
    bough_findings findings;
} compared;

static compared compare_fabrics(const char *const *before, const char *const *after) {
    compared r = {0};
    bough_error error;
    bough_net *old = fabric_net(before, NULL), *now = fabric_net(after, NULL);
    if (bough_fabric_compare(old->fabric, now->fabric, &r.c, &r.findings, &error))
        fail_msg("%s", error.reason);
    bough_net_destroy(old);
    bough_net_destroy(now);
    return r;
}

/* Exactly one finding, of this kind; the text holds a word. */
static void only(compared *r, const char *kind, bough_severity severity, const char *where,
                 const char *word) {
    if (r->findings.count != 1) fail_msg("%zu findings, not one of %s", r->findings.count, kind);
    const bough_finding *f = &r->findings.item[0];
    assert_string_equal(f->kind, kind);
    assert_int_equal(f->severity, severity);
    assert_string_equal(f->where, where);
    if (!strstr(f->text, word)) fail_msg("'%s' does not say '%s'", f->text, word);
    bough_findings_fini(&r->findings);
}

/* ---- bad input ---- */

static void fabrics_without_a_common_guid_are_refused(void **state) {
    (void)state;
    bough_net *old = fabric_net(base, NULL), *now = fabric_net(base, NULL);
    bough_fabric_changes c;
    bough_findings findings = {0};
    bough_error error;
    for (uint32_t v = 0; v < now->fabric->node_count; v++)
        ((bough_fabric *)now->fabric)->node[v].guid += UINT64_C(1) << 40;
    assert_int_equal(bough_fabric_compare(old->fabric, now->fabric, &c, &findings, &error), BOUGH_INVALID);
    assert_non_null(strstr(error.reason, "of one fabric"));
    assert_int_equal(findings.count, 0);
    bough_net_destroy(old);
    bough_net_destroy(now);
}

static void families_have_no_guids(void **state) {
    (void)state;
    bough_net *net = net_make("xgft:down=2x2,up=1x2");
    bough_routing *r = routing_make(net, "dmodk");
    bough_check_options o = {.memory = &memory, .threads = 1};
    bough_check_result none = {0};
    bough_routing_changes c;
    bough_findings findings = {0};
    bough_error error;
    assert_int_equal(
        bough_routing_compare(&(bough_routing_comparison){r, r, &none, &o}, &c, &findings, &error),
        BOUGH_UNSUPPORTED);
    bough_routing_destroy(r);
    bough_net_destroy(net);
}

/* ---- one change at a time ---- */

static void nothing_has_changed(void **state) {
    (void)state;
    compared r = compare_fabrics(base, base);
    assert_int_equal(r.findings.count, 0);
    assert_int_equal(r.c.host.before, 4);
    assert_int_equal(r.c.host.now, 4);
    assert_int_equal(r.c.other.now, 4);
    assert_int_equal(r.c.access.before, 4);
    assert_int_equal(r.c.inner.before, 4);
    assert_int_equal(r.c.inner.now, 4);
    assert_int_equal(r.c.inner.gone + r.c.inner.fresh + r.c.inner.moved + r.c.inner.slower, 0);
}

static void a_cable_is_gone_or_new(void **state) {
    (void)state;
    compared r = compare_fabrics(base, edited("S2:4 S4:2", NULL));
    assert_int_equal(r.c.inner.gone, 1);
    assert_int_equal(r.c.inner.now, 3);
    only(&r, "cable-gone", BOUGH_WARN, "S2/4", "S4/2");
    r = compare_fabrics(edited("S2:4 S4:2", NULL), base);
    assert_int_equal(r.c.inner.fresh, 1);
    only(&r, "cable-new", BOUGH_INFO, "S2/4", "S4/2");
}

static void a_cable_is_moved(void **state) {
    (void)state;
    compared r = compare_fabrics(base, edited("H4:1 S2:2", "H4:1 S1:7")); /* a host to another leaf */
    assert_int_equal(r.c.access.moved, 1);
    assert_int_equal(r.c.access.gone + r.c.access.fresh, 0);
    only(&r, "cable-moved", BOUGH_WARN, "H4/1", "leads to S1/7, and led to S2/2");
    r = compare_fabrics(base, edited("S2:4 S4:2", "S2:5 S4:6")); /* both ends */
    assert_int_equal(r.c.inner.moved, 1);
    assert_int_equal(r.findings.count, 1);
    only(&r, "cable-moved", BOUGH_WARN, "S2/5", "was between");
}

static void a_cable_runs_slower_or_faster(void **state) {
    (void)state;
    compared r = compare_fabrics(base, edited("S2:4 S4:2", "S2:4 S4:2 1xQDR"));
    assert_int_equal(r.c.inner.slower, 1);
    assert_int_equal(r.c.inner.moved + r.c.inner.gone, 0);
    only(&r, "cable-slower", BOUGH_WARN, "S2/4", "runs at 1xQDR, and ran at 4xQDR");
    r = compare_fabrics(edited("S2:4 S4:2", "S2:4 S4:2 4xDDR"), base);
    assert_int_equal(r.c.inner.faster, 1);
    only(&r, "cable-faster", BOUGH_INFO, "S2/4", "ran at 4xDDR");
    r = compare_fabrics(edited("S2:4 S4:2", "S2:4 S4:2 8xDDR"), base); /* as fast */
    assert_int_equal(r.findings.count, 0);
}

static void a_host_is_gone_new_or_has_another_lid(void **state) {
    (void)state;
    static const char *const more[] = {"S1 lid 1",  "S2 lid 2",  "S3 lid 3",  "S4 lid 4",  "H1 lid 11",
                                       "H2 lid 12", "H3 lid 13", "H4 lid 14", "H5 lid 15", "H1:1 S1:1",
                                       "H2:1 S1:2", "H3:1 S2:1", "H4:1 S2:2", "S1:3 S3:1", "S2:3 S3:2",
                                       "S1:4 S4:1", "S2:4 S4:2", "H5:1 S2:9", NULL};
    compared r = compare_fabrics(more, base);
    assert_int_equal(r.c.host.gone, 1);
    assert_int_equal(r.c.host.replaced, 0);
    assert_int_equal(r.c.access.gone, 1); /* counted, not said */
    only(&r, "node-gone", BOUGH_WARN, "H5", "host adapter");
    r = compare_fabrics(base, more);
    assert_int_equal(r.c.host.fresh, 1);
    assert_int_equal(r.c.access.fresh, 1);
    only(&r, "node-new", BOUGH_INFO, "H5", "is new");
    r = compare_fabrics(base, edited("H4 lid 14", "H4 lid 24"));
    assert_int_equal(r.c.host.relabelled, 1);
    assert_int_equal(r.findings.count, 1);
    assert_non_null(find_finding(&r.findings, "lids"));
    bough_findings_fini(&r.findings);
}

/* Host i has the adapters H(2i-1) and H(2i): their names begin with that of the host. */
static bough_net *two_adapters_each(const char *const *lines) {
    bough_net *net = fabric_net(lines, NULL);
    static const char *const text[] = {"host1 mlx5_0", "host1 mlx5_1", "host2 mlx5_0", "host2 mlx5_1"};
    bough_fabric *f = (bough_fabric *)net->fabric;
    for (uint32_t v = 0; v < f->node_count; v++)
        if (f->node[v].name[0] == 'H') f->node[v].description = (char *)text[f->node[v].name[1] - '1'];
    return net;
}

static bough_fabric_changes hosts_changed(const char *const *before, const char *const *after) {
    bough_net *old = two_adapters_each(before), *now = two_adapters_each(after);
    bough_fabric_changes c;
    bough_findings findings = {0};
    bough_error error;
    if (bough_fabric_compare(old->fabric, now->fabric, &c, &findings, &error)) fail_msg("%s", error.reason);
    bough_findings_fini(&findings);
    bough_net_destroy(old);
    bough_net_destroy(now);
    return c;
}

/* base has two hosts of two adapters: a host is gone when both are, another LID of one or both counts once.
 */
static void a_host_with_two_adapters_counts_once(void **state) {
    (void)state;
    static const char *const one_less[] = {"S1 lid 1",  "S2 lid 2",  "S3 lid 3",  "S4 lid 4",  "H1 lid 11",
                                           "H2 lid 12", "H3 lid 13", "H1:1 S1:1", "H2:1 S1:2", "H3:1 S2:1",
                                           "S1:3 S3:1", "S2:3 S3:2", "S1:4 S4:1", "S2:4 S4:2", NULL};
    static const char *const two_less[] = {"S1 lid 1",  "S2 lid 2",  "S3 lid 3",  "S4 lid 4",  "H1 lid 11",
                                           "H2 lid 22", "H1:1 S1:1", "H2:1 S1:2", "S1:3 S3:1", "S2:3 S3:2",
                                           "S1:4 S4:1", "S2:4 S4:2", NULL};
    bough_fabric_changes c = hosts_changed(base, base);
    assert_int_equal(c.host.before, 2);
    assert_int_equal(c.host.now, 2);
    assert_int_equal(c.access.now, 4);
    c = hosts_changed(base, one_less);
    assert_int_equal(c.host.now, 2);
    assert_int_equal(c.host.gone, 0);
    assert_int_equal(c.access.gone, 1);
    c = hosts_changed(base, two_less);
    assert_int_equal(c.host.now, 1);
    assert_int_equal(c.host.gone, 1);
    assert_int_equal(c.host.relabelled, 1);
    c = hosts_changed(two_less, base);
    assert_int_equal(c.host.fresh, 1);
}

/* Aggregation nodes are parts of switches: what changed of them is a finding, and they are in no count. */
static void aggregation_nodes_are_no_hosts(void **state) {
    (void)state;
    const char *more[24];
    size_t n = 0;
    while (base[n]) more[n] = base[n], n++;
    more[n++] = "A5 lid 21";
    more[n++] = "A5:1 S3:9";
    more[n] = NULL;
    compared r = compare_fabrics(more, more);
    assert_int_equal(r.findings.count, 0);
    assert_int_equal(r.c.host.before, 4);
    assert_int_equal(r.c.host.now, 4);
    assert_int_equal(r.c.other.now, 4);
    assert_int_equal(r.c.access.now, 4);
    assert_int_equal(r.c.inner.now, 4);
    r = compare_fabrics(more, base);
    assert_int_equal(r.c.host.gone + r.c.other.gone + r.c.access.gone + r.c.inner.gone, 0);
    only(&r, "node-gone", BOUGH_WARN, "A5 Aggregation Node", "aggregation node");
}

static void a_host_is_renamed_or_replaced(void **state) {
    (void)state;
    bough_net *old = fabric_net(base, NULL), *now = fabric_net(base, NULL);
    bough_fabric *f = (bough_fabric *)now->fabric;
    compared r = {0};
    bough_error error;
    uint32_t host = bough_net_fabric_node(now, 0);
    f->node[host].guid += UINT64_C(1) << 40; /* the same name */
    assert_int_equal(bough_fabric_compare(old->fabric, f, &r.c, &r.findings, &error), BOUGH_OK);
    assert_int_equal(r.c.host.gone + r.c.host.fresh, 0);
    assert_int_equal(r.c.host.replaced, 1);
    only(&r, "node-replaced", BOUGH_INFO, "H1", "another GUID");
    f->node[host].guid -= UINT64_C(1) << 40;
    f->node[host].description[1] = '9';
    strcpy(f->node[host].name, "H9");
    assert_int_equal(bough_fabric_compare(old->fabric, f, &r.c, &r.findings, &error), BOUGH_OK);
    assert_int_equal(r.c.host.renamed, 1);
    assert_int_equal(r.c.host.gone, 0);
    only(&r, "node-renamed", BOUGH_INFO, "H9", "was called H1");
    bough_net_destroy(old);
    bough_net_destroy(now);
}

/* ---- routings ---- */

static bough_routing_changes compare_routings(const bough_routing *old, const bough_routing *now,
                                              bough_findings *findings) {
    bough_check_options o = {.memory = &memory, .threads = 1};
    bough_check_result after;
    bough_routing_changes c;
    bough_findings own = {0};
    bough_error error;
    if (bough_check_routing(now, &o, &after, &own, &error)) fail_msg("%s", error.reason);
    if (bough_routing_compare(&(bough_routing_comparison){old, now, &after, &o}, &c, findings, &error))
        fail_msg("%s", error.reason);
    bough_findings_fini(&own);
    return c;
}

static void paths_are_compared(void **state) {
    (void)state;
    /* Yesterday; today 13 goes by the first spine from S1, and 12 has no entry in S2. */
    static const char *const today[] = {"S1 11>1 12>2 13>3 14>3", "S2 11>4 13>1 14>2",
                                        "S3 11>1 12>1 13>2 14>2", "S4 11>1 12>1 13>2 14>2", NULL};
    bough_routing *old = fabric_routing(base, base_tables), *now = fabric_routing(base, today);
    bough_findings findings = {0};
    bough_routing_changes c = compare_routings(old, now, &findings);
    assert_true(c.paths);
    assert_int_equal(c.endpoints, 4);
    assert_int_equal(c.pairs, 12);
    assert_int_equal(c.other, 2);
    assert_int_equal(c.longer, 0);
    assert_int_equal(c.lost, 2);
    assert_int_equal(c.restored, 0);
    assert_int_equal(c.same, 8);
    assert_non_null(find_finding(&findings, "pairs-lost"));
    assert_non_null(find_finding(&findings, "other-paths"));
    assert_non_null(find_finding(&findings, "heavier-load")); /* 4 flows from S1 to S3 */
    assert_int_equal((int)c.link[0].now - (int)c.link[0].before < 0 ? -2 : 2,
                     (int)c.link[0].now - (int)c.link[0].before);
    arena_fini(&memory);
    bough_findings_fini(&findings);
    c = compare_routings(now, old, &findings);
    assert_int_equal(c.restored, 2);
    assert_int_equal(c.lost, 0);
    assert_null(find_finding(&findings, "pairs-lost"));
    assert_non_null(find_finding(&findings, "pairs-restored"));
    assert_non_null(find_finding(&findings, "lighter-load"));
    arena_fini(&memory);
    bough_findings_fini(&findings);
    routing_free(old);
    routing_free(now);
}

/* Other LIDs in the opposite order: the same paths. */
static void lids_do_not_matter(void **state) {
    (void)state;
    static const char *const other[] = {"S1 lid 1",  "S2 lid 2",  "S3 lid 3",  "S4 lid 4",  "H1 lid 24",
                                        "H2 lid 23", "H3 lid 22", "H4 lid 21", "H1:1 S1:1", "H2:1 S1:2",
                                        "H3:1 S2:1", "H4:1 S2:2", "S1:3 S3:1", "S2:3 S3:2", "S1:4 S4:1",
                                        "S2:4 S4:2", NULL};
    static const char *const tables[] = {"S1 24>1 23>2 22>4 21>3", "S2 24>4 23>3 22>1 21>2",
                                         "S3 24>1 23>1 22>2 21>2", "S4 24>1 23>1 22>2 21>2", NULL};
    bough_routing *old = fabric_routing(base, base_tables), *now = fabric_routing(other, tables);
    bough_findings findings = {0};
    bough_routing_changes c = compare_routings(old, now, &findings);
    assert_int_equal(c.same, 12);
    assert_int_equal(c.links, 0);
    assert_int_equal(findings.count, 0);
    arena_fini(&memory);
    routing_free(old);
    routing_free(now);
}

static void what_chooses_is_compared_by_loads(void **state) {
    (void)state;
    bough_net *a = fabric_net(base, NULL), *b = fabric_net(edited("S2:4 S4:2", NULL), NULL);
    bough_routing *old = routing_make(a, "random"), *now = routing_make(b, "random");
    bough_findings findings = {0};
    bough_routing_changes c = compare_routings(old, now, &findings);
    assert_false(c.paths);
    assert_true(c.links > 0);
    assert_non_null(find_finding(&findings, "heavier-load"));
    arena_fini(&memory);
    bough_findings_fini(&findings);
    routing_free(old);
    routing_free(now);
}

/* ---- a generated fabric and OpenSM's tables, before and after five cables were cut ---- */

static bough_routing *recorded(const char *fabric, const char *tables) {
    char *path = data_path(fabric), *lft = data_path(tables);
    if (!path || !lft) skip();
    char *net_spec = spec_of("ibnet", path), *spec = spec_of("lft", lft);
    bough_net *net = net_make(net_spec);
    bough_routing *r = routing_make(net, spec);
    free(path);
    free(lft);
    free(net_spec);
    free(spec);
    return r;
}

static void five_cables_are_cut(void **state) {
    (void)state;
    bough_routing *old = recorded("ibsim/ft3-128.ibnetdiscover", "ibsim/ft3-128.ftree.lfts.gz");
    bough_routing *now = recorded("ibsim/ft3-128-cut5.ibnetdiscover", "ibsim/ft3-128-cut5.ftree.lfts.gz");
    compared r = {0};
    bough_error error;
    assert_int_equal(bough_fabric_compare(old->net->fabric, now->net->fabric, &r.c, &r.findings, &error),
                     BOUGH_OK);
    assert_int_equal(r.c.inner.before, 256);
    assert_int_equal(r.c.inner.now, 251);
    assert_int_equal(r.c.inner.gone, 5);
    assert_int_equal(r.c.host.gone + r.c.other.gone + r.c.host.fresh + r.c.other.fresh, 0);
    assert_int_equal(count_findings(&r.findings, "cable-gone"), 5);
    assert_int_equal(r.findings.count, 5);
    bough_findings_fini(&r.findings);
    bough_routing_changes c = compare_routings(old, now, &r.findings);
    assert_int_equal(c.pairs, 16256);
    assert_int_equal(c.same + c.other, 16256);
    assert_int_equal(c.longer, 0);
    assert_null(find_finding(&r.findings, "pairs-lost"));
    assert_non_null(find_finding(&r.findings, "heavier-load"));
    arena_fini(&memory);
    bough_findings_fini(&r.findings);
    routing_free(old);
    routing_free(now);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fabrics_without_a_common_guid_are_refused),
        cmocka_unit_test(families_have_no_guids),
        cmocka_unit_test(nothing_has_changed),
        cmocka_unit_test(a_cable_is_gone_or_new),
        cmocka_unit_test(a_cable_is_moved),
        cmocka_unit_test(a_cable_runs_slower_or_faster),
        cmocka_unit_test(a_host_is_gone_new_or_has_another_lid),
        cmocka_unit_test(a_host_is_renamed_or_replaced),
        cmocka_unit_test(a_host_with_two_adapters_counts_once),
        cmocka_unit_test(aggregation_nodes_are_no_hosts),
        cmocka_unit_test(paths_are_compared),
        cmocka_unit_test(lids_do_not_matter),
        cmocka_unit_test(what_chooses_is_compared_by_loads),
        cmocka_unit_test(five_cables_are_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

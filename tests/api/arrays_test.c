/* Arrays of a program as networks, traffic and routings, through bough.h. */
#include "api/library_calls.h"

#include <math.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* Two leaves with two endpoints each, joined by two spines. */
enum { NODES = 8, ENDPOINTS = 4, CABLES = 8 };
static const uint64_t cable_a[CABLES] = {0, 1, 2, 3, 4, 4, 5, 5}, cable_b[CABLES] = {4, 4, 5, 5, 6, 7, 6, 7};

static bough_cable_arrays small(void) {
    return (bough_cable_arrays){.size = sizeof(bough_cable_arrays),
                                .name = "small",
                                .nodes = NODES,
                                .endpoints = ENDPOINTS,
                                .a = cable_a,
                                .b = cable_b,
                                .count = CABLES};
}

/* ---- wrong arrays ---- */

static void refuse_cables(const bough_cable_arrays *cables, const char *part) {
    bough_network *n;
    bough_error e;
    bough_status status = bough_network_from_cables(cables, &n, &e);
    assert_true(status == BOUGH_INVALID || status == BOUGH_TOO_LARGE);
    assert_null(n);
    expect(status, status, &e, part);
}

static void wrong_cables(void **state) {
    (void)state;
    bough_cable_arrays c = small();
    uint64_t other[CABLES];
    double rate[CABLES] = {0};
    refuse_cables(NULL, "cables is NULL");
    c.size = 4;
    refuse_cables(&c, "must be sizeof(bough_cable_arrays)");
    c = small(), c.a = NULL;
    refuse_cables(&c, "a is NULL");
    c = small(), c.name = NULL;
    refuse_cables(&c, "the name is NULL");
    c = small(), c.name = "fattree";
    refuse_cables(&c, "the name 'fattree' is in use");
    c = small(), c.name = "a:b";
    refuse_cables(&c, "'a:b' is not of the form");
    c = small(), c.endpoints = 0;
    refuse_cables(&c, "0 of 8 nodes are endpoints");
    c = small(), c.endpoints = 8;
    refuse_cables(&c, "8 of 8 nodes are endpoints");
    c = small(), c.nodes = UINT64_C(1) << 33;
    refuse_cables(&c, "2^32 nodes");
    c = small(), c.count = 7;
    refuse_cables(&(bough_cable_arrays){sizeof c, "small", 5, 4, cable_a, cable_b, NULL, 1, NULL},
                  "endpoint 1 has 0 cables");
    memcpy(other, cable_b, sizeof other);
    other[3] = 9;
    c = small(), c.b = other;
    refuse_cables(&c, "cable 3: node 9 does not exist; there are 8");
    other[3] = 3;
    refuse_cables(&c, "cable 3: joins node 3 to itself");
    other[3] = 2;
    refuse_cables(&c, "cable 3: joins the endpoints 3 and 2");
    other[3] = 5, other[4] = 0;
    refuse_cables(&c, "endpoint 0 has 2 cables");
    c = small(), c.rate = rate;
    rate[2] = -1;
    refuse_cables(&c, "cable 2: rate -1 is not one");
    rate[2] = NAN;
    refuse_cables(&c, "cable 2: rate");
    const char *const names[NODES] = {"a", "b", "c", "d", "e", "f", "g", "a"};
    c = small(), c.node_name = names;
    refuse_cables(&c, "nodes 0 and 7 have the same name, 'a'");
    const char *const holes[NODES] = {"a", "b", NULL};
    c.node_name = holes;
    refuse_cables(&c, "node 2 has no name");
}

static void wrong_messages(void **state) {
    (void)state;
    bough_registry *r = make_registry();
    bough_error e;
    const uint64_t from[] = {0, 1}, to[] = {1, 1}, fine[] = {1, 2}, none[] = {5, 0};
    bough_message_arrays m = {sizeof m, "pairs", from, to, NULL, 2};
    expect(bough_registry_add_messages(NULL, &m, &e), BOUGH_INVALID, &e, "registry is NULL");
    expect(bough_registry_add_messages(r, NULL, &e), BOUGH_INVALID, &e, "messages is NULL");
    expect(bough_registry_add_messages(r, &m, &e), BOUGH_INVALID, &e,
           "message 1: endpoint 1 sends to itself");
    m.destination = fine, m.bytes = none;
    expect(bough_registry_add_messages(r, &m, &e), BOUGH_INVALID, &e, "message 1: has 0 bytes");
    m.bytes = NULL, m.count = 0;
    expect(bough_registry_add_messages(r, &m, &e), BOUGH_INVALID, &e, "0 messages");
    m.count = 2, m.name = "uniform";
    expect(bough_registry_add_messages(r, &m, &e), BOUGH_INVALID, &e, "in use");
    m.name = "pairs", m.source = NULL;
    expect(bough_registry_add_messages(r, &m, &e), BOUGH_INVALID, &e, "source is NULL");
    m.source = from;
    expect(bough_registry_add_messages(r, &m, &e), BOUGH_OK, &e, NULL);
    expect(bough_registry_add_messages(r, &m, &e), BOUGH_INVALID, &e, "'pairs' is in use");
    bough_registry_destroy(r);
}

/* Two of three messages go from 0 to 1: with two senders, 4/3 of a message of the mean over these. */
static void weights_of_a_program(void **state) {
    (void)state;
    bough_registry *r = make_registry();
    bough_error e;
    const uint64_t from[] = {0, 3, 0, 2}, to[] = {1, 0, 1, 2}, wrong[] = {1, 9, 1, 2};
    const double weight[] = {1.5, 1, .5, 7}, below[] = {1, 1, -1, 1}, none[] = {0, 0, 0, 7};
    bough_weight_arrays w = {sizeof w, "mine", from, to, below, 4};
    expect(bough_registry_add_weights(r, &w, &e), BOUGH_INVALID, &e, "pair 2: weight -1 must be");
    w.weight = weight, w.name = "weights";
    expect(bough_registry_add_weights(r, &w, &e), BOUGH_INVALID, &e, "in use");
    w.name = "mine";
    expect(bough_registry_add_weights(r, &w, &e), BOUGH_OK, &e, NULL);
    w.name = "far", w.destination = wrong;
    expect(bough_registry_add_weights(r, &w, &e), BOUGH_OK, &e, NULL);
    w.name = "empty", w.destination = to, w.weight = none;
    expect(bough_registry_add_weights(r, &w, &e), BOUGH_OK, &e, NULL);
    const bough_network_options options = {sizeof options, NULL, NULL, r};
    bough_network *n = NULL;
    double load[64];
    expect(bough_network_open("kary:k=2,levels=2", &options, &n, &e), BOUGH_OK, &e, NULL);
    expect(loads(n, NULL, "poisson:load=0.1,pattern=far", load, &e), BOUGH_INVALID, &e, "endpoint 9");
    expect(loads(n, NULL, "poisson:load=0.1,pattern=empty", load, &e), BOUGH_INVALID, &e, "no weight");
    expect(loads(n, NULL, "poisson:load=0.1,pattern=mine", load, &e), BOUGH_OK, &e, NULL);
    const uint64_t links = bough_network_size(n).links;
    double sum = 0;
    assert_true(links <= 64);
    for (uint64_t l = 0; l < links; l++) sum += load[l];
    assert_true(fabs(sum - (4 / 3.0 * 2 + 2 / 3.0 * 4)) < 1e-12);
    bough_network_destroy(n);
    bough_registry_destroy(r);
}

/* All-to-all over 4 hosts, two a leaf, with two ways up: 4 flows leave a leaf, 2 take each. */
static void tables_are_tuned(void **state) {
    (void)state;
    bough_network *n = NULL;
    bough_error e;
    const char *const job[] = {"shift:k=2"}, *const endless[] = {"poisson:load=0.1"};
    bough_tuning t = {.size = sizeof t, .effort = .1};
    expect(bough_network_open("xgft:down=2x2,up=1x2", NULL, &n, &e), BOUGH_OK, &e, NULL);
    expect(bough_network_tune(n, NULL, &t, &e), BOUGH_OK, &e, NULL);
    assert_non_null(strstr(t.report, "\"objective\": \"alltoall\""));
    assert_true(*t.tables);
    bough_free(t.report);
    bough_free(t.tables);
    t.job = job, t.jobs = 1;
    expect(bough_network_tune(n, NULL, &t, &e), BOUGH_OK, &e, NULL);
    assert_non_null(strstr(t.report, "jobs"));
    bough_free(t.report);
    bough_free(t.tables);
    t.objective = "worst";
    expect(bough_network_tune(n, NULL, &t, &e), BOUGH_INVALID, &e, "mutually exclusive");
    t.objective = NULL, t.job = endless;
    expect(bough_network_tune(n, NULL, &t, &e), BOUGH_UNSUPPORTED, &e, "never ends");
    assert_true(!t.report && !t.tables);
    bough_network_destroy(n);
}

static void wrong_tables(void **state) {
    (void)state;
    bough_registry *r = make_registry();
    bough_error e;
    uint64_t link[6 * 4];
    bough_network *n;
    double load[64];
    for (size_t i = 0; i < COUNT(link); i++) link[i] = 99;
    bough_table_arrays t = {sizeof t, "mine", 6, 4, link};
    expect(bough_registry_add_tables(r, NULL, &e), BOUGH_INVALID, &e, "tables is NULL");
    expect(bough_registry_add_tables(r, &(bough_table_arrays){sizeof t, "mine", 0, 4, link}, &e),
           BOUGH_INVALID, &e, "no entries");
    expect(bough_registry_add_tables(r, &t, &e), BOUGH_OK, &e, NULL);
    const bough_network_options options = {.size = sizeof options, .registry = r};
    expect(bough_network_open("xgft:down=2x2,up=1x2", &options, &n, &e), BOUGH_OK, &e, NULL);
    expect(loads(n, "mine", NULL, load, &e), BOUGH_INVALID, &e,
           "tables of 6 nodes and 4 endpoints do not fit xgft:down=2x2,up=1x2, which has 8 and 4");
    bough_network_destroy(n);
    t.nodes = 8, t.name = "eight";
    uint64_t wide[8 * 4];
    for (size_t i = 0; i < COUNT(wide); i++) wide[i] = 99;
    t.link = wide;
    expect(bough_registry_add_tables(r, &t, &e), BOUGH_OK, &e, NULL);
    wide[4 * 4] = 0; /* copied before: still 99 */
    expect(bough_network_open("xgft:down=2x2,up=1x2", &options, &n, &e), BOUGH_OK, &e, NULL);
    expect(loads(n, "eight", NULL, load, &e), BOUGH_INVALID, &e, "link 99 does not exist");
    t.name = "away";
    for (size_t i = 0; i < COUNT(wide); i++) wide[i] = 0;
    expect(bough_registry_add_tables(r, &t, &e), BOUGH_OK, &e, NULL);
    expect(loads(n, "away", NULL, load, &e), BOUGH_INVALID, &e, "does not leave this node");
    bough_network_destroy(n);
    bough_registry_destroy(r);
}

/* ---- answers ---- */

/* The rows of both, but for the names of network, traffic and routing. */
static void expect_same(const bough_results *a, const bough_results *b) {
    assert_int_equal(bough_results_count(a), bough_results_count(b));
    assert_true(bough_results_count(a) > 0);
    for (size_t i = 0; i < bough_results_count(a); i++) {
        bough_result x = bough_results_get(a, i), y = bough_results_get(b, i);
        assert_string_equal(x.method, y.method);
        assert_string_equal(x.metric, y.metric);
        assert_string_equal(x.status, y.status);
        if (x.mean != y.mean) fail_msg("%s %s: %g, not %g", x.method, x.metric, x.mean, y.mean);
        assert_int_equal(x.trials, y.trials);
    }
}

static const char *const methods[][2] = {{"traffic", "alltoall"},     {"method", "linkload"},
                                         {"method", "flow:size=1kB"}, {"method", "circuit"},
                                         {"method", "packet"},        {NULL, NULL}};

/* The links of a tree, in the order of the tree, are the same network to all methods. */
static void cables_of_a_tree(void **state) {
    (void)state;
    bough_network *tree, *copy;
    bough_error e;
    assert_int_equal(bough_network_open("xgft:down=4x4,up=1x4", NULL, &tree, &e), BOUGH_OK);
    bough_network_sizes size = bough_network_size(tree);
    uint64_t *from = calloc(size.links, 8), *to = calloc(size.links, 8), count = 0;
    bough_link_arrays arrays = {.size = sizeof arrays, .from = from, .to = to};
    assert_int_equal(bough_network_links(tree, &arrays, &e), BOUGH_OK);
    for (size_t l = 0; l < size.links; l++)
        if (from[l] < to[l]) from[count] = from[l], to[count++] = to[l];
    bough_cable_arrays cables = {sizeof cables, "copy", size.nodes, size.endpoints, from, to,
                                 NULL,          count,  NULL};
    expect(bough_network_from_cables(&cables, &copy, &e), BOUGH_OK, &e, NULL);
    free(from);
    free(to);
    assert_int_equal(bough_network_size(copy).cables, size.cables);
    assert_int_equal(bough_network_size(copy).levels, size.levels);
    const char *const setting[][2] = {{"traffic", "shift:4"},
                                      {"method", "linkload"},
                                      {"method", "circuit"},
                                      {"trials", "50"},
                                      {NULL, NULL}};
    bough_question *q = question_with(NULL, tree), *p = question_with(NULL, copy);
    bough_network_destroy(copy); /* the question keeps it */
    bough_results *a = ask(q, setting), *b = ask(p, setting);
    bough_question_destroy(p);
    assert_string_equal(bough_results_get(b, 0).network, "copy");
    for (size_t i = 0; i < bough_results_count(a);
         i++) { /* links have other numbers, so coins fall differently */
        bough_result x = bough_results_get(a, i), y = bough_results_get(b, i);
        assert_string_equal(x.metric, y.metric);
        if (x.exact && x.index < 0) assert_true(x.mean == y.mean);
    }
    bough_results_destroy(a);
    bough_results_destroy(b);
    bough_question_destroy(q);
    bough_network_destroy(tree);
}

/* Tables filled from the paths of dmodk give the numbers of dmodk. */
static void tables_of_dmodk(void **state) {
    (void)state;
    bough_network *n;
    bough_error e;
    bough_registry *r = make_registry();
    assert_int_equal(bough_network_open("xgft:down=4x4,up=1x2", NULL, &n, &e), BOUGH_OK);
    bough_network_sizes size = bough_network_size(n);
    uint64_t *table = malloc(size.nodes * size.endpoints * 8), *from = calloc(size.links, 8);
    for (size_t i = 0; i < size.nodes * size.endpoints; i++) table[i] = UINT64_MAX;
    bough_link_arrays arrays = {.size = sizeof arrays, .from = from};
    assert_int_equal(bough_network_links(n, &arrays, &e), BOUGH_OK);
    for (uint64_t s = 0; s < size.endpoints; s++)
        for (uint64_t d = 0; d < size.endpoints; d++) {
            uint64_t link[8], pair[2] = {s, d};
            bough_links path = {link, 8, 0};
            if (s == d) continue;
            expect(bough_network_path(n, "dmodk", pair, &path, &e), BOUGH_OK, &e, NULL);
            for (size_t i = 0; i < path.count; i++) table[from[link[i]] * size.endpoints + d] = link[i];
        }
    bough_table_arrays tables = {sizeof tables, "mine", size.nodes, size.endpoints, table};
    expect(bough_registry_add_tables(r, &tables, &e), BOUGH_OK, &e, NULL);
    free(table);
    free(from);
    bough_question *q = question_with(NULL, n), *p = question_with(r, n);
    bough_registry_destroy(r);
    assert_int_equal(bough_question_set(q, "routing", "dmodk", &e), BOUGH_OK);
    assert_int_equal(bough_question_set(p, "routing", "mine", &e), BOUGH_OK);
    bough_results *a = ask(q, methods), *b = ask(p, methods);
    expect_same(a, b);
    assert_string_equal(bough_results_get(b, 0).routing, "mine");
    bough_results_destroy(a);
    bough_results_destroy(b);
    bough_question_destroy(q);
    bough_question_destroy(p);
    bough_network_destroy(n);
}

static void messages_of_a_shift(void **state) {
    (void)state;
    bough_registry *r = make_registry();
    bough_error e;
    uint64_t from[16], to[16], bytes[16];
    for (uint64_t i = 0; i < 16; i++) from[i] = i, to[i] = (i + 4) % 16, bytes[i] = 1000;
    bough_message_arrays m = {sizeof m, "mine", from, to, NULL, 16};
    expect(bough_registry_add_messages(r, &m, &e), BOUGH_OK, &e, NULL);
    m.name = "big", m.bytes = bytes;
    expect(bough_registry_add_messages(r, &m, &e), BOUGH_OK, &e, NULL);
    static const char *const shift[][2] = {
        {"network", "fattree:n=16"}, {"traffic", "shift:4"}, {"method", "circuit"}, {"method", "worm"},
        {"method", "linkload"},      {"seed", "5"},          {NULL, NULL}};
    static const char *const mine[][2] = {
        {"network", "fattree:n=16"}, {"traffic", "mine"}, {"method", "circuit"}, {"method", "worm"},
        {"method", "linkload"},      {"seed", "5"},       {NULL, NULL}};
    bough_question *q = question_with(NULL, NULL), *p = question_with(r, NULL);
    bough_results *a = ask(q, shift), *b = ask(p, mine);
    expect_same(a, b);
    bough_results_destroy(b);
    bough_results_destroy(a);
    expect(bough_question_set(q, "traffic", "mine", &e), BOUGH_OK, &e, NULL);
    bough_results *none;
    expect(bough_simulate(q, NULL, &none, &e), BOUGH_INVALID, &e, "no traffic 'mine'");
    bough_question_destroy(q);
    bough_question_destroy(p);
    bough_registry_destroy(r);
}

/* Loads of a traffic: a message from 0 to 3 of the small network passes one spine or the other. */
static void loads_of_messages(void **state) {
    (void)state;
    bough_network *n;
    bough_error e;
    bough_cable_arrays c = small();
    double load[2 * CABLES], sum = 0, up = 0;
    uint64_t from[2 * CABLES], to[2 * CABLES];
    expect(bough_network_from_cables(&c, &n, &e), BOUGH_OK, &e, NULL);
    bough_link_arrays arrays = {.size = sizeof arrays, .from = from, .to = to};
    assert_int_equal(bough_network_links(n, &arrays, &e), BOUGH_OK);
    expect(loads(n, NULL, "shift:k=2", load, &e), BOUGH_OK, &e, NULL);
    for (int l = 0; l < 2 * CABLES; l++) {
        sum += load[l];
        if (from[l] == 4 && to[l] >= 6) up += load[l], assert_true(load[l] == 1);
    }
    assert_true(sum == 4 * 4 && up == 2);
    expect(loads(n, NULL, "poisson:load=0.5", load, &e), BOUGH_OK, &e, NULL);
    for (int l = 0; l < 2 * CABLES; l++) /* a host sends one message */
        if (from[l] < 4) assert_true(fabs(load[l] - 1) < 1e-12);
    bough_network_destroy(n);
}

/* A message of 1 MB over 100 Gb/s takes 80 us. */
static void bytes_of_messages(void **state) {
    (void)state;
    bough_registry *r = make_registry();
    bough_error e;
    const uint64_t from[] = {0, 1}, to[] = {2, 3}, bytes[] = {1000000, 500000};
    const bough_message_arrays m = {sizeof m, "pairs", from, to, bytes, 2};
    expect(bough_registry_add_messages(r, &m, &e), BOUGH_OK, &e, NULL);
    static const char *const setting[][2] = {{"network", "xgft:down=2x2,up=1x2"},
                                             {"traffic", "pairs"},
                                             {"routing", "dmodk"},
                                             {"method", "flow"},
                                             {"method", "packet"},
                                             {"physical", "ideal:rate=100Gb/s"},
                                             {NULL, NULL}};
    bough_question *q = question_with(r, NULL);
    bough_results *a = ask(q, setting);
    int seen = 0;
    for (size_t i = 0; i < bough_results_count(a); i++) {
        bough_result row = bough_results_get(a, i);
        if (strcmp(row.metric, "completion_time") != 0) continue;
        if (fabs(row.mean - 80e-6) > 1e-6) fail_msg("%s: %g s", row.method, row.mean);
        seen++;
    }
    assert_int_equal(seen, 2);
    bough_results_destroy(a);
    bough_question_destroy(q);
    bough_registry_destroy(r);
}

/* Other names, faults and rates for the same data, which outlives the first handle. */
static void a_network_with_other_options(void **state) {
    (void)state;
    bough_network *n, *other, *third;
    bough_error e;
    bough_registry *r = make_registry();
    bough_cable_arrays c = small();
    const uint64_t from[] = {0}, to[] = {3};
    const bough_message_arrays m = {sizeof m, "one", from, to, NULL, 1};
    double load[2 * CABLES], sum = 0;
    expect(bough_network_from_cables(&c, &n, &e), BOUGH_OK, &e, NULL);
    expect(bough_registry_add_messages(r, &m, &e), BOUGH_OK, &e, NULL);
    expect(loads(n, NULL, "one", load, &e), BOUGH_INVALID, &e, "no traffic 'one'");
    bough_network_options options = {.size = sizeof options, .registry = r, .faults = "name:s6"};
    options.physical = "default:rate=25Gb/s";
    expect(bough_network_with(NULL, &options, &other, &e), BOUGH_INVALID, &e, "of is NULL");
    assert_null(other);
    expect(bough_network_with(n, NULL, &other, &e), BOUGH_INVALID, &e, "options is NULL");
    expect(bough_network_with(n, &options, &other, &e), BOUGH_OK, &e, NULL);
    bough_network_destroy(n);
    bough_registry_destroy(r);
    expect(loads(other, NULL, "one", load, &e), BOUGH_OK, &e, NULL);
    for (int l = 0; l < 2 * CABLES; l++) sum += load[l];
    assert_true(sum == 4);
    double rate[2 * CABLES];
    bough_link_arrays arrays = {.size = sizeof arrays, .rate = rate};
    assert_int_equal(bough_network_links(other, &arrays, &e), BOUGH_OK);
    assert_true(rate[0] == 25e9);
    expect(bough_network_with(other, &options, &third, &e), BOUGH_INVALID, &e, "has faults already: name:s6");
    options = (bough_network_options){.size = sizeof options, .physical = "default:rate=50Gb/s"};
    expect(bough_network_with(other, &options, &third, &e), BOUGH_OK, &e, NULL);
    assert_int_equal(bough_network_links(third, &arrays, &e), BOUGH_OK);
    assert_true(rate[0] == 50e9);
    bough_question *q = question_with(NULL, third);
    bough_network_destroy(third);
    bough_network_destroy(other);
    const char *const setting[][2] = {{"traffic", "shift:2"}, {"method", "linkload"}, {NULL, NULL}};
    bough_results *a = ask(q, setting);
    bough_result row = bough_results_get(a, 0);
    assert_string_equal(row.faults, "name:name=s6");
    assert_string_equal(row.network, "small");
    bough_results_destroy(a);
    bough_question_destroy(q);
}

/* Each spine sends back to leaf 4 what it gets: endpoints 2 and 3 get nothing from the others, 0 and 1 do. */
static void loops_are_counted(void **state) {
    (void)state;
    bough_network *n, *named;
    bough_error e;
    bough_registry *r = make_registry();
    bough_cable_arrays c = small();
    uint64_t from[2 * CABLES], to[2 * CABLES], table[NODES * ENDPOINTS];
    double load[2 * CABLES];
    expect(bough_network_from_cables(&c, &n, &e), BOUGH_OK, &e, NULL);
    bough_link_arrays arrays = {.size = sizeof arrays, .from = from, .to = to};
    assert_int_equal(bough_network_links(n, &arrays, &e), BOUGH_OK);
    for (uint64_t v = 0; v < NODES; v++)
        for (uint64_t d = 0; d < ENDPOINTS; d++) {
            uint64_t next = v >= 6 ? 4 : (v == 4) == (d < 2) ? d : 6;
            table[v * ENDPOINTS + d] = UINT64_MAX;
            for (uint64_t l = 0; l < 2 * CABLES; l++)
                if (from[l] == v && to[l] == next) table[v * ENDPOINTS + d] = l;
        }
    const bough_table_arrays tables = {sizeof tables, "loop", NODES, ENDPOINTS, table};
    expect(bough_registry_add_tables(r, &tables, &e), BOUGH_OK, &e, NULL);
    const bough_network_options options = {.size = sizeof options, .registry = r};
    expect(bough_network_with(n, &options, &named, &e), BOUGH_OK, &e, NULL);
    bough_loads wanted = {.size = sizeof wanted, .routing = "loop", .load = load};
    expect(bough_network_loads(named, NULL, &wanted, &e), BOUGH_OK, &e, NULL);
    assert_true(wanted.unrouted == 4);
    bough_stop *stop;
    assert_int_equal(bough_stop_create(&stop, &e), BOUGH_OK);
    bough_stop_request(stop);
    const bough_control control = {.size = sizeof control, .stop = stop};
    expect(bough_network_loads(named, &control, &wanted, &e), BOUGH_INTERRUPTED, &e, "interrupted");
    wanted.size = 3;
    expect(bough_network_loads(named, NULL, &wanted, &e), BOUGH_INVALID, &e, "must be sizeof(bough_loads)");
    bough_stop_destroy(stop);
    bough_network_destroy(named);
    bough_network_destroy(n);
    bough_registry_destroy(r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_cables),      cmocka_unit_test(weights_of_a_program),
        cmocka_unit_test(tables_are_tuned),  cmocka_unit_test(wrong_messages),
        cmocka_unit_test(wrong_tables),      cmocka_unit_test(cables_of_a_tree),
        cmocka_unit_test(tables_of_dmodk),   cmocka_unit_test(messages_of_a_shift),
        cmocka_unit_test(loads_of_messages), cmocka_unit_test(bytes_of_messages),
        cmocka_unit_test(loops_are_counted), cmocka_unit_test(a_network_with_other_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

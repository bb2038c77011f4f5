/* Questions of bough.h: studies, stores, premises, objects used after their destruction, threads. */
#include "api/library_calls.h"
#include "bough-ext.h"

#include <pthread.h>

/* A store would not notice that a function of the program has changed. */
static uint64_t to_itself(const void *context, uint64_t endpoints, uint64_t source, uint64_t word) {
    (void)context, (void)word;
    return (source + 1) % endpoints;
}

static void no_store_of_functions(void **state) {
    (void)state;
    static const bough_ext_pattern pattern = {
        .size = sizeof pattern, .name = "mine", .summary = "to the next", .destination = to_itself};
    bough_registry *r = make_registry();
    bough_results *results;
    bough_error e;
    expect(bough_extensions()->add_pattern(r, &pattern, &e), BOUGH_OK, &e, NULL);
    bough_question *q = question_with(r, NULL);
    assert_int_equal(
        bough_question_set(q, "study-text",
                           "network: fattree:n=16\ntraffic: mine\nmethods: [linkload]\ntrials: 1\n", &e),
        BOUGH_OK);
    expect(bough_question_set(q, "store", "no_store_here", &e), BOUGH_OK, &e, NULL);
    expect(bough_simulate(q, NULL, &results, &e), BOUGH_INVALID, &e,
           "traffic mine is a function of the program");
    bough_question_destroy(q);
    bough_registry_destroy(r);
}

/* The premise that a question breaks stands in its rows. */
static void broken_premises(void **state) {
    (void)state;
    static const char *const setting[][2] = {{"network", "bft:n=64"},
                                             {"traffic", "poisson:load=0.08,flits=4"},
                                             {"method", "queueing"},
                                             {NULL, NULL}};
    bough_question *q = question_with(NULL, NULL);
    bough_results *r = ask(q, setting);
    assert_non_null(strstr(bough_results_get(r, 0).premises, "assumes"));
    bough_results_destroy(r);
    bough_question_destroy(q);
    q = question_with(NULL, NULL);
    const char *const fine[][2] = {
        {"network", "fattree:n=16"}, {"traffic", "shift"}, {"method", "linkload"}, {NULL, NULL}};
    r = ask(q, fine);
    assert_string_equal(bough_results_get(r, 0).premises, "");
    bough_results_destroy(r);
    bough_question_destroy(q);
}

/* ---- studies ---- */

static const char study_text[] = "network: xgft:down=4x4,up=1x{up}\n"
                                 "traffic: alltoall\n"
                                 "routing: [random, dmodk]\n"
                                 "methods: [linkload]\n"
                                 "grid: {up: [1, 2, 4]}\n"
                                 "trials: 1\n";

/* 16 endpoints, 4 leaves: a link up carries 4 * 12 / up flows. */
static void a_study_in_a_question(void **state) {
    (void)state;
    bough_question *q = question_with(NULL, NULL);
    bough_results *r;
    bough_error e;
    assert_int_equal(bough_question_set(q, "study-text", study_text, &e), BOUGH_OK);
    assert_int_equal(bough_question_set(q, "traffic", "shift", &e), BOUGH_OK);
    expect(bough_simulate(q, NULL, &r, &e), BOUGH_INVALID, &e, "the key 'traffic' belongs to a point");
    bough_question_destroy(q);
    q = question_with(NULL, NULL);
    assert_int_equal(bough_question_set(q, "study-text", study_text, &e), BOUGH_OK);
    assert_int_equal(bough_question_set(q, "set", "up", &e), BOUGH_OK);
    expect(bough_simulate(q, NULL, &r, &e), BOUGH_INVALID, &e, "set up: write KEY=VALUE");
    bough_question_destroy(q);
    q = question_with(NULL, NULL);
    assert_int_equal(bough_question_set(q, "study-text", study_text, &e), BOUGH_OK);
    assert_int_equal(bough_question_set(q, "set", "up=[1,2]", &e), BOUGH_OK);
    expect(bough_simulate(q, NULL, &r, &e), BOUGH_OK, &e, NULL);
    int seen = 0;
    for (size_t i = 0; i < bough_results_count(r); i++) {
        bough_result row = bough_results_get(r, i);
        const char *up;
        assert_string_equal(bough_results_axis(r, row.point, 0, &up), "up");
        assert_null(bough_results_axis(r, row.point, 1, &up));
        assert_null(up);
        bough_results_axis(r, row.point, 0, &up);
        if (strcmp(row.metric, "link_load_max") != 0) continue;
        assert_true(row.mean == 48 / atof(up));
        seen++;
    }
    assert_int_equal(seen, 4);
    assert_null(bough_results_axis(r, 2, 0, NULL));
    bough_compared c;
    size_t compared = 0;
    for (; bough_results_compare(r, compared, &c); compared++) {
        bough_result x = bough_results_get(r, c.row), y = bough_results_get(r, c.against);
        assert_string_equal(x.metric, y.metric);
        assert_int_equal(x.point, y.point);
        assert_string_equal(x.routing, "dmodk");
        assert_string_equal(y.routing, "random");
        assert_true(c.difference == x.mean - y.mean);
    }
    assert_true(compared > 1 && c.row == 0 && c.trials == 0);
    bough_results_destroy(r);
    bough_question_destroy(q);
}

/* ---- keys of the command ---- */

static bough_status diagnose(const char *const pair[][2], char **json, bough_error *e) {
    bough_question *q = question_of(pair);
    bough_diagnosis *d = NULL;
    bough_status status = bough_diagnose(q, NULL, &d, e);
    *json = NULL;
    if (!status) assert_int_equal(bough_diagnosis_text(d, "json", json, e), BOUGH_OK);
    bough_diagnosis_destroy(d);
    bough_question_destroy(q);
    return status;
}

static void keys_of_the_command(void **state) {
    (void)state;
    char *json;
    bough_error e;
    const char *const adaptive[][2] = {{"network", "xgft:down=4x4,up=1x4"},
                                       {"adaptive", "minimal"},
                                       {"routing", "dmodk"},
                                       {"aggregation", "0"},
                                       {NULL, NULL}};
    expect(diagnose(adaptive, &json, &e), BOUGH_OK, &e, NULL);
    const char *first = strstr(json, "adaptive:groups=minimal");
    assert_true(first && strstr(first, "dmodk"));
    bough_free(json);
    const char *const flag[][2] = {{"network", "xgft:down=4x4,up=1x4"}, {"aggregation", "2"}, {NULL, NULL}};
    expect(diagnose(flag, &json, &e), BOUGH_INVALID, &e, "aggregation: 2 is out of range");
    const char *const worst[][2] = {{"network", "fattree:n=16"}, {"worst", ""}, {NULL, NULL}};
    expect(diagnose(worst, &json, &e), BOUGH_INVALID, &e, "worst= must be no, cheap or always");
}

/* ---- destroyed objects ---- */

static void destroyed_objects(void **state) {
    (void)state;
#ifdef BOUGH_KEEP_HANDLES
    bough_network *n;
    bough_question *q;
    bough_results *r = NULL;
    bough_registry *names = make_registry();
    bough_stop *stop;
    bough_error e;
    char *text;
    assert_int_equal(bough_network_open("fattree:n=16", NULL, &n, &e), BOUGH_OK);
    assert_int_equal(bough_question_create(&q, &e), BOUGH_OK);
    assert_int_equal(bough_stop_create(&stop, &e), BOUGH_OK);
    const char *const setting[][2] = {
        {"network", "fattree:n=16"}, {"method", "bound"}, {"traffic", "uniform"}, {NULL, NULL}};
    r = ask(q, setting);
    bough_network_destroy(n);
    bough_network_destroy(n);
    expect(bough_network_text(n, NULL, "json", &text, &e), BOUGH_INVALID, &e, "network was destroyed");
    assert_int_equal(bough_network_size(n).links, 0);
    assert_string_equal(bough_network_spec(n), "");
    expect(bough_question_use_network(q, n, &e), BOUGH_INVALID, &e, "network was destroyed");
    bough_registry_destroy(names);
    bough_registry_destroy(names);
    expect(bough_question_use_registry(q, names, &e), BOUGH_INVALID, &e, "registry was destroyed");
    expect(bough_registry_load(names, "x.so", &e), BOUGH_INVALID, &e, "registry was destroyed");
    expect(bough_list(names, &text, &e), BOUGH_INVALID, &e, "bough_list: registry was destroyed");
    bough_results_destroy(r);
    assert_int_equal(bough_results_count(r), 0);
    expect(bough_results_text(r, "csv", &text, &e), BOUGH_INVALID, &e, "results was destroyed");
    bough_stop_destroy(stop);
    bough_stop_request(stop);
    expect(bough_simulate(q, &(bough_control){.size = sizeof(bough_control), .stop = stop}, &r, &e),
           BOUGH_INVALID, &e, "stop was destroyed");
    bough_question_destroy(q);
    bough_question_destroy(q);
    expect(bough_question_set(q, "seed", "1", &e), BOUGH_INVALID, &e, "question was destroyed");
    expect(bough_simulate(q, NULL, &r, &e), BOUGH_INVALID, &e, "question was destroyed");
#else
    skip();
#endif
}

/* ---- threads share a network and a registry ---- */

typedef struct caller {
    bough_registry *registry;
    const bough_network *network;
    const char *traffic;
    bough_stop *stop; /* NULL: runs to its end */
    double mean;
    bough_status status;
} caller;

static void *call(void *context) {
    caller *c = context;
    const char *const setting[][2] = {{"traffic", c->traffic},
                                      {"routing", "dmodk"},
                                      {"method", "packet"},
                                      {"trials", c->stop ? "100000000" : "100"},
                                      {NULL, NULL}};
    bough_question *q = question_with(c->registry, c->network);
    bough_results *r;
    bough_control control = {.size = sizeof control, .threads = 2, .stop = c->stop};
    set_all(q, setting);
    c->status = bough_simulate(q, &control, &r, NULL);
    if (bough_results_count(r)) c->mean = bough_results_get(r, 0).mean;
    bough_results_destroy(r);
    bough_question_destroy(q);
    return NULL;
}

static uint64_t next_but_one(const void *state, uint64_t endpoints, uint64_t source, uint64_t word) {
    (void)state, (void)word;
    return (source + 2) % endpoints;
}

static void threads_share(void **state) {
    (void)state;
    static const bough_ext_pattern pattern = {
        .size = sizeof pattern, .name = "nextbutone", .summary = "two further", .destination = next_but_one};
    bough_registry *r = make_registry();
    bough_network *n;
    bough_error e;
    bough_stop *stop[2];
    expect(bough_extensions()->add_pattern(r, &pattern, &e), BOUGH_OK, &e, NULL);
    const bough_network_options slow = {
        .size = sizeof slow, .faults = "links:share=3%,mode=rerouted", .physical = "hdr"};
    expect(bough_network_open("kary:k=4,levels=3", &slow, &n, &e), BOUGH_OK, &e, NULL);
    for (int i = 0; i < 2; i++) assert_int_equal(bough_stop_create(&stop[i], &e), BOUGH_OK);
    caller c[4] = {{r, n, "nextbutone", NULL, 0, BOUGH_OK},
                   {r, n, "shift:2", NULL, 0, BOUGH_OK},
                   {r, n, "uniform", stop[0], 0, BOUGH_OK},
                   {r, n, "uniform", stop[1], 0, BOUGH_OK}};
    pthread_t thread[4];
    for (int i = 0; i < 4; i++) assert_int_equal(pthread_create(&thread[i], NULL, call, &c[i]), 0);
    for (int i = 0; i < 2; i++) pthread_join(thread[i], NULL);
    for (int i = 0; i < 2; i++) bough_stop_request(stop[i]);
    for (int i = 2; i < 4; i++) pthread_join(thread[i], NULL);
    for (int i = 0; i < 4; i++) assert_int_equal(c[i].status, i < 2 ? BOUGH_OK : BOUGH_INTERRUPTED);
    assert_true(c[0].mean == c[1].mean && c[0].mean > 1);
    for (int i = 0; i < 2; i++) bough_stop_destroy(stop[i]);
    bough_network_destroy(n);
    bough_registry_destroy(r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_store_of_functions), cmocka_unit_test(broken_premises),
        cmocka_unit_test(a_study_in_a_question), cmocka_unit_test(keys_of_the_command),
        cmocka_unit_test(destroyed_objects),     cmocka_unit_test(threads_share),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The interface of bough.h, linked with the shared library: wrong use first, then answers by hand. */
#include "api/library_calls.h"

#include <math.h>
#include <pthread.h>

/* ---- wrong use ---- */

static void null_is_refused(void **state) {
    (void)state;
    bough_error e;
    bough_network *n;
    bough_question *q = NULL;
    bough_results *r;
    bough_diagnosis *d;
    char *text;
    uint64_t pair[2] = {0, 1};
    expect(bough_network_open(NULL, NULL, &n, &e), BOUGH_INVALID, &e, "bough_network_open: spec is NULL");
    assert_null(n);
    expect(bough_network_open("fattree:n=4", NULL, NULL, &e), BOUGH_INVALID, &e, "network is NULL");
    expect(bough_network_parse("x", NULL, 0, &n, &e), BOUGH_INVALID, &e, "data is NULL");
    expect(bough_network_node_name(NULL, 0, NULL, 0, &e), BOUGH_INVALID, &e, "network is NULL");
    expect(bough_network_links(NULL, NULL, &e), BOUGH_INVALID, &e, "network is NULL");
    expect(bough_network_path(NULL, NULL, pair, NULL, &e), BOUGH_INVALID, &e, "network is NULL");
    expect(bough_network_loads(NULL, NULL, NULL, &e), BOUGH_INVALID, &e, "network is NULL");
    expect(bough_network_text(NULL, NULL, "json", &text, &e), BOUGH_INVALID, &e, "network is NULL");
    assert_null(text);
    expect(bough_question_create(NULL, &e), BOUGH_INVALID, &e, "question is NULL");
    expect(bough_question_set(NULL, "seed", "1", &e), BOUGH_INVALID, &e, "question is NULL");
    expect(bough_simulate(NULL, NULL, &r, &e), BOUGH_INVALID, &e, "question is NULL");
    assert_null(r);
    expect(bough_diagnose(q, NULL, &d, &e), BOUGH_INVALID, &e, "question is NULL");
    expect(bough_results_text(NULL, "csv", &text, &e), BOUGH_INVALID, &e, "results is NULL");
    expect(bough_diagnosis_text(NULL, "json", &text, &e), BOUGH_INVALID, &e, "diagnosis is NULL");
    expect(bough_stop_create(NULL, &e), BOUGH_INVALID, &e, "stop is NULL");
    assert_int_equal(bough_network_open(NULL, NULL, &n, NULL), BOUGH_INVALID);
    assert_int_equal(bough_results_count(NULL), 0);
    assert_null(bough_results_get(NULL, 0).metric);
    assert_int_equal(bough_network_size(NULL).nodes, 0);
    bough_network_destroy(NULL);
    bough_question_destroy(NULL);
    bough_results_destroy(NULL);
    bough_diagnosis_destroy(NULL);
    bough_stop_destroy(NULL);
    bough_stop_request(NULL);
    bough_free(NULL);
}

static void wrong_questions_are_refused(void **state) {
    (void)state;
    static const char *const setting[][2] = {{"network", "fattree:n=16"}, {NULL, NULL}};
    bough_question *q = question_of(setting);
    bough_results *r;
    bough_diagnosis *d;
    bough_error e;
    expect(bough_question_set(q, "metod", "worm", &e), BOUGH_INVALID, &e, "did you mean 'method'?");
    expect(bough_question_set(q, "seed", NULL, &e), BOUGH_INVALID, &e, "value is NULL");
    expect(bough_simulate(q, NULL, &r, &e), BOUGH_INVALID, &e, "the key 'method' is not set");
    bough_control control = {.size = 1};
    expect(bough_simulate(q, &control, &r, &e), BOUGH_INVALID, &e, "it must be sizeof(bough_control)");
    control.size = sizeof control + 8; /* of a later version */
    expect(bough_simulate(q, &control, &r, &e), BOUGH_INVALID, &e, "it must be sizeof(bough_control)");
    assert_int_equal(bough_question_set(q, "method", "linkload", &e), BOUGH_OK);
    expect(bough_simulate(q, NULL, &r, &e), BOUGH_UNSUPPORTED, &e, "linkload needs traffic");
    assert_int_equal(bough_question_set(q, "trials", "-1", &e), BOUGH_OK);
    expect(bough_simulate(q, NULL, &r, &e), BOUGH_INVALID, &e, "trials: -1 is out of range");
    expect(bough_diagnose(q, NULL, &d, &e), BOUGH_INVALID, &e, "the key 'method' belongs to bough_simulate");
    bough_question_destroy(q);
    static const char *const none[][2] = {{NULL, NULL}};
    q = question_of(none);
    expect(bough_simulate(q, NULL, &r, &e), BOUGH_INVALID, &e, "the key 'network' is not set");
    bough_question_destroy(q);
}

static void wrong_networks_are_refused(void **state) {
    (void)state;
    bough_network *n;
    bough_error e;
    char name[32];
    uint64_t link[8], pair[2] = {0, 16}, same[2] = {3, 3};
    bough_links links = {link, 8, 0};
    expect(bough_network_open("fatree:n=16", NULL, &n, &e), BOUGH_INVALID, &e, "did you mean 'fattree'?");
    expect(bough_network_open("./no.file", NULL, &n, &e), BOUGH_INVALID, &e, "no.file");
    expect(bough_network_parse("list", "abc", 3, &n, &e), BOUGH_INVALID, &e, "list:1: is not a fabric file");
    expect(bough_network_open(
               "fattree:n=16",
               &(bough_network_options){.size = sizeof(bough_network_options), .faults = "nothing"}, &n, &e),
           BOUGH_INVALID, &e, "nothing");
    assert_int_equal(bough_network_open("fattree:n=16", NULL, &n, &e), BOUGH_OK);
    expect(bough_network_node_name(n, 1000, name, sizeof name, &e), BOUGH_INVALID, &e,
           "node 1000 does not exist");
    expect(bough_network_path(n, "dmodk", pair, &links, &e), BOUGH_INVALID, &e, "endpoint 16 does not exist");
    expect(bough_network_path(n, "dmodk", same, &links, &e), BOUGH_INVALID, &e, "same endpoint");
    pair[1] = 15;
    expect(bough_network_path(n, "random", pair, &links, &e), BOUGH_UNSUPPORTED, &e, "leaves a choice");
    links.room = 3;
    expect(bough_network_path(n, "dmodk", pair, &links, &e), BOUGH_TOO_LARGE, &e, "more than 3 links");
    bough_link_arrays arrays = {0};
    expect(bough_network_links(n, &arrays, &e), BOUGH_INVALID, &e, "sizeof(bough_link_arrays)");
    char *text;
    expect(bough_network_text(n, NULL, "doc", &text, &e), BOUGH_INVALID, &e,
           "doc: unknown format; formats: ");
    bough_network_destroy(n);
}

/* ---- answers ---- */

/* A path follows links, and all-to-all loads the links of endpoints by the number of the others. */
static void a_network_by_its_links(void **state) {
    (void)state;
    bough_network *n;
    bough_error e;
    assert_int_equal(bough_network_open("xgft:down=4x4,up=1x2",
                                        &(bough_network_options){.size = sizeof(bough_network_options),
                                                                 .faults = "name:s2.0",
                                                                 .physical = "default:rate=25Gb/s"},
                                        &n, &e),
                     BOUGH_OK);
    assert_string_equal(bough_network_spec(n), "xgft:down=4x4,up=1x2");
    bough_network_sizes size = bough_network_size(n);
    assert_int_equal(size.endpoints, 16);
    assert_int_equal(size.switches, 6);
    assert_int_equal(size.links, 48);
    uint64_t from[48], to[48], link[8], pair[2] = {0, 15};
    double rate[48], load[48];
    unsigned char alive[48];
    size_t dead = 0;
    bough_link_arrays arrays = {sizeof arrays, from, to, rate, alive};
    assert_int_equal(bough_network_links(n, &arrays, &e), BOUGH_OK);
    for (int l = 0; l < 48; l++) {
        assert_true(rate[l] == 25e9);
        dead += !alive[l];
    }
    assert_int_equal(dead, 8); /* a spine has four cables */
    bough_links links = {link, 8, 0};
    expect(bough_network_path(n, "dmodk", pair, &links, &e), BOUGH_OK, &e, NULL);
    assert_int_equal(links.count, 4);
    assert_int_equal(from[link[0]], 0);
    for (size_t i = 1; i < links.count; i++) assert_int_equal(from[link[i]], to[link[i - 1]]);
    assert_int_equal(to[link[3]], 15);
    expect(loads(n, "dmodk", NULL, load, &e), BOUGH_OK, &e, NULL);
    for (int l = 0; l < 48; l++)
        if (from[l] < 16) assert_true(load[l] == 15);
    char *text;
    expect(bough_network_text(n, "dmodk", "json", &text, &e), BOUGH_INVALID, &e, "takes no routing");
    expect(bough_network_text(n, "dmodk", "svg", &text, &e), BOUGH_OK, &e, NULL);
    assert_non_null(strstr(text, "<svg"));
    bough_free(text);
    assert_int_equal(bough_network_text(n, NULL, "json", &text, &e), BOUGH_OK);
    assert_non_null(strstr(text, "\"network\""));
    bough_free(text);
    bough_network_destroy(n);
}

static void a_fabric_in_memory(void **state) {
    (void)state;
    static const char cables[] = "node,node,rate\na,sw,10Gb/s\nb,sw,10Gb/s\n";
    bough_network *n;
    bough_error e;
    char name[32];
    expect(bough_network_parse("two hosts", cables, sizeof cables - 1, &n, &e), BOUGH_OK, &e, NULL);
    assert_int_equal(bough_network_size(n).endpoints, 2);
    assert_int_equal(bough_network_node_name(n, 1, name, sizeof name, &e), BOUGH_OK);
    assert_string_equal(name, "b");
    bough_network_destroy(n);
}

static const char *const shift[][2] = {{"network", "xgft:down=4x4,up=1x4"},
                                       {"traffic", "shift:4"},
                                       {"routing", "dmodk"},
                                       {"method", "linkload"},
                                       {"method", "flow:size=1MB"},
                                       {NULL, NULL}};

/* Shift by 4 under D-mod-K on a full tree: no link is shared. */
static void rows_of_a_simulation(void **state) {
    (void)state;
    bough_question *q = question_of(shift);
    bough_results *r;
    bough_error e;
    expect(bough_simulate(q, NULL, &r, &e), BOUGH_OK, &e, NULL);
    bough_question_destroy(q);
    int seen = 0;
    for (size_t i = 0; i < bough_results_count(r); i++) {
        bough_result row = bough_results_get(r, i);
        assert_string_equal(row.network, "xgft:down=4x4,up=1x4");
        assert_string_equal(row.traffic, "shift:k=4,m=16");
        assert_string_equal(row.routing, "dmodk");
        assert_string_equal(row.status, "ok");
        assert_string_equal(row.faults, "");
        if (strcmp(row.metric, "link_load_max") != 0) continue;
        assert_string_equal(row.method, "linkload");
        assert_string_equal(row.unit, "flows");
        assert_true(row.mean == 1 && row.index == -1 && row.exact && isnan(row.ci95));
        seen++;
    }
    assert_int_equal(seen, 1);
    static const char *const format[] = {"table", "csv", "json", "html"}, *const part[] = {
                                                                              "link_load_max",
                                                                              "xgft:", "\"results\"",
                                                                              "<html"};
    for (int i = 0; i < 4; i++) {
        char *text;
        expect(bough_results_text(r, format[i], &text, &e), BOUGH_OK, &e, NULL);
        if (!strstr(text, part[i])) fail_msg("%s has no %s", format[i], part[i]);
        bough_free(text);
    }
    bough_results_destroy(r);
}

static void a_diagnosis(void **state) {
    (void)state;
    static const char *const setting[][2] = {{"network", "xgft:down=4x4,up=1x2"},
                                             {"routing", "dmodk"},
                                             {"routing", "smodk"},
                                             {"permutations", "10"},
                                             {NULL, NULL}};
    bough_question *q = question_of(setting);
    bough_diagnosis *d;
    bough_error e;
    char *text;
    expect(bough_diagnose(q, NULL, &d, &e), BOUGH_OK, &e, NULL);
    assert_true(bough_diagnosis_severity(d) <= 1);
    assert_int_equal(bough_diagnosis_text(d, "json", &text, &e), BOUGH_OK);
    assert_non_null(strstr(text, "\"smodk\""));
    bough_free(text);
    expect(bough_diagnosis_text(d, "csv", &text, &e), BOUGH_INVALID, &e, "there are text, json and html");
    bough_diagnosis_destroy(d);
    bough_question_destroy(q);
}

#define FABRIC SOURCE_DIR "/examples/fabric/cluster."

/* The caller frees *text. */
static void diagnose(const char *const setting[][2], char **text) {
    bough_question *q = question_of(setting);
    bough_diagnosis *d;
    bough_error e;
    expect(bough_diagnose(q, NULL, &d, &e), BOUGH_OK, &e, NULL);
    assert_int_equal(bough_diagnosis_text(d, "json", text, &e), BOUGH_OK);
    bough_diagnosis_destroy(d);
    bough_question_destroy(q);
}

static void diagnosis_refused(const char *key, const char *value, const char *reason) {
    const char *const setting[][2] = {
        {"network", FABRIC "ibnetdiscover"}, {"permutations", "2"}, {key, value}, {NULL, NULL}};
    bough_question *q = question_of(setting);
    bough_diagnosis *d;
    bough_error e;
    expect(bough_diagnose(q, NULL, &d, &e), BOUGH_INVALID, &e, reason);
    assert_null(d);
    bough_question_destroy(q);
}

/* Tables of files and routings stand in the order in which they were set; a job has that number of trials. */
static void tables_and_trials_of_a_diagnosis(void **state) {
    (void)state;
    diagnosis_refused("lft", "no_tables.lfts", "no_tables.lfts");
    diagnosis_refused("job-trials", "0", "job-trials");
    diagnosis_refused("job-trials", "many", "job-trials");
    const char *const setting[][2] = {{"network", FABRIC "ibnetdiscover"},
                                      {"lft", FABRIC "ftree.lfts.gz"},
                                      {"routing", "updn"},
                                      {"lft", FABRIC "updn.lfts.gz"},
                                      {"permutations", "2"},
                                      {"job", "randperm"},
                                      {"job-trials", "7"},
                                      {NULL, NULL}};
    char *text = NULL;
    diagnose(setting, &text);
    const char *at = strstr(text, "\"results\"");
    static const char *const routing[] = {"cluster.ftree.lfts.gz", "\"routing\": \"updn\"",
                                          "cluster.updn.lfts.gz"};
    for (size_t i = 0; i < 3; i++) {
        at = at ? strstr(at, routing[i]) : NULL;
        if (!at) fail_msg("%s is not there, or too early", routing[i]);
    }
    size_t trials = 0;
    for (at = strstr(text, "\"jobs\""); at && (at = strstr(at, "\"trials\": 7")); at++) trials++;
    assert_int_equal(trials, 3); /* of each routing */
    bough_free(text);
}

/* ---- stopping, threads ---- */

static int stop_at_once(void *calls, double share, const char *what) {
    ++*(int *)calls;
    return share >= 0 && what != NULL;
}

static void progress_stops_a_run(void **state) {
    (void)state;
    static const char *const setting[][2] = {{"network", "fattree:n=65536"},
                                             {"traffic", "uniform"},
                                             {"method", "circuit:mode=cycles"},
                                             {"trials", "100000"},
                                             {NULL, NULL}};
    bough_question *q = question_of(setting);
    bough_results *r;
    bough_error e;
    int calls = 0;
    bough_control control = {.size = sizeof control, .progress = stop_at_once, .context = &calls};
    expect(bough_simulate(q, &control, &r, &e), BOUGH_INTERRUPTED, &e, "interrupted");
    assert_null(r);
    assert_true(calls > 0);
    bough_stop *stop;
    assert_int_equal(bough_stop_create(&stop, &e), BOUGH_OK);
    bough_stop_request(stop);
    control = (bough_control){.size = sizeof control, .stop = stop};
    expect(bough_simulate(q, &control, &r, &e), BOUGH_INTERRUPTED, &e, "interrupted");
    bough_stop_destroy(stop);
    bough_question_destroy(q);
}

typedef struct caller {
    const bough_network *network; /* shared */
    const char *seed;
    bough_stop *stop; /* NULL: runs to its end */
    double rounds;
    bough_status status;
} caller;

static void *call(void *context) {
    caller *c = context;
    const char *const setting[][2] = {{"network", bough_network_spec(c->network)},
                                      {"traffic", "uniform"},
                                      {"method", "circuit:mode=rounds"},
                                      {"trials", c->stop ? "100000000" : "200"},
                                      {"seed", c->seed},
                                      {NULL, NULL}};
    bough_question *q = question_of(setting);
    bough_results *r;
    bough_error e;
    bough_control control = {.size = sizeof control, .threads = 2, .stop = c->stop};
    c->status = bough_simulate(q, &control, &r, &e);
    for (size_t i = 0; i < bough_results_count(r); i++)
        if (strcmp(bough_results_get(r, i).metric, "rounds") == 0) c->rounds = bough_results_get(r, i).mean;
    bough_results_destroy(r);
    bough_question_destroy(q);
    return NULL;
}

/* Two runs to their end, and two that are stopped, at once: the same results as one after the other. */
static void threads_do_not_disturb_each_other(void **state) {
    (void)state;
    bough_network *n;
    bough_error e;
    bough_stop *stop[2];
    assert_int_equal(bough_network_open("fattree:n=1024", NULL, &n, &e), BOUGH_OK);
    for (int i = 0; i < 2; i++) assert_int_equal(bough_stop_create(&stop[i], &e), BOUGH_OK);
    caller alone[2] = {{n, "1", NULL, 0, BOUGH_OK}, {n, "2", NULL, 0, BOUGH_OK}};
    caller together[4] = {alone[0], alone[1], {n, "3", stop[0], 0, BOUGH_OK}, {n, "4", stop[1], 0, BOUGH_OK}};
    pthread_t thread[4];
    for (int i = 0; i < 2; i++) call(&alone[i]);
    for (int i = 0; i < 4; i++) assert_int_equal(pthread_create(&thread[i], NULL, call, &together[i]), 0);
    for (int i = 0; i < 2; i++) {
        pthread_join(thread[i], NULL);
        assert_int_equal(together[i].status, BOUGH_OK);
        assert_true(together[i].rounds == alone[i].rounds && alone[i].rounds > 1);
    }
    assert_true(alone[0].rounds != alone[1].rounds);
    for (int i = 0; i < 2; i++) bough_stop_request(stop[i]);
    for (int i = 2; i < 4; i++) {
        pthread_join(thread[i], NULL);
        assert_int_equal(together[i].status, BOUGH_INTERRUPTED);
    }
    for (int i = 0; i < 2; i++) bough_stop_destroy(stop[i]);
    bough_network_destroy(n);
}

static void the_list_has_parameters(void **state) {
    (void)state;
    bough_error e;
    char *json;
    expect(bough_list(NULL, NULL, &e), BOUGH_INVALID, &e, "json is NULL");
    expect(bough_list(NULL, &json, &e), BOUGH_OK, &e, NULL);
    assert_non_null(strstr(json, "\"name\": \"fattree\""));
    assert_non_null(strstr(json, "\"key\": \"mode\", \"type\": \"choice\""));
    bough_free(json);
}

static void the_version_is_that_of_the_header(void **state) {
    (void)state;
    char text[32];
    snprintf(text, sizeof text, "%d.%d.%d", BOUGH_VERSION_MAJOR, BOUGH_VERSION_MINOR, BOUGH_VERSION_PATCH);
    assert_string_equal(bough_version(), text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(null_is_refused),
        cmocka_unit_test(wrong_questions_are_refused),
        cmocka_unit_test(wrong_networks_are_refused),
        cmocka_unit_test(a_network_by_its_links),
        cmocka_unit_test(a_fabric_in_memory),
        cmocka_unit_test(rows_of_a_simulation),
        cmocka_unit_test(a_diagnosis),
        cmocka_unit_test(tables_and_trials_of_a_diagnosis),
        cmocka_unit_test(progress_stops_a_run),
        cmocka_unit_test(threads_do_not_disturb_each_other),
        cmocka_unit_test(the_list_has_parameters),
        cmocka_unit_test(the_version_is_that_of_the_header),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

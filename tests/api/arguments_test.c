/* Every function of bough.h with each argument NULL, 0, or too small. bough.h is read for the list of
 * functions: one without a case here fails. */
#include "api/library_calls.h"

#include <math.h>

static bough_error e;
static bough_network *net;
static bough_registry *registry;
static bough_question *question;
static bough_results *results;
static bough_diagnosis *diagnosis;

/* A call that is refused with a reason. */
#define REFUSED(call)                                                                                        \
    do {                                                                                                     \
        e = (bough_error){0};                                                                                \
        expect((call), BOUGH_INVALID, &e, NULL);                                                             \
        if (!*e.reason) fail_msg("%s: no reason", #call);                                                    \
    } while (0)
#define WORKS(call)                                                                                          \
    do {                                                                                                     \
        e = (bough_error){0};                                                                                \
        expect((call), BOUGH_OK, &e, NULL);                                                                  \
    } while (0)

/* ---- functions without a status ---- */

static void version(void) {
    assert_non_null(bough_version());
}

static void nothing_is_freed(void) {
    bough_free(NULL);
    bough_registry_destroy(NULL);
    bough_network_destroy(NULL);
    bough_question_destroy(NULL);
    bough_results_destroy(NULL);
    bough_diagnosis_destroy(NULL);
    bough_stop_request(NULL);
    bough_stop_destroy(NULL);
}

static void values_of_nothing(void) {
    const char *value = "";
    bough_compared compared;
    assert_int_equal(bough_network_size(NULL).nodes, 0);
    assert_string_equal(bough_network_spec(NULL), "");
    assert_int_equal(bough_results_count(NULL), 0);
    assert_null(bough_results_get(NULL, 0).metric);
    assert_null(bough_results_get(results, SIZE_MAX).metric);
    assert_null(bough_results_axis(NULL, 0, 0, &value));
    assert_null(bough_results_axis(results, SIZE_MAX, SIZE_MAX, NULL));
    assert_int_equal(bough_results_compare(NULL, 0, &compared), 0);
    assert_int_equal(bough_results_compare(results, SIZE_MAX, NULL), 0);
    assert_int_equal(bough_diagnosis_severity(NULL), 0);
}

/* ---- names ---- */

static void registries(void) {
    REFUSED(bough_registry_create(NULL, &e));
    REFUSED(bough_registry_load(NULL, "x", &e));
    REFUSED(bough_registry_load(registry, NULL, &e));
}

static void messages(void) {
    const uint64_t from[] = {0}, to[] = {1};
    const bough_message_arrays whole = {sizeof whole, "whole", from, to, NULL, 1};
    bough_message_arrays m = whole;
    REFUSED(bough_registry_add_messages(NULL, &whole, &e));
    REFUSED(bough_registry_add_messages(registry, NULL, &e));
    m.size = 0;
    REFUSED(bough_registry_add_messages(registry, &m, &e));
    m = whole, m.name = NULL;
    REFUSED(bough_registry_add_messages(registry, &m, &e));
    m = whole, m.source = NULL;
    REFUSED(bough_registry_add_messages(registry, &m, &e));
    m = whole, m.destination = NULL;
    REFUSED(bough_registry_add_messages(registry, &m, &e));
    m = whole, m.count = 0;
    REFUSED(bough_registry_add_messages(registry, &m, &e));
}

static void weights(void) {
    const uint64_t from[] = {0}, to[] = {1};
    const double weight[] = {1};
    const bough_weight_arrays whole = {sizeof whole, "whole", from, to, weight, 1};
    bough_weight_arrays w = whole;
    REFUSED(bough_registry_add_weights(NULL, &whole, &e));
    REFUSED(bough_registry_add_weights(registry, NULL, &e));
    w.size = 0;
    REFUSED(bough_registry_add_weights(registry, &w, &e));
    w = whole, w.name = NULL;
    REFUSED(bough_registry_add_weights(registry, &w, &e));
    w = whole, w.source = NULL;
    REFUSED(bough_registry_add_weights(registry, &w, &e));
    w = whole, w.destination = NULL;
    REFUSED(bough_registry_add_weights(registry, &w, &e));
    w = whole, w.weight = NULL;
    REFUSED(bough_registry_add_weights(registry, &w, &e));
    w = whole, w.count = 0;
    REFUSED(bough_registry_add_weights(registry, &w, &e));
}

static void named_networks(void) {
    REFUSED(bough_registry_use_network(NULL, net, &e));
    REFUSED(bough_registry_use_network(registry, NULL, &e));
}

static void tune(void) {
    const bough_tuning whole = {.size = sizeof whole};
    const char *const none[] = {NULL};
    bough_tuning t = {0};
    REFUSED(bough_network_tune(net, NULL, &t, &e));
    REFUSED(bough_network_tune(net, NULL, NULL, &e));
    t = whole;
    REFUSED(bough_network_tune(NULL, NULL, &t, &e));
    t = whole, t.jobs = 1;
    REFUSED(bough_network_tune(net, NULL, &t, &e));
    t = whole, t.routing = none, t.routings = 1;
    REFUSED(bough_network_tune(net, NULL, &t, &e));
    t = whole, t.effort = -1;
    REFUSED(bough_network_tune(net, NULL, &t, &e));
    t = whole, t.objective = "shift";
    REFUSED(bough_network_tune(net, NULL, &t, &e));
}

static void tables(void) {
    const uint64_t link[2] = {UINT64_MAX, UINT64_MAX};
    const bough_table_arrays whole = {sizeof whole, "whole", 1, 1, link};
    bough_table_arrays t = whole;
    REFUSED(bough_registry_add_tables(NULL, &whole, &e));
    REFUSED(bough_registry_add_tables(registry, NULL, &e));
    t.size = 0;
    REFUSED(bough_registry_add_tables(registry, &t, &e));
    t = whole, t.name = NULL;
    REFUSED(bough_registry_add_tables(registry, &t, &e));
    t = whole, t.link = NULL;
    REFUSED(bough_registry_add_tables(registry, &t, &e));
    t = whole, t.nodes = 0;
    REFUSED(bough_registry_add_tables(registry, &t, &e));
}

static void list(void) {
    REFUSED(bough_list(NULL, NULL, &e));
}

/* ---- stopping ---- */

static void stops(void) {
    REFUSED(bough_stop_create(NULL, &e));
}

/* ---- networks ---- */

static void network_open(void) {
    bough_network *n;
    const bough_network_options small = {.size = 0};
    REFUSED(bough_network_open(NULL, NULL, &n, &e));
    REFUSED(bough_network_open("", NULL, &n, &e));
    REFUSED(bough_network_open("fattree:n=4", NULL, NULL, &e));
    REFUSED(bough_network_open("fattree:n=4", &small, &n, &e));
    assert_null(n);
}

static void network_parse(void) {
    bough_network *n;
    REFUSED(bough_network_parse(NULL, "x", 1, &n, &e));
    REFUSED(bough_network_parse("x", NULL, 0, &n, &e));
    REFUSED(bough_network_parse("x", NULL, 5, &n, &e));
    REFUSED(bough_network_parse("x", "", 0, &n, &e));
    REFUSED(bough_network_parse("x", "x", 1, NULL, &e));
    assert_null(n);
}

static void network_from_cables(void) {
    bough_network *n;
    const uint64_t a[] = {0, 1}, b[] = {2, 2};
    const bough_cable_arrays whole = {
        .size = sizeof whole, .name = "star", .nodes = 3, .endpoints = 2, .a = a, .b = b, .count = 2};
    bough_cable_arrays c = whole;
    REFUSED(bough_network_from_cables(NULL, &n, &e));
    REFUSED(bough_network_from_cables(&whole, NULL, &e));
    c.size = 0;
    REFUSED(bough_network_from_cables(&c, &n, &e));
    c = whole, c.a = NULL;
    REFUSED(bough_network_from_cables(&c, &n, &e));
    c = whole, c.b = NULL;
    REFUSED(bough_network_from_cables(&c, &n, &e));
    c = whole, c.name = NULL;
    REFUSED(bough_network_from_cables(&c, &n, &e));
    c = whole, c.nodes = 0;
    REFUSED(bough_network_from_cables(&c, &n, &e));
    c.nodes = UINT64_C(4000000000); /* before any of them costs memory */
    expect(bough_network_from_cables(&c, &n, &e), BOUGH_TOO_LARGE, &e, NULL);
    assert_null(n);
}

static void network_with(void) {
    bough_network *n;
    const bough_network_options none = {.size = sizeof none}, small = {.size = 1};
    REFUSED(bough_network_with(NULL, &none, &n, &e));
    REFUSED(bough_network_with(net, NULL, &n, &e));
    REFUSED(bough_network_with(net, &small, &n, &e));
    REFUSED(bough_network_with(net, &none, NULL, &e));
    assert_null(n);
}

static void network_node_name(void) {
    char name[1];
    REFUSED(bough_network_node_name(NULL, 0, name, 1, &e));
    REFUSED(bough_network_node_name(net, 0, NULL, 5, &e));
    REFUSED(bough_network_node_name(net, UINT64_MAX, name, 1, &e));
    WORKS(bough_network_node_name(net, 0, name, 1, &e));
    assert_string_equal(name, "");
}

static void network_links(void) {
    const bough_link_arrays none = {.size = sizeof none}, small = {.size = 0};
    REFUSED(bough_network_links(NULL, &none, &e));
    REFUSED(bough_network_links(net, NULL, &e));
    REFUSED(bough_network_links(net, &small, &e));
    WORKS(bough_network_links(net, &none, &e));
}

static void network_path(void) {
    const uint64_t pair[2] = {0, 15}, far[2] = {0, 99};
    uint64_t link[8];
    bough_links links = {.link = link, .room = 8}, nowhere = {.link = NULL, .room = 5};
    REFUSED(bough_network_path(NULL, "dmodk", pair, &links, &e));
    REFUSED(bough_network_path(net, "dmodk", NULL, &links, &e));
    REFUSED(bough_network_path(net, "dmodk", pair, NULL, &e));
    REFUSED(bough_network_path(net, "dmodk", far, &links, &e));
    REFUSED(bough_network_path(net, "dmodk", pair, &nowhere, &e));
    nowhere.room = 0;
    expect(bough_network_path(net, "dmodk", pair, &nowhere, &e), BOUGH_TOO_LARGE, &e, NULL);
}

static void network_loads(void) {
    bough_loads l = {.size = sizeof l};
    double load[256];
    const bough_control small = {.size = 0};
    REFUSED(bough_network_loads(NULL, NULL, &l, &e));
    REFUSED(bough_network_loads(net, NULL, NULL, &e));
    REFUSED(bough_network_loads(net, NULL, &l, &e));
    l.load = load;
    REFUSED(bough_network_loads(net, &small, &l, &e));
    l.size = 0;
    REFUSED(bough_network_loads(net, NULL, &l, &e));
}

/* A text ends at its first null byte, so a format of bytes has none. */
static void network_text(void) {
    bough_network *chip;
    char *text;
    WORKS(bough_network_open("pruned:n=16", NULL, &chip, &e));
    REFUSED(bough_network_text(NULL, NULL, "json", &text, &e));
    REFUSED(bough_network_text(net, NULL, NULL, &text, &e));
    REFUSED(bough_network_text(net, NULL, "", &text, &e));
    REFUSED(bough_network_text(net, NULL, "json", NULL, &e));
    expect(bough_network_text(chip, NULL, "gds", &text, &e), BOUGH_UNSUPPORTED, &e, "binary");
    assert_null(text);
    bough_network_destroy(chip);
}

/* ---- questions ---- */

static void questions(void) {
    REFUSED(bough_question_create(NULL, &e));
    REFUSED(bough_question_set(NULL, "seed", "1", &e));
    REFUSED(bough_question_set(question, NULL, "1", &e));
    REFUSED(bough_question_set(question, "", "", &e));
    REFUSED(bough_question_set(question, "seed", NULL, &e));
    REFUSED(bough_question_use_registry(NULL, registry, &e));
    REFUSED(bough_question_use_registry(question, NULL, &e));
    REFUSED(bough_question_use_network(NULL, net, &e));
    REFUSED(bough_question_use_network(question, NULL, &e));
}

static void answers(void) {
    bough_results *r;
    bough_diagnosis *d;
    char *text;
    const bough_control small = {.size = sizeof small - 1};
    REFUSED(bough_simulate(NULL, NULL, &r, &e));
    REFUSED(bough_simulate(question, NULL, NULL, &e));
    REFUSED(bough_simulate(question, &small, &r, &e));
    assert_null(r);
    REFUSED(bough_diagnose(NULL, NULL, &d, &e));
    REFUSED(bough_diagnose(question, NULL, NULL, &e));
    REFUSED(bough_diagnose(question, &small, &d, &e));
    assert_null(d);
    REFUSED(bough_results_text(NULL, "csv", &text, &e));
    REFUSED(bough_results_text(results, NULL, &text, &e));
    REFUSED(bough_results_text(results, "", &text, &e));
    REFUSED(bough_results_text(results, "csv", NULL, &e));
    REFUSED(bough_diagnosis_text(NULL, "json", &text, &e));
    REFUSED(bough_diagnosis_text(diagnosis, NULL, &text, &e));
    REFUSED(bough_diagnosis_text(diagnosis, "", &text, &e));
    REFUSED(bough_diagnosis_text(diagnosis, "json", NULL, &e));
}

/* ---- all ---- */

static const struct {
    void (*test)(void);
    const char *functions; /* that it calls */
} cases[] = {
    {version, "bough_version"},
    {nothing_is_freed, "bough_free bough_registry_destroy bough_network_destroy bough_question_destroy "
                       "bough_results_destroy bough_diagnosis_destroy bough_stop_request bough_stop_destroy"},
    {values_of_nothing, "bough_network_size bough_network_spec bough_results_count bough_results_get "
                        "bough_results_axis bough_results_compare bough_diagnosis_severity"},
    {registries, "bough_registry_create bough_registry_load"},
    {messages, "bough_registry_add_messages"},
    {weights, "bough_registry_add_weights"},
    {tune, "bough_network_tune"},
    {named_networks, "bough_registry_use_network"},
    {tables, "bough_registry_add_tables"},
    {list, "bough_list"},
    {stops, "bough_stop_create"},
    {network_open, "bough_network_open"},
    {network_parse, "bough_network_parse"},
    {network_from_cables, "bough_network_from_cables"},
    {network_with, "bough_network_with"},
    {network_node_name, "bough_network_node_name"},
    {network_links, "bough_network_links"},
    {network_path, "bough_network_path"},
    {network_loads, "bough_network_loads"},
    {network_text, "bough_network_text"},
    {questions,
     "bough_question_create bough_question_set bough_question_use_registry bough_question_use_network"},
    {answers, "bough_simulate bough_diagnose bough_results_text bough_diagnosis_text"},
};
enum { CASES = sizeof cases / sizeof *cases };

static void setting_up(void) {
    static const char *const fabric[][2] = {
        {"network", "xgft:down=4x4,up=1x2"}, {"routing", "dmodk"}, {"worst", "no"}, {NULL, NULL}};
    static const char *const simulation[][2] = {{"network", "fattree:n=16"},
                                                {"traffic", "uniform"},
                                                {"method", "circuit"},
                                                {"trials", "2"},
                                                {NULL, NULL}};
    bough_question *check = question_of(fabric);
    registry = make_registry();
    WORKS(bough_network_open("xgft:down=4x4,up=1x2", NULL, &net, &e));
    question = question_of(simulation);
    WORKS(bough_simulate(question, NULL, &results, &e));
    WORKS(bough_diagnose(check, NULL, &diagnosis, &e));
    bough_question_destroy(check);
}

static void wrong_arguments_are_refused(void **state) {
    (void)state;
    setting_up();
    for (size_t i = 0; i < CASES; i++) cases[i].test();
    bough_diagnosis_destroy(diagnosis);
    bough_results_destroy(results);
    bough_question_destroy(question);
    bough_network_destroy(net);
    bough_registry_destroy(registry);
}

static int has_case(const char *name, size_t length) {
    for (size_t i = 0; i < CASES; i++)
        for (const char *at = cases[i].functions; *at; at += strspn(at, " ")) {
            const size_t word = strcspn(at, " ");
            if (word == length && memcmp(at, name, length) == 0) return 1;
            at += word;
        }
    return 0;
}

static void every_function_has_a_case(void **state) {
    static const char mark[] = "BOUGH_API ";
    char line[512];
    size_t count = 0;
    (void)state;
    FILE *header = fopen(SOURCE_DIR "/include/bough.h", "r");
    assert_non_null(header);
    while (fgets(line, sizeof line, header)) {
        const char *bracket = strchr(line, '('), *name = bracket;
        if (strncmp(line, mark, strlen(mark)) != 0 || !bracket) continue;
        while (name[-1] != ' ' && name[-1] != '*') name--;
        if (!has_case(name, (size_t)(bracket - name)))
            fail_msg("%.*s has no case here", (int)(bracket - name), name);
        count++;
    }
    fclose(header);
    assert_true(count >= 30);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_arguments_are_refused),
        cmocka_unit_test(every_function_has_a_case),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

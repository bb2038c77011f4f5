#include "study/study_keys.h"

#include "base/status/try.h"
#include "network/faults/faults.h"

#include <string.h>

/* ---- the keys ---- */

#define AT(member)          offsetof(study_asked, member)
#define LIST(member, count) KEY_LIST, AT(member), AT(count)

#define STATISTICS_KEYS                                                                                      \
    {"quantiles",                                                                                            \
     0,                                                                                                      \
     "METRIC[:P,...]",                                                                                       \
     "quantiles of a metric over the trials, P in percent (50,90,99,99.9)",                                  \
     KEY_REPEAT,                                                                                             \
     "METRICS",                                                                                              \
     LIST(quantiles, quantiles_count)},                                                                      \
    {                                                                                                        \
        "above", 0, "METRIC:LIMIT",                                                                          \
            "how many trials are above a limit: a number or an exact method,\nas in rounds:12 or "           \
            "rounds:bound",                                                                                  \
            KEY_REPEAT, "METRICS", LIST(above, above_count)                                                  \
    }
#define STORE_KEY                                                                                            \
    { "store", 0, "DIR", "directory of the results", KEY_PROGRAM, "DIRECTORY", KEY_TEXT, AT(store) }

const question_key point_keys[] = {
    {"network", 0, "NETWORK", "a spec, or the path of a fabric file", KEY_PROGRAM, "FAMILIES|FILE", KEY_TEXT,
     AT(network.argument.text)},
    {"traffic", 0, "TRAFFIC", "a traffic (`bough list traffic`)", KEY_PROGRAM, "TRAFFIC", KEY_TEXT,
     AT(traffic)},
    {"method", 0, "METHOD", "a method (`bough list methods`)", KEY_PROGRAM | KEY_REPEAT, "METHODS",
     LIST(method, methods)},
    {"routing", 0, "R", "a routing (`bough list routings`); repeat it to compare", KEY_REPEAT, "ROUTINGS",
     LIST(routing, routings)},
    FAULTS_KEY(study_asked, network),
    PHYSICAL_KEY(study_asked, network.physical),
    {"trials", 0, "N", "number of trials of random results; with --precision the maximum", 0, NULL, KEY_WHOLE,
     AT(trials), .bounds = {1, BOUGH_TRIALS_MAX}},
    {"precision", 0, "P",
     "run until the 95 % interval is within P of the mean, as in 1%\n"
     "or latency:1%; without a metric: each method's headline",
     0, NULL, KEY_TEXT, AT(precision)},
    STATISTICS_KEYS,
    {"seed", 0, "S", "seed of all random numbers (default 1)", 0, NULL, KEY_WHOLE, AT(seed),
     .bounds = {0, INT64_MAX}, .fallback = 1},
    STORE_KEY,
    ENDPOINT_KEYS_OF_NETWORKS(study_asked, network.argument),
    KEYS_END,
};

const question_key grid_keys[] = {
    {"study", 0, "STUDY", "a file, or a name of `bough list studies`", KEY_PROGRAM, "STUDIES|FILE", KEY_TEXT,
     AT(study)},
    {"study-text", 0, "TEXT", "the text of a study file", KEY_PROGRAM, NULL, KEY_TEXT, AT(text)},
    {"set", 0, "KEY=VALUE",
     "override a key or an axis of the study, as in\n"
     "--set 'n=2^4..2^10 times 2', --set m=[n/8,n], --set seed=7",
     KEY_REPEAT, NULL, LIST(set, sets)},
    {"trials", 0, "N", "number of trials, in place of the study's trials and precision", 0, NULL, KEY_WHOLE,
     AT(trials), .bounds = {1, BOUGH_TRIALS_MAX}},
    {"precision", 0, "P", "required precision, likewise; with both: P, in at most N trials", 0, NULL,
     KEY_TEXT, AT(precision)},
    STATISTICS_KEYS,
    STORE_KEY,
    KEYS_END,
};

const question_key statistics_keys[] = {STATISTICS_KEYS, KEYS_END};

/* ---- one point ---- */

/* As `bough sim`: to 1 % with at most 1000 trials, unless trials or precision say otherwise. */
static bough_status read_effort(const study_asked *asked, bough_effort *effort, bough_error *error) {
    const bool given = asked->trials || asked->precision;
    *effort = given ? (bough_effort){asked->trials, 0, BOUGH_METRIC_COUNT}
                    : (bough_effort){1000, 0.01, BOUGH_METRIC_COUNT};
    return asked->precision ? bough_effort_precision(effort, asked->precision, error) : BOUGH_OK;
}

static bough_status make_point(const study_asked *asked, bough_study *study, bough_error *error) {
    arena *memory = &study->memory;
    char *network = NULL, *faults = NULL;
    bough_status status =
        network_argument_spec(&asked->network.argument, study->registry, memory, &network, error);
    TRY(bough_faults_join(asked->network.faults, asked->network.faults_count, memory, &faults, error));
    const bough_point_asked point = {
        .network = network,
        .faults = faults,
        .physical = asked->network.physical,
        .traffic = asked->traffic,
        .routing = asked->routing,
        .routings = asked->routings,
        .method = asked->method,
        .methods = asked->methods,
    };
    TRY(bough_study_add_point(study, &point, error));
    study->seed = asked->seed;
    TRY(read_effort(asked, &study->effort, error));
    if (!status && !asked->methods)
        status = bough_fail(error, BOUGH_INVALID, "bough_simulate", "the key 'method' is not set");
    return status;
}

/* ---- a study file ---- */

typedef struct settings {
    bough_override *item;
    size_t count;
    arena memory;
} settings;

static bough_status add_setting(settings *s, const char *given, const char *dashes, bough_error *error) {
    const char *equals = strchr(given, '=');
    if (!equals || equals == given)
        return bough_fail(error, BOUGH_INVALID, NULL, "%sset %s: write KEY=VALUE, as in %sset seed=7", dashes,
                          given, dashes);
    char *key = NULL;
    bough_status status = arena_copy_bytes(&s->memory, &key, given, (size_t)(equals - given), error);
    s->item[s->count++] = (bough_override){key, equals + 1};
    return status;
}

static bough_status read_settings(const study_asked *asked, const char *dashes, settings *s,
                                  bough_error *error) {
    bough_status status = arena_alloc(&s->memory, &s->item, asked->sets, sizeof *s->item, error);
    for (size_t i = 0; i < asked->sets; i++) TRY(add_setting(s, asked->set[i], dashes, error));
    return status;
}

static bough_status read_study(const study_asked *asked, const char *dashes, bough_study *study,
                               bough_error *error) {
    const char *text = asked->text;
    const bough_registry *registry = study->registry;
    settings s = {0};
    bough_status status = read_settings(asked, dashes, &s, error);
    if (!status && asked->study)
        status = bough_study_read(study, asked->study, s.item, s.count, error);
    else if (!status)
        status = bough_study_parse(
            study, &(bough_study_text){"study-text", text, strlen(text), s.item, s.count, 0}, error);
    arena_fini(&s.memory);
    study->registry = registry;
    if (asked->trials || asked->precision) TRY(read_effort(asked, &study->effort, error));
    return status;
}

bough_status study_asked_statistics(const study_asked *asked, bough_study *study, bough_error *error) {
    bough_status status = BOUGH_OK;
    for (size_t i = 0; i < asked->quantiles_count; i++)
        TRY(bough_study_add_quantiles(study, asked->quantiles[i], error));
    for (size_t i = 0; i < asked->above_count; i++) TRY(bough_study_add_above(study, asked->above[i], error));
    return status;
}

bough_status study_asked_make(const study_asked *asked, const char *dashes, bough_study *study,
                              bough_error *error) {
    bough_status status = asked->study || asked->text ? read_study(asked, dashes, study, error)
                                                      : make_point(asked, study, error);
    TRY(study_asked_statistics(asked, study, error));
    return status;
}

/* Names whose callbacks do wrong things. */
#include <bough-ext.h>
#include <math.h>

#include <stddef.h>

static const bough_ext_host *host;

static bough_status no_sizes(void *context, const bough_ext_value *v, bough_ext_builder *b,
                             bough_error *error) {
    (void)context, (void)v;
    return host->cable(b, 0, 1, 0, error);
}

static bough_status no_status(void *context, const bough_ext_value *v, bough_ext_builder *b,
                              bough_error *error) {
    (void)context, (void)v, (void)b, (void)error;
    return (bough_status)77;
}

/* Two switches and an endpoint at one of them: the cable between the endpoint and switch 1 is the one asked
 * for. */
static bough_status three(void *context, const bough_ext_value *v, bough_ext_builder *b, bough_error *error) {
    bough_status status = host->sizes(b, 1, 2, error);
    (void)context;
    if (!status) status = host->cable(b, 1, 2, 0, error);
    return status ? status : host->cable(b, 0, (uint64_t)v[0].integer, 0, error);
}

/* Sizes, as many as asked for, and a second time. */
static bough_status many(void *context, const bough_ext_value *v, bough_ext_builder *b, bough_error *error) {
    (void)context;
    bough_status status = host->sizes(b, (uint64_t)v[0].real, (uint64_t)v[1].real, error);
    return status ? status : host->sizes(b, 1, 1, error);
}

static bough_status stopped(void *context, const bough_ext_value *v, bough_ext_builder *b,
                            bough_error *error) {
    (void)context, (void)v, (void)b, (void)error;
    return BOUGH_INTERRUPTED;
}

static uint64_t any_link(const void *state, const bough_ext_hop *hop) {
    (void)state;
    return hop->node + 1000000;
}

static uint64_t outside(const void *state, uint64_t endpoints, uint64_t source, uint64_t word) {
    (void)state, (void)word, (void)source;
    return endpoints + 5;
}

/* The next endpoint with a probability that need not be 1; the last one sends nothing. */
static uint64_t next(const void *state, uint64_t endpoints, uint64_t source, uint64_t word) {
    (void)state, (void)word;
    return source + 1 < endpoints ? source + 1 : source;
}

static double likely(const void *state, uint64_t endpoints, uint64_t source, uint64_t destination) {
    (void)endpoints;
    return destination == source + 1 ? *(const double *)state : 0;
}

static bough_status open_likely(void *context, uint64_t endpoints, const bough_ext_value *v, void **state,
                                bough_error *error) {
    static double probability;
    (void)context, (void)endpoints, (void)error;
    probability = v[0].real;
    *state = &probability;
    return BOUGH_OK;
}

/* Rows with one metric: the second of index `second`, the third without an index. */
static bough_status rows(void *context, const bough_ext_value *v, bough_ext_trial *t, bough_error *error) {
    (void)context;
    bough_status status = host->row(t, "link_load_level", 7, 1, error);
    if (!status) status = host->row(t, "rounds", -1, 3, error);
    return status ? status : host->row(t, "link_load_level", v[0].integer, 2, error);
}

static bough_status stop_trial(void *context, const bough_ext_value *v, bough_ext_trial *t,
                               bough_error *error) {
    (void)context, (void)v, (void)t, (void)error;
    return BOUGH_INTERRUPTED;
}

static bough_status no_metric(void *context, const bough_ext_value *v, bough_ext_trial *t,
                              bough_error *error) {
    (void)context, (void)v;
    return host->row(t, "nothing", -1, 1, error);
}

static bough_status not_a_number(void *context, const bough_ext_value *v, bough_ext_trial *t,
                                 bough_error *error) {
    (void)context, (void)v;
    return host->row(t, "rounds", -1, (double)NAN, error);
}

static const bough_ext_param to[] = {{"to", "node", BOUGH_EXT_INT, "1", 0, 100}, {NULL}};
static const bough_ext_param counts[] = {{"endpoints", "", BOUGH_EXT_REAL, "1", 0, 0x1p63},
                                         {"switches", "", BOUGH_EXT_REAL, "1", 0, 0x1p63},
                                         {NULL}};
static const bough_ext_param share[] = {{"p", "", BOUGH_EXT_REAL, "1", 0, 10}, {NULL}};
static const bough_ext_param index_of[] = {{"second", "", BOUGH_EXT_INT, "7", 0, 100}, {NULL}};
static const bough_ext_network networks[] = {
    {sizeof *networks, "nosizes", "", "", NULL, NULL, no_sizes},
    {sizeof *networks, "nostatus", "", "", NULL, NULL, no_status},
    {sizeof *networks, "three", "", "", to, NULL, three},
    {sizeof *networks, "many", "", "", counts, NULL, many},
    {sizeof *networks, "stopped", "", "", NULL, NULL, stopped},
};
static const bough_ext_routing loose = {
    .size = sizeof loose, .name = "loose", .summary = "", .link = any_link, .any_link = 1};
static const bough_ext_pattern out = {
    .size = sizeof out, .name = "out", .summary = "", .destination = outside};
static const bough_ext_method nothing = {
    .size = sizeof nothing, .name = "nothing", .summary = "", .headline = "rounds", .trial = no_metric};

static const bough_ext_pattern nextone = {.size = sizeof nextone,
                                          .name = "nextone",
                                          .summary = "",
                                          .params = share,
                                          .destination = next,
                                          .probability = likely,
                                          .open = open_likely};
static const bough_ext_method methods[] = {
    {.size = sizeof *methods,
     .name = "tworows",
     .summary = "",
     .params = index_of,
     .headline = "rounds",
     .trial = rows},
    {.size = sizeof *methods, .name = "nonumber", .summary = "", .headline = "rounds", .trial = not_a_number},
    {.size = sizeof *methods, .name = "stops", .summary = "", .headline = "rounds", .trial = stop_trial},
};

BOUGH_PLUGIN(given, registry, error) {
    bough_status status = BOUGH_OK;
    host = given;
    for (size_t i = 0; i < sizeof networks / sizeof *networks && !status; i++)
        status = host->add_network(registry, &networks[i], error);
    if (!status) status = host->add_routing(registry, &loose, error);
    if (!status) status = host->add_pattern(registry, &out, error);
    if (!status) status = host->add_pattern(registry, &nextone, error);
    for (size_t i = 0; i < sizeof methods / sizeof *methods && !status; i++)
        status = host->add_method(registry, &methods[i], error);
    return status ? status : host->add_method(registry, &nothing, error);
}

/* Names whose callbacks do wrong things. */
#include <bough-ext.h>

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

static uint64_t any_link(const void *state, const bough_ext_hop *hop) {
    (void)state;
    return hop->node + 1000000;
}

static uint64_t outside(const void *state, uint64_t endpoints, uint64_t source, uint64_t word) {
    (void)state, (void)word, (void)source;
    return endpoints + 5;
}

static bough_status no_metric(void *context, const bough_ext_value *v, bough_ext_trial *t,
                              bough_error *error) {
    (void)context, (void)v;
    return host->row(t, "nothing", -1, 1, error);
}

static const bough_ext_param to[] = {{"to", "node", BOUGH_EXT_INT, "1", 0, 100}, {NULL}};
static const bough_ext_network networks[] = {
    {sizeof *networks, "nosizes", "", "", NULL, NULL, no_sizes},
    {sizeof *networks, "nostatus", "", "", NULL, NULL, no_status},
    {sizeof *networks, "three", "", "", to, NULL, three},
};
static const bough_ext_routing loose = {
    .size = sizeof loose, .name = "loose", .summary = "", .link = any_link, .any_link = 1};
static const bough_ext_pattern out = {
    .size = sizeof out, .name = "out", .summary = "", .destination = outside};
static const bough_ext_method nothing = {
    .size = sizeof nothing, .name = "nothing", .summary = "", .headline = "rounds", .trial = no_metric};

BOUGH_PLUGIN(given, registry, error) {
    bough_status status = BOUGH_OK;
    host = given;
    for (size_t i = 0; i < 3 && !status; i++) status = host->add_network(registry, &networks[i], error);
    if (!status) status = host->add_routing(registry, &loose, error);
    if (!status) status = host->add_pattern(registry, &out, error);
    return status ? status : host->add_method(registry, &nothing, error);
}

/* A pattern: every endpoint sends to the one half-way round, or `by` endpoints further. */
#include <bough-ext.h>

#include <stdlib.h>

static const bough_ext_param params[] = {
    {"by", "distance; 0: half of the endpoints", BOUGH_EXT_INT, "0", 0, 0x1p40},
    {NULL},
};

static const bough_ext_host *host;

static bough_status open(void *context, uint64_t endpoints, const bough_ext_value *v, void **state,
                         bough_error *error) {
    uint64_t *by = malloc(sizeof *by);
    (void)context;
    if (!by) return host->fail(error, BOUGH_NO_MEMORY, "out of memory");
    *by = v[0].integer ? (uint64_t)v[0].integer : endpoints / 2;
    *state = by;
    return BOUGH_OK;
}

static uint64_t destination(const void *state, uint64_t endpoints, uint64_t source, uint64_t word) {
    (void)word;
    return (source + *(const uint64_t *)state % endpoints) % endpoints;
}

static const bough_ext_pattern opposite = {
    .size = sizeof opposite,
    .name = "opposite",
    .summary = "p to p + n/2 mod n",
    .source = "",
    .params = params,
    .destination = destination,
    .open = open,
    .close = free,
};

BOUGH_PLUGIN(given, registry, error) {
    host = given;
    return host->add_pattern(registry, &opposite, error);
}

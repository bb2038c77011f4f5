/* A routing: like Valiant's, over an intermediate endpoint, but only for a share of the messages; the others
 * take minimal routes. share=1 is Valiant's. */
#include <bough-ext.h>

#include <stdlib.h>

static const bough_ext_param params[] = {
    {"share", "of the messages that visit an intermediate endpoint", BOUGH_EXT_SHARE, "0.5", 0, 1},
    {NULL},
};

static const bough_ext_host *host;

typedef struct spread {
    double share;
    uint64_t endpoints;
} spread;

static bough_status open(void *context, const bough_network *network, const bough_ext_value *v, void **state,
                         bough_error *error) {
    spread *s = malloc(sizeof *s);
    (void)context;
    if (!s) return host->fail(error, BOUGH_NO_MEMORY, "out of memory");
    *s = (spread){v[0].real, host->network_size(network).endpoints};
    *state = s;
    return BOUGH_OK;
}

/* The upper half of the random word decides, the lower half selects. */
static uint64_t via(const void *state, uint64_t source, uint64_t destination, uint64_t word) {
    const spread *s = state;
    (void)source, (void)destination;
    if ((double)(word >> 32) >= s->share * 0x1p32) return BOUGH_EXT_NONE;
    return ((word & UINT32_MAX) * s->endpoints) >> 32;
}

static const bough_ext_routing routing = {
    .size = sizeof routing,
    .name = "spread",
    .summary = "a share of the messages over a random intermediate endpoint, the others minimal",
    .source = "Valiant, 1982",
    .params = params,
    .open = open,
    .close = free,
    .via = via,
};

BOUGH_PLUGIN(given, registry, error) {
    host = given;
    return host->add_routing(registry, &routing, error);
}

/* A topology: groups of connected switches, a dragonfly of Kim, Dally, Scott and Abts (ISCA 2008), in its
 * largest form: a h + 1 groups of a switches, each with p endpoints and h cables to other groups. Switches of
 * a group are all connected. */
#include <bough-ext.h>

enum { A, H, P };

static const bough_ext_param params[] = {
    {"a", "switches of a group", BOUGH_EXT_INT, "4", 2, 512},
    {"h", "cables of a switch to other groups", BOUGH_EXT_INT, "2", 1, 256},
    {"p", "endpoints of a switch", BOUGH_EXT_INT, "2", 1, 1024},
    {NULL},
};

static const bough_ext_host *host;

static bough_status build(void *context, const bough_ext_value *v, bough_ext_builder *b, bough_error *error) {
    const uint64_t a = (uint64_t)v[A].integer, h = (uint64_t)v[H].integer, p = (uint64_t)v[P].integer;
    const uint64_t groups = a * h + 1, switches = a * groups, first = p * switches;
    bough_status status = host->sizes(b, first, switches, error);
    (void)context;
    for (uint64_t s = 0; s < switches && !status; s++) {
        const uint64_t group = s / a, place = s % a;
        for (uint64_t e = 0; e < p && !status; e++) status = host->cable(b, s * p + e, first + s, 0, error);
        for (uint64_t q = place + 1; q < a && !status; q++)
            status = host->cable(b, first + s, first + group * a + q, 0, error);
        /* cable k of a group leads to the k-th other group, whose cable groups - 2 - k leads back */
        for (uint64_t k = place * h; k < (place + 1) * h && !status; k++) {
            const uint64_t other = (group + k + 1) % groups, back = groups - 2 - k;
            if (other > group) status = host->cable(b, first + s, first + other * a + back / h, 0, error);
        }
    }
    return status;
}

static const bough_ext_network groups_of_switches = {
    .size = sizeof groups_of_switches,
    .name = "groups",
    .summary = "groups of connected switches, each connected to every other group",
    .source = "Kim, Dally, Scott, Abts: Technology-driven, highly-scalable dragonfly topology, 2008",
    .params = params,
    .build = build,
};

BOUGH_PLUGIN(given, registry, error) {
    host = given;
    return host->add_network(registry, &groups_of_switches, error);
}

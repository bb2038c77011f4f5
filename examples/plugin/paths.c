/* A method: how far messages travel, in links, under a routing that leaves no choice. */
#include <bough-ext.h>

static const bough_ext_host *host;

static bough_status trial(void *context, const bough_ext_value *value, bough_ext_trial *t,
                          bough_error *error) {
    const bough_ext_messages m = host->messages(t);
    uint64_t room[256], sum = 0, lost = 0;
    bough_status status = BOUGH_OK;
    (void)context, (void)value;
    for (uint64_t i = 0; i < m.count && !status; i++) {
        bough_links path = {room, sizeof room / sizeof *room, 0};
        status = host->path(t, i, &path, error);
        sum += path.count;
        lost += path.count == 0; /* there is no route */
    }
    if (status) return status;
    if (m.count > lost) status = host->row(t, "distance", -1, (double)sum / (double)(m.count - lost), error);
    return status ? status : host->row(t, "unrouted", -1, (double)lost, error);
}

static const bough_ext_method paths = {
    .size = sizeof paths,
    .name = "paths",
    .summary = "links that messages travel",
    .source = "",
    .headline = "distance",
    .needs_messages = 1,
    .needs_paths = 1,
    .trial = trial,
};

BOUGH_PLUGIN(given, registry, error) {
    host = given;
    return host->add_method(registry, &paths, error);
}

/* Any bytes as a placement: refused with a place and a reason, or every rank has an endpoint. */
#include "fuzz/file.h"
#include "fuzz/must.h"
#include "traffic/traffic.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static bough_net *net; /* lives as long as the program */

static void sent(void *context, uint32_t from, uint32_t to, uint64_t bytes) {
    MUST(from < net->endpoints && to < net->endpoints && from != to && bytes > 0);
    ++*(uint64_t *)context;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    char path[64], spec[128];
    bough_error error = {0};
    bough_traffic *traffic;
    uint64_t messages = 0;
    if (!net && bough_net_create("xgft:down=8,up=1", &net, &error)) abort();
    int file = fuzz_file(data, size, path, sizeof path);
    snprintf(spec, sizeof spec, "allgather:algo=ring,ranks=4,size=64B,place=%s", path);
    bough_status status = bough_traffic_create(net, spec, &traffic, &error);
    close(file);
    if (status) {
        MUST(*error.place && *error.reason && !strchr(error.reason, '\n'));
        return 0;
    }
    traffic->each(traffic, sent, &messages);
    MUST(messages <= 12);
    bough_traffic_destroy(traffic);
    return 0;
}

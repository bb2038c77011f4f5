/* Any bytes as a file of roots: refused with a reason, or tables with no ring of links. */
#include "fuzz/file.h"
#include "fuzz/must.h"
#include "routing/deadlock.h"
#include "routing/routing.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static bough_net *net; /* lives as long as the program */

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    char path[64], spec[100];
    bough_error error = {0};
    bough_routing *routing;
    uint64_t way[16];
    if (!net && bough_net_create("xgft:down=2x2x2,up=1x2x2", &net, &error)) abort();
    int file = fuzz_file(data, size, path, sizeof path);
    snprintf(spec, sizeof spec, "updn:roots=%s", path);
    bough_status status = bough_routing_create(net, spec, &routing, &error);
    close(file);
    if (status) {
        MUST(*error.reason && !strchr(error.reason, '\n'));
        return 0;
    }
    for (size_t i = 0; i < routing->findings.count; i++) MUST(!strchr(routing->findings.item[i].text, '\n'));
    for (uint64_t s = 0; s < net->endpoints; s++)
        for (uint64_t a = 0; a < net->addresses; a++)
            MUST(s == a || bough_path(routing, &(bough_flow){s, a, 0}, way, 16) >= 0);
    bough_routing_destroy(routing);
    return 0;
}

/* Any bytes as jobs on a small network: refused with a place and a reason, or a schedule in which every
 * message has a receiver, and that can be opened. */
#include "fuzz/file.h"
#include "fuzz/must.h"
#include "traffic/traffic.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

static bough_net *net; /* lives as long as the program */

/* A traffic in a job may be `messages:-`. */
int LLVMFuzzerInitialize(int *argc, char ***argv) {
    bough_error error;
    (void)argc;
    (void)argv;
    MUST(freopen("/dev/null", "r", stdin));
    MUST(!bough_net_create("xgft:down=8,up=1", &net, &error));
    return 0;
}

/* Large numbers ask for long schedules, which are no errors. */
static bool has_large_numbers(const unsigned char *data, size_t size) {
    size_t digits = 0;
    for (size_t i = 0; i < size; i++) {
        digits = isdigit(data[i]) ? digits + 1 : 0;
        if (digits > 3 || strchr("^*", data[i])) return true;
        if (i && isdigit(data[i - 1]) && strchr("eEkKMGTP", data[i])) return true;
    }
    return false;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    char path[64], spec[100];
    bough_error error = {0};
    bough_traffic *traffic;
    bough_source *source;
    bough_clock clock = {1000, 1};
    if (has_large_numbers(data, size)) return 0;
    int file = fuzz_file(data, size, path, sizeof path);
    snprintf(spec, sizeof spec, "jobs:%s", path);
    bough_status status = bough_traffic_create(net, spec, &traffic, &error);
    close(file);
    if (status) {
        MUST(*error.reason && !strchr(error.reason, '\n'));
        return 0;
    }
    const bough_schedule *s = traffic->workload->schedule;
    MUST(s->sends == s->recvs);
    for (uint32_t r = 0; r < s->ranks; r++) MUST(traffic->workload->endpoint[r] < net->endpoints);
    status = bough_traffic_open(traffic, bough_key_make(1, 0), &clock, &source, &error);
    MUST(!status);
    source->close(source);
    bough_traffic_destroy(traffic);
    return 0;
}

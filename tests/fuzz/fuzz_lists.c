/* Any bytes as a connection matrix, as a matrix and as a list of jobs: refused with a place and a reason, or
 * messages between nodes that exist, in order of time, and jobs on endpoints that exist. */
#include "fuzz/must.h"
#include "traffic/jobs/job_place.h"
#include "traffic/lists/flow_list_traffic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static bough_net *net; /* lives as long as the program */

/* Everything that is sent arrives at once. */
static void play(const flow_list *l) {
    bough_source *source;
    bough_error error;
    uint32_t *endpoint = calloc(l->nodes + 1, sizeof *endpoint);
    uint64_t now, last = 0, count = 0;
    bough_message m[8];
    MUST(endpoint);
    for (uint32_t i = 0; i < l->nodes; i++) endpoint[i] = i % 8;
    MUST(!flow_list_source(&(placed_flows){l, net, endpoint}, NULL, &source, &error));
    while ((now = source->next_time(source)) != BOUGH_NONE) {
        uint32_t got = source->pop(source, now, m, 8);
        MUST(now >= last);
        last = now;
        for (uint32_t i = 0; i < got; i++) {
            MUST(m[i].id == count++ && m[i].time <= now && m[i].source < 8 && m[i].address < 8);
            MUST(m[i].source != m[i].address);
            source->delivered(source, m[i].id, now);
        }
    }
    MUST(count <= l->flows);
    source->close(source);
    free(endpoint);
}

static void look(const bough_input *input, int kind) {
    bough_error error = {0};
    flow_list l = {0};
    job_list jobs = {0};
    bough_status status = kind == 0   ? flow_list_read_cm(input, 1000, 0, &l, &error)
                          : kind == 1 ? flow_list_read_matrix(input, &l, &error)
                          : kind == 2 ? flow_list_read_ns3(input, &l, &error)
                                      : job_list_read(input, &jobs, &error);
    if (!status && kind == 3) status = job_list_place(&jobs, net, 1, false, &error);
    if (status) MUST(*error.place && *error.reason && !strchr(error.reason, '\n'));
    if (!status && kind < 3 && l.nodes < 1 << 20) play(&l);
    for (size_t i = 0; i < jobs.jobs && !status; i++)
        for (uint32_t h = 0; h < jobs.job[i].hosts; h++) MUST(jobs.job[i].endpoint[h] < 8);
    flow_list_fini(&l);
    arena_fini(&jobs.memory);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    bough_error error;
    bough_input input;
    if (!net && bough_net_create("xgft:down=8,up=1", &net, &error)) abort();
    if (bough_input_from("fuzz", data, size, &input, &error)) return 0;
    for (int kind = 0; kind < 4; kind++) look(&input, kind);
    bough_input_fini(&input);
    return 0;
}

/* Any bytes as GOAL, text or binary: refused with a place and a reason, or a schedule that is whole, and that
 * comes to an end or says what hangs. */
#include "fuzz/must.h"
#include "traffic/schedules/goal/goal.h"
#include "traffic/schedules/ranks.h"
#include "traffic/schedules/workload.h"

#include <stdio.h>
#include <string.h>

static bough_net *net;

static void look_at(const bough_schedule *s) {
    MUST(s->first[0] == 0 && s->first[s->ranks] == s->ops && s->then[0] == 0);
    for (uint32_t r = 0; r < s->ranks; r++) {
        MUST(s->first[r] <= s->first[r + 1]);
        for (uint32_t o = s->first[r]; o < s->first[r + 1]; o++) {
            const bough_op *op = &s->op[o];
            MUST(op->kind <= BOUGH_OP_CALC && op->cpu < s->cpus && op->nic < s->nics);
            MUST(op->kind == BOUGH_OP_CALC || op->peer < s->ranks ||
                 (op->kind == BOUGH_OP_RECV && op->peer == BOUGH_ANY_RANK));
            for (uint64_t f = s->then[o]; f < s->then[o + 1]; f++) {
                uint32_t next = s->follower[f] >> 1;
                MUST(next >= s->first[r] && next < s->first[r + 1] && s->waits[next] > 0);
            }
        }
    }
}

static void run(const bough_traffic *t) {
    rank_engine *ranks;
    bough_source_report report;
    MUST(!ranks_make(t->workload, workload_match(t), false, &ranks, NULL));
    while (ranks_go(ranks, 1000)) continue;
    ranks_report(ranks, &report);
    MUST((!report.status || report.status == BOUGH_FAILED) &&
         (report.left > 0 || report.lost > 0) == (report.text[0] != 0));
    ranks_destroy(ranks);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    bough_error error = {0};
    bough_input input;
    bough_schedule *s;
    bough_spec spec;
    if (!net) MUST(!bough_net_create("fattree:n=64", &net, &error));
    if (bough_input_from("fuzz.goal", data, size, &input, &error)) return 0;
    bough_status status = goal_read(&input, "fuzz.goal", &s, &error);
    bough_input_fini(&input);
    if (status) {
        MUST(!s && *error.place && *error.reason && !strchr(error.reason, '\n'));
        return 0;
    }
    look_at(s);
    bough_traffic t = {.net = net, .kind = &bough_traffic_goal};
    MUST(!bough_spec_parse("goal:x,S=100", &spec, &error));
    MUST(!bough_args_bind(&spec, t.kind->params, "traffic", &t.args, &error));
    if (workload_make(s, 0, 0, &t, &error))
        MUST(*error.reason && !strchr(error.reason, '\n'));
    else
        run(&t);
    t.kind->fini(&t);
    bough_args_fini(&t.args);
    bough_spec_fini(&spec);
    return 0;
}

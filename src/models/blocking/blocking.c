/* The method `blocking`: blocking.h. */
#include "models/blocking/blocking.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "method/premises.h"
#include "models/model_list.h"

enum { P_LEVELS, P_STAGES };

static const bough_param params[] = {
    [P_LEVELS] =
        {"levels",
         "report first_success also by the level of the nearest common ancestor of source and destination",
         BOUGH_FLAG, "0"},
    [P_STAGES] = {"stages", "report requests and success of every stage (groups of one order)", BOUGH_FLAG,
                  "0"},
    BOUGH_PARAMS_END,
};

static bough_status blocking_open(bough_run *run, bough_error *error) {
    const bough_point *p = &run->point;
    const bough_batch_law *law = p->traffic->batch_law;
    if (!law)
        return bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                          "method blocking needs traffic with one distribution for all endpoints (uniform, "
                          "local); %s has none",
                          p->traffic->spec);
    if (p->routing->kind->oblivious || p->routing->kind->blind || !bough_routing_ordered(p->routing))
        return bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                          "method blocking needs a routing that takes any free link of a group, such as "
                          "free; %s does not",
                          p->routing->spec);
    if (bough_is_switch(p->net, 0))
        return bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                          "blocking: endpoints of %s forward messages and have no stage of their own",
                          p->net->spec);
    if (run->args.value[P_LEVELS].integer && !(p->net->capabilities & BOUGH_HAS_CHANNELS))
        return bough_fail(error, BOUGH_UNSUPPORTED, NULL, "blocking: levels=1 needs a tree; %s is not one",
                          p->net->spec);
    run->bytes = bough_mul(bough_add(p->net->groups, p->net->nodes), 4);
    return bough_memory_check(run->bytes, "finding the stages", error);
}

/* Classes of one order are one stage. */
static bough_status add_stages(const blocking_net *b, const blocking_result *r, bough_rows *rows,
                               bough_error *error) {
    bough_status status = BOUGH_OK;
    for (uint32_t c = 0, end; c < b->classes && !status; c = end) {
        double asked = 0, passed = 0;
        for (end = c; end < b->classes && b->class[end].rank == b->class[c].rank; end++) {
            const blocking_class *k = &b->class[end];
            double requests = r->load[end] * (double)k->groups;
            if (!(requests > 0)) continue;
            asked += requests;
            passed += requests * r->pass[end];
        }
        if (!(asked > 0)) continue;
        status = bough_rows_add(rows, BOUGH_METRIC_STAGE_REQUESTS, b->class[c].rank, asked, error);
        if (!status)
            status =
                bough_rows_add(rows, BOUGH_METRIC_STAGE_SUCCESS, b->class[c].rank, passed / asked, error);
    }
    return status;
}

static bough_status add_levels(const blocking_net *b, const blocking_result *r, double messages,
                               bough_rows *rows, bough_error *error) {
    bough_status status = BOUGH_OK;
    for (unsigned l = 1; l <= b->levels && !status; l++)
        if (b->share[l] > 0)
            status = bough_rows_add(rows, BOUGH_METRIC_FIRST_SUCCESS_LEVEL, l, r->level[l], error);
    for (unsigned l = 1; l <= b->levels && !status; l++)
        status = bough_rows_add(rows, BOUGH_METRIC_MESSAGES_LEVEL, l, messages * b->share[l], error);
    return status;
}

static bough_status report(const bough_run *run, const blocking_net *b, const blocking_result *r,
                           bough_rows *rows, bough_error *error) {
    const bough_batch_law *law = run->point.traffic->batch_law;
    double messages = law->p * law->draws * (double)run->point.net->endpoints;
    bough_status status =
        bough_rows_add(rows, BOUGH_METRIC_FIRST_SUCCESS, BOUGH_NO_ROW_INDEX, r->success, error);
    TRY(bough_rows_add(rows, BOUGH_METRIC_MESSAGES, BOUGH_NO_ROW_INDEX, messages, error));
    if (!status && run->args.value[P_LEVELS].integer) status = add_levels(b, r, messages, rows, error);
    return status || !run->args.value[P_STAGES].integer ? status : add_stages(b, r, rows, error);
}

static bough_status blocking_trial(const bough_run *run, bough_key key, void **workspace, bough_rows *rows,
                                   bough_error *error) {
    const bough_batch_law *law = run->point.traffic->batch_law;
    blocking_net net;
    blocking_result result;
    (void)key;
    (void)workspace;
    bough_status status = blocking_find_stages(&run->point, &net, error);
    if (status) return status;
    status = blocking_solve(&net, law->p, law->draws, &result, error);
    TRY(report(run, &net, &result, rows, error));
    if (!status) blocking_result_fini(&result);
    blocking_fini(&net);
    return status;
}

const bough_method bough_method_blocking = {
    .name = "blocking",
    .summary = "one attempt of circuit switching in stages: blocking probabilities",
    .source = "Knight, Sobalvarro: Routing statistics for unqueued banyan networks, 1990; dehon1991, "
              "section 6.3",
    .params = params,
    .headline = BOUGH_METRIC_FIRST_SUCCESS,
    .needs_net = BOUGH_HAS_ROUTES | BOUGH_HAS_ORDER,
    .needs_traffic = 1 << BOUGH_BATCH,
    .needs_routing = true,
    .exact = true,
    .ignores_traffic = true,
    .random_links = METHOD_LINK_BY_LINK,
    .open = blocking_open,
    .trial = blocking_trial,
};

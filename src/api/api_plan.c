/* Fat-trees for hosts and switches. */
#include "api/api_arguments.h"
#include "base/status/try.h"
#include "base/text/text.h"
#include "fabric/plan/plan_report.h"

static bough_status check_planning(const bough_planning *p, bough_error *error) {
    if (p->limit > 1000)
        return bough_fail(error, BOUGH_INVALID, "bough_plan_trees", "limit: at most 1000 trees are shown");
    if (!p->job && (p->routing || p->spray))
        return bough_fail(error, BOUGH_INVALID, "bough_plan_trees", "routing and spray are those of a job");
    return BOUGH_OK;
}

static bough_plan_question question_of(const bough_planning *p, api_run *run) {
    return (bough_plan_question){.ask = {.hosts = p->hosts,
                                         .radix = p->radix,
                                         .taper = p->taper != 0 ? p->taper : 1,
                                         .levels = p->levels},
                                 .job = {.traffic = p->job,
                                         .routing = p->routing ? p->routing : "dmodk",
                                         .physical = p->physical,
                                         .spray = p->spray != 0,
                                         .seed = p->seed ? p->seed : 1,
                                         .threads = run->control.threads,
                                         .stop = run->stop},
                                 .limit = p->limit};
}

bough_status bough_plan_trees(const bough_control *control, bough_planning *planning, bough_error *error) {
    api_run run;
    bough_plan_report report = {0};
    bough_text text = {0};
    bough_status status = api_require(planning, "planning", __func__, error);
    TRY(api_require_size(planning->size, sizeof *planning, "bough_planning", error));
    if (status) return status;
    planning->report = NULL;
    status = check_planning(planning, error);
    TRY(api_run_begin(&run, control, error));
    if (status) return status;
    bough_plan_question question = question_of(planning, &run);
    if (planning->prices) status = bough_prices_read(planning->prices, &question.ask.prices, error);
    if (status) return status;
    status = bough_plan_report_find(&question, &report, error);
    if (!status) {
        bough_plan_report_json(&report, &text);
        status = bough_text_finish(&text, &planning->report, error);
    }
    bough_plan_report_fini(&report);
    return status;
}

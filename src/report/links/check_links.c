/* The loads of links of a check as CSV: all-to-all, which the check has counted, and jobs. */
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "report/links/link_csv.h"
#include "report/report.h"

#include <math.h>
#include <stdlib.h>

static bough_status put_alltoall(bough_text *out, const bough_check_report *report, bough_error *error) {
    const bough_net *net = report->net;
    double *rate;
    bough_status status = bough_alloc(&rate, net->links, sizeof *rate, error);
    if (status) return status;
    for (uint64_t l = 0; l < net->links; l++) rate[l] = (double)bough_net_link_rate(net, l);
    for (size_t i = 0; i < report->parts; i++) {
        const bough_routing_report *part = &report->part[i];
        const bough_link_loads loads = {.flows = part->result.load, .rate = rate};
        link_csv_put(out, &(link_csv_block){net, part->routing->spec, "alltoall", "linkload", &loads, 0});
    }
    free(rate);
    return BOUGH_OK;
}

static const bough_check_job_row *row_of(const bough_check_report *report, const bough_check_job *job,
                                         size_t part) {
    for (size_t i = 0; i < report->parts; i++)
        if (job->row[i].routing == part) return &job->row[i];
    return NULL;
}

static bough_status put_method(bough_text *out, const bough_point *point, const char *method, link_csv_run *r,
                               bough_error *error) {
    bough_run *run;
    bough_status status = bough_run_create(method, point, &run, error);
    if (status) return status;
    r->run = run;
    status = link_csv_put_run(out, r, error);
    bough_run_destroy(run);
    return status;
}

static bough_status put_job(bough_text *out, const bough_check_report *report, const bough_check_job *job,
                            const atomic_bool *stop, bough_error *error) {
    bough_traffic *traffic;
    bough_status status = bough_traffic_create(report->net, job->traffic, &traffic, error);
    if (status) return status;
    for (size_t i = 0; i < report->parts && !status; i++) {
        const bough_routing *routing = report->part[i].routing;
        const bough_check_job_row *row = row_of(report, job, i);
        const bough_point point = {report->net, routing, traffic};
        bool draws = traffic->kind->random || routing->kind->via;
        link_csv_run r = {.routing = routing->spec,
                          .seed = report->seed,
                          .trials = draws && row ? row->trials : 1,
                          .stop = stop};
        status = put_method(out, &point, "linkload", &r, error);
        r.seconds = row && row->outcome == BOUGH_RUN_OK ? row->seconds : NAN;
        TRY(put_method(out, &point, "flow", &r, error));
    }
    bough_traffic_destroy(traffic);
    return status;
}

/* Measured traffic of all counted links. */
static bough_status put_counters(bough_text *out, const bough_check_report *report, bough_error *error) {
    const bough_counters *c = report->counters;
    const bough_net *net = report->net;
    bough_link_loads loads = {.sized = true};
    if (!c) return BOUGH_OK;
    bough_status status = bough_alloc(&loads.flows, net->links, sizeof *loads.flows, error);
    TRY(bough_alloc(&loads.rate, net->links, sizeof *loads.rate, error));
    if (!status) {
        for (uint64_t l = 0; l < net->links; l++) {
            loads.flows[l] = NAN;
            loads.rate[l] = (double)bough_net_link_rate(net, l);
        }
        loads.bytes = c->bytes;
        link_csv_put(out, &(link_csv_block){net, "", "measured", "counters", &loads, c->interval});
    }
    FREE_ALL(loads.flows, loads.rate);
    return status;
}

bough_status bough_report_check_links_csv(const bough_check_report *report, const atomic_bool *stop,
                                          char **text, bough_error *error) {
    bough_text out = {0};
    *text = NULL;
    link_csv_head(&out);
    bough_status status = put_alltoall(&out, report, error);
    for (size_t i = 0; i < report->jobs && !status; i++)
        status = put_job(&out, report, &report->job[i], stop, error);
    TRY(put_counters(&out, report, error));
    if (!status) return bough_text_finish(&out, text, error);
    bough_text_fini(&out);
    return status;
}

#include "report/links/link_csv.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/escape.h"
#include "network/node_identifiers.h"
#include "report/report.h"
#include "study/run/point_binding.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- lines ---- */

void link_csv_head(bough_text *out) {
    bough_text_put(
        out, "routing,traffic,method,link,from,to,from_name,to_name,from_guid,to_guid,from_port,to_port,"
             "level,direction,rate,flows,bytes,use\n");
}

static double busy(const bough_link_loads *loads, uint64_t link) {
    double load = loads->sized ? 8 * loads->bytes[link] : loads->flows[link];
    return loads->rate[link] > 0 ? load / loads->rate[link] : load;
}

/* The value of a `use` of 1. */
static double whole(const link_csv_block *b) {
    double most = 0;
    if (b->seconds != 0) return b->seconds;
    for (uint64_t l = 0; l < b->net->links; l++)
        if (busy(b->loads, l) > most) most = busy(b->loads, l);
    return most > 0 ? most : 1;
}

static void put_ends(bough_text *out, const bough_net *net, uint64_t link) {
    char name[160];
    const bough_link_end end = net->ops->link_end(net, link);
    char port[2][BOUGH_PORT_NAME];
    const uint64_t node[2] = {bough_link_start(net, link), end.node};
    bough_text_printf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, link, node[0], node[1]);
    for (int i = 0; i < 2; i++) {
        bough_text_put(out, ",");
        bough_text_put_csv(out, bough_node_name(net, node[i], name, sizeof name));
    }
    for (int i = 0; i < 2; i++)
        if (net->fabric)
            bough_text_printf(out, ",0x%016" PRIx64, net_node_guid(net, node[i]));
        else
            bough_text_put(out, ",");
    if (net->ops->link_port)
        bough_text_printf(
            out, ",%s,%s",
            bough_port_name(net, node[0], net->ops->link_port(net, link), port[0], sizeof port[0]),
            bough_port_name(net, node[1], end.port, port[1], sizeof port[1]));
    else
        bough_text_put(out, ",,");
}

static void put_number(bough_text *out, double value, bool known) {
    char number[40];
    bough_text_put(out, ",");
    if (known) bough_text_put(out, bough_format_real(value, number, sizeof number));
}

void link_csv_put(bough_text *out, const link_csv_block *b) {
    const bough_net *net = b->net;
    const bough_link_loads *loads = b->loads;
    const double all = whole(b);
    bough_text labels = {0};
    bough_text_put_csv(&labels, b->routing);
    bough_text_put(&labels, ",");
    bough_text_put_csv(&labels, b->traffic);
    bough_text_put(&labels, ",");
    bough_text_put_csv(&labels, b->method);
    if (labels.failed) out->failed = true;
    for (uint64_t l = 0; l < net->links && !out->failed; l++) {
        if (!bough_link_alive(net, l)) continue;
        const int direction = bough_link_direction(net, l);
        bough_text_add(out, labels.data, labels.length);
        put_ends(out, net, l);
        bough_text_printf(out, ",%u,%s", bough_link_level(net, l),
                          direction > 0   ? "up"
                          : direction < 0 ? "down"
                                          : "level");
        bough_text_put(out, ",");
        if (loads->rate[l] > 0) bough_text_printf(out, "%.0f", loads->rate[l]);
        put_number(out, loads->flows[l], !isnan(loads->flows[l]));
        put_number(out, loads->sized ? loads->bytes[l] : 0, loads->sized && !isnan(loads->bytes[l]));
        put_number(out, busy(loads, l) / all, isfinite(busy(loads, l) / all));
        bough_text_put(out, "\n");
    }
    bough_text_fini(&labels);
}

/* ---- runs ---- */

static void add(double *sum, const double *part, uint64_t links) {
    for (uint64_t l = 0; l < links; l++) sum[l] += part[l];
}

static bough_status add_trials(const link_csv_run *r, bough_link_loads *sum, bough_link_loads *one,
                               bough_error *error) {
    const uint64_t links = r->run->point.net->links;
    for (uint64_t t = 0; t < r->trials; t++) {
        if (r->stop && atomic_load(r->stop)) return bough_fail(error, BOUGH_INTERRUPTED, NULL, "interrupted");
        bough_status status = r->run->method->links(r->run, bough_key_make(r->seed, t), one, error);
        if (status) return status;
        add(sum->flows, one->flows, links);
        if (one->sized) add(sum->bytes, one->bytes, links);
    }
    sum->rate = one->rate;
    sum->sized = one->sized;
    for (uint64_t l = 0; l < links; l++) {
        sum->flows[l] /= (double)r->trials;
        sum->bytes[l] /= (double)r->trials;
    }
    return BOUGH_OK;
}

bough_status link_csv_put_run(bough_text *out, const link_csv_run *r, bough_error *error) {
    const bough_point *p = &r->run->point;
    const uint64_t links = p->net->links;
    bough_link_loads sum = {0}, one = {0};
    bough_status status = bough_alloc(&sum.flows, links, sizeof *sum.flows, error);
    TRY(bough_alloc(&sum.bytes, links, sizeof *sum.bytes, error));
    TRY(bough_alloc(&one.flows, links, sizeof *one.flows, error));
    TRY(bough_alloc(&one.bytes, links, sizeof *one.bytes, error));
    TRY(bough_alloc(&one.rate, links, sizeof *one.rate, error));
    TRY(add_trials(r, &sum, &one, error));
    if (!status)
        link_csv_put(out,
                     &(link_csv_block){p->net, r->routing, p->traffic->spec, r->run->spec, &sum, r->seconds});
    FREE_ALL(sum.flows, sum.bytes, one.flows, one.bytes, one.rate);
    return status;
}

/* ---- studies ---- */

/* The mean completion time, if the method is one that has it. */
static double seconds_of(const bough_run *run, const bough_answer *answer) {
    if (run->method->headline != BOUGH_METRIC_COMPLETION_TIME) return 0;
    for (size_t c = 0; c < answer->cells; c++)
        if (answer->cell[c].metric == BOUGH_METRIC_COMPLETION_TIME) return answer->cell[c].stats.mean;
    return NAN;
}

bough_status bough_report_links_csv(bough_study *study, const atomic_bool *stop, char **text,
                                    bough_error *error) {
    bough_text out = {0};
    bool any = false;
    *text = NULL;
    bough_status status = bind_point(study, 0, error);
    if (status) return status;
    const bough_study_point *p = study->point;
    link_csv_head(&out);
    for (size_t i = 0; i < p->answers && !status; i++) {
        const bough_answer *answer = &p->answer[i];
        const bough_run *run = study->binding->run[i];
        if (!run->method->links) continue;
        bool draws = run->point.traffic->kind->random || run->point.routing->kind->via;
        any = true;
        status = link_csv_put_run(&out,
                                  &(link_csv_run){run, p->routing[answer->routing].spec, study->seed,
                                                  draws ? answer->trials : 1, seconds_of(run, answer), stop},
                                  error);
    }
    if (!status && !any)
        status = bough_fail(error, BOUGH_INVALID, NULL, "no method of the study knows what links carry");
    if (!status) return bough_text_finish(&out, text, error);
    bough_text_fini(&out);
    return status;
}

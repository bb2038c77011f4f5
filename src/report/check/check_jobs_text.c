/* Jobs as text. */
#include "base/text/escape.h"
#include "report/check/check_render.h"

#include <stdio.h>

enum { SPEC_WIDTH = 40 };

static const char *seconds(double value, char *buffer, size_t size) {
    double unit = value >= 1 ? 1 : value >= 1e-3 ? 1e-3 : 1e-6;
    snprintf(buffer, size, "%.4g %s", value / unit, unit == 1 ? "s" : unit == 1e-3 ? "ms" : "us");
    return buffer;
}

static void print_row(bough_text *out, const bough_check_job_row *r, const bough_routing *routing) {
    char name[SPEC_WIDTH + 1], load[48] = "-", end[48] = "-", a[24], b[24];
    if (r->loaded && r->load_ci95 > 0)
        snprintf(load, sizeof load, "%.4g +- %.2g", r->load, r->load_ci95);
    else if (r->loaded)
        snprintf(load, sizeof load, "%.4g", r->load);
    if (check_job_ends(r) && r->seconds_ci95 > 0)
        snprintf(end, sizeof end, "%s +- %s", seconds(r->seconds, a, sizeof a),
                 seconds(r->seconds_ci95, b, sizeof b));
    else if (check_job_ends(r))
        snprintf(end, sizeof end, "%s", seconds(r->seconds, a, sizeof a));
    else
        snprintf(end, sizeof end, "never");
    bough_text_put_line(out, "  %-40s %17s  %24s", check_spec_end(routing->spec, SPEC_WIDTH, name), load,
                        end);
    if (*r->note) bough_text_put_line(out, "    (%s)", r->note);
}

static void print_ranking(bough_text *out, const bough_check_job *job, const bough_check_report *report) {
    char first[SPEC_WIDTH + 1], second[SPEC_WIDTH + 1];
    const bough_routing *best = report->part[job->row[0].routing].routing,
                        *next = report->part[job->row[1].routing].routing;
    const char *a = check_spec_end(best->spec, SPEC_WIDTH, first);
    const char *b = check_spec_end(next->spec, SPEC_WIDTH, second);
    if (!check_job_ends(&job->row[0])) {
        bough_text_printf(out, "  none of them ends it\n");
        return;
    }
    if (!check_job_ends(&job->row[1])) {
        bough_text_printf(out, "  better: %s; %s never ends it\n", a, b);
        return;
    }
    if (job->exact && !job->decided)
        bough_text_printf(out, "  the same: %s and %s\n", a, b);
    else if (job->exact)
        bough_text_printf(out, "  better: %s; %s takes %.3g %% longer (exact)\n", a, b, 100 * job->ahead);
    else if (job->decided)
        bough_text_printf(out, "  better: %s; %s takes %.2f +- %.2f %% longer\n", a, b, 100 * job->ahead,
                          100 * job->ahead_ci95);
    else
        bough_text_printf(
            out, "  undecided: %s takes %.2f +- %.2f %% longer than %s, which is within the interval\n", b,
            100 * job->ahead, 100 * job->ahead_ci95, a);
}

void check_jobs_text(bough_text *out, const bough_check_report *report) {
    for (size_t i = 0; i < report->jobs; i++) {
        const bough_check_job *job = &report->job[i];
        bough_text_printf(out, "\njob         %s\n", job->traffic);
        bough_text_printf(out, "  %-40s %17s  %24s\n", "routing, the fastest first", "most loaded link",
                          "done after");
        for (size_t k = 0; k < report->parts; k++)
            print_row(out, &job->row[k], report->part[job->row[k].routing].routing);
        if (report->parts > 1) print_ranking(out, job, report);
    }
    if (report->jobs)
        bough_text_printf(out,
                          "  (flows on the most loaded link by linkload; until the last message has arrived "
                          "by flow, 1 MB messages, or a\n"
                          "  schedule's own, that share links fairly; means +- 95 %% interval over the "
                          "draws of the job, which are the\n"
                          "  same for all routings)\n");
}

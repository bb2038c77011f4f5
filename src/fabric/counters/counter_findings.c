#include "base/status/try.h"
#include "base/text/terminal_text.h"
#include "base/text/text.h"
#include "fabric/counters/counters_internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { NAME = 300 };

typedef struct report {
    const bough_net *net;
    const bough_counters *counters;
    bough_findings *findings;
    bough_error *error;
} report;

#define ADD(r, severity, kind, ...)                                                                          \
    bough_findings_add((r)->findings, &(bough_finding_head){severity, kind, "counters", 0}, (r)->error,      \
                       __VA_ARGS__)

/* "3 links are ..; the first: leaf1/19 -> spine2/3" */
static const char *first_name(const report *r, uint64_t link, char name[NAME]) {
    return bough_link_name(r->net, link, name, NAME);
}

static bough_status add_links(const report *r, const bough_counters_fit *fit) {
    char name[NAME];
    bough_status status = BOUGH_OK;
    if (fit->hots)
        status = ADD(
            r, BOUGH_WARN, "counters-hot",
            "%zu link%s with more traffic than predicted; the largest excess: %s; possible reasons: other "
            "tables than those given, adaptive routing, another job",
            fit->hots, bough_s(fit->hots), first_name(r, fit->hot[0], name));
    if (fit->idles)
        TRY(ADD(r, BOUGH_WARN, "counters-idle",
                "%zu link%s with predicted traffic and almost none; the largest loss: %s; possible reasons: "
                "other "
                "tables than those given, a cable that is not used, hosts that did not send",
                fit->idles, bough_s(fit->idles), first_name(r, fit->idle[0], name)));
    if (fit->waits)
        TRY(ADD(r, BOUGH_INFO, "counters-wait",
                "%zu link%s with data that waited (PortXmitWait) where no contention is predicted; most: %s; "
                "possible reasons: a slow receiver, congestion further on the path, other traffic",
                fit->waits, bough_s(fit->waits), first_name(r, fit->wait[0], name)));
    return status;
}

static bough_status add_errors(const report *r) {
    const bough_counters *c = r->counters;
    char name[NAME];
    size_t cables = 0;
    const bough_counted_cable *first = NULL;
    for (size_t i = 0; i < c->cables; i++) {
        if (c->cable[i].harmless) continue;
        if (!cables++) first = &c->cable[i];
    }
    if (!first) return BOUGH_OK;
    return ADD(r, BOUGH_WARN, "counters-errors", "%zu cable%s with errors; the worst: %s", cables,
               bough_s(cables), first_name(r, first->link, name));
}

enum { FIRST = 3 };

/* The names of the first links of a state: "a/3 -> b/3, b/3 -> a/3". */
static void put_first(const report *r, bough_link_count state, char names[FIRST * NAME]) {
    char name[NAME];
    size_t length = 0;
    int count = 0;
    for (uint64_t l = 0; l < r->net->links && count < FIRST; l++) {
        if (!bough_link_alive(r->net, l) || r->counters->state[l] != state) continue;
        length += (size_t)snprintf(names + length, FIRST * NAME - length, "%s%s", count++ ? ", " : "",
                                   first_name(r, l, name));
    }
}

static bough_status add_missing(const report *r, bough_link_count state, const char *what) {
    const uint64_t count = r->counters->count[state];
    char names[FIRST * NAME] = "";
    if (!count) return BOUGH_OK;
    put_first(r, state, names);
    return ADD(r, state == BOUGH_LINK_SATURATED ? BOUGH_WARN : BOUGH_INFO,
               state == BOUGH_LINK_RESET       ? "counters-reset"
               : state == BOUGH_LINK_SATURATED ? "counters-saturated"
                                               : "counters-missing",
               "%" PRIu64 " of %" PRIu64 " links %s (first %s); they are not compared", count,
               r->counters->links, what, names);
}

/* The link with the highest share of its rate. */
static bough_status add_rate(const report *r) {
    const bough_counters *c = r->counters;
    uint64_t fastest = BOUGH_NONE;
    double most = 1.05;
    char name[NAME];
    for (uint64_t l = 0; l < r->net->links && !isnan(c->interval); l++) {
        const double rate = (double)bough_net_link_rate(r->net, l);
        if (!(c->bytes[l] * 8 / c->interval > most * rate) || rate <= 0) continue;
        most = c->bytes[l] * 8 / c->interval / rate;
        fastest = l;
    }
    if (fastest == BOUGH_NONE) return BOUGH_OK;
    return ADD(r, BOUGH_WARN, "counters-rate",
               "%s carried %.0f %% of its rate; possible reasons: a wrong interval, or counters in another "
               "unit",
               first_name(r, fastest, name), 100 * most);
}

bough_status counter_findings_add(const bough_net *net, const bough_counters *c, bough_findings *findings,
                                  bough_error *error) {
    const report r = {net, c, findings, error};
    bough_status status = add_links(&r, &c->fit[c->best]);
    TRY(add_errors(&r));
    TRY(add_rate(&r));
    TRY(add_missing(&r, BOUGH_LINK_NOT_BEFORE,
                    c->after ? "have no counters in the earlier file" : "have no counters"));
    TRY(add_missing(&r, BOUGH_LINK_NOT_AFTER, "have no counters in the later file"));
    TRY(add_missing(&r, BOUGH_LINK_RESET, "have counters that went down: they were cleared in between"));
    TRY(add_missing(&r, BOUGH_LINK_SATURATED,
                    "have counters of 32 bits that stand at their maximum; those of perfquery -x have 64"));
    if (!status && c->skipped) status = ADD(&r, BOUGH_INFO, "tool-message", TERMINAL_SKIPPED, c->skipped);
    if (!status && c->unknown)
        status = ADD(&r, BOUGH_INFO, "counters-unknown",
                     "%" PRIu64 " port%s of the counters %s not in the fabric (first %s)", c->unknown,
                     bough_s(c->unknown), c->unknown == 1 ? "is" : "are", c->unknown_first);
    return status;
}

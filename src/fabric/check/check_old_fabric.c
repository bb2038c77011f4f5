/* A fabric against a recording of it before a change. */
#include "fabric/check/check_old_fabric.h"
#include "fabric/check/check_progress.h"

#include "base/status/try.h"

#include <stdio.h>

static bool has_tables(const bough_routing *routing) {
    return routing->kind->needs & BOUGH_HAS_TABLES;
}

/* What can be so of OLD alone, and still leaves its cables to compare. */
static bool not_comparable(bough_check_against *a, bough_status status, const bough_error *error) {
    if (status != BOUGH_INVALID && status != BOUGH_UNSUPPORTED && status != BOUGH_TOO_LARGE) return false;
    snprintf(a->why, sizeof a->why, "cannot be made for OLD: %s%s%s", error->place, *error->place ? ": " : "",
             error->reason);
    return true;
}

/* Tables are OLD's own. What is computed is computed for both, else routings would be compared, not fabrics.
 */
static bough_status open_routing(const char *tables, const bough_routing *now, bough_check_against *a,
                                 bough_error *error) {
    if (tables) return bough_routing_create(a->old, tables, &a->routing, error);
    if (has_tables(now)) return bough_routing_create(a->old, NULL, &a->routing, error);
    bough_status status = bough_routing_create(a->old, now->spec, &a->routing, error);
    return not_comparable(a, status, error) ? BOUGH_OK : status;
}

/* Of the question alone, and of the new network. */
static bough_status check_fits(const bough_check_question *question, const bough_check_report *report,
                               bough_error *error) {
    const bough_net *now = report->net;
    if (!question->against && question->against_lft)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "--against-lft needs --against, the fabric of these tables");
    if (!question->against) return BOUGH_OK;
    if (!now->fabric)
        return bough_fail(error, BOUGH_INVALID, NULL, "--against compares fabric files, and %s is none",
                          now->spec);
    if (now->faults)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "--against compares files; of --faults it takes each: and curves only");
    if (report->parts > 1)
        return bough_fail(error, BOUGH_INVALID, NULL, "--against compares one routing, and %zu are given",
                          report->parts);
    return BOUGH_OK;
}

bough_status check_old_fabric_open(const bough_check_question *question, bough_check_report *report,
                                   bough_error *error) {
    bough_check_against *a = &report->against;
    bough_status status = check_fits(question, report, error);
    if (status || !question->against) return status;
    a->asked = true;
    status = bough_net_open(question->against, question->registry, &a->old, error);
    if (!status) bough_net_set_physical(a->old, report->physical);
    if (!status) a->old->threads = check_threads(question);
    if (!status && !a->old->fabric)
        status = bough_fail(error, BOUGH_INVALID, NULL, "--against needs a fabric file, and %s is none",
                            question->against);
    TRY(open_routing(question->against_lft, report->part[0].routing, a, error));
    TRY(bough_fabric_compare(a->old->fabric, report->net->fabric, &a->fabric, &a->findings, error));
    return status;
}

bough_status check_old_fabric_compare(const bough_check_options *options, bough_check_report *report,
                                      bough_error *error) {
    bough_check_against *a = &report->against;
    const bough_routing_report *part = &report->part[0];
    bough_check_options o = *options;
    if (!a->asked || !a->routing) return BOUGH_OK;
    if (has_tables(part->routing) != has_tables(a->routing)) {
        snprintf(a->why, sizeof a->why, "one side has tables and the other has none (--against-lft)");
        return BOUGH_OK;
    }
    o.permutations = 0;
    bough_routing_comparison what = {a->routing, part->routing, &part->result, &o};
    bough_status status = bough_routing_compare(&what, &a->changes, &a->findings, error);
    a->routed = !status;
    return not_comparable(a, status, error) ? BOUGH_OK : status;
}

void check_old_fabric_fini(bough_check_against *a) {
    bough_findings_fini(&a->findings);
    bough_routing_destroy(a->routing);
    bough_net_destroy(a->old);
    *a = (bough_check_against){0};
}

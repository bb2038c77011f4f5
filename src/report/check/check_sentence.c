/* The verdict in sentences, and the words that the texts of a check share. */
#include "base/text/text.h"
#include "report/check/check_render.h"
#include "report/tables/quantity.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

const char *check_number(double value, char buffer[CHECK_NUMBER]) {
    return quantity_format(value, 0, buffer);
}

const char *check_interval(double value, double ci95, const char *sign, char buffer[CHECK_INTERVAL]) {
    char number[QUANTITY_TEXT], interval[QUANTITY_TEXT];
    bool has = isfinite(ci95) && ci95 > 0;
    snprintf(buffer, CHECK_INTERVAL, "%s%s%s", quantity_format(value, ci95, number), has ? sign : "",
             has ? quantity_format_interval(value, ci95, interval) : "");
    return buffer;
}

const char *check_ratio(double value, char buffer[CHECK_NUMBER]) {
    if (value > 0 && value < 0.001)
        snprintf(buffer, CHECK_NUMBER, "less than 0.001");
    else
        snprintf(buffer, CHECK_NUMBER, fabs(value) < 999.5 ? "%.3g" : "%.0f", value);
    return buffer;
}

const char *check_seconds(double value, double ci95, const char *sign, char buffer[CHECK_INTERVAL]) {
    quantity_unit unit = quantity_unit_of(BOUGH_METRIC_COMPLETION_TIME, value);
    check_interval(value * unit.factor, ci95 * unit.factor, sign, buffer);
    size_t used = strlen(buffer);
    snprintf(buffer + used, CHECK_INTERVAL - used, " %s", unit.name);
    return buffer;
}

const char *check_flows(double count) {
    return count == 1 ? "flow" : "flows";
}

const char *check_severity(bough_severity severity) {
    return severity == BOUGH_ERROR ? "error" : severity == BOUGH_WARN ? "warn" : "info";
}

bool check_job_ends(const bough_check_job_row *row) {
    return row->outcome == BOUGH_RUN_OK;
}

static void put_alltoall(bough_text *out, const bough_verdict *v) {
    char load[CHECK_NUMBER];
    const char *expected = v->expected ? " (expected values)" : "";
    check_number(v->load, load);
    if (v->kind == BOUGH_VERDICT_ALLTOALL_IDEAL)
        bough_text_printf(
            out, "All-to-all is limited by the endpoints' own links only: the switches are no bottleneck%s.",
            expected);
    else if (v->kind == BOUGH_VERDICT_ALLTOALL_LOAD)
        bough_text_printf(
            out, "All-to-all puts %s flows on one link, %.2f times what an endpoint's own link carries%s.",
            load, v->ratio, expected);
    else
        bough_text_printf(out,
                          "All-to-all reaches %.1f %% of the ideal, in which only hosts' links of the "
                          "nominal rate limit; up to "
                          "%s flows share a link%s.",
                          100 * v->share, load, expected);
}

static void put_shifts(bough_text *out, const bough_verdict *v) {
    char load[CHECK_NUMBER], mean[CHECK_NUMBER];
    check_number(v->load, load);
    check_number(v->mean, mean);
    if (v->expected)
        bough_text_printf(
            out,
            "In a shift permutation a link expects up to %s %s (on average over all shifts %s); "
            "as the routing chooses at random, single runs have more.",
            load, check_flows(v->load), mean);
    else
        bough_text_printf(
            out, "In a shift permutation up to %s flows share a link (on average over all shifts %s).", load,
            mean);
}

static void put_pairs(bough_text *out, const bough_verdict *v) {
    if (v->kind == BOUGH_VERDICT_NO_PAIRS)
        bough_text_put(out, "There is only one endpoint, so there is nothing to route.");
    else if (v->kind == BOUGH_VERDICT_NONE_ROUTED)
        bough_text_put(out, "No pair is routed.");
    else if (v->kind == BOUGH_VERDICT_ALL_ROUTED)
        bough_text_put(out, "Every endpoint reaches every other.");
    else
        bough_text_printf(
            out, "%" PRIu64 " of %" PRIu64 " pairs are NOT routed; what follows is about the others.",
            v->count, v->pairs);
}

void check_sentence(bough_text *out, const bough_verdict *v) {
    char load[CHECK_NUMBER];
    switch (v->kind) {
    case BOUGH_VERDICT_NO_PAIRS:
    case BOUGH_VERDICT_NONE_ROUTED:
    case BOUGH_VERDICT_ALL_ROUTED:
    case BOUGH_VERDICT_SOME_ROUTED:
        put_pairs(out, v);
        break;
    case BOUGH_VERDICT_ALLTOALL_IDEAL:
    case BOUGH_VERDICT_ALLTOALL_LOAD:
    case BOUGH_VERDICT_ALLTOALL_SHARE:
        put_alltoall(out, v);
        break;
    case BOUGH_VERDICT_SHIFTS_FREE:
        bough_text_put(out, "Every shift permutation runs without two flows sharing a link.");
        break;
    case BOUGH_VERDICT_SHIFTS_SHARED:
        put_shifts(out, v);
        break;
    case BOUGH_VERDICT_WORST_PERMUTATION:
        bough_text_printf(out, "The permutation that is worst for it %s %s %s on one link.",
                          v->expected ? "has an expected" : "puts", check_number(v->load, load),
                          check_flows(v->load));
        break;
    case BOUGH_VERDICT_DEADLOCK_FREE:
        bough_text_put(out, "There is no deadlock on one virtual lane.");
        break;
    case BOUGH_VERDICT_DEADLOCK:
        bough_text_printf(
            out, "On one virtual lane messages can wait for each other in a cycle of %" PRIu64 " links.",
            v->count);
        break;
    case BOUGH_VERDICT_UNUSED_LINKS:
        bough_text_printf(out, "%" PRIu64 " directed link%s nothing between endpoints.", v->count,
                          v->count == 1 ? " carries" : "s carry");
        break;
    case BOUGH_VERDICT_KINDS:
        break;
    }
}

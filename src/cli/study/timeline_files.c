#include "cli/study/timeline_files.h"

#include "bough/report.h"

#include <inttypes.h>
#include <stdio.h>

/* "0-63" or "5" */
static bough_status read_ranks(const char *text, bough_timeline_request *r, bough_error *error) {
    uint32_t first, last;
    int length = -1;
    bool digits = *text >= '0' && *text <= '9';
    if (digits && sscanf(text, "%9" SCNu32 "-%9" SCNu32 "%n", &first, &last, &length) == 2 && length > 0 &&
        !text[length] && first <= last) {
        r->first_rank = first;
        r->ranks = last - first + 1;
        return BOUGH_OK;
    }
    length = -1;
    if (digits && sscanf(text, "%9" SCNu32 "%n", &first, &length) == 1 && length > 0 && !text[length]) {
        r->first_rank = first;
        r->ranks = 1;
        return BOUGH_OK;
    }
    return bough_fail(error, BOUGH_INVALID, NULL, "--trace-ranks: '%.40s': expected ranks, as 0-63", text);
}

/* *any: a file is wanted. */
static bough_status read_request(const cli_args *args, bough_timeline_request *r, bool *any,
                                 bough_error *error) {
    const char *ranks = cli_value(args, "trace-ranks");
    *r = (bough_timeline_request){.trace = cli_value(args, "trace"),
                                  .messages = cli_value(args, "messages"),
                                  .link_use = cli_value(args, "link-use"),
                                  .page = cli_value(args, "html")};
    *any = r->trace || r->messages || r->link_use || r->page;
    if (!ranks) return BOUGH_OK;
    if (!r->trace)
        return bough_fail(error, BOUGH_INVALID, NULL, "--trace-ranks selects ranks of --trace FILE");
    return read_ranks(ranks, r, error);
}

bough_status cli_timeline_check(const cli_args *args, bough_study *study, bough_error *error) {
    bough_timeline_request r;
    bool any;
    bough_status status = read_request(args, &r, &any, error);
    return status || !any ? status : bough_report_timeline_check(study, &r, error);
}

bough_status cli_timeline_write(const cli_args *args, bough_study *study, bough_error *error) {
    bough_timeline_request r;
    bool any;
    bough_status status = read_request(args, &r, &any, error);
    return status || !any ? status : bough_report_timeline(study, &r, cli_catch_signals(), error);
}

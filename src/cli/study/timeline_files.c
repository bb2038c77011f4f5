#include "cli/study/timeline_files.h"

#include "base/text/escape.h"
#include "report/report.h"

#include <stdint.h>
#include <stdlib.h>

/* A number of at most nine digits. Returns what follows it; NULL: there is none. */
static const char *read_rank(const char *text, uint32_t *rank) {
    const char *at = text;
    *rank = 0;
    for (; *at >= '0' && *at <= '9' && at < text + 9; at++) *rank = 10 * *rank + (uint32_t)(*at - '0');
    return at > text ? at : NULL;
}

/* "0-63" or "5" */
static bough_status read_ranks(const char *text, bough_timeline_request *r, bough_error *error) {
    uint32_t first, last;
    const char *end = read_rank(text, &first);
    last = first;
    if (end && *end == '-') end = read_rank(end + 1, &last);
    if (!end || *end || first > last)
        return bough_fail(error, BOUGH_INVALID, NULL, "--trace-ranks: '%.40s': expected ranks, as 0-63",
                          text);
    r->first_rank = first;
    r->ranks = last - first + 1;
    return BOUGH_OK;
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

/* The command that makes the page again: without threads, and files that it writes. */
static char *make_command(const cli_args *args) {
    bough_text out = {0};
    bough_text_printf(&out, "bough %s", args->usage->command);
    for (size_t i = 0; i < args->positionals; i++) {
        bough_text_put(&out, " ");
        bough_text_put_word(&out, args->positional[i]);
    }
    cli_put_options(&out, args, args->usage->keys);
    return bough_text_take(&out);
}

bough_status cli_timeline_write(const cli_args *args, bough_study *study, bough_error *error) {
    bough_timeline_request r;
    bool any;
    char *command = NULL;
    bough_status status = read_request(args, &r, &any, error);
    if (status || !any) return status;
    if (r.page && !(command = make_command(args))) return bough_fail_memory(error, 64);
    r.command = command;
    status = bough_report_timeline(study, &r, cli_catch_signals(), error);
    free(command);
    return status;
}

/* The page of `bough check`. */
#include "base/files/output.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/text.h"
#include "cli/check/check_print.h"
#include "cli/cli.h"
#include "report/pages/fabric_page.h"

#include <stdlib.h>
#include <string.h>

/* The files that were read: a page does not tell where they lie. */
static bough_status find_paths(const cli_args *args, const bough_net *net, const char ***path, size_t *count,
                               bough_error *error) {
    bough_status status = bough_alloc(path, args->values + 2, sizeof **path, error);
    if (status) return status;
    if (net->fabric) (*path)[(*count)++] = net->fabric->source;
    (*path)[(*count)++] = args->positional[0];
    for (size_t i = 0; i < args->values; i++)
        if (strcmp(args->option[i]->name, "lft") == 0) (*path)[(*count)++] = args->value[i];
    return BOUGH_OK;
}

static char *make_command(const cli_args *args) {
    static const char *const same[] = {"threads", "json", "html", "fail-on", "findings", "permutation"};
    bough_text out = {0};
    bough_text_put(&out, "bough check ");
    cli_put_word(&out, args->positional[0]);
    for (size_t i = 0; i < args->values; i++) {
        bool leave = false; /* what changes nothing of the page */
        for (size_t k = 0; k < sizeof same / sizeof *same; k++)
            leave = leave || strcmp(args->option[i]->name, same[k]) == 0;
        if (leave) continue;
        bough_text_printf(&out, " --%s", args->option[i]->name);
        if (args->option[i]->argument) {
            bough_text_put(&out, " ");
            cli_put_word(&out, args->value[i]);
        }
    }
    return bough_text_take(&out);
}

static bough_status make_parts(const check_report *report, fabric_page_part *part, char **verdict,
                               bough_error *error) {
    bough_status status = BOUGH_OK;
    for (size_t i = 0; i < report->parts && !status; i++) {
        const check_part *from = &report->part[i];
        status = check_verdict(report, i, &verdict[i], error);
        part[i] = (fabric_page_part){from->routing, &from->result, &from->findings,
                                     from->worst_known ? &from->worst : NULL, verdict[i]};
    }
    return status;
}

bough_status check_write_page(const check_report *report, const cli_args *args, const char *file,
                              bough_error *error) {
    fabric_page page = {.net = report->net,
                        .wiring = &report->wiring,
                        .parts = report->parts,
                        .seed = report->seed,
                        .not_looked_at = CHECK_NOT_LOOKED_AT};
    fabric_page_part *part = NULL;
    const char **path = NULL;
    char *html = NULL, *plain = NULL, *command = NULL, **verdict = NULL;
    bough_text title = {0};
    bough_status status = find_paths(args, report->net, &path, &page.paths, error);
    TRY(bough_alloc(&part, report->parts, sizeof *part, error));
    TRY(bough_alloc(&verdict, report->parts, sizeof *verdict, error));
    TRY(make_parts(report, part, verdict, error));
    TRY(check_text(report, 0, &plain, error));
    if (!status) command = make_command(args);
    bough_text_printf(&title, "Check of %s",
                      report->net->fabric ? report->net->fabric->source : report->net->spec);
    page.path = path;
    page.part = part;
    page.plain = plain;
    page.command = command;
    page.title = title.data;
    if (!status && (title.failed || !command)) status = bough_fail_memory(error, 256);
    TRY(fabric_page_write(&page, &html, error));
    TRY(bough_output_write(file, html, strlen(html), error));
    for (size_t i = 0; verdict && i < report->parts; i++) free(verdict[i]);
    free(verdict);
    bough_text_fini(&title);
    free(part);
    free(path);
    free(html);
    free(plain);
    free(command);
    return status;
}

#include "formats/fabrics/finding_list.h"

#include "base/status/try.h"
#include "base/text/scanner.h"
#include "base/text/utf8.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bough_status clean_copy(arena *a, const char *text, char **copy, bough_error *error) {
    size_t length = strlen(text);
    bough_status status = arena_copy_bytes(a, copy, text, length, error);
    if (!status) bough_copy_printable(text, length, *copy, length + 1);
    return status;
}

static bough_status add(bough_findings *findings, const bough_finding_head *head, bough_error *error,
                        const char *format, va_list args) BOUGH_PRINTF(4, 0);

static bough_status add(bough_findings *findings, const bough_finding_head *head, bough_error *error,
                        const char *format, va_list args) {
    bough_finding f = {.severity = head->severity};
    char text[2048], place[1024]; /* longest inputs: descriptions have 64 bytes, names 95 */
    bough_status status =
        arena_grow(&findings->memory, &findings->item, findings->count + 1, sizeof f, error);
    vsnprintf(text, sizeof text, format, args);
    const char *where =
        head->line ? bough_format_place(place, sizeof place, head->where, head->line) : head->where;
    TRY(arena_copy(&findings->memory, &f.kind, head->kind, error));
    TRY(clean_copy(&findings->memory, where, &f.where, error));
    TRY(clean_copy(&findings->memory, text, &f.text, error));
    if (!status) findings->item[findings->count++] = f;
    return status;
}

bough_status bough_findings_add(bough_findings *findings, const bough_finding_head *head, bough_error *error,
                                const char *format, ...) {
    va_list args;
    va_start(args, format);
    bough_status status = add(findings, head, error, format, args);
    va_end(args);
    return status;
}

void bough_findings_fini(bough_findings *findings) {
    if (!findings) return;
    arena_fini(&findings->memory);
    *findings = (bough_findings){0};
}

/* Counts a finding of a kind; returns whether to list it. */
static bool is_listed(bough_finding_log *log, const bough_finding_head *head) {
    if (log->status) return false;
    size_t k = 0;
    while (k < log->kinds && strcmp(log->kind[k].kind, head->kind) != 0) k++;
    if (k == sizeof log->kind / sizeof *log->kind) return true; /* more kinds than there are */
    if (k == log->kinds) log->kind[log->kinds++].kind = head->kind;
    if (head->severity > log->kind[k].worst) log->kind[k].worst = head->severity;
    return log->kind[k].count++ < BOUGH_FINDINGS_OF_A_KIND;
}

void bough_log_finding(bough_finding_log *log, const bough_finding_head *head, const char *format, ...) {
    if (!is_listed(log, head)) return;
    bough_finding_head placed = *head;
    if (!placed.where) placed.where = log->source;
    va_list args;
    va_start(args, format);
    log->status = add(log->out, &placed, &log->error, format, args);
    va_end(args);
}

bough_status bough_finding_log_end(bough_finding_log *log, bough_error *error) {
    for (size_t k = 0; k < log->kinds && !log->status; k++)
        if (log->kind[k].count > BOUGH_FINDINGS_OF_A_KIND)
            log->status = bough_findings_add(
                log->out, &(bough_finding_head){log->kind[k].worst, log->kind[k].kind, log->source},
                &log->error, "and %zu more", log->kind[k].count - BOUGH_FINDINGS_OF_A_KIND);
    if (log->status && error) *error = log->error;
    return log->status;
}

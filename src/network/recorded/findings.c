#include "network/recorded/findings.h"

#include "base/memory/memory.h"
#include "base/text/utf8.h"
#include "network/files/line_scanner.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t bough_clean(const char *bytes, size_t length, char *out, size_t size) {
    while (length && (unsigned char)bytes[0] <= ' ') bytes++, length--;
    while (length && (unsigned char)bytes[length - 1] <= ' ') length--;
    size_t used = 0;
    uint32_t code;
    for (size_t i = 0; i < length;) {
        size_t step = bough_utf8_read(bytes + i, length - i, &code);
        bool kept = step && !bough_utf8_is_control(code);
        if (used + (kept ? step : 1) >= size) break;
        if (kept)
            memcpy(out + used, bytes + i, step);
        else
            out[used] = '?';
        used += kept ? step : 1;
        i += step ? step : 1;
    }
    while (used && out[used - 1] == ' ') used--;
    out[used] = 0;
    return used;
}

static char *clean_copy(const char *text) {
    size_t length = strlen(text);
    char *copy = malloc(length + 1);
    if (copy) bough_clean(text, length, copy, length + 1);
    return copy;
}

static bough_status add(bough_findings *findings, bough_severity severity, const char *kind,
                        const char *where, bough_error *error, const char *format, va_list args)
    BOUGH_PRINTF(6, 0);

static bough_status add(bough_findings *findings, bough_severity severity, const char *kind,
                        const char *where, bough_error *error, const char *format, va_list args) {
    bough_finding f = {.severity = severity};
    char text[2048]; /* longest inputs: descriptions have 64 bytes, names 95 */
    bough_status status =
        bough_grow(&findings->item, &findings->capacity, findings->count + 1, sizeof f, error);
    if (status) return status;
    vsnprintf(text, sizeof text, format, args);
    f.kind = bough_strdup(kind);
    f.where = clean_copy(where);
    f.text = clean_copy(text);
    if (!f.kind || !f.where || !f.text) {
        free(f.kind), free(f.where), free(f.text);
        return bough_fail_memory(error, strlen(text));
    }
    findings->item[findings->count++] = f;
    return BOUGH_OK;
}

bough_status bough_findings_add(bough_findings *findings, bough_severity severity, const char *kind,
                                const char *where, bough_error *error, const char *format, ...) {
    va_list args;
    va_start(args, format);
    bough_status status = add(findings, severity, kind, where, error, format, args);
    va_end(args);
    return status;
}

void bough_findings_fini(bough_findings *findings) {
    if (!findings) return;
    for (size_t i = 0; i < findings->count; i++) {
        bough_finding *f = &findings->item[i];
        free(f->kind), free(f->where), free(f->text);
    }
    free(findings->item);
    *findings = (bough_findings){0};
}

/* Counts a finding of a kind; returns whether to list it. */
static bool wanted(bough_finder *f, bough_severity severity, const char *kind) {
    if (f->status) return false;
    size_t k = 0;
    while (k < f->kinds && strcmp(f->kind[k].kind, kind) != 0) k++;
    if (k == sizeof f->kind / sizeof *f->kind) return true; /* more kinds than there are */
    if (k == f->kinds) {
        f->kind[k].kind = kind;
        f->kinds++;
    }
    if (severity > f->kind[k].worst) f->kind[k].worst = severity;
    return f->kind[k].count++ < BOUGH_FINDINGS_OF_A_KIND;
}

void bough_find(bough_finder *f, bough_severity severity, const char *kind, const char *where,
                const char *format, ...) {
    if (!wanted(f, severity, kind)) return;
    va_list args;
    va_start(args, format);
    f->status = add(f->out, severity, kind, where, &f->error, format, args);
    va_end(args);
}

void bough_find_line(bough_finder *f, bough_severity severity, const char *kind, const char *name,
                     uint64_t line, const char *format, ...) {
    if (!wanted(f, severity, kind)) return;
    char place[1024];
    va_list args;
    va_start(args, format);
    f->status =
        add(f->out, severity, kind, bough_place(place, sizeof place, name, line), &f->error, format, args);
    va_end(args);
}

bough_status bough_finder_end(bough_finder *f, bough_error *error) {
    for (size_t k = 0; k < f->kinds && !f->status; k++)
        if (f->kind[k].count > BOUGH_FINDINGS_OF_A_KIND)
            f->status = bough_findings_add(f->out, f->kind[k].worst, f->kind[k].kind, f->source, &f->error,
                                           "and %zu more", f->kind[k].count - BOUGH_FINDINGS_OF_A_KIND);
    if (f->status && error) *error = f->error;
    return f->status;
}

/* Creates a network from a fault spec: splits it at plus signs, marks the parts that each fault removes, and
 * builds the network (faulty_network.c). */
#include "base/status/try.h"
#include "base/text/text.h"
#include "network/faults/faulty_network.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns the next fault of a joined spec and moves *cursor behind it, to NULL after the last. A plus sign
 * separates if a name or nothing follows, but not in quotes. NULL: out of memory. */
static char *next_fault(const char **cursor) {
    const char *from = *cursor, *p = from;
    bool quoted = false;
    for (; *p; p++) {
        if (quoted && *p == '\\' && p[1])
            p++;
        else if (*p == '"')
            quoted = !quoted;
        else if (!quoted && *p == '+' && (isalpha((unsigned char)p[1]) || !p[1]))
            break;
    }
    *cursor = *p ? p + 1 : NULL;
    bough_text text = {0};
    bough_text_add(&text, from, (size_t)(p - from));
    return bough_text_take(&text);
}

bough_status bough_faults_join(const char *const *spec, size_t count, arena *memory, char **joined,
                               bough_error *error) {
    bough_text text = {0};
    *joined = NULL;
    if (!count) return BOUGH_OK;
    for (size_t i = 0; i < count; i++) {
        if (i) bough_text_put(&text, "+");
        bough_text_put(&text, spec[i]);
    }
    return bough_text_keep(&text, memory, joined, error);
}

/* ---- kinds ---- */

static bool is_plural(const char *name, const char *part) {
    size_t length = strlen(part);
    return strncmp(name, part, length) == 0 && strcmp(name + length, "s") == 0;
}

static const bough_fault_kind *find_kind(const bough_net *net, const char *name, const bough_module **part) {
    *part = NULL;
    for (const bough_fault_kind *const *k = bough_fault_kinds; *k; k++)
        if (*k != &bough_fault_parts && strcmp((*k)->name, name) == 0) return *k;
    for (const bough_module *p = net->modules; p && p->name; p++)
        if (is_plural(name, p->name)) {
            *part = p;
            return &bough_fault_parts;
        }
    return NULL;
}

static bough_status unknown_kind(const bough_net *net, const char *name, bough_error *error) {
    enum { NAMES = 32 };
    char plural[NAMES][48];
    const char *names[NAMES];
    size_t count = 0;
    bough_text reason = {0};
    if (strcmp(name, "each") == 0)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "each: defines one network per failure; use it with `bough check`");
    for (const bough_fault_kind *const *k = bough_fault_kinds; *k && count < NAMES; k++)
        if (*k != &bough_fault_parts) names[count++] = (*k)->name;
    for (const bough_module *p = net->modules; p && p->name && count < NAMES; p++) {
        snprintf(plural[count], sizeof plural[count], "%ss", p->name);
        names[count] = plural[count];
        count++;
    }
    char hint[BOUGH_HINT_MAX];
    bough_text_printf(&reason, "unknown kind of fault '%s'%s; available for %s: ", name,
                      bough_hint(hint, name, names, count), net->spec);
    bough_text_put_list(&reason, names, count);
    return bough_fail_text(error, BOUGH_INVALID, NULL, &reason);
}

/* Marks the parts that one fault removes; appends its canonical form to out. */
static bough_status mark(bough_fault_marks *m, const char *text, bough_text *out, bough_error *error) {
    bough_spec spec;
    bough_args args = {0};
    bough_status status = bough_spec_parse(text, &spec, error);
    if (status) return status;
    m->text = text;
    const bough_fault_kind *kind = find_kind(m->net, spec.name, &m->part);
    if (!kind) status = unknown_kind(m->net, spec.name, error);
    TRY(bough_args_bind(&spec, kind->params, "fault", &args, error));
    TRY(kind->mark(&args, m, error));
    if (!status) {
        char *canonical = bough_args_format(spec.name, &args);
        if (out->length) bough_text_put(out, "+");
        if (canonical)
            bough_text_put(out, canonical);
        else
            status = bough_fail_memory(error, strlen(text));
        free(canonical);
    }
    bough_args_fini(&args);
    bough_spec_fini(&spec);
    return status;
}

/* "none" is accepted anywhere and adds nothing. */
static bough_status mark_all(bough_fault_marks *m, const char *spec, char **canonical, bough_error *error) {
    bough_text out = {0};
    const char *cursor = spec;
    bough_status status = BOUGH_OK;
    if (!*spec)
        status = bough_fail(error, BOUGH_INVALID, NULL, "the fault spec is empty; write none for no faults");
    for (char *text; !status && cursor; free(text)) {
        text = next_fault(&cursor);
        if (!text)
            status = bough_fail_memory(error, strlen(spec));
        else if (!*text)
            status = bough_fail(error, BOUGH_INVALID, NULL, "'%s': missing fault next to +", spec);
        else if (strcmp(text, "none") != 0)
            status = mark(m, text, &out, error);
    }
    if (!status && !out.length) bough_text_put(&out, "none");
    *canonical = bough_text_take(&out);
    if (!status && !*canonical) status = bough_fail_memory(error, strlen(spec));
    return status;
}

bough_status bough_net_with_faults(const bough_net *base, const char *spec, bough_net **out,
                                   bough_error *error) {
    bough_fault_marks m;
    char *canonical = NULL;
    *out = NULL;
    bough_status status = marks_make(&m, base, error);
    TRY(mark_all(&m, spec, &canonical, error));
    TRY(marks_settle(&m, error));
    TRY(faulted_make(&m, canonical, out, error));
    if (!status && (*out)->faults->endpoints == base->endpoints) {
        bough_net_destroy(*out);
        *out = NULL;
        status = bough_fail(error, BOUGH_INVALID, NULL,
                            "%s leaves no endpoint of %s that can send and receive", spec, base->spec);
    }
    free(canonical);
    marks_fini(&m);
    return status;
}

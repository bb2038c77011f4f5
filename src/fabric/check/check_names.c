/* What the text of a check calls its routings. */
#include "base/memory/memory.h"
#include "fabric/check/check_document.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_tables(const char *spec) {
    static const char tables[] = "lft:file=";
    return strncmp(spec, tables, strlen(tables)) == 0;
}

/* The path of the file of a routing, of tables or another one: "updn:roots=dir/file". NULL: it has none, or
 * several. */
static const char *path_of(const bough_check_report *report, size_t part, size_t *length) {
    const char *spec = report->part[part].routing->spec, *path = strchr(spec, '=');
    if (!path || !*++path || (!is_tables(spec) && (!strchr(path, '/') || strchr(path, '=')))) return NULL;
    *length = strlen(path);
    if (*length > 2 && path[0] == '"' && path[*length - 1] == '"') {
        path++;
        *length -= 2;
    }
    return path;
}

/* What stands before the path: of tables nothing. */
static size_t kind_length(const char *spec) {
    return is_tables(spec) ? 0 : (size_t)(strchr(spec, '=') + 1 - spec);
}

/* Length of the last `parts` parts of a path. */
static size_t end_of(const char *path, size_t length, size_t parts) {
    size_t at = length;
    while (at > 0) {
        if (path[at - 1] == '/' && --parts == 0) break;
        at--;
    }
    return length - at;
}

static bool is_shared(const bough_check_report *report, size_t part, const char *end, size_t size) {
    for (size_t i = 0; i < report->parts; i++) {
        size_t length = 0;
        const char *path = path_of(report, i, &length);
        if (i == part || !path ||
            strcmp(report->part[i].routing->spec, report->part[part].routing->spec) == 0)
            continue;
        bool whole = length == size || (length > size && path[length - size - 1] == '/');
        if (whole && memcmp(path + length - size, end, size) == 0) return true;
    }
    return false;
}

/* The same tables twice: "updn.lfts (2)". */
static void put_name(bough_text *out, const bough_check_report *report, size_t part) {
    size_t length = 0, before = 0, size = 0;
    const char *spec = report->part[part].routing->spec, *path = path_of(report, part, &length);
    for (size_t i = 0; i < part; i++) before += strcmp(report->part[i].routing->spec, spec) == 0;
    for (size_t parts = 1; path && size < length; parts++) {
        size = end_of(path, length, parts);
        if (!is_shared(report, part, path + length - size, size)) break;
    }
    if (path) {
        bough_text_add(out, spec, kind_length(spec));
        bough_text_add(out, path + length - size, size);
    } else {
        bough_text_put(out, spec);
    }
    if (before) bough_text_printf(out, " (%zu)", before + 1);
}

char **check_names_make(const bough_check_report *report) {
    bough_text all = {0};
    size_t *at = NULL;
    char **name = NULL;
    bough_status status = bough_alloc(&at, report->parts, sizeof *at, NULL);
    for (size_t i = 0; i < report->parts && !status; i++) {
        at[i] = all.length;
        put_name(&all, report, i);
        bough_text_add(&all, "", 1);
    }
    size_t table = report->parts * sizeof *name;
    if (!status && !all.failed) name = malloc(table + all.length);
    if (name) memcpy((char *)name + table, all.data, all.length);
    for (size_t i = 0; i < report->parts && name; i++) name[i] = (char *)name + table + at[i];
    bough_text_fini(&all);
    free(at);
    return name;
}

#include "cli/completion/candidates.h"

#include "cli/cli.h"
#include "report/catalogue/catalogue.h"

#include <string.h>
#include <strings.h>

/* KIND, a tab, TEXT, a tab, SUMMARY on one line. */
static void put_line(candidates *c, char kind, const char *text, const char *summary) {
    bough_text_printf(&c->out, "%c\t%s\t", kind, text);
    for (const char *at = summary ? summary : ""; *at; at++)
        bough_text_add(&c->out, *at == '\n' || *at == '\t' ? " " : at, 1);
    bough_text_put(&c->out, "\n");
}

void candidates_add(candidates *c, const char *text, const char *summary, bool whole) {
    const char *begun = c->word + c->kept;
    if (strncmp(text, begun, strlen(begun)) == 0) put_line(c, whole && !c->open ? 'w' : 'p', text, summary);
}

const catalogue_kind *candidates_kind(const char *value) {
    for (const catalogue_kind *k = catalogue; k->name; k++)
        if (strcasecmp(k->name, value) == 0) return k;
    return NULL;
}

static void add_names(candidates *c, const char *kind) {
    catalogue_entry e;
    for (const catalogue_kind *k = catalogue; k->name; k++) {
        bool asked = !kind || catalogue_is(k, kind);
        for (size_t i = 0; asked && k->at(c->registry, i, &e); i++)
            candidates_add(c, e.name, e.summary, true);
    }
}

static void add_patterns(candidates *c) {
    const catalogue_kind *traffic = candidates_kind("TRAFFIC");
    catalogue_entry e;
    for (size_t i = 0; traffic->at(c->registry, i, &e); i++)
        if (e.pattern) candidates_add(c, e.name, e.summary, true);
}

void candidates_add_values(candidates *c, const char *values, const char *kind) {
    char value[KEY_VALUE_MAX];
    size_t kept = c->kept;
    while (c->kept == kept && key_next_value(&values, value)) { /* until the word is a spec of one kind */
        if (key_value_is_word(value))
            candidates_add(c, value, NULL, true);
        else if (strcmp(value, "FILE") == 0)
            put_line(c, 'f', "", NULL);
        else if (strcmp(value, "DIRECTORY") == 0)
            put_line(c, 'd', "", NULL);
        else if (strcmp(value, "NAMES") == 0)
            add_names(c, kind);
        else if (strcmp(value, "PATTERNS") == 0)
            add_patterns(c);
        else if (candidates_kind(value))
            candidates_add_specs(c, candidates_kind(value));
    }
}

/* The words that may stand in a place of the command line. */
#ifndef BOUGH_CLI_COMPLETION_CANDIDATES_H
#define BOUGH_CLI_COMPLETION_CANDIDATES_H

#include "base/text/text.h"
#include "network/registry.h"

#include <stdbool.h>
#include <stddef.h>

/* The word to complete. Its first `kept` bytes stay; candidates replace the rest. */
typedef struct candidates {
    const char *word;
    size_t kept;
    const bough_registry *registry; /* names of plug-ins; NULL: none */
    bool open;                      /* more may follow every candidate, as a comma and another key */
    bough_text out;                 /* their lines, in the format of `bough --complete` */
} candidates;

/* Adds a candidate, unless the rest of the word does not begin it. whole: the word is complete with it, so a
 * blank follows. summary: may be NULL. */
void candidates_add(candidates *c, const char *text, const char *summary, bool whole);
/* Adds what an option or operand may be: question_key.values in cli.h. kind: of a name of any kind (NAMES);
 * NULL: all kinds. */
void candidates_add_values(candidates *c, const char *values, const char *kind);
/* Adds the specs of a kind of the catalogue, from the byte `kept` on: names, keys and values. */
struct catalogue_kind;
void candidates_add_specs(candidates *c, const struct catalogue_kind *kind);
/* The kind of the catalogue that a value names, as in ROUTINGS; NULL: none. */
const struct catalogue_kind *candidates_kind(const char *value);
/* Whether a word is such a spec: its name is one of that kind. */
bool candidates_is_spec(const candidates *c, const char *word, const struct catalogue_kind *kind);

#endif

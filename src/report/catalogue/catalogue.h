/* Everything that has a name: families, routings, traffic, methods, ..., from their descriptors. */
#ifndef BOUGH_REPORT_CATALOGUE_CATALOGUE_H
#define BOUGH_REPORT_CATALOGUE_CATALOGUE_H

#include "base/text/keys.h"
#include "base/text/text.h"
#include "network/net.h"

/* The common part of all kinds of descriptors. Not to be copied: fields may point into `made`. */
typedef struct catalogue_entry {
    const char *name, *summary, *source;
    const bough_param *params;
    const char *const *aliases;
    unsigned needs; /* required capabilities of a network */
    const char *(*lacks)(const bough_net *net);
    const char *what, *extra; /* label of an additional property, and the property */
    unsigned assumes;         /* bough_premise bits */
    bool pattern;             /* of traffic: may be the pattern of a stream */
    const char *index;        /* of metrics: what their index counts; NULL or "": they have none */
    const char *mark;         /* shown behind the summary: "read"; NULL: nothing */
    char made[400];           /* texts that no descriptor holds */
} catalogue_entry;

typedef struct catalogue_kind {
    const char *name, *title, *other[2]; /* other: further names, or NULL */
    /* The i-th, those of the registry (which may be NULL) last; false beyond the last. */
    bool (*at)(const bough_registry *registry, size_t i, catalogue_entry *e);
} catalogue_kind;

extern const catalogue_kind catalogue[]; /* ends with a NULL name */

/* Whether this is the name of the kind, or a further one. */
bool catalogue_is(const catalogue_kind *kind, const char *name);

/* A key of a question as a JSON object; program: with the type of its values. */
struct json_writer;
void catalogue_put_key(struct json_writer *w, const question_key *key, bool program);
/* A text that the help folds anyway, as one line; frees it. */
void catalogue_put_line(struct json_writer *w, const char *key, bough_text *text);
/* "choices": words of `values` of a key; "takes": what is not listed here, as in "file" or "routings". */
void catalogue_put_values(struct json_writer *w, const char *values);

/* All of it as one JSON object; see docs/json.md. The caller frees *text. Errors: NO_MEMORY. */
bough_status catalogue_json(const bough_registry *registry, char **text, bough_error *error);
/* The same with more members at the end of the object. */
bough_status catalogue_json_with(const bough_registry *registry, void (*more)(struct json_writer *w),
                                 char **text, bough_error *error);

#endif

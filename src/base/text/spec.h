/* Spec strings: name:key=value,key=value
 *
 * A leading value without a key binds the first parameter (`shift:5`, `goal:run.goal`). A value may be quoted
 * with "..." (escapes: \" and \\). A parameter table gives every parameter a type, bounds, a unit and a
 * default. Unknown names and keys are errors with a suggestion. Numbers accept 1Ki 1Mi 2^20 1e6; parameters
 * with a unit accept 1MB 10ns 100Gb/s 100nm 5%. The result of bough_args_format parses to the same
 * arguments. */
#ifndef BOUGH_BASE_TEXT_SPEC_H
#define BOUGH_BASE_TEXT_SPEC_H

#include "bough/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum bough_type {
    BOUGH_INT,    /* whole number */
    BOUGH_REAL,   /* finite number */
    BOUGH_SHARE,  /* 0..1, or with % */
    BOUGH_BYTES,  /* B kB MB GB TB PB KiB MiB GiB TiB PiB; plain numbers are bytes */
    BOUGH_TIME,   /* ps ns us ms s; stored in picoseconds; plain numbers are refused */
    BOUGH_RATE,   /* b/s kb/s Mb/s Gb/s Tb/s; stored in bit/s; plain numbers are refused */
    BOUGH_FLAG,   /* 0 or 1 */
    BOUGH_CHOICE, /* one of choices, "a|b|c" */
    BOUGH_TEXT,   /* any text */
    BOUGH_LIST,   /* whole numbers joined by x: 16x16 */
    BOUGH_LENGTH  /* nm um mm cm m; stored in nanometres; plain numbers are refused */
} bough_type;

#define BOUGH_LIST_MAX 16

typedef struct bough_param {
    const char *key, *summary;
    bough_type type;
    const char *fallback; /* default, as the user would write it; NULL: required; "": completed later */
    double min, max;      /* inclusive, for numbers and list elements; both 0: no bounds */
    const char *choices;  /* CHOICE only */
    bool echo;            /* always printed in the canonical spec, even the default */
    bool output;          /* TEXT: an output file; a study may not use one name twice */
} bough_param;

/* Ends a table of parameters: a NULL key. */
#define BOUGH_PARAMS_END                                                                                     \
    { 0 }

typedef struct bough_value {
    bool given;      /* by the user or by code; false: the default */
    bool set;        /* has a value; false only for a default of "" */
    bool derived;    /* from other parameters: the canonical spec leaves it out */
    int64_t integer; /* INT, BYTES, TIME, RATE, LENGTH, FLAG, CHOICE (index) */
    double real;     /* REAL, SHARE */
    char *text;      /* CHOICE, TEXT; owned by the args */
    int64_t list[BOUGH_LIST_MAX];
    unsigned count; /* elements of list */
} bough_value;

#define BOUGH_PARAM_MAX 40

typedef struct bough_args {
    const bough_param *params;
    bough_value value[BOUGH_PARAM_MAX]; /* in the order of params */
} bough_args;

/* A spec string split into name, keys and values (as text). Owns its memory. */
typedef struct bough_spec {
    char *name;
    struct {
        char *key; /* NULL: the leading value without a key */
        char *value;
    } arg[BOUGH_PARAM_MAX];
    unsigned count;
} bough_spec;

bough_status bough_spec_parse(const char *text, bough_spec *spec, bough_error *error);
void bough_spec_fini(bough_spec *spec);

/* Binds spec to params: checks types and bounds, fills in defaults. what: "family", "method", ... for
 * messages. Errors: INVALID. */
bough_status bough_args_bind(const bough_spec *spec, const bough_param *params, const char *what,
                             bough_args *args, bough_error *error);
void bough_args_fini(bough_args *args);
/* Index of key in args->params; the key must exist. */
unsigned bough_args_index(const bough_args *args, const char *key);
const bough_value *bough_args_get(const bough_args *args, const char *key);
void bough_args_set_int(bough_args *args, const char *key, int64_t value);
/* The same for a value that follows from the other parameters, unless the key is given. */
void bough_args_derive_int(bough_args *args, const char *key, int64_t value);
bough_status bough_args_set_text(bough_args *args, const char *key, const char *value, bough_error *error);

/* Returns the canonical spec: name, echoed parameters, and parameters that differ from their defaults and are
 * not derived. The caller frees the string; NULL if out of memory. */
char *bough_args_format(const char *name, const bough_args *args);

/* Formats a value of type BYTES, TIME, RATE or LENGTH in the largest unit that divides it: "100Gb/s",
 * "1500ns", "4KiB". Returns buffer; 40 characters suffice. */
char *bough_format_measure(bough_type type, int64_t value, char *buffer, size_t size);

/* Parse numbers as in specs and study files. what: the key, for messages. Errors: INVALID. */
bough_status bough_parse_int(const char *text, const char *what, int64_t *value, bough_error *error);
bough_status bough_parse_real(const char *text, const char *what, double *value, bough_error *error);

/* A whole number within bounds. */
typedef struct bough_bounds {
    uint64_t low, high; /* at most INT64_MAX are read */
} bough_bounds;
bough_status bough_parse_between(const char *text, const char *what, bough_bounds bounds, uint64_t *value,
                                 bough_error *error);

/* Returns the candidate nearest to word by Damerau-Levenshtein distance, or NULL if none is near. */
const char *bough_suggest(const char *word, const char *const *candidates, size_t count);
/* Formats that suggestion as the end of a message: " (did you mean 'uniform'?)", or "". Returns hint. */
#define BOUGH_HINT_MAX 160
const char *bough_hint(char hint[BOUGH_HINT_MAX], const char *word, const char *const *candidates,
                       size_t count);

#endif

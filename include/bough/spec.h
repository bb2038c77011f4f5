/* Spec strings: name:key=value,key=value
 *
 * One leading bare value binds the first parameter (`shift:5`, `goal:run.goal`). A value may be quoted with
 * "..." (with \" and \\ inside). Every parameter has a type, bounds, a unit and a default, given in a table;
 * unknown names and keys are errors with a suggestion. Numbers accept 1Ki 1Mi 2^20 1e6 and, where a unit is
 * due, 1MB 10ns 100Gb/s 100nm 5%. Parsing and printing round-trip: bough_args_format of parsed arguments
 * parses to the same arguments. */
#ifndef BOUGH_SPEC_H
#define BOUGH_SPEC_H

#include "bough/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum bough_type {
    BOUGH_INT,    /* whole number */
    BOUGH_REAL,   /* finite number */
    BOUGH_SHARE,  /* 0..1, or with % */
    BOUGH_BYTES,  /* B kB MB GB TB KiB MiB GiB TiB; plain numbers are bytes */
    BOUGH_TIME,   /* ps ns us ms s; held in picoseconds; plain numbers are refused */
    BOUGH_RATE,   /* b/s kb/s Mb/s Gb/s Tb/s; held in bit/s; plain numbers are refused */
    BOUGH_FLAG,   /* 0 or 1 */
    BOUGH_CHOICE, /* one of choices, "a|b|c" */
    BOUGH_TEXT,   /* any text */
    BOUGH_LIST,   /* whole numbers joined by x: 16x16 */
    BOUGH_LENGTH  /* nm um mm cm m; held in nanometres; plain numbers are refused */
} bough_type;

#define BOUGH_LIST_MAX 16

typedef struct bough_param {
    const char *key, *summary;
    bough_type type;
    const char *fallback; /* default, as the user would write it; NULL: must be given; "": decided later */
    double min, max;      /* inclusive, for numbers and the elements of lists; both 0: no bounds */
    const char *choices;  /* CHOICE only */
    bool echo;            /* always part of the printed spec, also at its default */
    bool output;          /* TEXT: a file that is written; a study may not name one twice */
} bough_param;

/* A table of parameters ends with a NULL key. */
#define BOUGH_PARAMS_END                                                                                     \
    { 0 }

typedef struct bough_value {
    bool given;      /* by the user, or set by code; false: the default */
    bool set;        /* has a value; false only for defaults "" */
    int64_t integer; /* INT, BYTES, TIME, RATE, LENGTH, FLAG, CHOICE (index) */
    double real;     /* REAL, SHARE */
    char *text;      /* CHOICE, TEXT; owned by the args */
    int64_t list[BOUGH_LIST_MAX];
    unsigned count; /* elements of list */
} bough_value;

#define BOUGH_PARAM_MAX 32

typedef struct bough_args {
    const bough_param *params;
    bough_value value[BOUGH_PARAM_MAX]; /* in the order of params */
} bough_args;

/* A spec string split at its syntax, values still text. Owns its memory. */
typedef struct bough_spec {
    char *name;
    struct {
        char *key; /* NULL: the bare leading value */
        char *value;
    } arg[BOUGH_PARAM_MAX];
    unsigned count;
} bough_spec;

bough_status bough_spec_parse(const char *text, bough_spec *spec, bough_error *error);
void bough_spec_fini(bough_spec *spec);

/* Binds spec to params: types, bounds, defaults. what: "family", "method", ... for messages. */
bough_status bough_args_bind(const bough_spec *spec, const bough_param *params, const char *what,
                             bough_args *args, bough_error *error);
void bough_args_fini(bough_args *args);
/* Index of key in args->params; the key must exist. */
unsigned bough_args_index(const bough_args *args, const char *key);
const bough_value *bough_args_get(const bough_args *args, const char *key);
void bough_args_set_int(bough_args *args, const char *key, int64_t value);
bough_status bough_args_set_text(bough_args *args, const char *key, const char *value, bough_error *error);

/* The canonical spec: name, echoed parameters, and those whose value is not the default. Heap string, to be
 * freed by the caller; NULL when out of memory. */
char *bough_args_format(const char *name, const bough_args *args);

/* A value of type BYTES, TIME, RATE or LENGTH in the largest unit that divides it: "100Gb/s", "1500ns",
 * "4KiB". Returns buffer (40 characters hold any). */
char *bough_format_measure(bough_type type, int64_t value, char *buffer, size_t size);

/* Numbers as they stand in specs and study files. what: the key, for messages. */
bough_status bough_parse_int(const char *text, const char *what, int64_t *value, bough_error *error);
bough_status bough_parse_real(const char *text, const char *what, double *value, bough_error *error);

/* The candidate nearest to word by Damerau-Levenshtein distance, if near enough to be meant; else NULL. */
const char *bough_suggest(const char *word, const char *const *candidates, size_t count);
/* The same as the end of a message about an unknown word: " (did you mean 'uniform'?)", or "". Returns hint.
 */
#define BOUGH_HINT_MAX 160
const char *bough_hint(char hint[BOUGH_HINT_MAX], const char *word, const char *const *candidates,
                       size_t count);

#endif

/* The parsed text of a study file, with line numbers. Nothing is evaluated yet. */
#ifndef BOUGH_STUDY_FILES_STUDY_FILE_H
#define BOUGH_STUDY_FILES_STUDY_FILE_H

#include "base/memory/arena.h"
#include "study/study.h"

typedef struct raw_text {
    char *name; /* the key of an entry of a mapping; else NULL */
    char *text;
    bool quoted;
    unsigned line;
} raw_text;

typedef struct raw_list {
    raw_text *item;
    size_t count;
    unsigned line;       /* line of the key; 0: not in the file */
    const char *setting; /* the key if it was set by --set; borrowed */
} raw_list;

typedef enum raw_key {
    RAW_STUDY,
    RAW_NETWORK,
    RAW_ROUTING,
    RAW_TRAFFIC,
    RAW_FAULTS,
    RAW_PHYSICAL,
    RAW_METHODS,
    RAW_ONLY,
    RAW_TRIALS,
    RAW_PRECISION,
    RAW_SEED,
    RAW_COMPARE,
    RAW_QUANTILES,
    RAW_ABOVE,
    RAW_POOL,
    RAW_UNSUPPORTED,
    RAW_PLOT_X,
    RAW_PLOT_XSCALE,
    RAW_PLOT_Y,
    RAW_PLOT_SERIES,
    RAW_PLOT_FACET,
    RAW_PLOT_YSCALE,
    RAW_PLOT_BARS,
    RAW_PLOT_OVERLAY,
    RAW_PLOT_RATIO,
    RAW_PLOT_CURVES,
    RAW_PLOT_VERTICALS,
    RAW_PLOT_JOIN,
    RAW_PLOT_TITLE,
    RAW_PLOT_XLABEL,
    RAW_PLOT_YLABEL,
    RAW_PLOT_LABELS,
    RAW_PLOT_ORDER,
    RAW_PLOT_SIZE,
    RAW_PLOT_FONT,
    RAW_KEYS
} raw_key;

typedef struct raw_axis {
    char *name;
    raw_list values;
} raw_axis;

typedef struct raw_study {
    const char *file; /* for messages; borrowed */
    raw_list key[RAW_KEYS];
    raw_axis *axis;
    size_t axes;
    arena memory; /* of all of it */
} raw_study;

/* Parses a YAML document. Errors: INVALID with file and line. Zero-initialise raw first, and free its memory
 * in any case. */
bough_status raw_parse(raw_study *raw, const char *file, const char *text, size_t size, bough_error *error);
bough_status raw_set(raw_study *raw, const bough_override *setting, bough_error *error);

/* Prefixes the place of an item of a list, and what it is, to an error without a place. */
void raw_add_place(const raw_study *raw, const raw_list *list, const raw_text *item, const char *what,
                   bough_error *error);

/* Reads the keys of plot. The second reads its curves, which all points of the study have to have a value
 * for. */
bough_status raw_read_plot(const raw_study *raw, bough_study *study, bough_error *error);
bough_status raw_read_lines(const raw_study *raw, bough_study *study, bough_error *error);

/* Expands the points of the grid into study (zeroed). */
bough_status raw_expand(const raw_study *raw, bough_study *study, size_t limit, bough_error *error);

#endif

/* Collects findings: lists the first ones of each kind, and counts the rest. */
#ifndef BOUGH_NETWORK_RECORDED_FINDINGS_H
#define BOUGH_NETWORK_RECORDED_FINDINGS_H

#include "bough/fabric.h"

#define BOUGH_FINDINGS_OF_A_KIND 20

/* Zero-initialise all but out and source. status keeps the first failure. */
typedef struct bough_finder {
    bough_findings *out;
    const char *source; /* place of the summary findings */
    struct {
        const char *kind;
        bough_severity worst;
        size_t count;
    } kind[32];
    size_t kinds;
    bough_status status;
    bough_error error;
} bough_finder;

/* Adds a finding. kind must outlive the finder. */
void bough_find(bough_finder *finder, bough_severity severity, const char *kind, const char *where,
                const char *format, ...) BOUGH_PRINTF(5, 6);
/* The same with a line of file name as its place; line 0: the whole file. */
void bough_find_line(bough_finder *finder, bough_severity severity, const char *kind, const char *name,
                     uint64_t line, const char *format, ...) BOUGH_PRINTF(6, 7);
/* Adds "and N more" for kinds with unlisted findings. Returns the first failure. */
bough_status bough_finder_end(bough_finder *finder, bough_error *error);

/* Copies text from a file for output: trims blanks, replaces control characters and invalid UTF-8 by '?', and
 * truncates between characters to fit size (at least 1). Returns the length. Other invisible characters are
 * kept, because names must match their source; output functions replace them (base/text/escape.h). */
size_t bough_clean(const char *bytes, size_t length, char *out, size_t size);

#endif

/* Collecting findings without drowning the reader: of each kind only the first ones, then their number. */
#ifndef BOUGH_NETWORK_RECORDED_FINDINGS_H
#define BOUGH_NETWORK_RECORDED_FINDINGS_H

#include "bough/fabric.h"

#define BOUGH_FINDINGS_OF_A_KIND 20

/* Zero-initialise all but out and source. The first failure stays in status. */
typedef struct bough_finder {
    bough_findings *out;
    const char *source; /* the place of the summaries */
    struct {
        const char *kind;
        bough_severity worst;
        size_t count;
    } kind[32];
    size_t kinds;
    bough_status status;
    bough_error error;
} bough_finder;

/* kind: a string that outlives the finder. */
void bough_find(bough_finder *finder, bough_severity severity, const char *kind, const char *where,
                const char *format, ...) BOUGH_PRINTF(5, 6);
/* The same at a line of file name; line 0: the file. */
void bough_find_line(bough_finder *finder, bough_severity severity, const char *kind, const char *name,
                     uint64_t line, const char *format, ...) BOUGH_PRINTF(6, 7);
/* Adds the "and N more" of the kinds that were cut short; fails with what failed before. */
bough_status bough_finder_end(bough_finder *finder, bough_error *error);

/* Text for people and programs from bytes of a file: blanks at the ends go, control characters and bytes that
 * are not UTF-8 become '?', and it is cut between two characters to fit size (which is at least 1). Returns
 * the length. Other characters that nobody sees stay, because names have to stay the names that they are;
 * what shows them to people replaces them (base/text/escape.h). */
size_t bough_clean(const char *bytes, size_t length, char *out, size_t size);

#endif

/* The page of a fabric under its routings: what `bough check` finds, drawn. */
#ifndef BOUGH_REPORT_PAGES_FABRIC_PAGE_H
#define BOUGH_REPORT_PAGES_FABRIC_PAGE_H

#include "bough/adversary.h"
#include "bough/check.h"

typedef struct fabric_page_part {
    const bough_routing *routing;
    const bough_check_result *result;
    const bough_findings *findings;
    const bough_adversary_result *worst; /* NULL: not looked for */
    const char *verdict;                 /* sentences, each of which ends with a full stop and a line end */
} fabric_page_part;

/* Everything is borrowed. */
typedef struct fabric_page {
    const bough_net *net;
    const bough_findings *wiring;
    const fabric_page_part *part;
    size_t parts;
    uint64_t seed;
    const char *title, *command; /* command: may be NULL */
    const char *plain;           /* the same as text */
    const char *not_looked_at;   /* what no figure is about; a sentence */
    const char *const *path;     /* of input files: their directories are left out wherever they occur */
    size_t paths;
} fabric_page;

/* Beyond these the page says what it leaves out: the network view, and the paths in it. */
#define FABRIC_PAGE_NODES  8192
#define FABRIC_PAGE_LINKS  65536
#define FABRIC_PAGE_BOXES  6000
#define FABRIC_PAGE_LAYOUT 1024   /* endpoints */
#define FABRIC_PAGE_HOPS   400000 /* runs of equal next hops, of one routing */

/* *html is heap. Errors: UNSUPPORTED where the page is not in this build (bough_report_html_check),
 * NO_MEMORY. The same findings give the same bytes, wherever the files were. */
bough_status fabric_page_write(const fabric_page *page, char **html, bough_error *error);

#endif

/* The HTML page around its parts: one file that asks nothing of the network. Only the one script whose hash
 * stands in its policy runs, data are a block of JSON that is never executed, and all text reaches the
 * document as text. A static page has no script at all, and reads as XML too. */
#ifndef BOUGH_REPORT_PAGES_PAGE_H
#define BOUGH_REPORT_PAGES_PAGE_H

#include "base/memory/name_map.h"
#include "base/text/text.h"
#include "bough/status.h"

#include <stddef.h>
#include <stdint.h>

/* Whether the page is markup alone, as there is no script in this build. */
bool page_is_static(void);

/* All in UTF-8; markup as of document/html.h. */
typedef struct page_parts {
    const char *title;   /* text */
    const char *command; /* that makes the page again; NULL: unknown */
    const char *facts;   /* rows of the list of facts below the title, markup; NULL: none */
    const char *body;    /* markup, complete */
    const char *json;    /* what the script draws, one value; NULL in static pages */
} page_parts;

/* *html is heap and ends with a line end. */
bough_status page_write(const page_parts *parts, char **html, bough_error *error);

/* Texts that occur often: numbered in order of their first appearance. Zero-initialise. */
typedef struct page_strings {
    char **text;
    size_t count;
    arena memory; /* of the texts */
    bough_name_map numbers;
    bool failed;
} page_strings;
/* -1 for NULL and after a failed allocation. */
int64_t page_string(page_strings *strings, const char *text);
void page_strings_fini(page_strings *strings);

#endif

/* The HTML page around embedded data: one file that asks nothing of the network. Only the one script whose
 * hash stands in its policy runs, data are a block of JSON that is never executed, and all text reaches the
 * document as text. */
#ifndef BOUGH_REPORT_PAGES_PAGE_H
#define BOUGH_REPORT_PAGES_PAGE_H

#include "base/memory/name_map.h"
#include "base/text/text.h"
#include "bough/status.h"

#include <stddef.h>
#include <stdint.h>

/* json: one value; plain: the same results as text, for those whose reader runs no scripts. *html is heap and
 * ends with a line end. Errors: UNSUPPORTED where the page is not in this binary. */
bough_status page_write(const char *title, const char *json, const char *plain, char **html,
                        bough_error *error);

/* Texts that occur often: numbered in order of their first appearance. Zero-initialise. */
typedef struct page_strings {
    char **text;
    size_t count, capacity;
    bough_name_map numbers;
    bool failed;
} page_strings;
/* -1 for NULL and after a failed allocation. */
int64_t page_string(page_strings *strings, const char *text);
void page_strings_fini(page_strings *strings);

#endif

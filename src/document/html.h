/* A page is written as markup that reads as XML too: elements are closed, texts of others are escaped.
 * Nothing has a style of its own; the classes are those of web/src/page.css. */
#ifndef BOUGH_DOCUMENT_HTML_H
#define BOUGH_DOCUMENT_HTML_H

#include "base/text/text.h"
#include "document/text_table.h"

/* Files whose directories are left out of all texts; borrowed. */
typedef struct html_files {
    const char *const *path; /* [paths] */
    size_t paths;
} html_files;

/* Zero-initialise. files: NULL: none. A failed allocation leaves out.failed set, as in bough_text. */
typedef struct html_writer {
    bough_text out;
    const html_files *files;
} html_writer;

/* Appends text without the directories of these files. */
void html_put_short(bough_text *out, const html_files *files, const char *text);

void html_put(html_writer *h, const char *markup);
/* Text of others; from html_textf at most 1000 bytes. */
void html_text(html_writer *h, const char *text);
void html_textf(html_writer *h, const char *format, ...) BOUGH_PRINTF(2, 3);
/* <tag>text</tag>; tag may have attributes: "p class=\"note\"". */
void html_element(html_writer *h, const char *tag, const char *text);
/* A row of <dl class="facts">. */
void html_fact(html_writer *h, const char *name, const char *text);
/* Writes a table in a box of its own that scrolls, and frees it. Columns without text are omitted. */
void html_table(html_writer *h, text_table *table, const char *caption);

#endif

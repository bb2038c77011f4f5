/* A document as HTML: complete without scripts, and static. Sections keep the identifiers of the document;
 * those that are not for the first screen are folded. Facts behind cards are cards too where they have a
 * style. Every row of a table has its labels. Of findings there are 50 of each kind; what is folded below the
 * first rows of a table has 500 rows at most. */
#ifndef BOUGH_DOCUMENT_DOCUMENT_HTML_H
#define BOUGH_DOCUMENT_DOCUMENT_HTML_H

#include "document/document.h"
#include "document/html.h"

void document_write_html(const document *d, html_writer *h);

#endif

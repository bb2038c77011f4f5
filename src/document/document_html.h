/* A document as HTML: complete without scripts, and static. Sections keep the identifiers of the document;
 * those that are not for the first screen are folded. Tables show 500 rows at most, findings 50 of each kind.
 */
#ifndef BOUGH_DOCUMENT_DOCUMENT_HTML_H
#define BOUGH_DOCUMENT_DOCUMENT_HTML_H

#include "document/document.h"
#include "document/html.h"

void document_write_html(const document *d, html_writer *h);

#endif

/* Text of others in GitHub Flavored Markdown. */
#ifndef BOUGH_DOCUMENT_MARKDOWN_TEXT_H
#define BOUGH_DOCUMENT_MARKDOWN_TEXT_H

#include "base/text/text.h"

/* Appends one line of plain text for a paragraph, an item of a list or a cell of a table. All that Markdown
 * takes for markup is escaped; so are the mentions (@name), references (#1), links and emoji (:name:) that
 * GitHub adds by itself. Hidden characters become '?', line ends blanks. */
void markdown_put(bough_text *out, const char *text);

#endif

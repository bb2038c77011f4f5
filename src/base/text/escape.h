/* Escaping of external text (names, titles, paths) in output, one function per output language. */
#ifndef BOUGH_BASE_TEXT_ESCAPE_H
#define BOUGH_BASE_TEXT_ESCAPE_H

#include "base/text/text.h"

/* For terminals. Replaces characters with bough_utf8_is_hidden, and bytes that are not UTF-8, by one '?': it
 * has the width of a character, so columns stay aligned, and never more bytes than it replaces. Works in
 * place, returns the new length. The result is safe to display. */
size_t bough_show_line(char *text, size_t length);
/* The same, but keeps line ends and tabs. */
size_t bough_show_lines(char *text, size_t length);
/* The same for a line that snprintf wrote to a buffer: it needed `wanted` bytes, so the last one may be an
 * incomplete character. Terminates with NUL. */
void bough_show_cut(char *buffer, int wanted, size_t size);
/* Appends a string for display as a line; converts the part of a text added since it had `from` bytes. */
void bough_text_put_shown(bough_text *text, const char *string);
void bough_text_show(bough_text *text, size_t from);

/* Appends a JSON string with its quotes. Hidden characters become \uXXXX, so nothing is lost and the JSON is
 * safe to display; bytes that are not UTF-8, which JSON does not support, become U+FFFD. */
void bough_text_put_json(bough_text *text, const char *string);

/* Appends text for an XML or HTML element, or an attribute in double quotes. Characters that XML does not
 * allow (control characters except tabs and line ends, U+FFFE, bytes that are not UTF-8) become U+FFFD. */
void bough_text_put_xml(bough_text *text, const char *string);

/* Appends a CSV cell (RFC 4180), quoted if necessary, without the following comma. */
void bough_text_put_csv(bough_text *text, const char *cell);
/* The same for spreadsheets, which interpret cells that start with = + - @ or a tab as formulas: these get a
 * leading ', unless they are numbers. */
void bough_text_put_csv_safe(bough_text *text, const char *cell);

/* Appends a node or graph label of Graphviz, with its quotes. */
void bough_text_put_dot(bough_text *text, const char *label);

/* Appends one word of a shell's command line, quoted if necessary. */
void bough_text_put_word(bough_text *text, const char *word);

#endif

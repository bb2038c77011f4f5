/* Texts of others (names, titles, paths) in what the program writes: one function for each language of
 * output. */
#ifndef BOUGH_BASE_TEXT_ESCAPE_H
#define BOUGH_BASE_TEXT_ESCAPE_H

#include "base/text/text.h"

/* For people, who may read it in a terminal. A character that bough_utf8_is_hidden, or a byte that is no
 * UTF-8, becomes one '?': as wide as a character, so that columns stay in line, to be had in every terminal,
 * and never longer than what it stands for. In place, returns the new length. What is left may be shown as it
 * is. */
size_t bough_show_line(char *text, size_t length);
/* The same; line ends and tabs stay. */
size_t bough_show_lines(char *text, size_t length);
/* The same for what snprintf made one line of in a buffer: it needed `wanted` bytes, of which the last may be
 * the first of a character that did not fit. Ends with NUL. */
void bough_show_cut(char *buffer, int wanted, size_t size);
/* A string as a line shows it; of a text, what was added since it had `from` bytes. */
void bough_text_put_shown(bough_text *text, const char *string);
void bough_text_show(bough_text *text, size_t from);

/* What is formatted, as one such line, and its end. */
void bough_text_put_line(bough_text *text, const char *format, ...) BOUGH_PRINTF(2, 3);

/* A string, with U+FFFD for each byte that is no UTF-8. */
void bough_text_put_utf8(bough_text *text, const char *string);

/* A string of JSON with its quotes. What is hidden becomes \uXXXX, so that nothing is lost and a terminal may
 * show the JSON; bytes that are no UTF-8, which JSON cannot hold, become U+FFFD. */
void bough_text_put_json(bough_text *text, const char *string);

/* Text of an XML or HTML element, or of an attribute in double quotes. What XML has no place for (control
 * characters but tabs and line ends, U+FFFE, bytes that are no UTF-8) becomes U+FFFD. */
void bough_text_put_xml(bough_text *text, const char *string);
void bough_text_add_xml(bough_text *text, const char *bytes, size_t length);

/* A cell of CSV (RFC 4180), in quotes where it needs them, without the comma behind it. */
void bough_text_put_csv(bough_text *text, const char *cell);
/* The same for spreadsheets, which take a cell that begins with = + - @ or a tab for a formula: it gets a '
 * before it, unless it is a number. */
void bough_text_put_csv_safe(bough_text *text, const char *cell);

/* The label of a node or a graph in Graphviz, with its quotes. */
void bough_text_put_dot(bough_text *text, const char *label);

#endif

/* UTF-8 characters of external text. */
#ifndef BOUGH_BASE_TEXT_UTF8_H
#define BOUGH_BASE_TEXT_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Length of the UTF-8 character at bytes (length: at least 1), or 0 if it is malformed. */
size_t bough_utf8_read(const char *bytes, size_t length, uint32_t *code);

/* A control character (C0, DEL, C1) or a Unicode noncharacter (U+FFFE, U+FFFF, ...): invalid in all kinds of
 * text. */
bool bough_utf8_is_control(uint32_t code);
/* Characters of external text that must not be displayed: the above, characters that change the text
 * direction, which could disguise a line, and characters without a glyph. */
bool bough_utf8_is_hidden(uint32_t code);

/* Length without an incomplete character at the end. */
size_t bough_utf8_whole(const char *bytes, size_t length);
/* Replaces each byte that is not part of a character by '?'. */
void bough_utf8_mend(char *text);

/* Copies text from a file for output: trims blanks, replaces control characters and invalid UTF-8 by '?', and
 * truncates between characters to fit size (at least 1). Returns the length. Other invisible characters are
 * kept, because names must match their source; output functions replace them (base/text/escape.h). */
size_t bough_copy_printable(const char *bytes, size_t length, char *out, size_t size);

#endif

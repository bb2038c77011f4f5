/* Characters of texts that others wrote. */
#ifndef BOUGH_BASE_TEXT_UTF8_H
#define BOUGH_BASE_TEXT_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of the UTF-8 character at bytes (length: at least 1), or 0 where none begins that is well formed. */
size_t bough_utf8_read(const char *bytes, size_t length, uint32_t *code);

/* A control character (C0, DEL, C1), or a number that Unicode keeps free of characters (U+FFFE, U+FFFF, ...):
 * nothing that a text of any kind should hold. */
bool bough_utf8_is_control(uint32_t code);
/* What nobody should see of a text of others: the above; characters that change the direction of what
 * stands around them, so that a line reads as something else; and characters without a glyph. */
bool bough_utf8_is_hidden(uint32_t code);

/* Bytes without the beginning of a character that was cut off at the end. */
size_t bough_utf8_whole(const char *bytes, size_t length);
/* Each byte that is part of no character becomes '?'. */
void bough_utf8_mend(char *text);

#endif

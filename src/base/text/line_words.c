#include "base/text/line_words.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool word_next(const char **at, const char *end, const char *blanks, char word[WORD]) {
    const char *p = *at;
    size_t length = 0;
    while (p < end && strchr(blanks, *p)) p++;
    for (; p < end && !strchr(blanks, *p); p++)
        if (length + 1 < WORD) word[length++] = *p;
    word[length] = 0;
    *at = p;
    return length > 0;
}

bough_status word_number(const char *text, const char *what, uint64_t most, uint64_t *value,
                         bough_error *error) {
    char *stop;
    if (*text < '0' || *text > '9' || (*value = strtoull(text, &stop, 10), *stop) || strlen(text) > 18)
        return bough_fail(error, BOUGH_INVALID, NULL, "%s '%.40s' is not a whole number", what, text);
    if (*value > most)
        return bough_fail(error, BOUGH_INVALID, NULL, "%s %s is too large; at most %" PRIu64, what, text,
                          most);
    return BOUGH_OK;
}

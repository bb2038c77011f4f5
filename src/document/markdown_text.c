#include "document/markdown_text.h"

#include "base/text/escape.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* :name: is an emoji. */
static bool is_emoji(const char *at) {
    const char *end = at + 1 + strspn(at + 1, "abcdefghijklmnopqrstuvwxyz0123456789_+-");
    return *at == ':' && end > at + 1 && *end == ':';
}

static bool ends_with(const char *from, const char *at, const char *word) {
    const size_t length = strlen(word);
    return (size_t)(at - from) >= length && strncasecmp(at - length, word, length) == 0;
}

/* GitHub looks for @name, #1, GH-1, www., :// and :name: in the text between tags: an empty comment divides
 * it. A backslash does not, as it is gone by then. */
static bool starts_reference(const char *from, const char *at) {
    const unsigned char next = (unsigned char)at[1];
    switch (*at) {
    case '@':
        return isalnum(next);
    case '#':
        return isdigit(next);
    case '-':
        return isdigit(next) && ends_with(from, at, "GH");
    case '.':
        return ends_with(from, at, "www");
    case ':':
        return strncmp(at, "://", 3) == 0 || is_emoji(at);
    default:
        return false;
    }
}

void markdown_put(bough_text *out, const char *text) {
    bough_text shown = {0};
    bough_text_put_shown(&shown, text);
    if (shown.failed) out->failed = true;
    const char *from = shown.failed || !shown.data ? "" : shown.data;
    for (const char *at = from; *at; at++) {
        if (strchr("\\`*_[]<>|~&!#$@^{}", *at)) bough_text_put(out, "\\");
        bough_text_add(out, *at == '\n' || *at == '\t' ? " " : at, 1);
        if (starts_reference(from, at)) bough_text_put(out, "<!-- -->");
    }
    bough_text_fini(&shown);
}

#include "report/page.h"

#include "base/memory.h"
#include "bough/report.h"
#include "report/page_assets.h"

#include <stdlib.h>
#include <string.h>

bough_status bough_report_html_check(bough_error *error) {
    if (!page_assets.missing) return BOUGH_OK;
    return bough_fail(error, BOUGH_UNSUPPORTED, NULL, "the report page is not in this build: %s",
                      page_assets.missing);
}

#define PLAIN_MAX 200000 /* bytes of the text for those without scripts */

/* Text of the document and of its attributes, at most so many bytes of it, to the end of a line. */
static void put_escaped(bough_text *out, const char *text, size_t most) {
    const char *end = text + strlen(text);
    if ((size_t)(end - text) > most)
        for (end = text + most; end > text && end[-1] != '\n';) end--;
    for (; text < end; text++) {
        if (*text == '<')
            bough_text_put(out, "&lt;");
        else if (*text == '>')
            bough_text_put(out, "&gt;");
        else if (*text == '&')
            bough_text_put(out, "&amp;");
        else if (*text == '"')
            bough_text_put(out, "&quot;");
        else if ((unsigned char)*text >= 32 || *text == '\n')
            bough_text_add(out, text, 1);
        else
            bough_text_put(out, "?");
    }
}

/* JSON in a script element: what could end the element, begin a comment, or is a line end to scripts only
 * (U+2028, U+2029) becomes an escape. None of these stands outside strings. */
static void put_json(bough_text *out, const char *json) {
    while (*json) {
        size_t plain = strcspn(json, "<>&\xe2");
        bough_text_add(out, json, plain);
        json += plain;
        if (!*json) return;
        bool separator = strncmp(json, "\xe2\x80\xa8", 3) == 0 || strncmp(json, "\xe2\x80\xa9", 3) == 0;
        if (separator) {
            bough_text_put(out, json[2] == '\xa8' ? "\\u2028" : "\\u2029");
            json += 3;
            continue;
        }
        if (*json == '\xe2')
            bough_text_add(out, json, 1);
        else
            bough_text_printf(out, "\\u%04x", (unsigned)*json);
        json++;
    }
}

bough_status page_write(const char *title, const char *json, const char *plain, char **html,
                        bough_error *error) {
    bough_text out = {0};
    bough_status status = bough_report_html_check(error);
    if (status) return status;
    bough_text_put(&out, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                         "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; ");
    bough_text_printf(&out, "script-src '%s'; style-src '%s'; ", page_assets.script_hash,
                      page_assets.style_hash);
    bough_text_put(&out, "img-src data: blob:; base-uri 'none'; form-action 'none'\">\n"
                         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                         "<meta name=\"color-scheme\" content=\"light dark\">\n<title>");
    put_escaped(&out, title, SIZE_MAX);
    bough_text_put(&out, "</title>\n<style>");
    bough_text_put(&out, page_assets.style);
    bough_text_put(&out, "</style>\n</head>\n<body>\n<noscript>\n<h1>");
    put_escaped(&out, title, SIZE_MAX);
    bough_text_put(&out, "</h1>\n<p>Charts need scripts. The results as text:</p>\n<pre>");
    put_escaped(&out, plain, PLAIN_MAX);
    if (strlen(plain) > PLAIN_MAX) bough_text_put(&out, "... (the rest is left out here)\n");
    bough_text_put(&out, "</pre>\n</noscript>\n<script type=\"application/json\" id=\"data\">");
    put_json(&out, json);
    bough_text_put(&out, "</script>\n<script>");
    bough_text_put(&out, page_assets.script);
    bough_text_put(&out, "</script>\n</body>\n</html>\n");
    size_t length = out.length;
    *html = bough_text_take(&out);
    return *html ? BOUGH_OK : bough_fail_memory(error, length);
}

/* ---- strings ---- */

static size_t hash_of(const char *text) { /* FNV-1a */
    uint64_t hash = 0xcbf29ce484222325u;
    for (; *text; text++) hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
    return (size_t)(hash ^ hash >> 32);
}

/* The slot of a text, or the empty one where it would stand. */
static size_t find_slot(const page_strings *s, const char *text) {
    size_t i = hash_of(text) & (s->slots - 1);
    while (s->slot[i] && strcmp(s->text[s->slot[i] - 1], text) != 0) i = (i + 1) & (s->slots - 1);
    return i;
}

static bool make_room(page_strings *s) {
    if (bough_grow(&s->text, &s->capacity, s->count + 1, sizeof *s->text, NULL)) return false;
    if (2 * (s->count + 1) < s->slots) return true;
    size_t slots = s->slots ? 2 * s->slots : 64, *old = s->slot;
    if (bough_alloc(&s->slot, slots, sizeof *s->slot, NULL)) {
        s->slot = old;
        return false;
    }
    free(old);
    s->slots = slots;
    for (size_t i = 0; i < s->count; i++) s->slot[find_slot(s, s->text[i])] = i + 1;
    return true;
}

int64_t page_string(page_strings *s, const char *text) {
    if (!text || s->failed) return -1;
    s->failed = !make_room(s);
    if (s->failed) return -1;
    size_t slot = find_slot(s, text);
    if (s->slot[slot]) return (int64_t)s->slot[slot] - 1;
    s->text[s->count] = bough_strdup(text);
    s->failed = !s->text[s->count];
    if (s->failed) return -1;
    s->slot[slot] = ++s->count;
    return (int64_t)s->count - 1;
}

void page_strings_fini(page_strings *s) {
    for (size_t i = 0; i < s->count; i++) free(s->text[i]);
    free(s->text);
    free(s->slot);
    *s = (page_strings){0};
}

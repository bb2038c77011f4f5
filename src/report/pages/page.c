#include "report/pages/page.h"

#include "base/text/escape.h"
#include "formats/fabrics/fabric.h"
#include "report/pages/page_assets.h"

#include <stdlib.h>
#include <string.h>

bool page_is_static(void) {
    return page_assets.missing != NULL;
}

/* JSON in a script element: what could end the element or begin a comment becomes an escape. None of these
 * stands outside strings. */
static void put_json(bough_text *out, const char *json) {
    for (size_t plain; *json; json += plain + (json[plain] != 0)) {
        plain = strcspn(json, "<>&");
        bough_text_add(out, json, plain);
        if (json[plain]) bough_text_printf(out, "\\u%04x", (unsigned)json[plain]);
    }
}

static void put_head(bough_text *out, const char *title) {
    bough_text_put(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
                        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; ");
    if (page_is_static())
        bough_text_put(out, "style-src 'unsafe-inline'; ");
    else
        bough_text_printf(out, "script-src '%s'; style-src '%s'; img-src data: blob:; ",
                          page_assets.script_hash, page_assets.style_hash);
    bough_text_put(out, "base-uri 'none'; form-action 'none'\"/>\n"
                        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
                        "<meta name=\"color-scheme\" content=\"light dark\"/>\n<title>");
    bough_text_put_xml(out, title);
    bough_text_put(out, "</title>\n<style>");
    bough_text_put(out, page_assets.style);
    bough_text_put(out, "</style>\n</head>\n<body>\n");
}

static void put_fact(bough_text *out, const char *name, const char *markup, const char *text) {
    bough_text_printf(out, "<div><dt>%s</dt><dd>%s", name, markup ? "<code>" : "");
    bough_text_put_xml(out, text);
    bough_text_put(out, markup ? "</code></dd></div>\n" : "</dd></div>\n");
}

static void put_body(bough_text *out, const page_parts *parts) {
    bough_text_put(out, "<header>\n<h1>");
    bough_text_put_xml(out, parts->title);
    bough_text_put(out, "</h1>\n<dl class=\"facts\">\n");
    if (parts->command) put_fact(out, "command", "code", parts->command);
    if (parts->facts) bough_text_put(out, parts->facts);
    put_fact(out, "made by", NULL, "bough " BOUGH_VERSION);
    bough_text_put(out, "</dl>\n</header>\n<main id=\"main\">\n");
    bough_text_put(out, parts->body);
    bough_text_put(out, "</main>\n");
}

/* The script adds to the body. */
static void put_script(bough_text *out, const page_parts *parts) {
    bough_text_put(out, "<script type=\"application/json\" id=\"data\">");
    put_json(out, parts->json);
    bough_text_put(out, "</script>\n<script>");
    bough_text_put(out, page_assets.script);
    bough_text_put(out, "</script>\n");
}

bough_status page_write(const page_parts *parts, char **html, bough_error *error) {
    bough_text out = {0};
    put_head(&out, parts->title);
    put_body(&out, parts);
    if (!page_is_static()) put_script(&out, parts);
    bough_text_put(&out, "</body>\n</html>\n");
    return bough_text_finish(&out, html, error);
}

/* ---- strings ---- */

static bool add_string(page_strings *s, const char *text) {
    char *copy = NULL;
    bool added = !arena_copy(&s->memory, &copy, text, NULL) &&
                 !arena_grow(&s->memory, &s->text, s->count + 1, sizeof *s->text, NULL) &&
                 !bough_name_map_add(&s->numbers, copy, strlen(copy), (uint32_t)s->count, NULL);
    if (added) s->text[s->count++] = copy;
    return added;
}

int64_t page_string(page_strings *s, const char *text) {
    if (!text || s->failed) return -1;
    uint32_t number = bough_name_map_get(&s->numbers, text, strlen(text));
    if (number != BOUGH_NO_INDEX) return number;
    s->failed = !add_string(s, text);
    return s->failed ? -1 : (int64_t)s->count - 1;
}

void page_strings_fini(page_strings *s) {
    arena_fini(&s->memory);
    bough_name_map_fini(&s->numbers);
    *s = (page_strings){0};
}

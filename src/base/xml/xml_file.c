#include "base/xml/xml_file.h"

#include "base/files/input.h"
#include "base/status/try.h"
#include "base/text/utf8.h"

#include <string.h>

/* ---- without a parser ---- */

static bool starts(const char *at, const char *end, const char *word) {
    const size_t length = strlen(word);
    return (size_t)(end - at) >= length && memcmp(at, word, length) == 0;
}

static bool element_at(const char *at, const char *end, const char *name) {
    const size_t length = strlen(name);
    return at < end && *at == '<' && starts(at + 1, end, name) && at + 1 + length < end &&
           strchr(" \t\r\n/>", at[1 + length]);
}

bool xml_recognise(const char *text, size_t size, const char *element) {
    enum { HEAD = 4096 };
    const char *at = text, *end = text + (size < HEAD ? size : HEAD);
    if (starts(at, end, "\xef\xbb\xbf")) at += 3;
    while (at < end && *at && strchr(" \t\r\n", *at)) at++;
    if (!starts(at, end, "<?xml") && !starts(at, end, "<!") && !element_at(at, end, element)) return false;
    while (at < end && !element_at(at, end, element)) at++;
    return at < end;
}

#ifndef BOUGH_LIBXML2

bough_status xml_read(const xml_source *source, xml_handler *handle, void *context, bough_error *error) {
    (void)handle, (void)context;
    return bough_fail(
        error, BOUGH_UNSUPPORTED, source->name,
        "is %s, and libxml2 was not there when bough was built; install libxml2-dev and build again",
        source->what);
}

/* Handlers are not called. */

bool xml_begins(const xml_file *x, const char *name) {
    return (void)x, (void)name, false;
}

bool xml_ends(const xml_file *x, const char *name) {
    return (void)x, (void)name, false;
}

uint32_t xml_line(const xml_file *x) {
    return (void)x, 0;
}

char *xml_attribute(xml_file *x, const char *name) {
    return (void)x, (void)name, NULL;
}

bool xml_copy(xml_file *x, const char *name, char *buffer, size_t size) {
    (void)x, (void)name;
    if (size) *buffer = 0;
    return false;
}

bough_status xml_fail(const xml_file *x, const char *format, ...) {
    (void)x, (void)format;
    return BOUGH_UNSUPPORTED;
}

#else

#include <libxml/xmlreader.h>

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { DEPTH_MAX = 100, ATTRIBUTES_MAX = 1000 };

/* ---- for handlers ---- */

static bool is_at(const xml_file *x, const char *name, int type) {
    return xmlTextReaderNodeType(x->reader) == type && !xmlTextReaderConstPrefix(x->reader) &&
           strcmp((const char *)xmlTextReaderConstLocalName(x->reader), name) == 0;
}

bool xml_begins(const xml_file *x, const char *name) {
    return is_at(x, name, XML_READER_TYPE_ELEMENT);
}

static bool is_empty(const xml_file *x) {
    return xmlTextReaderIsEmptyElement(x->reader) == 1;
}

bool xml_ends(const xml_file *x, const char *name) {
    return is_at(x, name, XML_READER_TYPE_END_ELEMENT) || (xml_begins(x, name) && is_empty(x));
}

uint32_t xml_line(const xml_file *x) {
    const long line = xmlGetLineNo(xmlTextReaderCurrentNode(x->reader));
    return line > 0 ? (uint32_t)line + x->blank : 0;
}

char *xml_attribute(xml_file *x, const char *name) {
    return (char *)xmlTextReaderGetAttribute(x->reader, (const xmlChar *)name);
}

bool xml_copy(xml_file *x, const char *name, char *buffer, size_t size) {
    char *text = xml_attribute(x, name);
    snprintf(buffer, size, "%s", text ? text : "");
    const bool there = text != NULL;
    free(text);
    return there;
}

bough_status xml_fail(const xml_file *x, const char *format, ...) {
    char place[256], reason[256];
    va_list args;
    va_start(args, format);
    vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    return bough_fail(x->error, BOUGH_INVALID,
                      bough_format_place(place, sizeof place, x->source->name, xml_line(x)), "%s", reason);
}

/* ---- the file ---- */

static void keep_error(void *file, xmlErrorPtr error) {
    xml_file *x = file;
    if (error->code == XML_ERR_NO_MEMORY) x->no_memory = true;
    if (x->line || !error->message) return;
    x->line = error->line > 0 ? (uint32_t)error->line + x->blank : 0;
    bough_copy_printable(error->message, strlen(error->message), x->reason, sizeof x->reason);
}

static bough_status read_node(xml_file *x, xml_handler *handle, void *context) {
    if (xmlTextReaderDepth(x->reader) > DEPTH_MAX) return xml_fail(x, "has elements within 100 others");
    if (xmlTextReaderNodeType(x->reader) == XML_READER_TYPE_DOCUMENT_TYPE)
        return x->source->typed ? BOUGH_OK
                                : xml_fail(x, "has a document type (<!DOCTYPE); expected none: remove it");
    return handle(context, x);
}

static bough_status read_all(xml_file *x, xml_handler *handle, void *context) {
    bough_status status = BOUGH_OK;
    int more = 1;
    while (!status && !x->no_memory && (more = xmlTextReaderRead(x->reader)) == 1)
        status = read_node(x, handle, context);
    if (x->no_memory) return bough_fail_memory(x->error, x->source->size);
    if (status || more == 0) return status;
    char place[256];
    if (!*x->reason) return bough_fail_memory(x->error, x->source->size);
    return bough_fail(x->error, BOUGH_INVALID,
                      bough_format_place(place, sizeof place, x->source->name, x->line),
                      "is no well-formed XML in UTF-8: %s", x->reason);
}

/* The parser takes quadratic time for the attributes of an element. Returns the end of the tag that starts at
 * `at`, or NULL: it has too many. */
static const char *skip_tag(const char *at, const char *end) {
    size_t count = 0;
    char quote = 0;
    at++;
    if (at < end && (*at == '!' || *at == '?')) return at; /* a comment has no attributes */
    for (; at < end && *at != '<' && (quote || *at != '>') && count <= ATTRIBUTES_MAX; at++) {
        if (quote)
            quote = *at == quote ? 0 : quote;
        else if (*at == '"' || *at == '\'')
            quote = *at;
        else
            count += *at == '=';
    }
    return count <= ATTRIBUTES_MAX ? at : NULL;
}

static bough_status fail_at(const xml_source *source, const char *at, const char *reason,
                            bough_error *error) {
    char place[256];
    uint64_t line = 1;
    for (const char *from = source->text; from < at; from++) line += *from == '\n';
    return bough_fail(error, BOUGH_INVALID, bough_format_place(place, sizeof place, source->name, line), "%s",
                      reason);
}

static bough_status check_tags(const xml_source *source, bough_error *error) {
    const char *end = source->text + source->size, *at = source->text;
    while ((at = memchr(at, '<', (size_t)(end - at)))) {
        const char *stop = skip_tag(at, end);
        if (!stop) return fail_at(source, at, "an element has more than 1000 attributes", error);
        at = stop;
    }
    return BOUGH_OK;
}

/* A document type is found before the parser sees it: its entities would be expanded in attributes. */
static bough_status check_source(const xml_source *source, bough_error *error) {
    const char *end = source->text + source->size;
    if (source->size > INT_MAX)
        return bough_fail(error, BOUGH_TOO_LARGE, source->name, "is larger than 2 GiB");
    for (const char *at = source->text; (at = memchr(at, '<', (size_t)(end - at))); at++) {
        if (!starts(at, end, "<!DOCTYPE")) continue;
        const char *stop = memchr(at, '>', (size_t)(end - at));
        if (source->typed && stop && !memchr(at, '[', (size_t)(stop - at))) continue;
        return fail_at(source, at,
                       source->typed ? "has a document type with declarations of its own; remove them"
                                     : "has a document type (<!DOCTYPE); expected none: remove it",
                       error);
    }
    return BOUGH_OK;
}

/* What libxml2 would print. */
static void say_nothing(void *file, const char *format, ...) {
    (void)file, (void)format;
}

/* Parses the text. Parts of libxml2 that know no reader report to the handlers of the thread. */
static bough_status parse(xml_file *x, xml_handler *handle, void *context) {
    const xmlStructuredErrorFunc before = xmlStructuredError;
    void *const from = xmlStructuredErrorContext;
    const xmlGenericErrorFunc printed = xmlGenericError;
    void *const stream = xmlGenericErrorContext;
    xmlSetGenericErrorFunc(NULL, say_nothing);
    xmlSetStructuredErrorFunc(x, keep_error);
    xmlInitParser();
    /* no network, no entities replaced, and no XML_PARSE_HUGE: the limits of the parser hold */
    x->reader = xmlReaderForMemory(x->source->text + x->blank, (int)(x->source->size - x->blank), NULL,
                                   "UTF-8", XML_PARSE_NONET | XML_PARSE_BIG_LINES);
    if (x->reader) xmlTextReaderSetStructuredErrorHandler(x->reader, keep_error, x);
    bough_status status =
        x->reader ? read_all(x, handle, context) : bough_fail_memory(x->error, x->source->size);
    xmlFreeTextReader(x->reader);
    xmlSetStructuredErrorFunc(from, before);
    xmlSetGenericErrorFunc(stream, printed);
    return status;
}

bough_status xml_read(const xml_source *source, xml_handler *handle, void *context, bough_error *error) {
    xml_file x = {.source = source, .error = error};
    bough_status status = check_source(source, error);
    while (!status && x.blank < source->size && source->text[x.blank] == '\n') x.blank++;
    TRY(check_tags(source, error));
    TRY(parse(&x, handle, context));
    return status;
}

#endif

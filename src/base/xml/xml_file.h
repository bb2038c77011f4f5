/* The reader of XML: elements one after the other, with their attributes. It is libxml2, where that was there
 * when bough was built.
 *
 *     static bough_status node(void *context, xml_file *x) { if (xml_begins(x, "link")) ... }
 *     status = xml_read(&(xml_source){name, text, size}, node, context, error);
 *
 * Nothing but the text is read, and no entities are replaced. Refused are texts that are not well-formed,
 * elements within 100 others or with more than 1000 attributes, and document types with declarations of their
 * own; others are refused unless the source allows them, and are not read. */
#ifndef BOUGH_BASE_XML_XML_FILE_H
#define BOUGH_BASE_XML_XML_FILE_H

#include "bough/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct xml_source {
    const char *name; /* of the file, for messages */
    const char *text;
    size_t size;
    const char *what; /* "GraphML": for the message without libxml2 */
    bool typed;       /* a document type without declarations is allowed */
} xml_source;

typedef struct xml_file {
    const xml_source *source;
    bough_error *error;
    void *reader;   /* of libxml2: xmlTextReaderPtr */
    bool no_memory; /* of the parser, which often goes on without it, or of a handler, which ends the reading
                     */
    uint32_t blank; /* empty lines before the text, which the parser does not see and would refuse */
    uint32_t line;  /* of the first error of the parser */
    char reason[200];
} xml_file;

/* Called at the beginning and at the end of every element, and at texts. */
typedef bough_status xml_handler(void *context, xml_file *x);

/* Errors: those of the handler, which end the reading; INVALID with file:line; UNSUPPORTED without libxml2;
 * TOO_LARGE, NO_MEMORY. */
bough_status xml_read(const xml_source *source, xml_handler *handle, void *context, bough_error *error);
/* Whether a text begins as XML, and has this element in its first 4096 bytes. */
bool xml_recognise(const char *text, size_t size, const char *element);

/* ---- for handlers ---- */

/* Whether an element of this name begins, or ends; an empty one ends too. */
bool xml_begins(const xml_file *x, const char *name);
bool xml_ends(const xml_file *x, const char *name);
uint32_t xml_line(const xml_file *x);
/* Heap, which the caller frees; NULL: not there, or no memory (no_memory is set then). */
char *xml_attribute(xml_file *x, const char *name);
/* Copies an attribute; cut to fit. False: not there. */
bool xml_copy(xml_file *x, const char *name, char *buffer, size_t size);
/* Reports INVALID at this line. */
bough_status xml_fail(const xml_file *x, const char *format, ...) BOUGH_PRINTF(2, 3);

#endif

/* Part of a build with MemorySanitizer, which does not see what libraries write that it did not compile:
 * marks what zlib and libyaml wrote. The linker puts these functions in the place of theirs (--wrap). */
#include <sanitizer/msan_interface.h>
#include <stdint.h>
#include <yaml.h>
#include <zlib.h>

#define VISIBLE __attribute__((visibility("default"))) /* libarchive calls them too */

int __real_inflateInit2_(z_streamp z, int bits, const char *version, int size);
VISIBLE int __wrap_inflateInit2_(z_streamp z, int bits, const char *version, int size);
int __real_inflate(z_streamp z, int flush);
VISIBLE int __wrap_inflate(z_streamp z, int flush);

int __wrap_inflateInit2_(z_streamp z, int bits, const char *version, int size) {
    int result = __real_inflateInit2_(z, bits, version, size);
    __msan_unpoison(z, sizeof *z);
    return result;
}

int __wrap_inflate(z_streamp z, int flush) {
    unsigned char *out = z->next_out;
    int result = __real_inflate(z, flush);
    __msan_unpoison(z, sizeof *z);
    __msan_unpoison(out, (size_t)(z->next_out - out));
    if (z->msg) __msan_unpoison_string(z->msg);
    return result;
}

int __real_yaml_parser_load(yaml_parser_t *parser, yaml_document_t *document);
int __wrap_yaml_parser_load(yaml_parser_t *parser, yaml_document_t *document);

int __real_yaml_parser_parse(yaml_parser_t *parser, yaml_event_t *event);
int __wrap_yaml_parser_parse(yaml_parser_t *parser, yaml_event_t *event);

int __wrap_yaml_parser_parse(yaml_parser_t *parser, yaml_event_t *event) {
    int result = __real_yaml_parser_parse(parser, event);
    __msan_unpoison(parser, sizeof *parser);
    __msan_unpoison(event, sizeof *event);
    return result;
}

static void mark_node(const yaml_node_t *node) {
    if (node->tag) __msan_unpoison_string((const char *)node->tag);
    if (node->type == YAML_SCALAR_NODE)
        __msan_unpoison(node->data.scalar.value, node->data.scalar.length + 1);
    else if (node->type == YAML_MAPPING_NODE)
        __msan_unpoison(node->data.mapping.pairs.start, (size_t)((char *)node->data.mapping.pairs.top -
                                                                 (char *)node->data.mapping.pairs.start));
    else if (node->type == YAML_SEQUENCE_NODE)
        __msan_unpoison(node->data.sequence.items.start, (size_t)((char *)node->data.sequence.items.top -
                                                                  (char *)node->data.sequence.items.start));
}

int __wrap_yaml_parser_load(yaml_parser_t *parser, yaml_document_t *document) {
    int result = __real_yaml_parser_load(parser, document);
    __msan_unpoison(parser, sizeof *parser);
    if (parser->problem) __msan_unpoison_string(parser->problem);
    if (!result) return result;
    __msan_unpoison(document, sizeof *document);
    const yaml_node_t *first = document->nodes.start, *end = document->nodes.top;
    __msan_unpoison((void *)(uintptr_t)first, (size_t)((const char *)end - (const char *)first));
    for (const yaml_node_t *node = first; node < end; node++) mark_node(node);
    return result;
}

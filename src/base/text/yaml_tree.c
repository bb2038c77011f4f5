#include "base/text/yaml_tree.h"

#include "base/status/try.h"
#include "base/text/yaml_limits.h"

#include <stdarg.h>
#include <stdio.h>

static bough_status fail_line(const yaml_tree *tree, size_t line, const char *reason) {
    char place[256];
    snprintf(place, sizeof place, "%.240s:%zu", tree->file, line);
    return bough_fail(tree->error, BOUGH_INVALID, place, "%s", reason);
}

bough_status yaml_tree_fail(const yaml_tree *tree, const yaml_node_t *node, const char *format, ...) {
    char reason[640];
    va_list args;
    va_start(args, format);
    vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    return fail_line(tree, yaml_tree_line(node), reason);
}

static bough_status syntax_error(yaml_tree *tree, const yaml_parser_t *parser) {
    char reason[256];
    if (parser->error == YAML_MEMORY_ERROR || !parser->problem) return bough_fail_memory(tree->error, 1);
    tree->bad_line = (uint32_t)parser->problem_mark.line + 1;
    snprintf(tree->problem, sizeof tree->problem, "%s", parser->problem);
    snprintf(reason, sizeof reason, "not valid YAML: %s", parser->problem);
    return fail_line(tree, tree->bad_line, reason);
}

static bough_status refuse_second(yaml_tree *tree, yaml_parser_t *parser) {
    yaml_document_t second;
    if (!yaml_parser_load(parser, &second)) return syntax_error(tree, parser);
    const yaml_node_t *root = yaml_document_get_root_node(&second);
    bough_status status = BOUGH_OK;
    if (root)
        status = yaml_tree_fail(tree, root, "a second document starts here; the file contains only one");
    yaml_document_delete(&second);
    return status;
}

static bough_status load(yaml_tree *tree, yaml_parser_t *parser) {
    if (!yaml_parser_load(parser, &tree->document)) return syntax_error(tree, parser);
    tree->loaded = true;
    tree->root = yaml_document_get_root_node(&tree->document);
    return refuse_second(tree, parser);
}

bough_status yaml_tree_read(const char *file, const char *text, size_t size, yaml_tree *tree,
                            bough_error *error) {
    yaml_parser_t parser;
    yaml_excess excess;
    *tree = (yaml_tree){.file = file, .error = error};
    if (size && memchr(text, 0, size))
        return bough_fail(error, BOUGH_INVALID, file, "contains a NUL byte; expected text");
    if (!yaml_parser_initialize(&parser)) return bough_fail_memory(error, size);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, size);
    const bough_status status = yaml_exceeds_limits(text, size, &excess)
                                    ? fail_line(tree, excess.line, excess.reason)
                                    : load(tree, &parser);
    yaml_parser_delete(&parser);
    return status;
}

void yaml_tree_fini(yaml_tree *tree) {
    if (tree->loaded) yaml_document_delete(&tree->document);
    *tree = (yaml_tree){.file = tree->file};
}

yaml_node_t *yaml_tree_pair(yaml_tree *tree, const yaml_node_t *node, size_t i, const yaml_node_t **key) {
    if (!node || node->type != YAML_MAPPING_NODE) return NULL;
    const yaml_node_pair_t *pair = node->data.mapping.pairs.start + i;
    if (i >= (size_t)(node->data.mapping.pairs.top - node->data.mapping.pairs.start)) return NULL;
    *key = yaml_document_get_node(&tree->document, pair->key);
    return yaml_document_get_node(&tree->document, pair->value);
}

yaml_node_t *yaml_tree_get(yaml_tree *tree, const yaml_node_t *node, const char *key) {
    const yaml_node_t *at = NULL;
    yaml_node_t *value;
    for (size_t i = 0; (value = yaml_tree_pair(tree, node, i, &at)); i++)
        if (bough_slice_is(yaml_tree_text(at), key)) return value;
    return NULL;
}

yaml_node_t *yaml_tree_item(yaml_tree *tree, const yaml_node_t *node, size_t i) {
    if (!node || node->type != YAML_SEQUENCE_NODE) return NULL;
    const size_t count = (size_t)(node->data.sequence.items.top - node->data.sequence.items.start);
    return i < count ? yaml_document_get_node(&tree->document, node->data.sequence.items.start[i]) : NULL;
}

bough_slice yaml_tree_text(const yaml_node_t *node) {
    if (!node || node->type != YAML_SCALAR_NODE) return (bough_slice){NULL, 0};
    return (bough_slice){(const char *)node->data.scalar.value, node->data.scalar.length};
}

uint32_t yaml_tree_line(const yaml_node_t *node) {
    return node ? (uint32_t)node->start_mark.line + 1 : 1;
}

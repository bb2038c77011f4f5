/* The only document of a YAML text as a tree of libyaml's nodes, which have line numbers.
 *
 *     yaml_tree tree;
 *     bough_status status = yaml_tree_read(file, text, size, &tree, error);
 *     for (size_t i = 0; !status && (item = yaml_tree_item(&tree, list, i)); i++)
 *         name = yaml_tree_text(yaml_tree_get(&tree, item, "name"));
 *     yaml_tree_fini(&tree);
 *
 * Aliases are nodes of several parents: who walks over all levels of a tree must limit what it does. */
#ifndef BOUGH_BASE_TEXT_YAML_TREE_H
#define BOUGH_BASE_TEXT_YAML_TREE_H

#include "base/text/scanner.h"

#include <yaml.h>

typedef struct yaml_tree {
    const char *file;   /* for messages; borrowed */
    yaml_node_t *root;  /* NULL: an empty document */
    bough_error *error; /* of the caller */
    bool loaded;        /* there is a document */
    uint32_t bad_line;  /* of the syntax error that was reported; 0: there is none */
    char problem[128];  /* what it is */
    yaml_document_t document;
} yaml_tree;

/* Errors: INVALID with file:line for a text that is not YAML, nested too deeply (yaml_limits.h), or has two
 * documents; NO_MEMORY. yaml_tree_fini may be called after any of them. */
bough_status yaml_tree_read(const char *file, const char *text, size_t size, yaml_tree *tree,
                            bough_error *error);
void yaml_tree_fini(yaml_tree *tree);

/* The value of a key; NULL: there is none, or the node is no mapping, or NULL. */
yaml_node_t *yaml_tree_get(yaml_tree *tree, const yaml_node_t *node, const char *key);
/* The value of the i-th key, and the key; NULL: there are fewer, or the node is no mapping, or NULL. */
yaml_node_t *yaml_tree_pair(yaml_tree *tree, const yaml_node_t *node, size_t i, const yaml_node_t **key);
/* The i-th item; NULL: the list is shorter, or the node is no list, or NULL. */
yaml_node_t *yaml_tree_item(yaml_tree *tree, const yaml_node_t *node, size_t i);
/* The text of a scalar; without text (.text NULL) for other nodes and NULL. */
bough_slice yaml_tree_text(const yaml_node_t *node);
/* From 1; NULL: that of the start. */
uint32_t yaml_tree_line(const yaml_node_t *node);
/* Reports INVALID at the line of a node. */
bough_status yaml_tree_fail(const yaml_tree *tree, const yaml_node_t *node, const char *format, ...)
    BOUGH_PRINTF(3, 4);

#endif

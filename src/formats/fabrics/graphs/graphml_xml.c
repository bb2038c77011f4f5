#include "formats/fabrics/graphs/graphml_xml.h"

#include "base/json/json_build.h"
#include "base/status/try.h"
#include "base/text/text.h"
#include "base/text/utf8.h"

#ifndef BOUGH_LIBXML2

bough_status graphml_read(const xml_source *source, json_t **root, bough_error *error) {
    *root = NULL;
    return xml_read(source, NULL, NULL, error);
}

#else

#include <libxml/xmlreader.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The same keys as of node-link data; yEd has labels in its drawing of a node. */
enum { KEYS = 32, ID_MAX = 200, VALUE_MAX = 4096 };
static const char *const attributes[] = {"name", "label", "kind", "endpoint", "switch", "rate"};

typedef struct graphml_key {
    char id[ID_MAX];
    const char *attribute; /* of `attributes` */
    char *fallback;        /* its <default>; NULL: none */
    bool node, edge;
} graphml_key;

typedef struct graphml {
    xml_file *file;
    graphml_key key[KEYS];
    size_t keys;
    graphml_key *open; /* the key that is read, if it counts */
    json_t *nodes, *edges;
    json_t *item; /* the node or edge that is read; in the list already */
    bool is_node, directed, drawn, graph;
} graphml;

static bough_status fail(const graphml *g, const char *before, const char *word, const char *after) {
    char text[64] = "";
    if (word) bough_copy_printable(word, strlen(word), text, sizeof text);
    return xml_fail(g->file, "%s%s%s", before, text, after);
}

/* ---- attributes and texts ---- */

static char *attribute(const graphml *g, const char *name) {
    return xml_attribute(g->file, name);
}

static bool is_attribute(const graphml *g, const char *name, const char *value) {
    char *text = attribute(g, name);
    const bool same = text && strcmp(text, value) == 0;
    xmlFree(text);
    return same;
}

static bool is_element(const graphml *g, const char *name) {
    return strcmp((const char *)xmlTextReaderConstLocalName(g->file->reader), name) == 0;
}

/* Without blanks around it, with blanks for line ends. */
static void trim(char *text) {
    char *from = text + strspn(text, " \t\r\n");
    size_t length = strlen(from);
    while (length && strchr(" \t\r\n", from[length - 1])) length--;
    memmove(text, from, length);
    text[length] = 0;
    for (; *text; text++)
        if (*text == '\n' || *text == '\r' || *text == '\t') *text = ' ';
}

/* Reads on to the end of the element, and returns the text of it, or where `within` is not NULL that of the
 * first element of that name in it. *text: heap; NULL: there is none. */
static bough_status read_text(graphml *g, const char *within, char **text) {
    const int depth = xmlTextReaderDepth(g->file->reader);
    bough_text all = {0};
    int more = 1, seen = 0;
    *text = NULL;
    if (xmlTextReaderIsEmptyElement(g->file->reader)) return BOUGH_OK;
    while (all.length <= VALUE_MAX && (more = xmlTextReaderRead(g->file->reader)) == 1 &&
           xmlTextReaderDepth(g->file->reader) > depth) {
        const int type = xmlTextReaderNodeType(g->file->reader);
        if (within && type == XML_READER_TYPE_ELEMENT && is_element(g, within)) seen++;
        const bool wanted = within ? seen == 1 : xmlTextReaderDepth(g->file->reader) == depth + 1;
        if (wanted && (type == XML_READER_TYPE_TEXT || type == XML_READER_TYPE_CDATA))
            bough_text_put(&all, (const char *)xmlTextReaderConstValue(g->file->reader));
    }
    const bool whole = more == 1 && all.length <= VALUE_MAX;
    if (all.failed || !whole) {
        bough_status status = all.failed  ? bough_fail_memory(g->file->error, all.length)
                              : more == 1 ? fail(g, "a value has more than 4096 bytes", NULL, "")
                                          : BOUGH_OK; /* the caller finds out that it ends here */
        bough_text_fini(&all);
        return status;
    }
    if (!all.data) return BOUGH_OK;
    trim(all.data);
    *text = bough_text_take(&all);
    return BOUGH_OK;
}

/* ---- keys ---- */

static graphml_key *find_key(graphml *g, const char *id) {
    for (size_t i = 0; i < g->keys; i++)
        if (strcmp(g->key[i].id, id) == 0) return &g->key[i];
    return NULL;
}

/* What a key is about, of the attributes that count; NULL: of none of them. */
static const char *meaning(const graphml *g) {
    const char *found = NULL;
    char *name = attribute(g, "attr.name");
    if (is_attribute(g, "yfiles.type", "nodegraphics")) found = attributes[1];
    for (size_t i = 0; name && i < sizeof attributes / sizeof *attributes; i++)
        if (strcmp(name, attributes[i]) == 0) found = attributes[i];
    if (name && strcmp(name, "LinkSpeedRaw") == 0) found = attributes[5]; /* the Topology Zoo, in bit/s */
    xmlFree(name);
    return found;
}

static bough_status read_key(graphml *g) {
    char *yfiles = attribute(g, "yfiles.type"), *id = attribute(g, "id");
    const char *about = meaning(g);
    bough_status status = BOUGH_OK;
    if (yfiles) g->drawn = true;
    g->open = NULL;
    if (id && about) {
        const bool all = is_attribute(g, "for", "all");
        graphml_key *key = &g->key[g->keys];
        if (g->keys == KEYS)
            status = fail(g, "more than 32 keys have names that count", NULL, "");
        else if (strlen(id) >= ID_MAX || find_key(g, id))
            status = fail(g, "the id of key '", id, "' is too long, or that of another key");
        else {
            *key = (graphml_key){.attribute = about,
                                 .node = all || is_attribute(g, "for", "node"),
                                 .edge = all || is_attribute(g, "for", "edge")};
            memcpy(key->id, id, strlen(id) + 1);
            g->keys++;
            g->open = key;
        }
    }
    xmlFree(yfiles);
    xmlFree(id);
    return status;
}

static bough_status read_default(graphml *g) {
    graphml_key *key = g->open;
    g->open = NULL;
    return key ? read_text(g, NULL, &key->fallback) : BOUGH_OK;
}

/* ---- nodes and edges ---- */

static bool is_true(const char *text) {
    return strcasecmp(text, "true") == 0 || strcmp(text, "1") == 0;
}

/* A value as node-link data have it; NULL: no memory, or a number that JSON does not have. */
static json_t *value_of(const char *about, const char *text) {
    char *end;
    const double number = strtod(text, &end);
    if (strcmp(about, "endpoint") == 0 || strcmp(about, "switch") == 0) return json_boolean(is_true(text));
    if (strcmp(about, "rate") == 0 && *text && !*end && isfinite(number)) return json_real(number);
    return json_string(text);
}

static void put(graphml *g, const char *name, json_t *value) {
    bough_json_put(&g->item, name, value);
    if (!g->item) g->file->no_memory = true;
}

/* Empty ones count as none. */
static void put_value(graphml *g, const char *about, const char *text) {
    if (*text) put(g, about, value_of(about, text));
}

static bough_status read_data(graphml *g) {
    char *id = attribute(g, "key"), *text = NULL;
    const graphml_key *key = id ? find_key(g, id) : NULL;
    const bool counts = key && g->item && (g->is_node ? key->node : key->edge);
    const bool drawing = key && g->drawn && key->attribute == attributes[1];
    xmlFree(id);
    if (!counts) return BOUGH_OK;
    bough_status status = read_text(g, drawing ? "NodeLabel" : NULL, &text);
    if (text && !status) put_value(g, key->attribute, text);
    free(text);
    return status;
}

/* What the file does not say of the item that was read. */
static void finish_item(graphml *g) {
    for (size_t i = 0; i < g->keys && g->item; i++) {
        const graphml_key *key = &g->key[i];
        const bool counts = key->fallback && (g->is_node ? key->node : key->edge);
        if (counts && !json_object_get(g->item, key->attribute)) put_value(g, key->attribute, key->fallback);
    }
    if (g->item) bough_json_append(g->is_node ? &g->nodes : &g->edges, g->item);
    g->item = NULL;
}

static bough_status put_attribute(graphml *g, const char *name, const char *what) {
    char *text = attribute(g, name);
    bough_status status = text ? BOUGH_OK : fail(g, what, name, "");
    if (text) put(g, name, json_string(text));
    xmlFree(text);
    return status;
}

static bough_status begin_item(graphml *g, bool node) {
    char *directed = node ? NULL : attribute(g, "directed");
    const bool mixed = directed && is_true(directed) != g->directed && !g->drawn;
    bough_status status =
        mixed ? fail(g, "edges with and without a direction are mixed; expected one kind", NULL, "")
              : BOUGH_OK;
    xmlFree(directed);
    if (g->item && !status)
        status = fail(g, "a node or edge is within another; expected a flat graph", NULL, "");
    if (status) return status;
    g->is_node = node;
    g->item = json_object();
    if (!g->item) return bough_fail_memory(g->file->error, 1);
    if (node) return put_attribute(g, "id", "a node has no ");
    TRY(put_attribute(g, "source", "an edge has no "));
    TRY(put_attribute(g, "target", "an edge has no "));
    return status;
}

static bough_status begin_graph(graphml *g) {
    if (g->graph)
        return fail(g, "has a second graph, or a group of nodes; expected one flat graph", NULL, "");
    g->graph = true;
    g->directed = is_attribute(g, "edgedefault", "directed");
    return BOUGH_OK;
}

static bough_status begin_element(graphml *g) {
    const bool node = is_element(g, "node"), edge = is_element(g, "edge");
    bough_status status = BOUGH_OK;
    if (xmlTextReaderConstPrefix(g->file->reader)) return BOUGH_OK; /* of a drawing */
    if (node || edge) {
        status = begin_item(g, node);
        if (!status && xmlTextReaderIsEmptyElement(g->file->reader)) finish_item(g);
    } else if (is_element(g, "graph")) {
        status = begin_graph(g);
    } else if (is_element(g, "hyperedge")) {
        status = fail(g, "has a hyperedge; expected edges, which join two nodes", NULL, "");
    } else if (is_element(g, "key")) {
        status = read_key(g);
    } else if (is_element(g, "default")) {
        status = read_default(g);
    } else if (is_element(g, "data")) {
        status = read_data(g);
    }
    return status;
}

/* ---- the file ---- */

static bough_status read_node(void *context, xml_file *file) {
    graphml *g = context;
    g->file = file;
    const int type = xmlTextReaderNodeType(file->reader);
    if (type == XML_READER_TYPE_ELEMENT) return begin_element(g);
    if (type == XML_READER_TYPE_END_ELEMENT && (xml_ends(file, "node") || xml_ends(file, "edge")))
        finish_item(g);
    return BOUGH_OK;
}

bough_status graphml_read(const xml_source *source, json_t **root, bough_error *error) {
    graphml g = {.nodes = json_array(), .edges = json_array()};
    *root = NULL;
    bough_status status = xml_read(source, read_node, &g, error);
    for (size_t i = 0; i < g.keys; i++) free(g.key[i].fallback);
    json_decref(g.item);
    json_t *made = json_object();
    bough_json_put(&made, "directed", json_boolean(g.directed && !g.drawn));
    bough_json_put(&made, "nodes", g.nodes);
    bough_json_put(&made, "edges", g.edges);
    if (!status && !made) status = bough_fail_memory(error, source->size);
    *root = made;
    return status;
}

#endif

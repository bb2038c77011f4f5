#include "formats/fabrics/graphs/graphml_xml.h"

#include "base/json/json_build.h"
#include "base/status/try.h"
#include "base/text/scanner.h"
#include "base/text/text.h"
#include "base/text/utf8.h"

#ifndef BOUGH_LIBXML2

bough_status graphml_read(const graphml_source *source, json_t **root, bough_error *error) {
    *root = NULL;
    return bough_fail(error, BOUGH_UNSUPPORTED, source->name,
                      "is GraphML, and libxml2 was not there when bough was built; install libxml2-dev and "
                      "build again, or write the graph as JSON (networkx.node_link_data)");
}

#else

#include <libxml/xmlreader.h>

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The same keys as of node-link data; yEd has labels in its drawing of a node. */
enum { KEYS = 32, ID_MAX = 200, DEPTH_MAX = 100, VALUE_MAX = 4096, ATTRIBUTES_MAX = 1000 };
static const char *const attributes[] = {"name", "label", "kind", "endpoint", "switch", "rate"};

typedef struct graphml_key {
    char id[ID_MAX];
    const char *attribute; /* of `attributes` */
    char *fallback;        /* its <default>; NULL: none */
    bool node, edge;
} graphml_key;

typedef struct graphml {
    const graphml_source *source;
    bough_error *error;
    xmlTextReaderPtr xml;
    graphml_key key[KEYS];
    size_t keys;
    graphml_key *open; /* the key that is read, if it counts */
    json_t *nodes, *edges;
    json_t *item; /* the node or edge that is read; in the list already */
    bool is_node, directed, drawn, graph;
    bool no_memory; /* of the parser, which often goes on without it, or of a value */
    int line;       /* of the first error of the parser */
    char reason[200];
} graphml;

static bough_status fail(const graphml *g, const char *before, const char *word, const char *after) {
    char place[256], text[64] = "";
    const long line = xmlGetLineNo(xmlTextReaderCurrentNode(g->xml));
    if (word) bough_copy_printable(word, strlen(word), text, sizeof text);
    return bough_fail(g->error, BOUGH_INVALID,
                      bough_format_place(place, sizeof place, g->source->name, line > 0 ? (uint64_t)line : 0),
                      "%s%s%s", before, text, after);
}

/* ---- attributes and texts ---- */

/* Heap, or NULL: not there, or no memory (no_memory is set then). */
static char *attribute(const graphml *g, const char *name) {
    return (char *)xmlTextReaderGetAttribute(g->xml, (const xmlChar *)name);
}

static bool is_attribute(const graphml *g, const char *name, const char *value) {
    char *text = attribute(g, name);
    const bool same = text && strcmp(text, value) == 0;
    xmlFree(text);
    return same;
}

static bool is_element(const graphml *g, const char *name) {
    return strcmp((const char *)xmlTextReaderConstLocalName(g->xml), name) == 0;
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
    const int depth = xmlTextReaderDepth(g->xml);
    bough_text all = {0};
    int more = 1, seen = 0;
    *text = NULL;
    if (xmlTextReaderIsEmptyElement(g->xml)) return BOUGH_OK;
    while (all.length <= VALUE_MAX && (more = xmlTextReaderRead(g->xml)) == 1 &&
           xmlTextReaderDepth(g->xml) > depth) {
        const int type = xmlTextReaderNodeType(g->xml);
        if (within && type == XML_READER_TYPE_ELEMENT && is_element(g, within)) seen++;
        const bool wanted = within ? seen == 1 : xmlTextReaderDepth(g->xml) == depth + 1;
        if (wanted && (type == XML_READER_TYPE_TEXT || type == XML_READER_TYPE_CDATA))
            bough_text_put(&all, (const char *)xmlTextReaderConstValue(g->xml));
    }
    const bool whole = more == 1 && all.length <= VALUE_MAX;
    if (all.failed || !whole) {
        bough_status status = all.failed  ? bough_fail_memory(g->error, all.length)
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
    if (!g->item) g->no_memory = true;
}

/* A label is the name where no other is given; empty ones count as none. */
static void put_value(graphml *g, const char *about, const char *text) {
    if (strcmp(about, "label") == 0) about = json_object_get(g->item, "name") ? NULL : "name";
    if (about && *text) put(g, about, value_of(about, text));
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
    if (!g->item) return bough_fail_memory(g->error, 1);
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
    if (xmlTextReaderConstPrefix(g->xml)) return BOUGH_OK; /* of a drawing */
    if (node || edge) {
        status = begin_item(g, node);
        if (!status && xmlTextReaderIsEmptyElement(g->xml)) finish_item(g);
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

static void keep_error(void *graph, xmlErrorPtr error) {
    graphml *g = graph;
    if (error->code == XML_ERR_NO_MEMORY) g->no_memory = true;
    if (g->line || !error->message) return;
    g->line = error->line;
    bough_copy_printable(error->message, strlen(error->message), g->reason, sizeof g->reason);
}

static bough_status read_node(graphml *g) {
    const int type = xmlTextReaderNodeType(g->xml);
    if (xmlTextReaderDepth(g->xml) > DEPTH_MAX) return fail(g, "has elements within 100 others", NULL, "");
    if (type == XML_READER_TYPE_DOCUMENT_TYPE)
        return fail(g, "has a document type (<!DOCTYPE); expected none: remove it", NULL, "");
    if (type == XML_READER_TYPE_ELEMENT) return begin_element(g);
    if (type == XML_READER_TYPE_END_ELEMENT && !xmlTextReaderConstPrefix(g->xml) &&
        (is_element(g, "node") || is_element(g, "edge")))
        finish_item(g);
    return BOUGH_OK;
}

static bough_status read_all(graphml *g) {
    bough_status status = BOUGH_OK;
    int more = 1;
    while (!status && !g->no_memory && (more = xmlTextReaderRead(g->xml)) == 1) status = read_node(g);
    if (g->no_memory) return bough_fail_memory(g->error, g->source->size);
    if (status || more == 0) return status;
    char place[256];
    if (!*g->reason) return bough_fail_memory(g->error, g->source->size);
    return bough_fail(g->error, BOUGH_INVALID,
                      bough_format_place(place, sizeof place, g->source->name, (uint64_t)g->line),
                      "is no well-formed XML in UTF-8: %s", g->reason);
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

static bough_status check_tags(const graphml_source *source, bough_error *error) {
    char place[256];
    const char *end = source->text + source->size, *from = source->text, *at = from;
    uint64_t line = 1;
    while ((at = memchr(at, '<', (size_t)(end - at)))) {
        const char *stop = skip_tag(at, end);
        if (!stop) {
            for (; from < at; from++) line += *from == '\n';
            return bough_fail(error, BOUGH_INVALID,
                              bough_format_place(place, sizeof place, source->name, line),
                              "an element has more than 1000 attributes");
        }
        at = stop;
    }
    return BOUGH_OK;
}

/* A document type is found before the parser sees it: its entities would be expanded in attributes. */
static bough_status check_source(const graphml_source *source, bough_error *error) {
    static const char doctype[] = "<!DOCTYPE";
    char place[256];
    const char *end = source->text + source->size;
    uint64_t line = 1;
    if (source->size > INT_MAX)
        return bough_fail(error, BOUGH_TOO_LARGE, source->name, "is larger than 2 GiB");
    for (const char *at = source->text; (size_t)(end - at) >= strlen(doctype); at++) {
        line += *at == '\n';
        if (*at == '<' && memcmp(at, doctype, strlen(doctype)) == 0)
            return bough_fail(error, BOUGH_INVALID,
                              bough_format_place(place, sizeof place, source->name, line),
                              "has a document type (<!DOCTYPE); expected none: remove it");
    }
    return BOUGH_OK;
}

/* What libxml2 would print. */
static void say_nothing(void *graph, const char *format, ...) {
    (void)graph, (void)format;
}

/* Parses the text. Parts of libxml2 that know no reader report to the handlers of the thread. */
static bough_status parse(graphml *g) {
    const xmlStructuredErrorFunc before = xmlStructuredError;
    void *const context = xmlStructuredErrorContext;
    const xmlGenericErrorFunc printed = xmlGenericError;
    void *const stream = xmlGenericErrorContext;
    xmlSetGenericErrorFunc(NULL, say_nothing);
    xmlSetStructuredErrorFunc(g, keep_error);
    xmlInitParser();
    /* no network, no entities replaced, and no XML_PARSE_HUGE: the limits of the parser hold */
    g->xml = xmlReaderForMemory(g->source->text, (int)g->source->size, NULL, "UTF-8",
                                XML_PARSE_NONET | XML_PARSE_BIG_LINES);
    if (g->xml) xmlTextReaderSetStructuredErrorHandler(g->xml, keep_error, g);
    bough_status status = g->xml ? read_all(g) : bough_fail_memory(g->error, g->source->size);
    xmlFreeTextReader(g->xml);
    xmlSetStructuredErrorFunc(context, before);
    xmlSetGenericErrorFunc(stream, printed);
    return status;
}

bough_status graphml_read(const graphml_source *source, json_t **root, bough_error *error) {
    graphml g = {.source = source, .error = error, .nodes = json_array(), .edges = json_array()};
    *root = NULL;
    bough_status status = check_source(source, error);
    TRY(check_tags(source, error));
    TRY(parse(&g));
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

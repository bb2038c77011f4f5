#include "formats/fabrics/graphs/json_graphs.h"

#include "base/status/try.h"
#include "base/text/utf8.h"

#include <stdio.h>
#include <string.h>

bough_status json_graph_fail(const bough_cables *c, const char *before, const char *word, const char *after) {
    char text[64] = "";
    if (word) bough_copy_printable(word, strlen(word), text, sizeof text);
    return bough_fail(c->parsed->error, BOUGH_INVALID, c->parsed->name, "%s%s%s", before, text, after);
}

bough_status json_graph_node(bough_cables *c, const json_t *name, uint32_t *node) {
    char number[32];
    const char *text = json_string_value(name);
    size_t length = json_string_length(name);
    if (json_is_integer(name)) {
        snprintf(number, sizeof number, "%" JSON_INTEGER_FORMAT, json_integer_value(name));
        text = number;
        length = strlen(number);
    }
    if (!text || length == 0 || memchr(text, 0, length))
        return json_graph_fail(c, "the name of a node is no text and no whole number", NULL, "");
    return bough_cables_node(c, (bough_slice){text, length}, 0, node);
}

bough_status json_graph_text(bough_cables *c, const json_t *value, bough_slice *text) {
    char *number = NULL;
    *text = (bough_slice){json_string_value(value), json_string_length(value)};
    if (!json_is_integer(value)) return BOUGH_OK;
    bough_status status = arena_printf(&c->parsed->memory, &number, c->parsed->error, "%" JSON_INTEGER_FORMAT,
                                       json_integer_value(value));
    if (!status) *text = (bough_slice){number, strlen(number)};
    return status;
}

static const char *skip_blanks(const char *at, const char *end) {
    while (at < end && strchr(" \t\r\n", *at)) at++;
    return at;
}

/* An object with a key, or an array of objects; other files start with a bracket too. The second character
 * may be in a later line. */
static bool recognise(const scanner *scan) {
    static const char mark[] = "\xef\xbb\xbf";
    const size_t marked =
        scan->end - scan->at >= 3 && memcmp(scan->at, mark, strlen(mark)) == 0 ? strlen(mark) : 0;
    const char *first = skip_blanks(scan->at + marked, scan->end);
    if (first == scan->end || (*first != '{' && *first != '[')) return false;
    const char *second = skip_blanks(first + 1, scan->end);
    return second < scan->end && *second == (*first == '{' ? '"' : '{');
}

static bough_status read_root(bough_cables *c, const json_t *root) {
    char place[256];
    if (json_is_node_link(root)) return json_read_node_link(c, root);
    if (json_is_ufm(root)) return json_read_ufm(c, root);
    if (json_is_netq(root)) return json_read_netq(c, root);
    if (json_is_neighbours(root)) return json_read_neighbours(c, root);
    if (json_is_topograph(root)) return json_read_topograph(c, root);
    if (json_is_lldp(root)) return json_read_lldp(c, root);
    return bough_fail(
        c->parsed->error, BOUGH_INVALID, bough_format_place(place, sizeof place, c->parsed->name, 1),
        "is not a fabric file, but JSON of another kind; expected nodes and links (or edges) as of "
        "NetworkX, links or ports of UFM, the topology graph or neighbours of NetQ, instances of topograph, "
        "or the "
        "output of lldpctl -f json by host");
}

static bough_status read_file(scanner *scan, bough_parsed_fabric *parsed) {
    bough_cables cables = BOUGH_CABLES(parsed);
    const size_t size = (size_t)(scan->end - scan->cursor);
    bough_error why = {0};
    json_t *root = NULL;
    char *text = NULL;
    bough_status status = arena_copy_bytes(&parsed->memory, &text, scan->cursor, size, parsed->error);
    if (status) return status;
    status = bough_json_read(text, &root, &why);
    if (status) status = bough_fail(parsed->error, status, parsed->name, "%s", why.reason);
    TRY(read_root(&cables, root));
    TRY(bough_cables_finish(&cables));
    json_decref(root);
    return status;
}

const bough_fabric_reader bough_reader_json = {
    .format = "json", .hosts_by_name = true, .recognise = recognise, .read = read_file};

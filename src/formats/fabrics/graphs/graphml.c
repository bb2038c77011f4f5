/* GraphML, as NetworkX and yEd write it: a format by content, read by graphml_xml.c where libxml2 was there
 * when bough was built. */
#include "base/json/json_build.h"
#include "base/status/try.h"
#include "formats/fabrics/graphs/graphml_xml.h"
#include "formats/fabrics/graphs/json_graphs.h"

#include <string.h>

static const char *skip(const char *at, const char *end, const char *characters) {
    while (at < end && *at && strchr(characters, *at)) at++;
    return at;
}

static bool starts(const char *at, const char *end, const char *word) {
    const size_t length = strlen(word);
    return (size_t)(end - at) >= length && memcmp(at, word, length) == 0;
}

/* An XML declaration or a comment may be before the first element. */
static bool recognise(const scanner *scan) {
    enum { HEAD = 4096 };
    const char *at = scan->at, *end = scan->end;
    if (end - at > HEAD) end = at + HEAD;
    if (starts(at, end, "\xef\xbb\xbf")) at += 3;
    at = skip(at, end, " \t\r\n");
    if (!starts(at, end, "<?xml") && !starts(at, end, "<!--") && !starts(at, end, "<graphml")) return false;
    while (at < end && !starts(at, end, "<graphml")) at++;
    return at < end;
}

static bough_status read_file(scanner *scan, bough_parsed_fabric *parsed) {
    bough_cables cables = BOUGH_CABLES(parsed);
    json_t *root = NULL;
    const char *text = skip(scan->cursor, scan->end, "\n"); /* of lines that were no part of the file */
    bough_status status = graphml_read(
        &(graphml_source){.name = parsed->name, .text = text, .size = (size_t)(scan->end - text)}, &root,
        parsed->error);
    TRY(json_read_node_link(&cables, root));
    TRY(bough_cables_finish(&cables));
    json_decref(root);
    return status;
}

const bough_fabric_reader bough_reader_graphml = {
    .format = "graphml", .hosts_by_name = true, .recognise = recognise, .read = read_file};

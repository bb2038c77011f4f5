/* GraphML, as NetworkX and yEd write it: a format by content, read by graphml_xml.c where libxml2 was there
 * when bough was built. */
#include "base/json/json_build.h"
#include "base/status/try.h"
#include "formats/fabrics/graphs/graphml_xml.h"
#include "formats/fabrics/graphs/json_graphs.h"

static bool recognise(const scanner *scan) {
    return xml_recognise(scan->at, (size_t)(scan->end - scan->at), "graphml");
}

static bough_status read_file(scanner *scan, bough_parsed_fabric *parsed) {
    bough_cables cables = BOUGH_CABLES(parsed);
    json_t *root = NULL;
    bough_status status = graphml_read(&(xml_source){.name = parsed->name,
                                                     .what = "GraphML",
                                                     .text = scan->cursor,
                                                     .size = (size_t)(scan->end - scan->cursor)},
                                       &root, parsed->error);
    TRY(json_read_node_link(&cables, root));
    TRY(bough_cables_finish(&cables));
    json_decref(root);
    return status;
}

const bough_fabric_reader bough_reader_graphml = {
    .format = "graphml", .hosts_by_name = true, .recognise = recognise, .read = read_file};

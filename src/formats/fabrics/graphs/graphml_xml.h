/* GraphML as node-link data. */
#ifndef BOUGH_FORMATS_FABRICS_GRAPHS_GRAPHML_XML_H
#define BOUGH_FORMATS_FABRICS_GRAPHS_GRAPHML_XML_H

#include "base/xml/xml_file.h"

#include <jansson.h>

/* *root: what json_read_node_link reads; the caller calls json_decref, also after an error. Nothing but the
 * text is read: a document type, and with it all entities of its own, is refused. Errors: INVALID;
 * UNSUPPORTED without libxml2. */
bough_status graphml_read(const xml_source *source, json_t **root, bough_error *error);

#endif

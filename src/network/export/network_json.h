#ifndef BOUGH_NETWORK_EXPORT_NETWORK_JSON_H
#define BOUGH_NETWORK_EXPORT_NETWORK_JSON_H

#include "base/text/text.h"
#include "bough/net.h"

bough_status export_json(const bough_net *net, bough_text *out, bough_error *error);
bough_status export_dot(const bough_net *net, bough_text *out, bough_error *error);
/* The stacks of a network that is packaged in hollow cubes, as a 3-D model. */
bough_status export_gltf(const bough_net *net, bough_text *out, bough_error *error);
/* The layout (bough/layout.h) under the default rules: as a GDSII stream, as a picture to scale. */
bough_status export_gds(const bough_net *net, bough_text *out, bough_error *error);
bough_status export_layout_svg(const bough_net *net, bough_text *out, bough_error *error);
bough_status export_csv(const bough_net *net, bough_text *out, bough_error *error);
bough_status export_anynet(const bough_net *net, bough_text *out, bough_error *error);
/* Fat-trees alone, by their numbers. */
bough_status export_topo(const bough_net *net, bough_text *out, bough_error *error);
bough_status export_netlist(const bough_net *net, bough_text *out, bough_error *error);

/* What exports share: TOO_LARGE for more links than one wants in a file; whether all of out was written. */
bough_status export_check_size(const bough_net *net, bough_error *error);
bough_status export_finished(const bough_text *out, bough_error *error);
/* A name for files that have it in double quotes: those in it become single ones, what is no printable text
 * '?'. */
char *export_name(const char *text, char *buffer, size_t size);

#endif

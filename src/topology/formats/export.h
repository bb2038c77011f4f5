#ifndef BOUGH_TOPOLOGY_FORMATS_EXPORT_H
#define BOUGH_TOPOLOGY_FORMATS_EXPORT_H

#include "base/text.h"
#include "bough/net.h"

bough_status export_json(const bough_net *net, bough_text *out, bough_error *error);
bough_status export_dot(const bough_net *net, bough_text *out, bough_error *error);
/* The stacks of a network that is packaged in hollow cubes, as a 3-D model. */
bough_status export_gltf(const bough_net *net, bough_text *out, bough_error *error);
/* The layout (bough/layout.h) under the default rules: as a GDSII stream, as a picture to scale. */
bough_status export_gds(const bough_net *net, bough_text *out, bough_error *error);
bough_status export_layout_svg(const bough_net *net, bough_text *out, bough_error *error);
bough_status export_netlist(const bough_net *net, bough_text *out, bough_error *error);

#endif

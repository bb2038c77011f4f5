/* Writers of networks. */
#ifndef BOUGH_NETWORK_EXPORT_NETWORK_EXPORTS_H
#define BOUGH_NETWORK_EXPORT_NETWORK_EXPORTS_H

#include "base/text/text.h"
#include "network/net.h"

bough_status export_json(const bough_net *net, bough_text *out, bough_error *error);
bough_status export_dot(const bough_net *net, bough_text *out, bough_error *error);
/* The stacks of a network packaged in hollow cubes, as a 3-D model. */
bough_status export_gltf(const bough_net *net, bough_text *out, bough_error *error);
/* The layout (network/layout/layout.h) with default rules, as a GDSII stream and as a picture to scale. */
bough_status export_gds(const bough_net *net, bough_text *out, bough_error *error);
bough_status export_layout_svg(const bough_net *net, bough_text *out, bough_error *error);
bough_status export_csv(const bough_net *net, bough_text *out, bough_error *error);
bough_status export_anynet(const bough_net *net, bough_text *out, bough_error *error);
/* Fat-trees only, described by their parameters. */
bough_status export_topo(const bough_net *net, bough_text *out, bough_error *error);
bough_status export_netlist(const bough_net *net, bough_text *out, bough_error *error);
/* Binary fat-trees only, as a circuit of the modules in rtl/. */
bough_status export_verilog(const bough_net *net, bough_text *out, bough_error *error);

/* Slurm's topology.conf for topology/tree and for topology/block, and topology.yaml (network/slurm/). */
bough_status export_topology_yaml(const bough_net *net, bough_text *out, bough_error *error);
bough_status export_topology_conf(const bough_net *net, bough_text *out, bough_error *error);
bough_status export_block_conf(const bough_net *net, bough_text *out, bough_error *error);

/* Common to exports. TOO_LARGE for too many links. */
bough_status export_check_size(const bough_net *net, bough_error *error);
/* Returns whether out was written completely. */
bough_status export_finished(const bough_text *out, bough_error *error);
/* A name for files that enclose it in double quotes: double quotes become single, unprintable characters
 * '?'. */
char *export_name(const char *text, char *buffer, size_t size);
/* "100Gb/s", "2500000b/s": reads back exactly. */
char *export_rate(uint64_t rate, char *buffer, size_t size);

#endif

#include "bough/net.h"
#include "network/export/network_json.h"

static bough_status json(const bough_net *net, void *text, bough_error *error) {
    return export_json(net, text, error);
}
static bough_status dot(const bough_net *net, void *text, bough_error *error) {
    return export_dot(net, text, error);
}
static bough_status netlist(const bough_net *net, void *text, bough_error *error) {
    return export_netlist(net, text, error);
}

static bough_status gltf(const bough_net *net, void *text, bough_error *error) {
    return export_gltf(net, text, error);
}

static bough_status gds(const bough_net *net, void *text, bough_error *error) {
    return export_gds(net, text, error);
}
static bough_status layout_svg(const bough_net *net, void *text, bough_error *error) {
    return export_layout_svg(net, text, error);
}
static bough_status csv(const bough_net *net, void *text, bough_error *error) {
    return export_csv(net, text, error);
}
static bough_status anynet(const bough_net *net, void *text, bough_error *error) {
    return export_anynet(net, text, error);
}
static bough_status topo(const bough_net *net, void *text, bough_error *error) {
    return export_topo(net, text, error);
}

const bough_format bough_formats[] = {
    {"ibnetdiscover", "output of ibnetdiscover, plain or -p", "infiniband-diags", "import", NULL},
    {"orcs", "topology and routes in one Graphviz file", "ORCS", "import", NULL},
    {"lfts", "opensm-lfts.dump; also written: net NETWORK --routing R -o FILE.lfts, for opensm -R file",
     "OpenSM", "tables, export", NULL},
    {"fdbs", "opensm.fdbs", "OpenSM", "tables", NULL},
    {"ibroute", "output of ibroute or dump_fts, one or more tables, or a directory", "infiniband-diags",
     "tables", NULL},
    {"json", "nodes and links", "", "export", json},
    {"dot", "Graphviz", "graphviz.org", "export", dot},
    {"net", "ibsim netlist, for OpenSM", "ibsim", "export", netlist},
    {"gltf", "3-D model of hollow cubes of stacks, coloured by stage", "Khronos glTF 2.0", "export", gltf},
    {"gds", "chip layout by the H-tree method, cells and rectangles", "GDSII stream format, release 6",
     "export", gds},
    {"layout.svg", "picture of the same layout, to scale, coloured by level", "SVG 1.1", "export",
     layout_svg},
    {"csv", "list of cables: node,port,node,port,rate", "", "import, export", csv},
    {"anynet", "BookSim's anynet_file", "BookSim 2", "import, export", anynet},
    {"topo", "fat-trees of htsim with two or three tiers", "htsim", "import, export", topo},
    {"xml", "SimGrid platform: net NETWORK --routing R -o FILE.xml", "SimGrid 3", "tables, export", NULL},
    {"svg", "drawing, with loads and faults (`bough net -o x.svg --routing R`)", "W3C SVG 1.1", "drawing",
     NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

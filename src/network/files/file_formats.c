#include "bough/net.h"
#include "network/export/network_exports.h"

const bough_format bough_formats[] = {
    {"ibnetdiscover", "output of ibnetdiscover, plain or -p", "infiniband-diags", "import", NULL},
    {"orcs", "topology and routes in one Graphviz file", "ORCS", "import", NULL},
    {"lfts", "opensm-lfts.dump; also written: net NETWORK --routing R -o FILE.lfts, for opensm -R file",
     "OpenSM", "tables, export", NULL},
    {"fdbs", "opensm.fdbs", "OpenSM", "tables", NULL},
    {"ibroute", "output of ibroute or dump_fts, one or more tables, or a directory", "infiniband-diags",
     "tables", NULL},
    {"json", "nodes and links", "", "export", export_json},
    {"dot", "Graphviz", "graphviz.org", "export", export_dot},
    {"net", "ibsim netlist, for OpenSM", "ibsim", "export", export_netlist},
    {"gltf", "3-D model of hollow cubes of stacks, coloured by stage", "Khronos glTF 2.0", "export",
     export_gltf},
    {"gds", "chip layout by the H-tree method, cells and rectangles", "GDSII stream format, release 6",
     "export", export_gds},
    {"layout.svg", "picture of the same layout, to scale, coloured by level", "SVG 1.1", "export",
     export_layout_svg},
    {"csv", "list of cables: node,port,node,port,rate", "", "import, export", export_csv},
    {"anynet", "BookSim's anynet_file", "BookSim 2", "import, export", export_anynet},
    {"topo", "fat-trees of htsim with two or three tiers", "htsim", "import, export", export_topo},
    {"v", "fattree and transit as circuits of the routers in rtl/", "Verilog 2005", "export", export_verilog},
    {"xml", "SimGrid platform: net NETWORK --routing R -o FILE.xml", "SimGrid 3", "tables, export", NULL},
    {"svg", "drawing, with loads and faults (`bough net -o x.svg --routing R`)", "W3C SVG 1.1", "drawing",
     NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

/* Files that are given in place of a fabric, by the line that they begin with. */
#include "formats/fabrics/parsed_fabric.h"

#include <ctype.h>

static const char table[] = "a forwarding table; expected a fabric, and the table by --lft";
static const char counters[] = "counters of ports; expected a fabric, and the counters by --counters";
static const char gml[] =
    "a graph in GML; expected GraphML, as networkx.write_graphml(networkx.read_gml(FILE), "
    "\"fabric.graphml\") writes it";
static const char xml[] =
    "XML of another kind; expected GraphML (<graphml>) or a platform of SimGrid (<platform>)";
static const char yaml[] =
    "YAML of another kind; expected Slurm's topology.yaml (- topology:), a topology of "
    "containerlab (topology:) or a model of topograph (switches: and blocks:)";
static const char csv[] = "a table whose columns do not name both ends of a cable; expected "
                          "node,port,node,port,rate, or names as System,Port,Peer Node,Peer Port";

static const struct other_start {
    const char *start, *what;
} starts[] = {{"Unicast lids", table},
              {"dump_ucast_routes", table},
              {"osm_ucast_mgr_dump_ucast_routes", table},
              {"Errors for ", counters},
              {"infiniband_", counters},
              {"Creator \"", gml},
              {"graph", gml}, /* not of dot */
              {"<", xml}};

/* key: value */
static bool is_yaml(scanner s) {
    bough_slice word;
    if (!scan_word(&s, &word) || word.length < 2 || word.text[word.length - 1] != ':') return false;
    for (size_t i = 0; i + 1 < word.length; i++)
        if (!isalnum((unsigned char)word.text[i]) && !strchr("_-.", word.text[i])) return false;
    return true;
}

static bool is_csv(const scanner *s) {
    const char *comma = memchr(s->at, ',', (size_t)(s->stop - s->at));
    return comma && comma > s->at && comma + 1 < s->stop && comma[1] != ' ';
}

const char *bough_fabric_other(const scanner *line) {
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (scan_starts(line, starts[i].start)) return starts[i].what;
    return is_yaml(*line) ? yaml : is_csv(line) ? csv : NULL;
}

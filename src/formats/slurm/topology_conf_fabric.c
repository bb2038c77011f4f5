/* topology.conf as a fabric: a switch for each line, a cable to each of its nodes and children. */
#include "base/status/try.h"
#include "formats/fabrics/cable_list.h"
#include "formats/slurm/conf_parser.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

static bool starts(const scanner *scan, const char *key) {
    size_t length = strlen(key);
    return (size_t)(scan->stop - scan->at) >= length && strncasecmp(scan->at, key, length) == 0;
}

/* Blocks too, so that the message can say what they are. */
static bool recognise(const scanner *scan) {
    scanner s = *scan;
    scan_blanks(&s);
    return starts(&s, "SwitchName=") || starts(&s, "BlockName=") || starts(&s, "BlockSizes=");
}

typedef struct conf_reader {
    const topology_conf *conf;
    bough_cables cables;
    uint32_t *node; /* of each switch */
} conf_reader;

static bough_status add_node(conf_reader *r, const char *name, uint32_t line, bough_cable_kind kind,
                             uint32_t *node) {
    bough_status status = bough_cables_node(&r->cables, (bough_slice){name, strlen(name)}, line, node);
    char place[256];
    if (status) return status;
    bough_cable_kind *old = &r->cables.node[*node].kind;
    if (*old != BOUGH_CABLE_OPEN && *old != kind)
        return bough_fail(r->cables.parsed->error, BOUGH_INVALID,
                          bough_format_place(place, sizeof place, r->cables.parsed->name, line),
                          "%s is the name of a switch and of a node; expected different names", name);
    *old = kind;
    return BOUGH_OK;
}

static bough_status add_cable(conf_reader *r, uint32_t above, uint32_t below, uint32_t line) {
    const bough_cable cable = {.end = {{.node = above}, {.node = below}}, .line = line};
    return bough_cables_add(&r->cables, &cable);
}

/* Slurm takes the first switch. */
static void note_twice(conf_reader *r, uint32_t host, uint32_t i) {
    bough_parsed_fabric *parsed = r->cables.parsed;
    const conf_switch *s = &r->conf->item[i];
    if (parsed->line[host] == s->line) return;
    bough_log_finding(&parsed->log, &(bough_finding_head){BOUGH_WARN, "slurm-twice", .line = s->line},
                      "%s is below %s, and on line %" PRIu32
                      " below another switch; to Slurm it is below the first",
                      parsed->node[host].description, r->conf->name.name[s->name], parsed->line[host]);
}

static bough_status read_switch(conf_reader *r, uint32_t i) {
    const topology_conf *c = r->conf;
    const conf_switch *s = &c->item[i];
    bough_status status = BOUGH_OK;
    uint32_t host = 0;
    for (uint32_t k = s->first_node; k < s->first_node + s->nodes && !status; k++) {
        status = add_node(r, c->node.name[k], s->line, BOUGH_CABLE_HOST, &host);
        if (!status) note_twice(r, host, i);
        TRY(add_cable(r, r->node[i], host, s->line));
    }
    for (uint32_t k = s->first_child; k < s->first_child + s->children && !status; k++)
        status = add_cable(r, r->node[i], r->node[c->child_item[k]], s->line);
    return status;
}

static bough_status read_conf(conf_reader *r) {
    const topology_conf *c = r->conf;
    bough_parsed_fabric *parsed = r->cables.parsed;
    bough_status status = arena_alloc(&parsed->memory, &r->node, c->count, sizeof *r->node, parsed->error);
    for (uint32_t i = 0; i < c->count && !status; i++)
        status = add_node(r, c->name.name[c->item[i].name], c->item[i].line, BOUGH_CABLE_SWITCH, &r->node[i]);
    for (uint32_t i = 0; i < c->count && !status; i++) status = read_switch(r, i);
    TRY(bough_cables_finish(&r->cables));
    return status;
}

static bough_status read_file(scanner *scan, bough_parsed_fabric *parsed) {
    topology_conf conf = {.count = 0};
    conf_reader r = {.conf = &conf, .cables = BOUGH_CABLES(parsed)};
    bough_status status =
        topology_conf_parse(scan->file, scan->cursor, (size_t)(scan->end - scan->cursor), &conf, scan->error);
    TRY(read_conf(&r));
    if (!status) bough_cables_note_levels(&r.cables, "Slurm's file");
    if (!status && conf.topologies > 1)
        bough_log_finding(&parsed->log, &(bough_finding_head){BOUGH_INFO, "other-topologies"},
                          "of %" PRIu32 " topologies the tree of %s is read", conf.topologies,
                          conf.topology ? conf.topology : "one without a name");
    topology_conf_fini(&conf);
    return status;
}

const bough_fabric_reader bough_reader_topology_conf = {
    .format = "topology.conf", .recognise = recognise, .read = read_file};
const bough_fabric_reader bough_reader_topology_yaml = {
    .format = "topology.yaml", .recognise = topology_yaml_starts, .read = read_file};

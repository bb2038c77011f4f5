/* What the two forms of Slurm's tree share: topology.conf and topology.yaml. */
#ifndef BOUGH_FORMATS_SLURM_CONF_PARSER_H
#define BOUGH_FORMATS_SLURM_CONF_PARSER_H

#include "base/memory/name_map.h"
#include "base/text/scanner.h"
#include "formats/slurm/topology_conf.h"

typedef struct conf_parser {
    topology_conf *conf;
    scanner scan;
    bough_text joined; /* a line and those that it goes on in */
    uint32_t line;     /* the first of them; of a switch, for messages */
    bough_name_map names;
    const char *neither; /* what a switch without a list lacks */
} conf_parser;

/* Reports INVALID at p->line. The message is: before, the word, after. */
bough_status conf_fail(const conf_parser *p, const char *before, bough_slice word, const char *after);
/* Adds the switch of p->line. nodes and children are hostlists; text NULL: none. Those of children count. */
bough_status conf_add_switch(conf_parser *p, bough_slice name, bough_slice nodes, bough_slice children);

/* Whether a topology.yaml can begin with this line. */
bool topology_yaml_starts(const scanner *line);
/* Adds the switches of the whole text, and moves to its end. */
bough_status topology_yaml_read(conf_parser *p);

#endif

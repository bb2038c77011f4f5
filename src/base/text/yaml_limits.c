#include "base/text/yaml_limits.h"

#include <yaml.h>

typedef struct counts {
    size_t depth, anchors;
} counts;

static void count_event(counts *c, const yaml_event_t *event) {
    switch (event->type) {
    case YAML_SEQUENCE_START_EVENT:
        c->depth++;
        c->anchors += event->data.sequence_start.anchor != NULL;
        break;
    case YAML_MAPPING_START_EVENT:
        c->depth++;
        c->anchors += event->data.mapping_start.anchor != NULL;
        break;
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        c->depth--;
        break;
    case YAML_SCALAR_EVENT:
        c->anchors += event->data.scalar.anchor != NULL;
        break;
    default:
        break;
    }
}

bool yaml_exceeds_limits(const char *text, size_t size, yaml_excess *excess) {
    yaml_parser_t parser;
    counts c = {0};
    *excess = (yaml_excess){0};
    if (!yaml_parser_initialize(&parser)) return false; /* loading fails for the same reason */
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, size);
    for (bool more = true; more && !excess->reason;) {
        yaml_event_t event;
        if (!yaml_parser_parse(&parser, &event)) break;
        count_event(&c, &event);
        more = event.type != YAML_STREAM_END_EVENT && event.type != YAML_NO_EVENT;
        excess->line = event.start_mark.line + 1;
        if (c.depth > YAML_DEPTH_MAX)
            excess->reason = "more than 64 lists and mappings within each other";
        else if (c.anchors > YAML_ANCHORS_MAX)
            excess->reason = "more than 1000 anchors (&name)";
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    return excess->reason != NULL;
}

#include "report/catalogue/catalogue.h"

#include "fabric/failures/failures.h"
#include "method/method.h"
#include "network/faults/faults.h"
#include "study/embedded_studies.h"

#include <stdio.h>
#include <string.h>

static bool family_at(const bough_registry *registry, size_t i, catalogue_entry *e) {
    const bough_family *f = bough_family_at(registry, i);
    if (f) *e = (catalogue_entry){f->name, f->summary, f->source, f->params};
    return f;
}
static bool routing_at(const bough_registry *registry, size_t i, catalogue_entry *e) {
    const bough_routing_kind *k = bough_routing_kind_at(registry, i);
    if (k) *e = (catalogue_entry){k->name, k->summary, k->source, k->params, k->aliases, k->needs, k->lacks};
    return k;
}
static bool traffic_at(const bough_registry *registry, size_t i, catalogue_entry *e) {
    const bough_traffic_kind *k = bough_traffic_kind_at(registry, i);
    if (k)
        *e = (catalogue_entry){.name = k->name,
                               .summary = k->summary,
                               .source = k->source,
                               .params = k->params,
                               .aliases = k->aliases,
                               .pattern = k->pattern != NULL};
    return k;
}
static bool method_at(const bough_registry *registry, size_t i, catalogue_entry *e) {
    const bough_method *m = bough_method_at(registry, i);
    if (m)
        *e = (catalogue_entry){m->name,
                               m->summary,
                               m->source,
                               m->params,
                               NULL,
                               m->needs_net,
                               m->lacks,
                               "headline metric",
                               bough_metrics[m->headline].name,
                               m->assumes};
    return m;
}
/* Whether bough reads a format, writes it, or both. */
static const char *direction_words(const char *direction) {
    const bool reads = strstr(direction, "import"),
               writes = strstr(direction, "export") || strstr(direction, "drawing");
    return reads && writes ? "read and written" : reads ? "read" : "written";
}
static bool format_at(const bough_registry *registry, size_t i, catalogue_entry *e) {
    (void)registry;
    const bough_format *f = &bough_formats[i];
    if (f->name)
        *e = (catalogue_entry){.name = f->name,
                               .summary = f->summary,
                               .source = f->source,
                               .mark = direction_words(f->direction),
                               .what = "use",
                               .extra = f->direction};
    return f->name;
}
static bool fault_at(const bough_registry *registry, size_t i, catalogue_entry *e) {
    (void)registry;
    size_t count = 0;
    while (bough_fault_kinds[count]) count++;
    const bough_fault_kind *k = i < count ? bough_fault_kinds[i] : i == count ? &bough_fault_each : NULL;
    if (k) *e = (catalogue_entry){k->name, k->summary, k->source, k->params};
    return k;
}
static bool metric_at(const bough_registry *registry, size_t i, catalogue_entry *e) {
    (void)registry;
    if (i >= BOUGH_METRIC_COUNT) return false;
    *e = (catalogue_entry){
        bough_metrics[i].name, bough_metrics[i].summary,       "", NULL, NULL, 0, NULL, "unit",
        bough_metrics[i].unit, .index = bough_metrics[i].index};
    return true;
}
/* The values of a preset, as a spec would set them. */
static void put_values(const bough_physical *v, char *text, size_t size) {
    const struct {
        const char *key;
        bough_type type;
        uint64_t value;
    } is[] = {{"rate", BOUGH_RATE, v->rate},
              {"delay", BOUGH_TIME, v->delay},
              {"switch", BOUGH_TIME, v->switch_delay},
              {"header", BOUGH_BYTES, v->header},
              {"packet", BOUGH_BYTES, v->packet},
              {"flit", BOUGH_BYTES, v->flit},
              {"o", BOUGH_TIME, v->host.o},
              {"g", BOUGH_TIME, v->host.g},
              {"O", BOUGH_TIME, v->host.O},
              {"S", BOUGH_BYTES, v->host.S},
              {"L", BOUGH_TIME, v->host.L},
              {"G", BOUGH_TIME, v->host.G}};
    size_t used = (size_t)snprintf(text, size, "buffer=%u,vcs=%u", v->buffer, v->channels);
    char value[40];
    for (size_t i = 0; i < sizeof is / sizeof *is && used < size; i++)
        if (is[i].value != BOUGH_FROM_NETWORK)
            used +=
                (size_t)snprintf(text + used, size - used, ",%s=%s", is[i].key,
                                 bough_format_measure(is[i].type, (int64_t)is[i].value, value, sizeof value));
}
static void put_node(const bough_node_setting *v, char *text, size_t size) {
    char nvlink[40], delay[40], pcie[40], far[40];
    snprintf(text, size, "gpus=%u,nics=%u,nvlink=%s,nvlink_delay=%s,pcie=%s,pcie_delay=%s,pxn=%d,wiring=%s",
             v->gpus, v->nics, bough_format_measure(BOUGH_RATE, (int64_t)v->nvlink, nvlink, sizeof nvlink),
             bough_format_measure(BOUGH_TIME, (int64_t)v->nvlink_delay, delay, sizeof delay),
             bough_format_measure(BOUGH_RATE, (int64_t)v->pcie, pcie, sizeof pcie),
             bough_format_measure(BOUGH_TIME, (int64_t)v->pcie_delay, far, sizeof far), v->pxn,
             v->rail ? "rail" : "linear");
}
static bool physical_at(const bough_registry *registry, size_t i, catalogue_entry *e) {
    (void)registry;
    const bough_physical_preset *p = &bough_physical_presets[i];
    if (!p->name) return false;
    *e = (catalogue_entry){p->name, p->summary, p->source, bough_physical_params, NULL, 0,
                           NULL,    "values",   e->made};
    put_values(&p->values, e->made, sizeof e->made);
    return true;
}
static bool node_at(const bough_registry *registry, size_t i, catalogue_entry *e) {
    (void)registry;
    const bough_node_preset *p = &bough_node_presets[i];
    if (!p->name) return false;
    *e = (catalogue_entry){p->name, p->summary, p->source, bough_node_params, NULL, 0,
                           NULL,    "values",   e->made};
    put_node(&p->values, e->made, sizeof e->made);
    return true;
}
/* The title that a study has. */
static void read_title(const char *text, char *title, size_t size) {
    static const char key[] = "\nstudy: ";
    const char *line = strstr(text, key);
    if (!line) return;
    line += sizeof key - 1;
    const size_t quoted = *line == '"', length = strcspn(line + quoted, quoted ? "\"\n" : "\n");
    snprintf(title, size, "%.*s", (int)length, line + quoted);
}

static bool study_at(const bough_registry *registry, size_t i, catalogue_entry *e) {
    (void)registry;
    const struct bough_embedded *s = &bough_embedded_studies[i];
    if (!s->name) return false;
    *e = (catalogue_entry){s->name, e->made, ""};
    read_title(s->text, e->made, sizeof e->made);
    return true;
}

const catalogue_kind catalogue[] = {
    {"families", "network families", {"networks", "topologies"}, family_at},
    {"routings", "routings (--routing)", {NULL}, routing_at},
    {"traffic", "traffic", {"patterns"}, traffic_at},
    {"methods", "methods", {NULL}, method_at},
    {"faults", "faults (--faults; several joined by +)", {NULL}, fault_at},
    {"physical", "physical settings (--physical)", {NULL}, physical_at},
    {"nodes", "compute nodes (node= of a physical setting)", {NULL}, node_at},
    {"formats", "formats", {NULL}, format_at},
    {"metrics", "metrics", {NULL}, metric_at},
    {"studies", "studies (bough run NAME)", {NULL}, study_at},
    {NULL, NULL, {NULL}, NULL},
};

bool catalogue_is(const catalogue_kind *k, const char *name) {
    for (int i = 0; i < 2; i++)
        if (k->other[i] && strcmp(k->other[i], name) == 0) return true;
    return strcmp(k->name, name) == 0;
}

#include "api/network_export.h"

#include "base/files/output.h"
#include "base/status/try.h"
#include "base/text/text.h"
#include "report/drawings/drawing.h"
#include "report/drawings/sorter_svg.h"
#include "routing/routing.h"

#include <string.h>

static bough_status draw(const bough_net *net, const bough_routing *routing, const char *mark,
                         bough_text *text, bough_error *error) {
    drawing d = {0};
    drawing_marks marks = {0};
    drawing_options options = {.routing = routing, .marks = mark ? &marks : NULL};
    bough_status status = mark ? drawing_marks_make(net, mark, &marks, error) : BOUGH_OK;
    TRY(drawing_make(net, &options, &d, error));
    TRY(drawing_svg(&d, text, error));
    drawing_fini(&d);
    drawing_marks_fini(&marks);
    return status;
}

/* A drawing of one format only, which shows no routing. It stands above models, where formats cannot. */
static const bough_format sorter_format = {.name = "sorter.svg", .write = sorter_svg};

/* An output format. At most one of network and routes is set; neither: a drawing, which may show a
 * routing. */
typedef struct target {
    const char *name;
    const bough_format *network;      /* the network only */
    const bough_table_format *routes; /* the routes of a routing on the network */
} target;

/* Enumerates all formats, in order; false beyond the last. */
static bool target_at(size_t i, target *t) {
    for (const bough_format *f = bough_formats; f->name; f++)
        if (f->write && i-- == 0) return *t = (target){f->name, f, NULL}, true;
    if (i-- == 0) return *t = (target){sorter_format.name, &sorter_format, NULL}, true;
    if (i-- == 0) return *t = (target){"svg", NULL, NULL}, true;
    for (const bough_table_format *f = bough_table_formats; f->name; f++)
        if (i-- == 0) return *t = (target){f->name, NULL, f}, true;
    return false;
}

/* Slurm gives its files one name: topology.conf is that, and DIR/topology.conf, not only x.topology.conf. */
static bool is_whole_name(const char *path, const char *name) {
    const char *slash = strrchr(path, '/'), *dot = strrchr(name, '.');
    return dot && (strcmp(dot, ".conf") == 0 || strcmp(dot, ".yaml") == 0) &&
           strcmp(slash ? slash + 1 : path, name) == 0;
}

/* Finds the longest matching ending, since .layout.svg also ends with .svg. */
static bool find_target(const char *path, target *found) {
    size_t length = strlen(path), longest = 0;
    target t;
    for (size_t i = 0; target_at(i, &t); i++) {
        size_t ending = strlen(t.name);
        if (is_whole_name(path, t.name)) return *found = t, true;
        if (ending <= longest || length <= ending || path[length - ending - 1] != '.') continue;
        if (strcmp(path + length - ending, t.name) != 0) continue;
        *found = t;
        longest = ending;
    }
    return longest > 0;
}

/* dot: before the names, which are file endings. */
static bough_status no_format(const char *place, const char *dot, bough_error *error) {
    bough_text reason = {0};
    target t;
    bough_text_printf(&reason, "unknown %s; formats: ", *dot ? "file ending" : "format");
    for (size_t i = 0; target_at(i, &t); i++)
        bough_text_printf(&reason, "%s%s%s", i ? ", " : "", dot, t.name);
    return bough_fail_text(error, BOUGH_INVALID, place, &reason);
}

static bough_status write_target(const bough_net *net, const net_export_options *o, const target *t,
                                 bough_text *text, bough_error *error) {
    bough_routing *routing = NULL;
    bough_status status = BOUGH_OK;
    if (t->network) return t->network->write(net, text, error);
    if (t->routes || o->routing) status = bough_routing_create(net, o->routing, &routing, error);
    TRY(t->routes ? t->routes->write(routing, text, error) : draw(net, routing, o->mark, text, error));
    bough_routing_destroy(routing);
    return status;
}

bough_status net_export_check(const net_export_options *o, const char *path, bough_error *error) {
    target t = {0}; /* the compiler cannot see that find_target initialises it */
    if (!find_target(path, &t)) return no_format(path, ".", error);
    if (o->routing && t.network)
        return bough_fail(error, BOUGH_INVALID, path,
                          "--routing needs a file that contains routes, such as .svg and .%s",
                          bough_table_formats->name);
    if (o->mark && (t.network || t.routes))
        return bough_fail(error, BOUGH_INVALID, path, "--mark needs a drawing, FILE.svg");
    return bough_output_check(path, error);
}

bough_status net_export(const bough_net *net, const net_export_options *o, const char *path, bough_text *text,
                        bough_error *error) {
    target t = {0};
    return find_target(path, &t) ? write_target(net, o, &t, text, error) : no_format(path, ".", error);
}

bough_status network_text(const bough_net *net, const char *routing, const char *format, bough_text *text,
                          bough_error *error) {
    target t;
    for (size_t i = 0; target_at(i, &t); i++) {
        if (strcmp(t.name, format) != 0) continue;
        if (!routing || !t.network)
            return write_target(net, &(net_export_options){.routing = routing}, &t, text, error);
        return bough_fail(error, BOUGH_INVALID, format, "contains no routes, so it takes no routing");
    }
    return no_format(format, "", error);
}

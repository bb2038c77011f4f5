/* All methods of the library. */
#include "engines/engine_list.h"

#include "method/method_run.h"
#include "models/model_list.h"
#include "papers/paper_list.h"
#include "searches/search_list.h"

#include <string.h>

static const bough_method *const bough_methods[] = {
    &bough_method_circuit,
    &bough_method_worm,
    &bough_method_packet,
    &bough_method_flow,
    &bough_method_loggops,
    &bough_method_sidetrack,
    &bough_method_sortroute,
    &bough_method_offline,
    &bough_method_online,
    &bough_method_simulate,
    &bough_method_bins,
    &bough_method_collision,
    &bough_method_bound,
    &bough_method_queueing,
    &bough_method_blocking,
    &bough_method_linkload,
    &bough_method_connectivity,
    &bough_method_adversary,
    &bough_method_parts,
    &bough_method_locality,
    &bough_method_channels,
    &bough_method_flight,
    &bough_method_layout,
    &bough_method_atbound,
    &bough_method_slowest,
    &bough_method_data,
    &bough_method_hardest,
    &bough_method_sensitivity,
    NULL,
};

enum { BUILT_IN = sizeof bough_methods / sizeof *bough_methods - 1, NAMES = 64 };

const bough_method *bough_method_at(const bough_registry *registry, size_t i) {
    return i < BUILT_IN ? bough_methods[i] : bough_registry_item(registry, BOUGH_LIST_METHODS, i - BUILT_IN);
}

const bough_method *bough_method_find(const bough_registry *registry, const char *name, size_t length) {
    const bough_method *m;
    for (size_t i = 0; (m = bough_method_at(registry, i)); i++)
        if (strlen(m->name) == length && strncmp(m->name, name, length) == 0) return m;
    return NULL;
}

static const bough_method *find_method(const bough_registry *registry, const char *name, bough_error *error) {
    const char *names[NAMES];
    size_t count = 0;
    const bough_method *m = bough_method_find(registry, name, strlen(name));
    if (m) return m;
    while (count < NAMES && (m = bough_method_at(registry, count))) names[count++] = m->name;
    char hint[BOUGH_HINT_MAX];
    bough_fail(error, BOUGH_INVALID, NULL, "no method '%s'%s; see `bough list methods`", name,
               bough_hint(hint, name, names, count));
    return NULL;
}

bough_status bough_method_check(const bough_registry *registry, const char *text, bough_error *error) {
    bough_spec spec;
    bough_args args = {0};
    bough_status status = bough_spec_parse(text, &spec, error);
    if (status) return status;
    const bough_method *method = find_method(registry, spec.name, error);
    status = !method ? BOUGH_INVALID
             : method_setting_key(method, &spec) < spec.count
                 ? BOUGH_OK /* refused with its traffic */
                 : bough_args_bind(&spec, method->params, "method", &args, error);
    bough_args_fini(&args);
    bough_spec_fini(&spec);
    return status;
}

bough_status bough_run_create(const char *text, const bough_point *point, bough_run **out,
                              bough_error *error) {
    *out = NULL;
    bough_spec spec;
    bough_status status = bough_spec_parse(text, &spec, error);
    if (status) return status;
    const bough_method *method = find_method(point->net->registry, spec.name, error);
    status = method ? method_run_create(method, &spec, point, out, error) : BOUGH_INVALID;
    bough_spec_fini(&spec);
    return status;
}

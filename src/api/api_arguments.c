#include "api/api_arguments.h"

#include "base/memory/memory.h"
#include "extension/owned_registry.h"
#include "report/catalogue/catalogue.h"

#include <stdlib.h>

const char *bough_version(void) {
    return BOUGH_VERSION;
}

void bough_free(char *text) {
    free(text);
}

bough_status bough_list(const bough_registry *registry, char **json, bough_error *error) {
    bough_status status = api_require(json, "json", __func__, error);
    if (!status && registry) status = api_require_registry(registry, __func__, error);
    if (status) return status;
    *json = NULL;
    return catalogue_json(registry, json, error);
}

bough_status api_require(const void *argument, const char *name, const char *function, bough_error *error) {
    return argument ? BOUGH_OK : bough_fail(error, BOUGH_INVALID, function, "%s is NULL", name);
}

static bough_status destroyed(const char *name, const char *function, bough_error *error) {
    return bough_fail(error, BOUGH_INVALID, function, "%s was destroyed", name);
}

bough_status api_require_object(const void *object, const char *name, const char *function,
                                bough_error *error) {
    bough_status status = api_require(object, name, function, error);
    return status || handle_alive(object) ? status : destroyed(name, function, error);
}

bough_status api_require_registry(const bough_registry *registry, const char *function, bough_error *error) {
    bough_status status = api_require(registry, "registry", function, error);
    return status || registry_alive(registry) ? status : destroyed("registry", function, error);
}

bough_status api_require_size(size_t size, size_t expected, const char *structure, bough_error *error) {
    if (size == expected) return BOUGH_OK;
    return bough_fail(error, BOUGH_INVALID, structure, "size is %zu; it must be sizeof(%s), %zu", size,
                      structure, expected);
}

/* ---- stopping ---- */

bough_status bough_stop_create(bough_stop **stop, bough_error *error) {
    bough_status status = api_require(stop, "stop", __func__, error);
    if (status) return status;
    *stop = NULL;
    status = bough_alloc(stop, 1, sizeof **stop, error);
    if (!status) (*stop)->handle.word = HANDLE_ALIVE;
    return status;
}

void bough_stop_request(bough_stop *stop) {
    if (handle_alive(stop)) atomic_store(&stop->flag, true);
}

void bough_stop_destroy(bough_stop *stop) {
    if (handle_alive(stop)) handle_free(stop);
}

bough_status api_run_begin(api_run *run, const bough_control *control, bough_error *error) {
    *run = (api_run){.control = {.size = sizeof run->control}};
    run->stop = &run->own;
    if (!control) return BOUGH_OK;
    bough_status status = api_require_size(control->size, sizeof *control, "bough_control", error);
    if (status) return status;
    run->control = *control;
    if (control->stop) status = api_require_object(control->stop, "stop", "bough_control", error);
    if (control->stop) run->stop = &control->stop->flag;
    return status;
}

void api_progress(void *context, double share, const char *what) {
    api_run *run = context;
    if (!run->control.progress) return;
    if (run->control.progress(run->control.context, share, what)) atomic_store(run->stop, true);
}

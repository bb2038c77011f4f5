/* Registries of bough.h, plug-ins, and what plug-ins may call. */
#include "api/api_arguments.h"
#include "base/memory/fnv1a.h"
#include "base/status/system_error.h"
#include "base/status/try.h"
#include "base/text/text.h"
#include "extension/array_names.h"
#include "extension/callbacks.h"
#include "extension/network_handle.h"
#include "extension/owned_registry.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bough_status bough_registry_create(bough_registry **registry, bough_error *error) {
    bough_status status = api_require(registry, "registry", __func__, error);
    return status ? status : registry_make(NULL, registry, error);
}

void bough_registry_destroy(bough_registry *registry) {
    registry_release(registry);
}

bough_status bough_registry_add_messages(bough_registry *registry, const bough_message_arrays *messages,
                                         bough_error *error) {
    bough_status status = api_require_registry(registry, __func__, error);
    TRY(api_require(messages, "messages", __func__, error));
    TRY(api_require_size(messages->size, sizeof *messages, "bough_message_arrays", error));
    TRY(api_require(messages->source, "source", __func__, error));
    TRY(api_require(messages->destination, "destination", __func__, error));
    TRY(registry_add_messages(registry, messages, error));
    return status;
}

bough_status bough_registry_add_weights(bough_registry *registry, const bough_weight_arrays *weights,
                                        bough_error *error) {
    bough_status status = api_require_registry(registry, __func__, error);
    TRY(api_require(weights, "weights", __func__, error));
    TRY(api_require_size(weights->size, sizeof *weights, "bough_weight_arrays", error));
    TRY(api_require(weights->source, "source", __func__, error));
    TRY(api_require(weights->destination, "destination", __func__, error));
    TRY(api_require(weights->weight, "weight", __func__, error));
    TRY(registry_add_weights(registry, weights, error));
    return status;
}

bough_status bough_registry_add_tables(bough_registry *registry, const bough_table_arrays *tables,
                                       bough_error *error) {
    bough_status status = api_require_registry(registry, __func__, error);
    TRY(api_require(tables, "tables", __func__, error));
    TRY(api_require_size(tables->size, sizeof *tables, "bough_table_arrays", error));
    TRY(api_require(tables->link, "link", __func__, error));
    TRY(registry_add_tables(registry, tables, error));
    return status;
}

/* ---- networks ---- */

static void release_network(void *network) {
    bough_network_destroy(network);
}

/* *known: the registry has this network. Errors: another one has its spec. */
static bough_status check_network(const bough_registry *registry, const bough_network *network, bool *known,
                                  bough_error *error) {
    const bough_net *net;
    *known = false;
    if (network->faults || network->physical)
        return bough_fail(error, BOUGH_UNSUPPORTED, "bough_registry_use_network",
                          "%s has faults or a setting; a study states them by its keys faults and physical",
                          network->whole->spec);
    for (size_t i = 0; (net = bough_registry_item(registry, BOUGH_LIST_NETWORKS, i)); i++) {
        if (strcmp(net->spec, network->whole->spec) != 0) continue;
        *known = net == network->whole;
        return *known ? BOUGH_OK
                      : bough_fail(error, BOUGH_INVALID, "bough_registry_use_network",
                                   "another network is called %s; give one of them another name", net->spec);
    }
    return BOUGH_OK;
}

bough_status bough_registry_use_network(bough_registry *registry, const bough_network *network,
                                        bough_error *error) {
    bool known = false;
    bough_status status = api_require_registry(registry, __func__, error);
    TRY(api_require_object(network, "network", __func__, error));
    TRY(check_network(registry, network, &known, error));
    if (status || known) return status;
    bough_network *kept = (bough_network *)network;
    atomic_fetch_add(&kept->users, 1);
    status = registry_own(registry, (owned_object){kept, release_network}, error);
    return status ? status : bough_registry_put(registry, BOUGH_LIST_NETWORKS, kept->whole, error);
}

/* ---- what plug-ins call ---- */

static bough_status add_network(bough_registry *registry, const bough_ext_network *network,
                                bough_error *error) {
    bough_status status = api_require_registry(registry, __func__, error);
    TRY(api_require(network, "network", __func__, error));
    TRY(registry_add_network(registry, network, error));
    return status;
}

static bough_status add_routing(bough_registry *registry, const bough_ext_routing *routing,
                                bough_error *error) {
    bough_status status = api_require_registry(registry, __func__, error);
    TRY(api_require(routing, "routing", __func__, error));
    TRY(registry_add_routing(registry, routing, error));
    return status;
}

static bough_status add_pattern(bough_registry *registry, const bough_ext_pattern *pattern,
                                bough_error *error) {
    bough_status status = api_require_registry(registry, __func__, error);
    TRY(api_require(pattern, "pattern", __func__, error));
    TRY(registry_add_pattern(registry, pattern, error));
    return status;
}

static bough_status add_method(bough_registry *registry, const bough_ext_method *method, bough_error *error) {
    bough_status status = api_require_registry(registry, __func__, error);
    TRY(api_require(method, "method", __func__, error));
    TRY(registry_add_method(registry, method, error));
    return status;
}

static bough_status fail(bough_error *error, bough_status status, const char *reason) {
    return bough_fail(error, status ? status : BOUGH_FAILED, NULL, "%s", reason ? reason : "");
}

const bough_ext_host *bough_extensions(void) {
    static const bough_ext_host host = {
        .size = sizeof host,
        .version = BOUGH_VERSION,
        .add_network = add_network,
        .add_routing = add_routing,
        .add_pattern = add_pattern,
        .add_method = add_method,
        .fail = fail,
        .sizes = builder_sizes,
        .cable = builder_cable,
        .network_size = bough_network_size,
        .network_links = bough_network_links,
        .network = trial_network,
        .messages = trial_messages,
        .path = trial_path,
        .word = trial_word,
        .row = trial_row,
        .stopped = trial_stopped,
    };
    return &host;
}

/* ---- plug-ins ---- */

typedef bough_status add_function(const bough_ext_host *host, bough_registry *registry, bough_error *error);

static void close_plugin(void *plugin) {
    dlclose(plugin);
}

/* dlopen has no error numbers. Without memory it says that it cannot open a file that can be read. */
static void fail_to_load(const char *path, const char *reason, bough_error *error) {
    static const char *const memory[] = {"cannot open shared object", "cannot create", "allocate memory",
                                         "out of memory"};
    bool out = !reason;
    if (access(path, R_OK) != 0) {
        bough_fail_system(error, NULL, "cannot be read", errno);
        return;
    }
    for (int i = 0; i < 4 && !out; i++) out = strstr(reason, memory[i]);
    bough_fail(error, out ? BOUGH_NO_MEMORY : BOUGH_INVALID, NULL, "cannot be loaded: %s",
               out ? "out of memory" : reason);
}

/* Without a slash dlopen would search the directories of libraries, and not the current one. */
static void *open_plugin(const char *path, bough_error *error) {
    bough_text file = {0};
    void *plugin = NULL;
    bough_text_printf(&file, "%s%s", strchr(path, '/') ? "" : "./", path);
    if (file.failed)
        bough_fail_memory(error, strlen(path));
    else if (!(plugin = dlopen(file.data, RTLD_NOW | RTLD_LOCAL)))
        fail_to_load(file.data, dlerror(), error);
    bough_text_fini(&file);
    return plugin;
}

/* *add: the function that adds the names. */
static bough_status check_plugin(void *plugin, add_function **add, bough_error *error) {
    const unsigned *version = dlsym(plugin, "bough_plugin_version");
    void *symbol = dlsym(plugin, "bough_plugin_add");
    if (!version || !symbol)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "is not a plug-in: it does not define BOUGH_PLUGIN (bough-ext.h)");
    if (*version != BOUGH_EXT_VERSION)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "is a plug-in for version %u of bough-ext.h; this library has version %d", *version,
                          BOUGH_EXT_VERSION);
    memcpy(add, &symbol, sizeof symbol); /* ISO C has no conversion to a function */
    return BOUGH_OK;
}

/* The code that a store recognises. */
static bough_status hash_file(const char *path, uint64_t *hash, bough_error *error) {
    char block[16384];
    size_t got;
    FILE *file = fopen(path, "rb");
    if (!file) return bough_fail_system(error, NULL, "cannot be read", errno);
    *hash = BOUGH_FNV1A_START;
    while ((got = fread(block, 1, sizeof block, file))) *hash = bough_fnv1a(*hash, block, got);
    bough_status status = ferror(file) ? bough_fail_system(error, NULL, "cannot be read", EIO) : BOUGH_OK;
    fclose(file);
    return status;
}

bough_status bough_registry_load(bough_registry *registry, const char *path, bough_error *error) {
    bough_error why = {0};
    add_function *add = NULL;
    uint64_t code = BOUGH_HASH_UNKNOWN;
    bough_status status = api_require_registry(registry, __func__, error);
    TRY(api_require(path, "path", __func__, error));
    if (status) return status;
    void *plugin = open_plugin(path, &why);
    status = plugin ? registry_own(registry, (owned_object){plugin, close_plugin}, &why) : why.status;
    TRY(check_plugin(plugin, &add, &why));
    TRY(hash_file(path, &code, &why));
    if (!status) {
        callback_begin(&why);
        registry_set_code(registry, code);
        status = callback_end("plug-in", add(bough_extensions(), registry, &why), &why);
        registry_set_code(registry, BOUGH_HASH_UNKNOWN);
    }
    if (!status) return BOUGH_OK;
    return bough_fail(error, status, path, "%s%s%s", why.place, *why.place ? ": " : "", why.reason);
}

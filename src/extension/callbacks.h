/* Names that are callbacks of a plug-in or a program (bough-ext.h), as descriptors of the library. */
#ifndef BOUGH_EXTENSION_CALLBACKS_H
#define BOUGH_EXTENSION_CALLBACKS_H

#include "base/text/spec.h"
#include "bough-ext.h"
#include "extension/network_handle.h"

/* As the functions of bough_ext_host with these names. */
bough_status registry_add_network(bough_registry *registry, const bough_ext_network *network,
                                  bough_error *error);
bough_status registry_add_routing(bough_registry *registry, const bough_ext_routing *routing,
                                  bough_error *error);
bough_status registry_add_pattern(bough_registry *registry, const bough_ext_pattern *pattern,
                                  bough_error *error);
bough_status registry_add_method(bough_registry *registry, const bough_ext_method *method,
                                 bough_error *error);

bough_status builder_sizes(bough_ext_builder *builder, uint64_t endpoints, uint64_t switches,
                           bough_error *error);
bough_status builder_cable(bough_ext_builder *builder, uint64_t a, uint64_t b, double rate,
                           bough_error *error);

const bough_network *trial_network(const bough_ext_trial *trial);
bough_ext_messages trial_messages(const bough_ext_trial *trial);
bough_status trial_path(const bough_ext_trial *trial, uint64_t i, bough_links *links, bough_error *error);
uint64_t trial_word(const bough_ext_trial *trial, uint64_t i);
bough_status trial_row(bough_ext_trial *trial, const char *metric, int64_t index, double value,
                       bough_error *error);
int trial_stopped(const bough_ext_trial *trial);

/* ---- what the kinds share ---- */

/* The head that all descriptors have. */
typedef struct callback_head {
    size_t size, expected;
    const char *name, *summary, *source, *what; /* what: "network", "routing", ... */
    const bough_ext_param *params;
} callback_head;

/* Checks a descriptor, and makes the parameters of the library from its own. The caller frees *params.
 * Errors: INVALID, NO_MEMORY. */
bough_status callback_params(const callback_head *head, bough_param **params, bough_error *error);
/* Around a call of a plug-in: a failure has a valid status and a reason. */
void callback_begin(bough_error *error);
bough_status callback_end(const char *name, bough_status status, bough_error *error);
/* The values of bound parameters, in their order. The texts belong to args. */
void callback_values(const bough_args *args, bough_ext_value value[BOUGH_PARAM_MAX]);

#endif

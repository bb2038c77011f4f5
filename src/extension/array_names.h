/* Arrays of a program as traffic and as routing. */
#ifndef BOUGH_EXTENSION_ARRAY_NAMES_H
#define BOUGH_EXTENSION_ARRAY_NAMES_H

#include "bough.h"

/* As bough_registry_add_messages, bough_registry_add_weights and bough_registry_add_tables, for arguments
 * that are not NULL. */
bough_status registry_add_messages(bough_registry *registry, const bough_message_arrays *messages,
                                   bough_error *error);
bough_status registry_add_weights(bough_registry *registry, const bough_weight_arrays *weights,
                                  bough_error *error);
bough_status registry_add_tables(bough_registry *registry, const bough_table_arrays *tables,
                                 bough_error *error);

#endif

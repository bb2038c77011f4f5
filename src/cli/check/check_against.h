/* `bough check NEW --against OLD`. */
#ifndef BOUGH_CLI_CHECK_CHECK_AGAINST_H
#define BOUGH_CLI_CHECK_CHECK_AGAINST_H

#include "base/text/text.h"
#include "bough/changes.h"
#include "cli/cli.h"

#include <jansson.h>

/* Zero-initialise. */
typedef struct check_against {
    bool asked;
    bough_net *old;
    bough_routing *routing; /* of old; NULL where it could not be made */
    bough_fabric_changes fabric;
    bool routed;   /* routings were compared */
    char why[960]; /* else: why not */
    bough_routing_changes changes;
    bough_findings findings;
} check_against;

/* Reads OLD and its tables; nothing where --against is not given. routing: of the new fabric, the first of
 * so many; one that is computed is computed for OLD too. Before the long work. */
bough_status check_against_open(const cli_args *args, const bough_routing *routing, size_t routings,
                                check_against *against, bough_error *error);
bough_status check_against_find(check_against *against, const bough_routing *routing,
                                const bough_check_options *options, const bough_check_result *after,
                                bough_error *error);
void check_against_fini(check_against *against);

void check_against_print(bough_text *out, const check_against *against, const bough_routing *routing,
                         const bough_check_result *after);
json_t *check_against_json(const check_against *against, const bough_net *now,
                           const bough_check_result *after);

#endif

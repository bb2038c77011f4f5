#include "cli/network_argument.h"

#include "base/status/try.h"
#include "network/faults/faults.h"

bough_status cli_network_open(const cli_args *args, const network_asked *asked, bough_network **network,
                              bough_error *error) {
    char *spec = NULL, *faults = NULL;
    arena memory = {0};
    bough_status status = network_argument_spec(&asked->argument, args->registry, &memory, &spec, error);
    TRY(bough_faults_join(asked->faults, asked->faults_count, &memory, &faults, error));
    const bough_network_options options = {
        .size = sizeof options, .faults = faults, .physical = asked->physical, .registry = args->registry};
    TRY(bough_network_open(spec, &options, network, error));
    arena_fini(&memory);
    return status;
}

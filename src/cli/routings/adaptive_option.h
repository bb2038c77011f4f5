/* The option --adaptive of `bough check`. */
#ifndef BOUGH_CLI_ROUTINGS_ADAPTIVE_OPTION_H
#define BOUGH_CLI_ROUTINGS_ADAPTIVE_OPTION_H

#include "cli/cli.h"

/* The routing that the i-th value of the command line, one of --adaptive, asks for. minimal, same-switch (of
 * the tables of the nearest --lft before it, else of the first one), or the path of a file of groups, whose
 * switches without groups use these tables. The caller frees *spec. Errors: NO_MEMORY. */
bough_status adaptive_option_spec(const cli_args *args, size_t i, char **spec, bough_error *error);

#endif

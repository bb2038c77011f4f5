/* Network arguments that people write: a spec, or the path of a fabric file. */
#ifndef BOUGH_NETWORK_SPEC_OR_FILE_H
#define BOUGH_NETWORK_SPEC_OR_FILE_H

#include "base/text/text.h"
#include "network/registry.h"

#include <stdbool.h>

/* Appends the argument as a spec (of the registry, which may be NULL): itself, or ibnet:file=PATH if it is
 * the path of a file. file: it must be one, so that a missing one is reported as such. */
void put_network_spec(bough_text *out, const bough_registry *registry, const char *argument, bool file);

#endif

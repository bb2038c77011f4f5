/* Runs the real OpenSM on a fabric, in the simulator ibsim, and keeps the forwarding tables of its engines.
 *
 * Programs are started without a shell, in a private temporary directory, and are stopped after
 * OPENSM_SECONDS or when the user interrupts. opensm_fini removes the directory, so the tables are read
 * before. */
#ifndef BOUGH_CLI_OPENSM_RUN_H
#define BOUGH_CLI_OPENSM_RUN_H

#include "base/memory/arena.h"
#include "cli/cli.h"
#include "network/net.h"

#define OPENSM_SECONDS 300
enum { OPENSM_OPTIONS = 10 };

typedef struct opensm_tables {
    char *engine;
    char *label;                        /* "opensm ftree:io=io.guids", or "opensm ftree (gave up: minhop)" */
    char *path;                         /* of its tables; NULL: there are none */
    const char *option[OPENSM_OPTIONS]; /* words for OpenSM's command line */
    bool is_list[OPENSM_OPTIONS];       /* the word is a file of GUIDs or names */
    size_t options;
    arena *memory; /* of the run */
} opensm_tables;

/* Zero-initialise. */
typedef struct opensm_run {
    opensm_tables *item; /* [count]: in the order of the list */
    size_t count;
    bough_findings findings; /* engines that gave up or failed; taken by the caller */
    char *directory;
    atomic_bool *stop;
    arena memory; /* of all else */
} opensm_run;

/* Appends the engines of "ftree:io=io.guids,hops=2,updn". Errors: INVALID for an engine or a parameter that
 * OpenSM does not have, and for a file that cannot be read. */
bough_status opensm_read_engines(const char *list, opensm_run *run, bough_error *error);
/* The roots (-a) of engines that have none. */
bough_status opensm_set_roots(opensm_run *run, const char *path, bough_error *error);
/* Routes the network, less its dead parts, with each engine; OpenSM gets the GUIDs of names. Errors: INVALID
 * with file:line for a name that nothing has; UNSUPPORTED where a program is missing, or the network is no
 * recorded fabric; FAILED if no engine made tables; INTERRUPTED; IO. */
bough_status opensm_route(opensm_run *run, const bough_net *net, bough_error *error);
void opensm_fini(opensm_run *run);

#endif

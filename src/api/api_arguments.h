/* Checks of arguments, shared by the functions of bough.h. */
#ifndef BOUGH_API_API_ARGUMENTS_H
#define BOUGH_API_API_ARGUMENTS_H

#include "bough.h"
#include "extension/handle.h"
#include "network/registry.h"

#include <stdatomic.h>
#include <stdbool.h>

/* Returns INVALID with "FUNCTION: NAME is NULL" if the argument is NULL. */
bough_status api_require(const void *argument, const char *name, const char *function, bough_error *error);
/* The same for an object with a handle, also if it was destroyed. */
bough_status api_require_object(const void *object, const char *name, const char *function,
                                bough_error *error);
bough_status api_require_registry(const bough_registry *registry, const char *function, bough_error *error);
/* Returns INVALID if the first member of a structure is not its size. */
bough_status api_require_size(size_t size, size_t expected, const char *structure, bough_error *error);

struct bough_stop {
    handle handle;
    atomic_bool flag;
};

/* A call that runs: its flag is set by bough_control.stop, or by a progress callback that asks to stop. */
typedef struct api_run {
    bough_control control;
    atomic_bool own, *stop;
} api_run;
/* Errors: INVALID for another size of *control, which may be NULL. */
bough_status api_run_begin(api_run *run, const bough_control *control, bough_error *error);
/* A progress callback of the library; context is an api_run. */
void api_progress(void *context, double share, const char *what);

#endif

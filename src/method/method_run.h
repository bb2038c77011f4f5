/* A method bound to a point, and its trials. */
#ifndef BOUGH_METHOD_METHOD_RUN_H
#define BOUGH_METHOD_METHOD_RUN_H

#include "method/method.h"

/* Like bough_run_create, for a method that was looked up already: checks compatibility, then calls the
 * method's open. */
bough_status method_run_create(const bough_method *method, const bough_spec *spec, const bough_point *point,
                               bough_run **out, bough_error *error);

/* The first argument that is a key of the physical setting and none of the method; spec->count: none is. */
unsigned method_setting_key(const bough_method *method, const bough_spec *spec);

/* The close of methods whose data is a single block. */
void run_free_data(bough_run *run);

/* One trial: everything that it draws is a function of its key. */
typedef struct method_trial {
    const bough_run *run;
    bough_key key;
} method_trial;

#endif

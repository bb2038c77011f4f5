/* A method bound to a point. */
#ifndef BOUGH_METHOD_METHOD_RUN_H
#define BOUGH_METHOD_METHOD_RUN_H

#include "bough/method.h"

/* bough_run_create for a method that is known: the check that method, network, routing and traffic fit
 * together, then the method's own open. */
bough_status method_run_create(const bough_method *method, const bough_spec *spec, const bough_point *point,
                               bough_run **out, bough_error *error);

#endif

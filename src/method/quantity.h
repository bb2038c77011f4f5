/* Numbers as people read them: 20.21 us, 1.03 GB/s, 32512. Tables use them; CSV and JSON have all digits in
 * the units of method/metric.h. */
#ifndef BOUGH_METHOD_QUANTITY_H
#define BOUGH_METHOD_QUANTITY_H

#include "method/metric.h"

#include <stddef.h>

/* The unit that a value is shown in: shown = value * factor. */
typedef struct quantity_unit {
    double factor;
    char name[32]; /* "us"; empty: none, or the name of the metric says it (rounds) */
} quantity_unit;

/* The unit with the SI prefix that suits a value of this size; 0: the unit of method/metric.h. Units without
 * prefixes (cycles, flits/cycle/endpoint) stay as they are. */
quantity_unit quantity_unit_of(bough_metric_id metric, double value);

/* The name of the unit behind a shown value: "flow" behind "1". Returns buffer, as large as unit->name. */
char *quantity_unit_behind(const quantity_unit *unit, const char *shown, char *buffer);

#define QUANTITY_TEXT 48
/* Formats a shown value: down to the second significant digit of its interval; without one (0 or not finite)
 * a whole number in full, and others with four significant digits. "-" if it is not finite. Returns buffer,
 * of QUANTITY_TEXT bytes. */
char *quantity_format(double shown, double interval, char *buffer);
/* The half width of that interval, with as many digits after the point. */
char *quantity_format_interval(double shown, double interval, char *buffer);

#endif

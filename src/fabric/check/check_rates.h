/* Rates of cables, as `bough check` and `bough net` write them. */
#ifndef BOUGH_FABRIC_CHECK_CHECK_RATES_H
#define BOUGH_FABRIC_CHECK_CHECK_RATES_H

#include "base/json/json_writer.h"
#include "base/text/text.h"
#include "fabric/check/check_routing.h"

/* Those that the network states, and what is taken for others; no full stop. */
void check_rates_words(bough_text *out, const bough_net *net, const bough_link_rates *rates);
/* An object "rates". */
void check_put_rates(json_writer *w, const bough_net *net, const bough_link_rates *rates);

#endif

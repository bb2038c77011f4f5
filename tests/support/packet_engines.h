/* Engines of `packet` at places. A failure ends the test. */
#ifndef TESTS_SUPPORT_PACKET_ENGINES_H
#define TESTS_SUPPORT_PACKET_ENGINES_H

#include "engines/packet/packet.h"
#include "support/places.h"

/* With these options, and the longest route of the place. */
sim_engine *packet_engine_with(const place *p, packet_options options);
sim_engine *packet_engine_make(const place *p, packet_discipline queue, bool trace);

#endif

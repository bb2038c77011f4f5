/* Speeds of a lane as tools write them. */
#ifndef BOUGH_FORMATS_FABRICS_INFINIBAND_LINK_SPEEDS_H
#define BOUGH_FORMATS_FABRICS_INFINIBAND_LINK_SPEEDS_H

#include "base/text/scanner.h"

/* "10", "10.0" -> "QDR"; "25", "25.78125" -> "EDR". A text that is no such speed is returned as it is. */
bough_slice link_speed_name(bough_slice gigabits);
/* LinkSpeedActv of ibdiagnet: 4 -> "QDR", 0x800 -> "NDR". Length 0: unknown. */
bough_slice link_speed_of_code(uint64_t code);
/* "4X" -> "4x". A text that is no width is returned as it is. */
bough_slice link_width_name(bough_slice width);
/* LinkWidthActive: 2 -> "4x". Length 0: unknown. */
bough_slice link_width_of_code(uint64_t code);

#endif

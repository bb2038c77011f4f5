/* Hosts in the descriptions of adapters. */
#ifndef BOUGH_NETWORK_IMPORTED_FABRIC_HOST_LENGTH_H
#define BOUGH_NETWORK_IMPORTED_FABRIC_HOST_LENGTH_H

#include <stddef.h>

/* The length of HOST in a description "HOST DEVICE"; else of the description without blanks at its end. */
size_t bough_fabric_host_length(const char *description);

#endif

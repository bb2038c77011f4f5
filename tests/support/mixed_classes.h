/* Traffic on the binary fat-tree whose classes (labels_rounds.c) differ much in size: messages from about
 * three quarters of all endpoints, apexes of one parity eight times as many. */
#ifndef TESTS_SUPPORT_MIXED_CLASSES_H
#define TESTS_SUPPORT_MIXED_CLASSES_H

#include "traffic/traffic.h"

/* *mode: the parity in bit 0; bit 1: sources descend. Both must outlive the traffic. */
bough_traffic mixed_classes(const bough_net *net, const unsigned *mode);

#endif

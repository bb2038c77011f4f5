/* All methods of the library, one line each. method_list.c contains the table. */
#ifndef BOUGH_ENGINES_METHOD_LIST_H
#define BOUGH_ENGINES_METHOD_LIST_H

#include "method/method.h"

extern const bough_method bough_method_circuit;
extern const bough_method bough_method_worm;
extern const bough_method bough_method_packet;
extern const bough_method bough_method_flow;
extern const bough_method bough_method_loggops;
extern const bough_method bough_method_sidetrack;
extern const bough_method bough_method_sortroute;
extern const bough_method bough_method_offline;
extern const bough_method bough_method_online;
extern const bough_method bough_method_simulate, bough_method_hardest, bough_method_sensitivity;
extern const bough_method bough_method_slowest;

#endif

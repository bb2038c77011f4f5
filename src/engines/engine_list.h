/* The methods of this module. */
#ifndef BOUGH_ENGINES_ENGINE_LIST_H
#define BOUGH_ENGINES_ENGINE_LIST_H

#include "method/method.h"

extern const bough_method bough_method_circuit;
extern const bough_method bough_method_worm;
extern const bough_method bough_method_packet;
extern const bough_method bough_method_flow;
extern const bough_method bough_method_loggops;
extern const bough_method bough_method_offline, bough_method_online;

#endif

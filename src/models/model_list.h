#ifndef BOUGH_MODELS_MODEL_LIST_H
#define BOUGH_MODELS_MODEL_LIST_H

#include "method/method.h"

extern const bough_method bough_method_bins;
extern const bough_method bough_method_collision;
extern const bough_method bough_method_bound;
extern const bough_method bough_method_linkload;
extern const bough_method bough_method_queueing;
extern const bough_method bough_method_data;
extern const bough_method bough_method_flight;
extern const bough_method bough_method_layout;
extern const bough_method bough_method_blocking;
extern const bough_method bough_method_adversary;
extern const bough_method bough_method_parts;
extern const bough_method bough_method_locality;
extern const bough_method bough_method_channels;
extern const bough_method bough_method_connectivity;
extern const bough_method bough_method_atbound;

#endif

#ifndef BOUGH_MODEL_MODELS_H
#define BOUGH_MODEL_MODELS_H

#include "bough/method.h"

extern const bough_method bough_method_bins, bough_method_collision, bough_method_bound,
    bough_method_linkload, bough_method_queueing, bough_method_data, bough_method_connectivity;

#endif

/* The methods of this module, which ask other methods many times. */
#ifndef BOUGH_SEARCHES_SEARCH_LIST_H
#define BOUGH_SEARCHES_SEARCH_LIST_H

#include "method/method.h"

extern const bough_method bough_method_simulate, bough_method_hardest, bough_method_sensitivity;
extern const bough_method bough_method_slowest;

#endif

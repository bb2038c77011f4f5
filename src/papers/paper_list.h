/* The methods of this module: machinery of one paper that nothing else uses. */
#ifndef BOUGH_PAPERS_PAPER_LIST_H
#define BOUGH_PAPERS_PAPER_LIST_H

#include "method/method.h"

extern const bough_method bough_method_sidetrack, bough_method_sortroute; /* bay1991 */

#endif

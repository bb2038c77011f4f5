/* Parts of export_verilog. */
#ifndef BOUGH_NETWORK_EXPORT_VERILOG_EXPORT_H
#define BOUGH_NETWORK_EXPORT_VERILOG_EXPORT_H

#include "base/text/text.h"
#include "network/net.h"

/* Networks of RN1 routers (dehon1991): whether it is one, without faults; its netlist. Errors: NO_MEMORY. */
bool verilog_is_transit(const bough_net *net);
bough_status verilog_transit(const bough_net *net, bough_text *out, bough_error *error);

#endif

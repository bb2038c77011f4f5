/* The network of bough.h, which callbacks of plug-ins receive too. */
#ifndef BOUGH_EXTENSION_NETWORK_HANDLE_H
#define BOUGH_EXTENSION_NETWORK_HANDLE_H

#include "bough.h"
#include "extension/handle.h"
#include "network/net.h"

#include <stdatomic.h>

struct bough_network {
    handle handle;
    atomic_uint users;
    bough_net *whole, *faulty; /* faulty: NULL if nothing is removed */
    bough_net *gpus;           /* over either of them; NULL: the setting has no compute nodes */
    bough_net *adding;         /* over any of them; NULL: no aggregation nodes */
    bough_physical *physical;  /* NULL: the default */
    char *faults;              /* the spec that was asked; NULL: none */
    const bough_net *net;      /* the one to use */
    bough_registry *registry;  /* kept; may be NULL */
    bough_network *of;         /* kept: whose data it uses; NULL: none */
};

#endif

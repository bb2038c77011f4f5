/* A plug-in that fails without a reason. */
#include <bough-ext.h>

BOUGH_PLUGIN(host, registry, error) {
    (void)host, (void)registry, (void)error;
    return BOUGH_IO;
}

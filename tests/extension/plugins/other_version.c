/* A plug-in for a version that does not exist. */
#include <bough-ext.h>

BOUGH_EXT_EXPORT extern const unsigned bough_plugin_version;
const unsigned bough_plugin_version = BOUGH_EXT_VERSION + 1;

BOUGH_EXT_EXPORT bough_status bough_plugin_add(const bough_ext_host *host, bough_registry *registry,
                                               bough_error *error);
bough_status bough_plugin_add(const bough_ext_host *host, bough_registry *registry, bough_error *error) {
    (void)registry;
    return host->fail(error, BOUGH_FAILED, "was called");
}

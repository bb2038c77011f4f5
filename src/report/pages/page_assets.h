/* The script and the style of the page, in the binary. Written by web/build.mjs, or by cmake/page.cmake where
 * the page cannot be built. */
#ifndef BOUGH_REPORT_PAGES_PAGE_ASSETS_H
#define BOUGH_REPORT_PAGES_PAGE_ASSETS_H

struct page_assets {
    const char *script, *script_hash, *style, *style_hash; /* hashes as Content-Security-Policy wants them */
    const char *missing; /* why there is no script, nor a hash; NULL: all there. The style is there always */
};
extern const struct page_assets page_assets;

#endif

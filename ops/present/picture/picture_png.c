/* Draws SVG by librsvg onto a surface of cairo, which writes PNG. */
#include "ops/present/picture/picture_png.h"

#include <cairo.h>
#include <fontconfig/fontconfig.h>
#include <librsvg/rsvg.h>

#include <dlfcn.h>
#include <pthread.h>

static const double SCALE = 2;

/* X(library, function). Types are those of the headers. */
#define FUNCTIONS(X) \
    X(RSVG, rsvg_handle_new_from_data) \
    X(RSVG, rsvg_handle_get_intrinsic_size_in_pixels) \
    X(RSVG, rsvg_handle_render_document) \
    X(GOBJECT, g_object_unref) \
    X(CAIRO, cairo_image_surface_create) \
    X(CAIRO, cairo_create) \
    X(CAIRO, cairo_destroy) \
    X(CAIRO, cairo_status) \
    X(CAIRO, cairo_surface_destroy) \
    X(CAIRO, cairo_surface_status) \
    X(CAIRO, cairo_surface_write_to_png_stream) \
    X(FONTCONFIG, FcConfigGetFonts)

enum library { RSVG, GOBJECT, CAIRO, FONTCONFIG, LIBRARY_COUNT };
static const char *const library_names[LIBRARY_COUNT] = {
    [RSVG] = "librsvg-2.so.2",
    [GOBJECT] = "libgobject-2.0.so.0",
    [CAIRO] = "libcairo.so.2",
    [FONTCONFIG] = "libfontconfig.so.1",
};

static struct {
#define FUNCTION_MEMBER(library, name) __typeof__(&(name)) name;
    FUNCTIONS(FUNCTION_MEMBER)
#undef FUNCTION_MEMBER
    bool is_loaded, has_font;
} calls;
static pthread_once_t loaded = PTHREAD_ONCE_INIT;

static void load(void)
{
    void *libraries[LIBRARY_COUNT];
    bool found = true;
    for (int i = 0; i < LIBRARY_COUNT; i++) {
        libraries[i] = dlopen(library_names[i], RTLD_NOW | RTLD_LOCAL);
        found &= libraries[i] != NULL;
    }
    if (!found)
        return;
#define FUNCTION_FIND(library, name) \
    *(void **)(void *)&calls.name = dlsym(libraries[library], #name); /* as POSIX has it */ \
    found &= calls.name != NULL;
    FUNCTIONS(FUNCTION_FIND)
#undef FUNCTION_FIND
    if (!found)
        return;
    /* Without a font all words would be missing, and nothing would say so. */
    const FcFontSet *fonts = calls.FcConfigGetFonts(NULL, FcSetSystem);
    calls.has_font = fonts != NULL && fonts->nfont > 0;
    calls.is_loaded = true;
}

static cairo_status_t png_take(void *closure, const unsigned char *bytes, unsigned int count)
{
    struct text *out = closure;
    text_addn(out, (const char *)bytes, count);
    return out->failed ? CAIRO_STATUS_NO_MEMORY : CAIRO_STATUS_SUCCESS;
}

/* NULL where it cannot be drawn. */
static cairo_surface_t *surface_draw(RsvgHandle *handle)
{
    gdouble width = 0, height = 0;
    if (!calls.rsvg_handle_get_intrinsic_size_in_pixels(handle, &width, &height))
        return NULL;
    const RsvgRectangle page = {0, 0, width * SCALE, height * SCALE};
    cairo_surface_t *surface =
        calls.cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)page.width, (int)page.height);
    cairo_t *context = calls.cairo_create(surface);
    bool drawn = calls.rsvg_handle_render_document(handle, context, &page, NULL) &&
                 calls.cairo_status(context) == CAIRO_STATUS_SUCCESS;
    calls.cairo_destroy(context);
    if (drawn)
        return surface;
    calls.cairo_surface_destroy(surface);
    return NULL;
}

bool picture_png(const struct text *svg, struct text *out, struct err *err)
{
    if (!text_ok(svg, "the picture", err))
        return false;
    (void)pthread_once(&loaded, load);
    if (!calls.is_loaded)
        return err_set(err, ERR_UNAVAILABLE,
                       "no PNG can be drawn: librsvg-2.so.2 is not installed (Debian: apt install "
                       "librsvg2-2); svg and html need nothing");
    if (!calls.has_font)
        return err_set(err, ERR_UNAVAILABLE,
                       "no PNG can be drawn: no font is installed (Debian: apt install "
                       "fonts-dejavu-core); svg and html need none");
    RsvgHandle *handle =
        calls.rsvg_handle_new_from_data((const guint8 *)text_string(svg), svg->length, NULL);
    cairo_surface_t *surface = handle == NULL ? NULL : surface_draw(handle);
    bool written = surface != NULL && calls.cairo_surface_write_to_png_stream(
                                          surface, png_take, out) == CAIRO_STATUS_SUCCESS;
    if (surface != NULL)
        calls.cairo_surface_destroy(surface);
    if (handle != NULL)
        calls.g_object_unref(handle);
    return text_ok(out, "the picture", err) &&
           (written || err_set(err, ERR_FULL, "librsvg cannot draw the picture"));
}

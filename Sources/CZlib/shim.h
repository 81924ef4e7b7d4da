#include <zlib.h>
// A macro with a cast and a size, which Swift does not see.
static inline int gqlite_inflate_init_gzip(z_stream *stream) { return inflateInit2(stream, 15 + 16); }

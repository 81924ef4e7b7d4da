#include <sqlite3.h>
#ifdef __linux__
// malloc_trim, which the memory measurement calls and Swift's C library module does not show.
#include <malloc.h>
#endif

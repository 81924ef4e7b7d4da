#ifndef COMMIT_MODEL_H
#define COMMIT_MODEL_H

/// Commits records of `bytes` bytes from `threads` threads into a log table of SQLite, `each` per thread, each of which
/// is on the disk before its thread goes on. Whoever waits and finds no thread committing commits what is there.
/// Returns the seconds it takes, or a negative number where SQLite reports an error. `flushes` gets the number of
/// transactions of SQLite.
double commit_model_threads(const char *path, int threads, int each, int bytes, long *flushes);

/// Commits `count` records of one thread, which does not wait for each: another thread commits what has gathered.
/// Returns the seconds until the last one is on the disk, or a negative number.
double commit_model_pipelined(const char *path, int count, int bytes, long *flushes);

#endif

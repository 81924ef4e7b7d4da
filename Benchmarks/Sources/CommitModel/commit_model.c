// What a log in SQLite can do at most: no statements, no versions, only records and the disk.
#include "commit_model.h"
#include <pthread.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct {
  sqlite3 *handle;
  sqlite3_stmt *begin, *insert, *commit;
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  long added, durable, flushes;
  int committing, failed, bytes, finished;
  char *record;
} Log;

static int open_log(Log *log, const char *path, int bytes) {
  memset(log, 0, sizeof *log);
  pthread_mutex_init(&log->mutex, NULL);
  pthread_cond_init(&log->changed, NULL);
  log->bytes = bytes;
  log->record = calloc(1, (size_t)bytes);
  if (!log->record || sqlite3_open(path, &log->handle)) return 0;
  const char *setup = "PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
                      "PRAGMA cache_size = -16000;"
                      "CREATE TABLE log(version INTEGER PRIMARY KEY, time INTEGER NOT NULL, body BLOB NOT NULL)";
  if (sqlite3_exec(log->handle, setup, NULL, NULL, NULL)) return 0;
  return !sqlite3_prepare_v2(log->handle, "BEGIN IMMEDIATE", -1, &log->begin, NULL) &&
         !sqlite3_prepare_v2(log->handle, "INSERT INTO log VALUES (?, ?, ?)", -1, &log->insert, NULL) &&
         !sqlite3_prepare_v2(log->handle, "COMMIT", -1, &log->commit, NULL);
}

static void close_log(Log *log) {
  sqlite3_finalize(log->begin);
  sqlite3_finalize(log->insert);
  sqlite3_finalize(log->commit);
  sqlite3_close(log->handle);
  free(log->record);
}

static int step(sqlite3_stmt *statement) {
  int status = sqlite3_step(statement);
  sqlite3_reset(statement);
  return status == SQLITE_DONE;
}

static int commit_records(Log *log, long first, long last) {
  int fine = step(log->begin);
  for (long version = first; fine && version <= last; version++) {
    sqlite3_bind_int64(log->insert, 1, version);
    sqlite3_bind_int64(log->insert, 2, 1767225600000000);
    sqlite3_bind_blob(log->insert, 3, log->record, log->bytes, SQLITE_STATIC);
    fine = step(log->insert);
  }
  return fine && step(log->commit);
}

/// Commits what has gathered. Precondition: locked, and nobody commits.
static void commit_gathered(Log *log) {
  long first = log->durable + 1, last = log->added;
  log->committing = 1;
  pthread_mutex_unlock(&log->mutex);
  int fine = commit_records(log, first, last);
  pthread_mutex_lock(&log->mutex);
  log->committing = 0;
  log->flushes++;
  if (fine) log->durable = last; else log->failed = 1;
  pthread_cond_broadcast(&log->changed);
}

static void wait_for(Log *log, long version) {
  pthread_mutex_lock(&log->mutex);
  while (log->durable < version && !log->failed) {
    if (log->committing) pthread_cond_wait(&log->changed, &log->mutex); else commit_gathered(log);
  }
  pthread_mutex_unlock(&log->mutex);
}

typedef struct { Log *log; int each; } Writer;

static void *write_each(void *argument) {
  Writer *writer = argument;
  for (int number = 0; number < writer->each && !writer->log->failed; number++) {
    pthread_mutex_lock(&writer->log->mutex);
    long version = ++writer->log->added;
    pthread_mutex_unlock(&writer->log->mutex);
    wait_for(writer->log, version);
  }
  return NULL;
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

double commit_model_threads(const char *path, int threads, int each, int bytes, long *flushes) {
  Log log;
  if (!open_log(&log, path, bytes)) return -1;
  pthread_t *started = calloc((size_t)threads, sizeof *started);
  if (!started) return -1;
  Writer writer = {&log, each};
  double start = now();
  int count = 0;
  while (count < threads && !pthread_create(&started[count], NULL, write_each, &writer)) count++;
  for (int number = 0; number < count; number++) pthread_join(started[number], NULL);
  double seconds = now() - start;
  *flushes = log.flushes;
  int fine = count == threads && !log.failed && log.durable == (long)threads * each;
  free(started);
  close_log(&log);
  return fine ? seconds : -1;
}

static void *commit_always(void *argument) {
  Log *log = argument;
  pthread_mutex_lock(&log->mutex);
  while (!log->failed && !(log->finished && log->durable == log->added)) {
    if (log->durable < log->added) commit_gathered(log); else pthread_cond_wait(&log->changed, &log->mutex);
  }
  pthread_mutex_unlock(&log->mutex);
  return NULL;
}

double commit_model_pipelined(const char *path, int count, int bytes, long *flushes) {
  Log log;
  if (!open_log(&log, path, bytes)) return -1;
  pthread_t committer;
  double start = now();
  if (pthread_create(&committer, NULL, commit_always, &log)) return -1;
  for (int number = 0; number < count; number++) {
    pthread_mutex_lock(&log.mutex);
    if (log.added++ == log.durable) pthread_cond_broadcast(&log.changed);
    pthread_mutex_unlock(&log.mutex);
  }
  pthread_mutex_lock(&log.mutex);
  log.finished = 1;
  pthread_cond_broadcast(&log.changed);
  pthread_mutex_unlock(&log.mutex);
  pthread_join(committer, NULL);
  double seconds = now() - start;
  *flushes = log.flushes;
  int fine = !log.failed && log.durable == count;
  close_log(&log);
  return fine ? seconds : -1;
}

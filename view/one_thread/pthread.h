#pragma once

// Locks for RE2 on a machine with one thread, which wasi-libc lacks: they never wait.

typedef int pthread_rwlock_t;

static inline int pthread_rwlock_init(pthread_rwlock_t* lock, const void*) {
  return *lock = 0;
}
static inline int pthread_rwlock_destroy(pthread_rwlock_t*) {
  return 0;
}
static inline int pthread_rwlock_rdlock(pthread_rwlock_t*) {
  return 0;
}
static inline int pthread_rwlock_wrlock(pthread_rwlock_t*) {
  return 0;
}
static inline int pthread_rwlock_unlock(pthread_rwlock_t*) {
  return 0;
}

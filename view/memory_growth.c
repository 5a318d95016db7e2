// The engine's sbrk(), instead of libc's, which grows the memory by what malloc lacks: mostly one page of 64 KiB. Browsers
// make a new buffer for each time and collect the old ones, which took half of the time to open a page with four million
// events. Memory that is not written to costs nothing.

#include <errno.h>
#include <stdint.h>
#include <unistd.h>

enum { PAGE_BITS = 16, LEAST_PAGES = 64 };

static uint64_t end; // of what was given out

void* sbrk(intptr_t increment) {
  const uint64_t size = (uint64_t)__builtin_wasm_memory_size(0) << PAGE_BITS;
  if (end == 0) end = size;
  if (increment < 0) {
    errno = ENOMEM;
    return (void*)-1;
  }
  const uint64_t wanted = end + (uint64_t)increment;
  if (wanted > size) {
    const uint64_t missing = ((wanted - size - 1) >> PAGE_BITS) + 1, eighth = size >> PAGE_BITS >> 3;
    const uint64_t more = eighth > LEAST_PAGES ? eighth : LEAST_PAGES;
    if ((missing >= more || __builtin_wasm_memory_grow(0, more) == SIZE_MAX) && __builtin_wasm_memory_grow(0, missing) == SIZE_MAX) {
      errno = ENOMEM;
      return (void*)-1;
    }
  }
  void* const at = (void*)(uintptr_t)end;
  end = wanted;
  return at;
}

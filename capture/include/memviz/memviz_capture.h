#ifndef MEMVIZ_CAPTURE_H
#define MEMVIZ_CAPTURE_H

/* Memory snapshots of a LibTorch program from any language: what memviz/capture/recorder.hpp does, as C functions of
 * libmemviz_capture.so. Names, arguments and meaning of a function do not change once it is here; new ones may be
 * added.
 *
 * Functions that return int return 0, or -1 where they failed: then memviz_capture_last_error() says why. None throws
 * or ends the process, and all may be called from any thread. There is one recording a process; programs that also use
 * the C++ library have that one beside it, and only one of the two can record. */

#ifdef __cplusplus
extern "C" {
#endif

#if defined(MEMVIZ_CAPTURE_BUILD)
#define MEMVIZ_CAPTURE_API __attribute__((visibility("default")))
#else
#define MEMVIZ_CAPTURE_API
#endif

/* 1: what is declared here. Functions that are added count it up. */
MEMVIZ_CAPTURE_API int memviz_capture_version(void);

/* Sets an option of the recordings that start after it. Options are those of RecorderOptions, by their names:
 * "enabled", "context", "stacks", "max_entries", "max_bytes", "device" ("cuda", "cuda:1", "cpu", "" for the default),
 * "with_cpu"
 * ("0", "1"), "skip_actions" (words with commas between), "oom_directory", "oom_dumps". Whether a value makes sense
 * memviz_capture_start() says. */
MEMVIZ_CAPTURE_API int memviz_capture_set(const char* option, const char* value);

MEMVIZ_CAPTURE_API int memviz_capture_start(void);
/* Ends the recording and frees its history; without one it does nothing. */
MEMVIZ_CAPTURE_API int memviz_capture_stop(void);
/* 1 or 0. */
MEMVIZ_CAPTURE_API int memviz_capture_is_recording(void);
/* Writes a snapshot; the recording goes on. A dump that fails leaves no file, or that which was there. */
MEMVIZ_CAPTURE_API int memviz_capture_dump(const char* path);

/* What lies between the two is called `name` in the snapshot's annotations. Without a recording nothing happens. */
MEMVIZ_CAPTURE_API int memviz_capture_begin_annotation(const char* name);
MEMVIZ_CAPTURE_API int memviz_capture_end_annotation(const char* name);
/* An annotation of this moment. */
MEMVIZ_CAPTURE_API int memviz_capture_mark(const char* name);

/* What MEMVIZ_RECORD=1 in the environment asks for, see memviz/capture/environment_recording.hpp; without it, nothing.
 * Its last snapshot is written by memviz_capture_stop(), or when the process ends. */
MEMVIZ_CAPTURE_API int memviz_capture_start_from_environment(void);

/* Of this thread's last call that failed; "" before there was one. Good until the thread's next call that fails. */
MEMVIZ_CAPTURE_API const char* memviz_capture_last_error(void);

#ifdef __cplusplus
}
#endif

#endif

# For 64-bit Arm by Debian's cross compiler, with the libraries that packaging/sysroot.sh has unpacked into
# MEMVIZ_SYSROOT. The C library is the cross compiler's own.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
# Disables notes on calls that GCC 9 made differently; nothing here was built with GCC 9.
set(CMAKE_CXX_FLAGS_INIT -Wno-psabi)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES MEMVIZ_SYSROOT)
# The libraries that Debian's shared libraries need are missing; only the static program can be used.
set(CMAKE_EXE_LINKER_FLAGS_INIT -Wl,--unresolved-symbols=ignore-in-shared-libs)
list(APPEND CMAKE_FIND_ROOT_PATH ${MEMVIZ_SYSROOT} ${MEMVIZ_STATIC_PREFIX})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
# The folders of the libraries that Debian's other libraries depend on.
set(ENV{PKG_CONFIG_LIBDIR} ${MEMVIZ_SYSROOT}/usr/lib/aarch64-linux-gnu/pkgconfig)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${MEMVIZ_SYSROOT})

// The tag of C++ exceptions, which compiled code throws and catches by its name.
__asm__(".globl __cpp_exception\n"
        ".tagtype __cpp_exception i32\n"
        "__cpp_exception:\n");

/* The shared library is made of bough_core; CMake wants a source. */
typedef int bough_no_source;

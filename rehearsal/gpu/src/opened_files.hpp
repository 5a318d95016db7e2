// The files that the processes of a rehearsal open or ask for, for `memviz rehearse --cache`: records in the file that
// MEMVIZ_REHEARSAL_READS names, if it is set; without it the functions below only pass on their calls.
#pragma once

namespace memviz::rehearsal {

// Notes the libraries that this process has loaded: the dynamic linker opens them without a function of the C library.
void note_libraries();

} // namespace memviz::rehearsal

"""Callbacks that record the trainings of other libraries: each module is imported by name, and imports its library."""

"""The programs by name. A module of programs adds its own when it is imported."""

PROGRAMS = {}


def program(function):
    """Adds a function without arguments under its name."""
    PROGRAMS[function.__name__] = function
    return function

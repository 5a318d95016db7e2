"""A program that shows a disagreement -> a smaller one that still does, for people to read."""

from dataclasses import replace


def _fewer_operations(program, shows):
    size = len(program.operations) // 2
    while size > 0:
        start = 0
        while start < len(program.operations):
            rest = program.operations[:start] + program.operations[start + size :]
            candidate = replace(program.with_operations(rest), records_from=min(program.records_from, max(0, len(rest) - 1)))
            if rest and shows(candidate):
                program = candidate
            else:
                start += size
        size //= 2
    return program


def _simpler(program):
    """Returns the program with one part removed, in each way."""
    for name in program.settings:
        yield program.with_settings(**{name: None})
    if program.records_from:
        yield replace(program, records_from=0)
    if not program.has_stacks:
        yield replace(program, has_stacks=True)
    for index, operation in enumerate(program.operations):
        if operation[0] != "alloc":
            continue
        action, name, size, stream, pool = operation
        rounder = {unit * -(-size // unit) for unit in (1 << 20, 2 << 20, 20 << 20) if size > unit} - {size}
        others = [(action, name, other, stream, pool) for other in sorted(rounder)]
        if stream:
            others.append((action, name, size, 0, pool))
        if pool:
            others.append((action, name, size, stream, None))
        for other in others:
            yield program.with_operations([*program.operations[:index], other, *program.operations[index + 1 :]])


def shrunk(program, shows):
    """`shows`: whether a program still shows it. Tries each step once or twice; the result shows it as well."""
    program = _fewer_operations(program, shows)
    for _ in range(1):
        index = 0
        while True:
            candidates = list(_simpler(program))
            if index >= len(candidates):
                break
            if shows(candidates[index]):
                program = candidates[index]
            else:
                index += 1
        program = _fewer_operations(program, shows)
    return program

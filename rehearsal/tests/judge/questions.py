"""What `explain` says of a failure -> questions: other programs, and what must become of them if it is right.

A question is judged by a run of its program. `fits`: the program ends, or it must fail. `failed_operation`: where it
must fail, if the answer says that. `reserved_bytes`: what must be reserved before the last operation.
"""

from dataclasses import dataclass, replace

from programs import NO_SPLIT_LIMIT_MB, PAGE_BYTES, Program, captures


@dataclass(frozen=True)
class Question:
    kind: str
    claim: str
    program: Program
    fits: bool
    failed_operation: int | None = None
    reserved_bytes: int | None = None
    late_bytes: int = 0


def _inserted(program, *operations):
    """Before the last operation, which is the request."""
    return program.with_operations([*program.operations[:-1], *operations, program.operations[-1]])


def _on_one_stream(program):
    stream = program.operations[-1][3]
    recorded = program.operations[program.records_from :]
    return program.with_operations(
        (
            *program.operations[: program.records_from],
            *((*operation[:3], stream, operation[4]) if operation[0] == "alloc" else operation for operation in recorded),
        )
    )


def _without_pools(program):
    """Nothing is captured, either, because a capture has its own pool; what it allocates for itself stays, about as
    it was."""
    operations = list(program.operations[: program.records_from])
    for operation in program.operations[program.records_from :]:
        if operation[0] == "delete_pool":
            continue
        if operation[0] == "alloc":
            operations.append((*operation[:4], None))
        elif operation[0] == "capture":
            operations += [("alloc", f"{operation[1]}:{name}", 8, 0, None) for name in ("seed", "offset")]
        elif operation[0] == "drop":
            operations += [("free", f"{operation[1]}:{name}") for name in ("seed", "offset")]
        elif operation[0] != "end_capture":
            operations.append(operation)
    return program.with_operations(operations)


def changed_program(program, answer):
    """Returns the program under an answer's circumstance from where it is recorded on; None if no program does that."""
    circumstance = answer["circumstance"]
    if circumstance == "expandable_segments":
        return program.with_later_settings(expandable_segments="True")
    if circumstance == "no_rounding":
        return program.with_later_settings(roundup_power2_divisions="1")
    if circumstance == "no_split_limit":
        return program.with_later_settings(max_split_size_mb=NO_SPLIT_LIMIT_MB)
    if circumstance == "max_split_size":
        return program.with_later_settings(max_split_size_mb=answer["value"] >> 20)
    before = program.with_operations(program.operations[: program.records_from])
    if circumstance == "no_private_pools" and not captures(before):
        return _without_pools(program)
    if circumstance == "one_stream" and not captures(program):
        return _on_one_stream(program)
    return None


def _operation_of_event(event, result, trace):
    """Returns the allocation behind the event of the recording. Allocations are found in turn by their addresses."""
    turn = iter(result.allocations)
    operation, address = next(turn, (None, None))
    for index, entry in enumerate(trace):
        if entry["action"] == "alloc" and entry["addr"] == address:
            if index == event:
                return operation
            operation, address = next(turn, (None, None))
    return None


def _replayed(program, result, answer, trace):
    changed = changed_program(program, answer)
    if changed is None or answer["outcome"] not in ("fits", "does_not_fit"):
        return
    kind = answer["circumstance"]
    fits = answer["outcome"] == "fits"
    reserved_bytes = answer["reserved_bytes"] if answer["failed_event"] < 0 else None
    yield Question(kind, answer["text"], changed, fits)
    if answer["failed_event"] >= 0 and len(changed.operations) == len(program.operations):
        operation = _operation_of_event(answer["failed_event"], result, trace)
        if operation is not None and not answer["proviso"]:
            yield Question(kind + ": where", answer["text"], changed, False, failed_operation=operation)
    elif fits and reserved_bytes is not None and not (kind == "no_private_pools" and captures(program)):
        yield Question(kind + ": reserved", answer["text"], changed, True, reserved_bytes=reserved_bytes)


def _without_blocks(program, result, answer):
    names = {address: name for name, address in result.addresses.items()}
    found = [names.get(int(block["address"])) for block in answer["blocks"]]
    if None in found:
        return  # of the allocator's or of a graph's own: no program can free those
    if answer["outcome"] == "fits":
        frees = [("free", name) for name in found]
        yield Question("without_blocks", answer["text"], _inserted(program, *frees), True)
        for spared in range(len(frees)):
            fewer = frees[:spared] + frees[spared + 1 :]
            yield Question("without_blocks: minimal", answer["text"], _inserted(program, *fewer), False)
    elif answer["outcome"] == "does_not_fit" and not answer["proviso"]:
        frees = [("free", name) for name in result.addresses]
        yield Question("without_blocks: none", answer["text"], _inserted(program, *frees), False)


def _missing(program, device):
    """This much more device memory is enough when the request comes, and a page less is not."""
    missing = device["missing_bytes"]
    late = _inserted(program, ("late",))
    pages = -(-missing // PAGE_BYTES) * PAGE_BYTES
    if not device["missing_is_least"]:
        yield Question("missing", f"{missing} bytes are missing", late, True, late_bytes=pages)
    if pages > PAGE_BYTES:
        yield Question("missing: a page less", f"{missing} bytes are missing", late, False, late_bytes=pages - PAGE_BYTES)


VERDICT_BYTES = {
    "fragmentation": "hard_bytes",
    "size_class": "other_size_bytes",
    "stream": "stream_bytes",
    "private_pool": "private_pool_bytes",
    "pending_free": "pending_free_bytes",
    "rounding": "rounding_bytes",
}


def _verdict(program, device):
    """A verdict names memory; were that free on the device, a new segment would have served the request."""
    name, totals = device["verdict"], device["totals"]
    request = replace(program.with_operations([program.operations[-1]]), records_from=0)
    if name == "exhaustion":
        reachable = replace(request, memory_bytes=device["reachable_bytes"])
        yield Question("verdict: exhaustion", device["verdict_text"], reachable, False)
    elif name in VERDICT_BYTES and "No single cause" not in device["verdict_text"]:
        room = totals["device_free_bytes"] + totals[VERDICT_BYTES[name]]
        yield Question("verdict: " + name, device["verdict_text"], replace(request, memory_bytes=room), True)


def questions(program, result, device, trace):
    """`program` ends with the request that failed, and has no operation without a trace."""
    for answer in device["what_if"]:
        if answer["circumstance"] == "empty_cache" and answer["outcome"] in ("fits", "does_not_fit"):
            if not in_capture(program):
                fits = answer["outcome"] == "fits"
                emptied = _inserted(program, ("empty_cache",))
                yield Question("empty_cache", answer["text"], emptied, fits)
                yield Question(
                    "empty_cache: reserved", answer["text"], emptied, fits, reserved_bytes=answer["reserved_bytes"]
                )
        elif answer["circumstance"] == "without_blocks":
            yield from _without_blocks(program, result, answer)
        else:
            yield from _replayed(program, result, answer, trace)
    if device["verdict"] != "unclear":
        yield from _missing(program, device)
        yield from _verdict(program, device)


def in_capture(program):
    state = False
    for operation in program.operations:
        state = operation[0] == "capture" or (state and operation[0] != "end_capture")
    return state

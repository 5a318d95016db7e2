"""Ten cases that users reported, as questions; how SKILL.md leads to the answer, and the answer.

Every size, share and line of code of an answer stands in what its commands print; `shows` is the verdict that it
follows from.
"""

CASES = "testdata/cases"

QUESTIONS = [
    {
        "asked": "Iteration 2 fails to allocate the same batch tensor that iteration 1 had. Almost nothing is in use. Why?",
        "commands": [f"memviz explain {CASES}/split_large_segment.pickle -q"],
        "shows": ["Fragmentation: 10.5 GiB was free"],
        "answer": "Fragmentation: collate data.py:40 asks for 10.8 GiB, and 10.5 GiB are free inside the segments, but in pieces of at most "
        "396 MiB, because 28 blocks of remember metrics.py:22 (398 MiB) sit between them. expandable_segments would have let it fit.",
    },
    {
        "asked": "753 MiB are free inside PyTorch's memory and 50 MiB fail. Is that a bug of the allocator?",
        "commands": [
            f"memviz explain {CASES}/split_free_blocks.pickle -q",
            f"memviz explain {CASES}/split_free_blocks.pickle -q --json - | jq -c '.devices[] | [.verdict, .missing_bytes, .request.line]'",
        ],
        "shows": ['"fragmentation"', "torch.cuda.empty_cache() would not have helped"],
        "answer": "No: the 753 MiB are in pieces of at most 18.8 MiB, and forward model.py:140 needs 50.0 MiB in one. empty_cache() would not have "
        "helped; expandable_segments, or one block of store cache.py:55 less, would.",
    },
    {
        "asked": "Reserved memory is 20 GiB above allocated all the time, and nothing leaks. Where is it?",
        "commands": [f"memviz explain {CASES}/side_stream.pickle -q"],
        "shows": ["Stream: 20.0 GiB of 59.0 GiB reserved is free, but in segments of side streams"],
        "answer": "On a side stream: 20.0 GiB of the 59.0 GiB reserved are free there, where only that stream can use them. With everything on one "
        "stream 39.0 GiB would be reserved; empty_cache() gives the rest back.",
    },
    {
        "asked": "Active memory is twice what the tensors hold. Who keeps it?",
        "commands": [f"memviz explain {CASES}/record_stream.pickle -q"],
        "shows": ["Pending frees"],
        "answer": "Nobody: 7.50 GiB of 14.5 GiB reserved are freed but wait for another stream (record_stream); all_gather fsdp.py:88 allocated them.",
    },
    {
        "asked": "After saving a checkpoint, reserved memory stays high. Is it a leak?",
        "commands": [f"memviz explain {CASES}/reserved_jump.pickle -q --at end"],
        "shows": ["Cache: 3.61 GiB of 5.32 GiB reserved is in wholly free segments or pages; nothing keeps it."],
        "answer": "No: 3.61 GiB of 5.32 GiB are cache, which nothing keeps; gather checkpoint.py:61 had 2.73 GiB of it reserved. empty_cache() after "
        "the save gives 3.61 GiB back.",
    },
    {
        "asked": "The loss runs out of memory on an 80 GiB card that is a third full. Fragmentation?",
        "commands": [f"memviz explain {CASES}/huge_request.pickle -q"],
        "shows": ["Exhaustion", "The request alone is larger than everything that was live"],
        "answer": "No, one request is too large: logits loss.py:31 asks for 58.1 GiB while 28.0 GiB are live and 52.0 GiB free; 6.14 GiB are missing. "
        "Make the logits smaller (fewer tokens at once, a smaller type).",
    },
    {
        "asked": "The traceback names the loss. Is the loss what fills the memory?",
        "commands": [f"memviz explain {CASES}/retained_activations.pickle -q"],
        "shows": ["Exhaustion", "collect log_probs.py:47"],
        "answer": "No: logits loss.py:31 only made the last request, of 1.27 GiB. 38.8 GiB were live; without one block (1.22 GiB) of collect "
        "log_probs.py:47 the request would have fit. That line keeps most of what is in use.",
    },
    {
        "asked": "The server dies after some hundred requests. Does it leak?",
        "commands": ["memviz leaks testdata/leaks/cache.pickle -q", "memviz leaks testdata/leaks/cache.pickle -q --capacity 24GiB"],
        "shows": ["Probably a leak: 1 stack grows from step to step"],
        "answer": "Yes: put encoder_cache.py:33 grows by 256 MiB in each step, from 0 B to 2.75 GiB in the recording, and never gives any of it back.",
    },
    {
        "asked": "Memory goes up for a few steps and then falls by itself. Is that a leak, too?",
        "commands": ["memviz leaks testdata/leaks/cycles.pickle -q"],
        "shows": ["Freed late, not leaked", "reference cycles"],
        "answer": "No: make graph_nodes.py:19 is freed late, in bursts, up to 120 MiB at once, as when the garbage collector has to find reference "
        "cycles. It holds 72.0 MiB at most; break the cycles, or call gc.collect().",
    },
    {
        "asked": "PyTorch holds 5.57 GiB of an 11 GiB card, and 600 MiB fail. Who has the rest?",
        "commands": [
            f"memviz explain {CASES}/outside_memory.pickle -q",
            f"memviz explain {CASES}/outside_memory.pickle -q --capacity 10.91GiB",
        ],
        "shows": ["Not told: memory outside PyTorch", "Outside PyTorch: 5.06 GiB of 10.9 GiB is neither free nor PyTorch's"],
        "answer": "Not PyTorch: of the 10.9 GiB it holds 5.57 GiB, 290 MiB are free, and 5.06 GiB are other processes, the CUDA context or libraries. "
        "The snapshot alone does not tell; it takes the card's size.",
    },
]

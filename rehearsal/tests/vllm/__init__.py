"""Stands in for vLLM 0.19: as much of it as the hook of `memviz rehearse` knows, in its words, on the tests' torch."""

__version__ = "0.19.0"

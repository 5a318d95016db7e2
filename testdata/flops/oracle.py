"""What PyTorch itself counts: FlopCounterMode over the eager program, and over each node of the exported graph."""

import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils import flop_counter
from torch.utils.flop_counter import FlopCounterMode


def attention(query, key, value, *_, out_shape=None, **__):
    batch, heads, queries, width = query
    return 2 * batch * heads * queries * key[2] * (width + value[3])


ATTENTION_ON_CPU = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu
LATER_RULES = {} if ATTENTION_ON_CPU in flop_counter.flop_registry else {ATTENTION_ON_CPU: attention}
"""FlopCounterMode has no rule for attention on the CPU before 2.15, so the later rule is added there."""


def named(counts):
    return {str(operator): flops for operator, flops in sorted(counts.items(), key=lambda item: str(item[0]))}


def reason(error):
    return f"{type(error).__name__}: {(str(error).splitlines() or [''])[0][:200]}"


def eager(model, inputs):
    """The counts of a call of the model, by operator and by module, or the reason why there are none."""
    try:
        with FlopCounterMode(display=False, custom_mapping=LATER_RULES) as counter:
            model(*inputs)
    except Exception as error:  # what FlopCounterMode has no rule for, such as most higher-order operators
        return {"total_flops": None, "why": reason(error)}
    modules = {module: named(counts) for module, counts in sorted(counter.get_flop_counts().items())}
    return {
        "total_flops": counter.get_total_flops(),
        "by_operator": named(counter.get_flop_counts().get("Global", {})),
        "by_module": modules,
    }


class NodeCounter(torch.fx.Interpreter):
    """Runs an exported graph and notes what FlopCounterMode counts for each node."""

    def __init__(self, graph_module):
        super().__init__(graph_module)
        self.by_node = {}
        self.by_target = {}

    def run_node(self, node):
        if node.op != "call_function":
            return super().run_node(node)
        with FlopCounterMode(display=False, custom_mapping=LATER_RULES) as counter:
            result = super().run_node(node)
        if flops := counter.get_total_flops():
            self.by_node[node.name] = flops
            self.by_target[str(node.target)] = self.by_target.get(str(node.target), 0) + flops
        return result


def as_fake(value, mode):
    """A fake tensor of the sizes that a placeholder had when it was exported; other values as they are."""
    if isinstance(value, torch.SymInt):
        return value.node.hint
    if not isinstance(value, torch.Tensor):
        return value
    with mode:
        sizes = [size.node.hint if isinstance(size, torch.SymInt) else size for size in value.shape]
        return torch.empty(sizes, dtype=value.dtype, device=value.device)


def run_counted(graph_module):
    """The counter of a graph that ran on fake tensors of the sizes of its placeholders."""
    counter = NodeCounter(graph_module)
    mode = FakeTensorMode()
    placeholders = [node for node in graph_module.graph.nodes if node.op == "placeholder"]
    with mode:
        counter.run(*(as_fake(node.meta.get("val"), mode) for node in placeholders))
    return counter


def sub_graphs(graph_module):
    """What one run of each sub-graph counts, by the name that the archive has for it."""
    found = {}
    for name, module in graph_module.named_modules():
        if name and isinstance(module, torch.fx.GraphModule):
            try:
                found[name] = sum(run_counted(module).by_node.values())
            except Exception as error:
                found[name] = reason(error)
    return found


def exported(program):
    """The counts of the exported graph's nodes, each run by itself on fake tensors."""
    inside = sub_graphs(program.graph_module)
    inside = {"sub_graphs": inside} if inside else {}
    try:
        counter = run_counted(program.graph_module)
    except Exception as error:
        return {"graph_flops": None, "graph_why": reason(error)} | inside
    return {
        "graph_flops": sum(counter.by_node.values()),
        "by_target": dict(sorted(counter.by_target.items())),
        "by_node": counter.by_node,
    } | inside


def bytes_of(tensors):
    """The bytes of the distinct tensors; each is counted once, however many names it has."""
    return sum(tensor.numel() * tensor.element_size() for tensor in {id(tensor): tensor for tensor in tensors}.values())

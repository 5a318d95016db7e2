"""What somebody who checks types would write: `mypy --strict` has to agree with it, and to see each mistake."""

from typing import Any, Optional

import memviz_torch


def figures(snapshot: dict[str, Any]) -> Optional[str]:
    memviz_torch.flame(snapshot, at="peak", group=["kind"], max_size=1 << 20).save("mem.svg")
    memviz_torch.timeline("mem.pickle", from_=1, to=2).svg.upper()
    if memviz_torch.compare(b"", snapshot, fail_over="2%").exceeded:
        print(memviz_torch.leaks(snapshot).grows[0]["device"])
    memviz_torch.flame(7)  # type: ignore[arg-type]
    memviz_torch.flame(snapshot, att="peak")  # type: ignore[call-arg]
    memviz_torch.stats(snapshot, at=1)  # type: ignore[arg-type]
    ranks: list[Optional[int]] = [run.rank for run in memviz_torch.rehearse("python train.py", world=8, ranks=[0, [1, 2]]).runs]
    memviz_torch.rehearse(["python", "train.py"], gpu=ranks)  # type: ignore[arg-type]
    return memviz_torch.explain(snapshot).verdict

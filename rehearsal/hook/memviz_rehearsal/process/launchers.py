"""Replaces launchers in the command of `memviz rehearse --world`: memviz has set everything that a launcher sets for a
rank, so instead of starting processes, this process becomes the rank's program. The launcher itself has read its
arguments and configuration by then.
"""

import os
import sys


def install(act_at_imports):
    acts = (
        ("torch.distributed.launcher.api", _become_program_of_torchrun),
        ("deepspeed.launcher.runner", _become_program_of_deepspeed),
    )
    act_at_imports(acts)


def _become(words):
    """Variables of the rank stay as memviz set them, even if the launcher changed them."""
    sys.stdout.flush()
    sys.stderr.flush()
    os.execvpe(words[0], words, {**os.environ, **_RANK})


# RANK and similar variables, before the launcher runs.
_RANK = {
    name: os.environ[name]
    for name in ("RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "GROUP_RANK", "MASTER_ADDR", "MASTER_PORT")
    if name in os.environ
}


def _become_program_of_torchrun(api):
    """accelerate launches through it as well."""

    def launch_agent(config, entrypoint, args, *_, **__):
        os.environ["TORCHELASTIC_RUN_ID"] = str(config.run_id or "none")
        os.environ.setdefault("OMP_NUM_THREADS", "1")
        if callable(entrypoint):
            return {int(os.environ["LOCAL_RANK"]): entrypoint(*args)}
        _become([entrypoint, *args])

    api.launch_agent = launch_agent


def _become_program_of_deepspeed(runner):
    def main(args=None):
        args = runner.parse_args(args)
        words = [] if args.no_python else [sys.executable, "-u", *(["-m"] if args.module else [])]
        words.append(args.user_script)
        if not args.no_local_rank:
            words.append(f"--local_rank={os.environ['LOCAL_RANK']}")
        _become([*words, *args.user_args])

    runner.main = main

"""Runs the shell steps of a composite action (action.yml) as GitHub does, without GitHub: the inputs, the outputs of steps,
their conditions, and `bash -eo pipefail`. Steps that use other actions are named, and not run.

What is in `${{ }}` are names (inputs.x, steps.y.outputs.z, github.w), compared with strings, joined by &&.
"""

import os
import pathlib
import re
import subprocess


class Action:
    def __init__(self, action, inputs, surroundings, folder):
        """`action`: the document; `surroundings`: github.*, and the environment under "env"; `folder`: where it runs."""
        self.action, self.folder = action, pathlib.Path(folder)
        self.values = {f"inputs.{name}": inputs.get(name, given.get("default", "")) for name, given in action["inputs"].items()}
        self.values.update({f"github.{name}": value for name, value in surroundings.items() if name != "env"})
        self.env = surroundings.get("env", {})
        self.summary = self.folder / "step-summary.md"
        self.log = ""
        self.used = []

    def value_of(self, word):
        word = word.strip()
        return word[1:-1] if word[:1] == "'" else self.values.get(word, "")

    def expand(self, text):
        return re.sub(r"\$\{\{(.*?)\}\}", lambda found: self.value_of(found[1]), text)

    def holds(self, condition):
        for part in condition.split("&&"):
            left, sign, right = (re.fullmatch(r"\s*(\S+)\s*(==|!=)\s*(\S+)\s*", part) or re.fullmatch("()()()", "")).groups()
            if not sign:
                raise ValueError(f"this test does not know the condition {condition!r}")
            if (self.value_of(left) == self.value_of(right)) != (sign == "=="):
                return False
        return True

    def run_step(self, step):
        outputs = self.folder / "step-outputs"
        outputs.write_text("")
        env = {name: self.expand(value) for name, value in step.get("env", {}).items()}
        env |= {"GITHUB_OUTPUT": str(outputs), "GITHUB_STEP_SUMMARY": str(self.summary)}
        done = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]], cwd=self.folder,
                              env={**os.environ, **self.env, **env}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)  # fmt: skip
        self.log += done.stdout
        for line in outputs.read_text().splitlines():
            name, _, value = line.partition("=")
            self.values[f"steps.{step['id']}.outputs.{name}"] = value
        return done.returncode

    def run(self):
        """Returns the exit code of the first step that fails and may not; 0 if none does."""
        failed = 0
        for step in self.action["runs"]["steps"]:
            condition = step.get("if", "")
            if (failed and condition != "always()") or (condition not in ("", "always()") and not self.holds(condition)):
                continue
            if "uses" in step:
                self.used.append(step["uses"].partition("@")[0])
                continue
            code = self.run_step(step)
            if code and not step.get("continue-on-error"):
                failed = failed or code
        return failed

    def outputs(self):
        return {name: self.expand(given["value"]) for name, given in self.action["outputs"].items()}

"""Numbers: the boxes hold the same as in `export --format json`, as drawn and in every other tree that the script
makes from them."""

import collections
import itertools
import json
import re

import snapshots
from support import BrowserCase, TESTDATA, memviz

SNAPSHOT = "training_step.pickle"
SWITCHES = ("invert", "collapse", "hide")
NO_OWN_FRAME = "<no frame of your own>"


def exported(snapshot, *options):
    """Returns the tree's nodes as (path of labels, node), each path without the root."""
    nodes = json.loads(memviz("export", snapshot, "--format", "json", *options))["nodes"]
    paths = {}
    for node in nodes:
        paths[node["id"]] = paths[node["parent"]] + (label_of(node),) if "parent" in node else ()
    return [(paths[node["id"]], node) for node in nodes]


def label_of(node):
    return NO_OWN_FRAME if node["label"] == "<filtered>" else node["label"]


def totals(tree):
    return {path: node["total_bytes"] for path, node in tree}


class TreeCases(BrowserCase):
    def shown_totals(self, picture):
        """Returns the bytes of every box by its path of labels; each frame of a folded run has those of its box."""
        labels = picture.frame_labels()
        shown, paths = {}, {}
        for box in picture.boxes():
            own = [labels[i] for i in box.frames] or [box.name.split(" squeezed")[0]]
            path = paths[box.parent.index] if box.parent else ()
            for label in own if box.parent else ():
                path += (label,)
                shown[path] = box.bytes
            if not box.parent:
                shown[()] = box.bytes
            paths[box.index] = path
        return shown

    def press(self, picture, *switches):
        for switch in switches:
            picture.page.locator(f"#{switch}").click()

    def own_numbers(self, picture):
        # Returns PyTorch's name of a state, as in exports; a squeezed box has its bytes instead: "free 2.31 GiB".
        def exported_name(name):
            return re.sub(r"^(?:in use|awaiting free|free) \((\w+)\)", r"\1", re.sub(r"^free [\d.]+ [KMGT]?i?B$", "inactive", name))

        return {tuple(map(exported_name, path)): bytes
                for path, bytes in self.shown_totals(picture).items()}  # fmt: skip

    def test_boxes_hold_what_export_says(self):
        shown = self.own_numbers(self.open_picture("flame", SNAPSHOT, "--at", "end"))
        wanted = totals(exported(TESTDATA / SNAPSHOT))
        merged = {path: bytes for path, bytes in shown.items() if path and path[-1].startswith("<smaller: ")}
        self.assertEqual({path: bytes for path, bytes in wanted.items() if path in shown},
                         {path: bytes for path, bytes in shown.items() if path not in merged})  # fmt: skip
        # Nodes that are not drawn are in the merged box next to them, exactly.
        missing = collections.Counter()
        for path, bytes in wanted.items():
            if path not in shown and path[:-1] in shown:
                missing[path[:-1]] += bytes
        self.assertEqual(+missing, {path[:-1]: bytes for path, bytes in merged.items()})

    def test_hidden_libraries_are_frames_user(self):
        file = snapshots.mixed()
        picture = self.open_picture("flame", file)
        self.press(picture, "hide")
        self.assertEqual(self.own_numbers(picture), totals(exported(file, "--frames", "user")))

    def test_inverted_stacks_are_read_from_their_end(self):
        file = snapshots.mixed()
        tree = exported(file)
        kinds = {path: node["kind"] for path, node in tree}
        wanted = collections.Counter()
        for path, node in tree:
            levels = sum(kinds[path[: i + 1]] in ("stream", "state", "device") for i in range(len(path)))
            inverted = path[:levels] + path[levels:][::-1]
            for i in range(len(inverted) + 1):
                wanted[inverted[:i]] += node["self_bytes"]
        picture = self.open_picture("flame", file)
        self.press(picture, "invert")
        self.assertEqual(self.own_numbers(picture), +wanted)

    def test_no_byte_is_lost_in_any_view(self):
        for command in (("flame", SNAPSHOT), ("flame", "devices_streams.pickle"), ("flame", SNAPSHOT, "--view", "segments"),
                        ("flame", SNAPSHOT, "--max-size", "90000")):  # fmt: skip
            picture = self.open_picture(*command)
            drawn = picture.boxes()[0]
            for count in range(1, 4):
                for switches in itertools.combinations(SWITCHES, count):
                    with self.subTest(command=command, switches=switches):
                        self.press(picture, *switches)
                        boxes = picture.boxes()
                        self.assertEqual((boxes[0].bytes, boxes[0].blocks), (drawn.bytes, drawn.blocks))
                        leaves = [box for box in boxes if not box.children]
                        own = sum(box.bytes - sum(child.bytes for child in box.children) for box in boxes if box.children)
                        self.assertEqual(sum(box.bytes for box in leaves) + own, drawn.bytes)
                        for box in boxes:
                            self.assertLessEqual(sum(child.bytes for child in box.children), box.bytes)
                            self.assertLessEqual(sum(child.units for child in box.children), box.units)
                        self.press(picture, *switches)
            self.assertEqual(len(picture.boxes()), len(self.open_picture(*command).boxes()))

    def test_merged_boxes_stay_and_keep_their_name(self):
        picture = self.open_picture("flame", SNAPSHOT, "--max-size", "90000")
        merged = sum(box.bytes for box in picture.boxes() if box.name.startswith("<smaller: "))
        self.assertGreater(merged, 0)
        self.press(picture, "hide", "invert")
        is_merged = lambda box: box.name.startswith("<smaller: ")
        now = sum(box.bytes for box in picture.boxes() if is_merged(box) and not is_merged(box.parent))
        self.assertGreaterEqual(now, merged)

    def test_recursion_is_shown_once(self):
        picture = self.open_picture("flame", snapshots.recursive(), "--no-fold")
        names = [box.name for box in picture.boxes()]
        self.assertEqual(names.count("visit"), 40)
        self.press(picture, "collapse")
        boxes = picture.boxes()
        self.assertEqual([box.name for box in boxes].count("visit"), 1)
        leaf = next(box for box in boxes if box.name == "leaf")
        self.assertEqual(leaf.bytes, snapshots.MIB)
        self.press(picture, "collapse")
        self.assertEqual([box.name for box in picture.boxes()], names)

    def test_a_comparison_keeps_both_sides_in_every_view(self):
        picture = self.open_picture("compare", "before.pickle", "after.pickle", "--at", "end")
        drawn = picture.boxes()[0]
        for count in range(1, 4):
            for switches in itertools.combinations(SWITCHES, count):
                with self.subTest(switches=switches):
                    self.press(picture, *switches)
                    boxes = picture.boxes()
                    self.assertEqual((boxes[0].before, boxes[0].after, boxes[0].units), (drawn.before, drawn.after, drawn.units))
                    for box in boxes:
                        for amount in ("before", "after", "units"):
                            below = sum(getattr(child, amount) for child in box.children)
                            self.assertLessEqual(below, getattr(box, amount))
                        self.assertIn(self.colour_of(box), box.classes, box.name)
                    self.press(picture, *switches)
        self.assertEqual(len(picture.boxes()), len(self.open_picture("compare", "before.pickle", "after.pickle", "--at", "end").boxes()))

    def colour_of(self, box):
        if box.before == box.after:
            return "same"
        if not box.before or not box.after:
            return "removed" if box.before else "added"
        little = "-little" if abs(box.after - box.before) < box.bytes // 20 else ""
        return ("grown" if box.after > box.before else "shrunk") + little

    def test_an_inverted_comparison_says_what_the_drawn_one_says(self):
        picture = self.open_picture("compare", "before.pickle", "after.pickle", "--at", "end")
        line = picture.box(lambda box: box.name == "collect")
        self.press(picture, "hide", "invert")
        inverted = picture.box(lambda box: box.name == "collect")
        self.assertLess(inverted.level, line.level)
        self.assertEqual((inverted.before, inverted.after, inverted.units), (line.before, line.after, line.units))
        picture.hover(inverted)
        words = picture.tip_lines()
        self.assertIn(f"before: 60.0 MiB ({line.before:,} bytes), 2 blocks", words)
        self.assertIn("change: −60.0 MiB, only before", words)
        label = picture.element(inverted).evaluate("rect => rect.parentElement.textContent")
        self.assertIn("−60.0 MiB", label)

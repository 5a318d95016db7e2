"""How graphs are followed, with nodes that are made up. Needs no torch."""

import random
import types
import unittest

from keepers_stage import SOURCE  # noqa: F401 (its path)

from memviz_torch.recording import keepers_nodes
from memviz_torch.recording.keepers_found import Found
from memviz_torch.recording.keepers_nodes import NodeReader
from memviz_torch.recording.keepers_types import Classes, KnownClasses


class Node:
    """Has the field that is read of a node."""

    __slots__ = ("after",)

    def __init__(self, *after):
        self.after = after


class Reader(NodeReader):
    """Asks these nodes for their field."""

    def __init__(self, found):
        super().__init__(None, found)
        fields = types.SimpleNamespace(saved=(), variable=None, next_functions=lambda node: [(one, 0) for one in node.after])
        self._graph = types.SimpleNamespace(fields=lambda cls: fields)


def followed(*starts):
    found = Found(Classes(KnownClasses()))
    Reader(found).read({id(one): one for one in reversed(starts)}, lambda: False)
    return found


def chain(length, end=None):
    nodes = [end or Node()]
    while len(nodes) < length:
        nodes.append(Node(nodes[-1]))
    return nodes[::-1]


class Follows(unittest.TestCase):
    def setUp(self):
        self.most, keepers_nodes.MOST_HEIGHT = keepers_nodes.MOST_HEIGHT, 20
        keepers_nodes.NodeReader.has_met_depth = False

    def tearDown(self):
        keepers_nodes.MOST_HEIGHT = self.most

    def test_heights_are_the_longest_ways(self):
        for seed in range(30):
            chance = random.Random(seed)
            nodes = []
            for _ in range(15):
                nodes.append(Node(*chance.sample(nodes, min(len(nodes), chance.randrange(4)))))
            heights = {}
            for node in nodes:
                heights[id(node)] = 1 + max((heights[id(one)] for one in node.after), default=0)
            found = followed(*chance.sample(nodes, len(nodes)))
            self.assertEqual(found.heights, heights)
            self.assertFalse(found.is_deep)
            self.assertEqual(set(map(id, found.nodes)), set(heights))
            edges = {(id(node), id(one)) for node in nodes for one in node.after}
            self.assertEqual(set(zip(found.sources, found.targets)), edges)

    def test_a_graph_is_left_where_it_is_too_deep(self):
        nodes = chain(21)
        found = followed(nodes[0])
        self.assertTrue(found.is_deep)
        self.assertEqual(found.nodes, nodes[:20])
        keepers_nodes.NodeReader.has_met_depth = False
        self.assertFalse(followed(nodes[1]).is_deep)

    def test_nothing_is_followed_after_a_deep_graph(self):
        nodes = chain(60)
        found = followed(nodes[0], nodes[30], Node())
        self.assertEqual(found.nodes, nodes[:20])

    def test_after_a_deep_graph_no_later_search_follows_any(self):
        followed(chain(21)[0])
        found = followed(chain(3)[0])
        self.assertEqual((found.nodes, found.is_deep), ([], True))
        self.assertFalse(followed().is_deep)

    def test_a_graph_becomes_too_deep_over_what_was_followed_before(self):
        lower = chain(15)
        upper = chain(10, Node(lower[0]))
        found = followed(lower[0], upper[0], Node())
        self.assertTrue(found.is_deep)
        self.assertEqual(len(found.nodes), 25)


if __name__ == "__main__":
    unittest.main()

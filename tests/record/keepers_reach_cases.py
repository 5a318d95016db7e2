"""What leads to memory over the references that only C++ has. Needs no torch."""

import random
import unittest

from keepers_stage import SOURCE  # noqa: F401 (its path)

from memviz_torch.recording.keepers_found import Found
from memviz_torch.recording.keepers_reach import Reach
from memviz_torch.recording.keepers_types import Classes


def leading(edges, starts, left_out=()):
    classes = Classes.__new__(Classes)
    found = Found(classes)
    found.sources, found.targets = [source for source, _ in edges], [target for _, target in edges]
    reach = Reach(classes, set(left_out), set(), found)
    reach.add_all(starts)
    reach.spread([], lambda: False)
    return reach.leading


def by_single_steps(edges, starts):
    reached = set(starts)
    while True:
        more = {source for source, target in edges if target in reached} - reached
        if not more:
            return reached
        reached |= more


class Reaches(unittest.TestCase):
    def test_a_chain_is_followed_in_any_order(self):
        chain = [(number, number + 1) for number in range(500)]
        shuffled = random.Random(1).sample(chain, len(chain))
        for edges in chain, chain[::-1], shuffled, chain[1::2] + chain[::2]:
            self.assertEqual(leading(edges, [500]), set(range(501)))

    def test_random_graphs_with_circles(self):
        for seed in range(50):
            chance = random.Random(seed)
            edges = [(chance.randrange(100), chance.randrange(100)) for _ in range(chance.randrange(200))]
            starts = chance.sample(range(100), chance.randrange(4))
            self.assertEqual(leading(edges, starts), by_single_steps(edges, starts))

    def test_what_is_left_out_leads_nowhere(self):
        edges = [(number, number + 1) for number in range(10)]
        self.assertEqual(leading(edges, [10], left_out=[5]), {6, 7, 8, 9, 10})

"""The memory of objects that a walk notes. Needs no torch."""

import tracemalloc
import unittest

from keepers_stage import SOURCE  # noqa: F401 (its path)

from memviz_torch.recording.keepers_storages import Storages


class MemoryOfObjects(unittest.TestCase):
    def setUp(self):
        self.found = Storages()
        self.found.add_objects(range(10))

    def test_an_object_of_the_program_may_have_none(self):
        self.assertTrue(self.found.knows(3))
        self.assertFalse(self.found.knows(10))
        self.assertEqual(self.found.of(3), ())
        self.assertEqual(list(self.found.holders()), [])

    def test_several_objects_may_have_one_storage(self):
        (row,) = self.found.add_rows([1], [4096], [512])
        self.found.give([2, 3], [row, row])
        self.assertEqual(self.found.of(2), ((1, 4096, 512),))
        self.assertEqual(self.found.row(2), self.found.row(3))
        self.assertEqual(list(self.found.holders()), [2, 3])

    def test_an_object_may_have_several_storages_each_once(self):
        self.found.add(4, [(0, 512, 8), (0, 1024, 8), (0, 512, 8)])
        self.found.add(4, [(0, 1024, 8), (1, 1024, 16)])
        self.found.add(5, [])
        self.assertEqual(self.found.of(4), ((0, 512, 8), (0, 1024, 8), (1, 1024, 16)))
        self.assertLess(self.found.row(4), 0)
        self.assertFalse(self.found.of(5))

    def test_storages_may_be_given_one_after_another(self):
        rows = list(self.found.add_rows([0, 0], [512, 1024], [8, 16]))
        self.found.give_more([1, 2, 3], [rows[0], -1, rows[0]])
        self.found.give_more([1, 2, 3], [rows[1], rows[1], rows[0]])
        self.assertEqual(self.found.of(1), ((0, 512, 8), (0, 1024, 16)))
        self.assertEqual(self.found.of(2), ((0, 1024, 16),))
        self.assertEqual(self.found.of(3), ((0, 512, 8),))

    def test_the_largest_are_those_of_most_bytes_in_all(self):
        self.found.give([1, 2], self.found.add_rows([0, 0], [512, 1024], [30, 20]))
        self.found.add(3, [(0, 2048, 16), (0, 4096, 15)])
        self.assertEqual(self.found.largest(2, [1, 2, 3]), [3, 1])

    def test_memory_is_repeated_if_another_object_has_all_of_it(self):
        self.found.give([1, 2, 3], self.found.add_rows([0, 0, 1], [512, 512, 512], [8, 8, 8]))
        self.found.add(4, [(0, 1024, 8), (0, 2048, 8)])
        self.found.add(5, [(0, 2048, 8), (0, 1024, 8)])
        self.found.add(6, [(0, 2048, 8), (0, 8192, 8)])
        self.assertEqual(self.found.repeated({2, 3, 5, 6}), {2, 5})

    def test_objects_are_distinct_if_no_two_have_memory_in_common(self):
        self.found.give([1, 2, 3], self.found.add_rows([0, 0, 0], [512, 1024, 512], [8, 8, 8]))
        self.found.add(4, [(0, 4096, 8), (0, 2048, 8)])
        self.assertTrue(self.found.are_distinct([1, 2, 7, 99]))
        self.assertFalse(self.found.are_distinct([1, 3]))
        self.assertFalse(self.found.are_distinct([1, 1]))
        self.assertFalse(self.found.are_distinct([1, 4]))

    def test_a_million_take_some_100_bytes_each(self):
        count = 100_000
        keys = list(range(1 << 40, (1 << 40) + count))
        tracemalloc.start()
        found = Storages()
        found.add_objects(keys)
        found.give(keys, found.add_rows([0] * count, range(512, 512 * count + 1, 512), [512] * count))
        used, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        self.assertLess(used / count, 120)


if __name__ == "__main__":
    unittest.main()

"""The walk over the heap runs no code of the program, whatever its objects define. Needs no torch."""

import collections
import sys
import threading
import types
import weakref

from keepers_stage import RAN, Tensor, Walks, ran, walk


class HostileMeta(type):
    __eq__ = ran("eq of a class", False)
    __hash__ = ran("hash of a class", 1)
    __instancecheck__ = ran("isinstance", True)
    __subclasscheck__ = ran("issubclass", True)
    __call__ = ran("call of a class")
    __len__ = ran("len of a class", 0)
    __bool__ = ran("bool of a class", False)
    __iter__ = ran("iter of a class", iter(()))
    __repr__ = ran("repr of a class", "")

    def __getattribute__(cls, name):
        RAN.append(f"getattribute of a class: {name}")
        return type.__getattribute__(cls, name)


class Hostile(metaclass=HostileMeta):
    __class__ = property(ran("class", int))
    __eq__ = ran("eq", True)
    __hash__ = ran("hash", 1)
    __len__ = ran("len", 0)
    __bool__ = ran("bool", False)
    __iter__ = ran("iter", iter(()))
    __repr__ = __str__ = ran("repr", "")
    __getattr__ = ran("getattr")
    __dir__ = ran("dir", [])
    __sizeof__ = ran("sizeof", 0)
    __index__ = ran("index", 0)
    __call__ = ran("call")
    __get__ = ran("get")
    __del__ = ran("del")

    def __getattribute__(self, name):
        RAN.append(f"getattribute {name}")
        return object.__getattribute__(self, name)


def hostile(kept=None):
    found = object.__new__(Hostile)
    object.__setattr__(found, "kept", kept)
    return found


class HostileNames(dict):
    __iter__ = keys = values = items = copy = ran("iteration", ())
    __len__ = ran("len of a dict", 0)


class HostileDict(HostileNames):
    __getitem__ = get = ran("lookup")
    __contains__ = ran("contains", False)


class HostileList(list):
    __iter__ = ran("iteration of a list", iter(()))
    __len__ = ran("len of a list", 0)
    __getitem__ = ran("item of a list")


class HostileTuple(tuple):
    __iter__ = ran("iteration of a tuple", iter(()))
    __len__ = ran("len of a tuple", 0)


class HostileText(str):
    __eq__ = ran("eq of a text", True)
    __hash__ = ran("hash of a text", 1)
    __str__ = __repr__ = ran("text", "")


class HiddenDict:
    __dict__ = property(ran("dict"))

    def __init__(self):
        object.__setattr__(self, "kept", Tensor())


class LazyModule(types.ModuleType):
    __getattr__ = ran("getattr of a module")
    __dict__ = property(ran("dict of a module"))


class HostileObjects(Walks):
    def test_their_attributes_are_named_without_asking_them(self):
        holder = hostile(Tensor())
        self.assertEqual(self.assert_path("local holder", "attribute kept").facts["unreadable"], 0)
        del holder

    def test_that_hide_their_dict_are_counted_and_lead_on(self):
        holder = HiddenDict()
        answer = self.assert_path_to_hidden()
        self.assertGreaterEqual(answer.facts["unreadable"], 1)
        del holder

    def assert_path_to_hidden(self):
        answer = walk()
        self.assertEqual(RAN, [])
        path = answer.paths()[Tensor.last]
        self.assertEqual(path[:3], ("local", "test_that_hide_their_dict_are_counted_and_lead_on", "local holder"))
        return answer

    def test_as_keys_are_neither_compared_nor_hashed(self):
        holder = {hostile(): [Tensor()]}
        self.assert_path("local holder", f"other_key {self.name_of(Hostile)}", "index 0")
        holder = {7: [Tensor()]}
        self.assert_path("local holder", "other_key 7", "index 0")

    @staticmethod
    def name_of(cls):
        return f"{type.__getattribute__(cls, '__module__')}.{type.__getattribute__(cls, '__qualname__')}"

    def test_as_keys_that_hold_memory_are_found(self):
        holder = {hostile(Tensor()): 1}
        self.assert_path("local holder", "refers key", "attribute kept")
        del holder

    def test_that_resemble_text_are_no_names(self):
        holder = {HostileText("name"): Tensor()}
        self.assert_path("local holder", f"other_key {self.name_of(HostileText)}")
        del holder

    def test_that_are_containers_are_read_as_what_they_are(self):
        holder = HostileDict(name=Tensor())
        self.assert_path("local holder", "key name")
        holder = HostileList([Tensor()])
        self.assert_path("local holder", "index 0")
        holder = HostileTuple((Tensor(),))
        self.assert_path("local holder", "index 0")
        holder = collections.defaultdict(ran("default"), {"name": Tensor()})
        self.assert_path("local holder", "key name")

    def test_that_are_defaults_of_functions_are_read(self):
        def holder(first, second=None):
            pass

        holder.__defaults__ = HostileTuple((Tensor(),))
        self.assert_path("local holder", "default second")
        holder.__defaults__ = None
        holder.__kwdefaults__ = HostileDict(second=Tensor())
        self.assert_path("local holder", "default second")

    def test_that_are_namespaces_are_not_asked(self):
        namespace = HostileNames(kept=Tensor(), walk=walk)
        RAN.clear()
        exec("answer = walk()", {"__name__": "made"}, namespace)
        self.assertEqual(RAN, [])
        self.assertEqual(namespace["answer"].paths()[Tensor.last][2:], ("local namespace", "key kept"))

    def test_that_are_classes_are_walked(self):
        holder = type.__call__(HostileMeta, "Made", (), {"kept": Tensor(), HostileText("other"): 1})
        self.assert_path("local holder", "attribute kept")
        del holder

    def test_that_are_instances_of_a_class_that_holds_memory_do_not_refer_to_it(self):
        cls = type.__call__(HostileMeta, "Made", (), {"kept": Tensor(), "__hash__": None})
        instance = object.__new__(cls)
        answer = self.assert_path("local cls", "attribute kept")
        self.assertEqual(answer.nodes("instance"), [])
        del instance

    def test_that_are_tensors_are_read(self):
        loud = ("__getattr__", "__eq__", "__len__", "__repr__", "__bool__", "__iter__")
        kept = type("Loud", (Tensor,), {name: ran(name) for name in loud})()
        self.assert_path("local kept")
        del kept

    def test_behind_a_weak_reference_are_kept_by_nothing(self):
        tensor = Tensor()
        seen = weakref.ref(tensor, ran("callback"))
        del tensor
        self.assertIsNone(seen())
        self.assertNotIn(Tensor.last, walk().paths())

    def test_behind_a_proxy_are_not_asked_through_it(self):
        holder = hostile(Tensor())
        proxy = weakref.proxy(holder)
        self.assert_path("local holder", "attribute kept")
        del proxy

    def test_that_are_half_initialised_modules_are_roots(self):
        module = LazyModule.__new__(LazyModule)
        types.ModuleType.__init__(module, "memviz_test_half")
        types.ModuleType.__dict__["__dict__"].__get__(module)["kept"] = Tensor()
        made = {"half": module, "none": None, "bare": types.ModuleType.__new__(types.ModuleType), "odd": hostile()}
        for name, value in made.items():
            sys.modules["memviz_test_" + name] = value
            self.addCleanup(sys.modules.pop, "memviz_test_" + name)
        del module, made, value
        answer = self.assert_path("global kept", root="global")
        self.assertEqual(answer.paths()[Tensor.last][1], "memviz_test_half")

    def test_that_another_thread_changes_do_no_harm(self):
        shared, is_done = {"kept": Tensor()}, threading.Event()

        def change():
            while not is_done.is_set():
                for number in range(500):
                    shared[number] = [number]
                for number in range(500):
                    del shared[number]

        thread = threading.Thread(target=change)
        thread.start()
        try:
            for _ in range(10):
                self.assert_path("local shared", "key kept")
        finally:
            is_done.set()
            thread.join()

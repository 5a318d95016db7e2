"""Measurements of the devices, with and without NVML."""

import os
import signal
import sys
import unittest
import weakref

from stage import PACKAGE, without_collector


class Nvml:
    """Replaces libnvidia-ml.so.1: a device with given processes."""

    def __init__(self, processes, uuid=b"GPU-00000000-stand-in"):
        self.processes = processes
        self.uuid = uuid
        self.nvmlInit_v2 = self.nvmlShutdown = lambda: 0

    def nvmlDeviceGetHandleByUUID(self, uuid, handle):
        return 0 if uuid.value == self.uuid else 6

    def nvmlDeviceGetComputeRunningProcesses_v3(self, handle, count, found):
        for index, (pid, size) in enumerate(self.processes):
            found[index].pid, found[index].bytes = pid, size
        count._obj.value = len(self.processes)
        return 0

    def nvmlDeviceGetGraphicsRunningProcesses_v3(self, handle, count, found):
        count._obj.value = 0
        return 0


class Held:
    """What a variable of the program refers to while the recorder works."""


class Devices(unittest.TestCase):
    def setUp(self):
        sys.path.insert(0, PACKAGE)
        self.addCleanup(sys.path.remove, PACKAGE)
        from memviz_torch.recording import devices

        self.devices = devices

    def facts(self, processes, reserved=100):
        class Cuda:
            memory_reserved = staticmethod(lambda device: reserved)
            device_count = staticmethod(lambda: 2)
            mem_get_info = staticmethod(lambda device: (5, 1000))
            get_device_properties = staticmethod(lambda device: type("Device", (), {"uuid": "00000000-stand-in"}))

        library = Nvml(processes)
        loaded = self.devices.ctypes.CDLL
        self.devices.ctypes.CDLL = lambda name: library
        try:
            return self.devices.measured(type("Torch", (), {"cuda": Cuda}))[0]
        finally:
            self.devices.ctypes.CDLL = loaded

    def test_processes_of_a_device_are_told_apart(self):
        self.assertEqual(
            self.facts([(os.getpid(), 130), (999999, 50), (999998, 7)]),
            {
                "device": 0,
                "total_bytes": 1000,
                "free_bytes": 5,
                "own_outside_bytes": 30,
                "other_processes": 2,
                "other_processes_bytes": 57,
            },
        )

    def test_numbers_that_are_those_of_another_machine_tell_nothing(self):
        for processes in ([(999999, 500)], [(os.getpid(), 90)], [(os.getpid(), 130), (999999, (1 << 64) - 1)], []):
            self.assertNotIn("other_processes", self.facts(processes), processes)

    def test_a_device_without_nvml_has_its_totals(self):
        with self.assertRaises(OSError):
            self.devices.processes_of("00000000-another", Nvml([]))

    def test_a_device_that_nvml_does_not_know_leaves_no_frames_behind(self):
        def ask():
            held = Held()
            try:
                self.devices.processes_of("00000000-another", Nvml([]))
            except OSError:
                return weakref.ref(held)

        self.assertIsNone(without_collector(lambda: ask()()))

    def test_a_process_of_which_no_list_tells_the_size_has_none(self):
        nvml = Nvml([(77, (1 << 64) - 1), (78, 9)])
        nvml.nvmlDeviceGetGraphicsRunningProcesses_v3 = nvml.nvmlDeviceGetComputeRunningProcesses_v3
        self.assertEqual(self.devices.processes_of("00000000-stand-in", nvml), {77: None, 78: 9})

    def test_devices_that_are_not_used_are_not_touched(self):
        class Cuda:
            memory_reserved = staticmethod(lambda device: 0)
            device_count = staticmethod(lambda: 8)

        self.assertEqual(self.devices.measured(type("Torch", (), {"cuda": Cuda})), [])


class Interrupts(unittest.TestCase):
    def setUp(self):
        sys.path.insert(0, PACKAGE)
        self.addCleanup(sys.path.remove, PACKAGE)
        from memviz_torch.recording import interrupts

        self.interrupts = interrupts

    def test_an_exception_of_a_handler_leaves_no_frames_behind(self):
        def refuse(number, frame):
            raise ValueError("mine")

        def is_interrupted(is_caught):
            held = Held()
            try:
                with self.interrupts.Passed():
                    try:
                        signal.raise_signal(signal.SIGUSR2)
                    except ValueError:
                        if not is_caught:
                            raise
            except ValueError:
                return weakref.ref(held)

        self.addCleanup(signal.signal, signal.SIGUSR2, signal.signal(signal.SIGUSR2, refuse))
        for is_caught in (True, False):
            self.assertIsNone(without_collector(lambda: is_interrupted(is_caught)()))

"""Keys of the stores of a rehearsed rank: its own, or those of all ranks that meet."""


class OwnKeys:
    """Keys of a rank that is alone."""

    def __init__(self):
        self._values = {}

    def read(self, key):
        return self._values.get(key)

    def write(self, key, value):
        self._values[key] = value

    def count(self, key, amount):
        self._values[key] = b"%d" % (int(self._values.get(key, b"0")) + amount)
        return int(self._values[key])

    def replace(self, key, expected, desired):
        if self._values.get(key, b"") == expected:
            self._values[key] = desired
        return self._values.get(key, expected)

    def remove(self, key):
        return self._values.pop(key, None) is not None

    def size(self):
        return len(self._values)


class SharedKeys:
    """Keys of ranks that meet, in a file that outlives each of them."""

    def __init__(self, store):
        self._store = store

    def read(self, key):
        return self._store.get(key) if self._store.check([key]) else None

    def write(self, key, value):
        self._store.set(key, value)

    def count(self, key, amount):
        return self._store.add(key, amount)

    def replace(self, key, expected, desired):
        return self._store.compare_set(key, expected, desired)

    def remove(self, key):
        return self._store.delete_key(key)

    def size(self):
        return self._store.num_keys()

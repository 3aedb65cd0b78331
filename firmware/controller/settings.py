"""Settings on littlefs: two alternating copies, each with generation and CRC, so that a power cut leaves old or new.

The values are one JSON object, at most a few kilobytes.
"""

import json
from binascii import crc32
from struct import pack, unpack

_MAGIC = b"PJS1"
_HEAD = "<4sIII"  # magic, generation, length, CRC-32 of generation and values
_HEAD_SIZE = 16
_LIMIT = 4096


class SettingsError(Exception):
    """The values cannot be stored."""


class Settings:
    """Settings kept in the files `<path>.0` and `<path>.1`.

    Reads the newer sound copy; `defaults` stand for what it lacks. `damaged` counts copies that were there but
    unsound.
    """

    def __init__(self, path: str, defaults: dict) -> None:
        self._path = path
        self._generation = 0
        self.damaged = 0
        self.values = dict(defaults)
        newest = None
        for copy in (0, 1):
            found = self._load(copy)
            if found is not None and found[0] > self._generation:
                self._generation, newest = found
        if newest is not None:
            self.values.update(newest)

    def __getitem__(self, name: str):
        return self.values[name]

    def save(self, **changes) -> None:
        """Change some values and write the older copy; durable on return. Raises SettingsError, OSError.

        It erases flash, which stops everything for tens of milliseconds: call it only while no motor runs.
        """
        values = dict(self.values)
        values.update(changes)
        body = json.dumps(values).encode()
        if len(body) > _LIMIT:
            raise SettingsError("settings of {} bytes, {} at most".format(len(body), _LIMIT))
        generation = self._generation + 1
        crc = crc32(body, generation)
        # The copy with the other parity is the older one; the newer stays untouched until this one is whole.
        with open(self._name(generation % 2), "wb") as file:
            file.write(pack(_HEAD, _MAGIC, generation, len(body), crc) + body)
        self._generation = generation
        self.values = values

    def _name(self, copy: int) -> str:
        return "{}.{}".format(self._path, copy)

    def _load(self, copy: int):
        try:
            with open(self._name(copy), "rb") as file:
                data = file.read(_HEAD_SIZE + _LIMIT)
        except OSError:
            return None
        try:
            magic, generation, length, crc = unpack(_HEAD, data[:_HEAD_SIZE])
            body = data[_HEAD_SIZE : _HEAD_SIZE + length]
            if magic == _MAGIC and len(body) == length and crc32(body, generation) == crc:
                return generation, json.loads(body)
        except ValueError:
            pass
        self.damaged += 1
        return None

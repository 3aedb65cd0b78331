# What the firmware computes between two bus calls takes a board time, too. The larger pieces are charged where they
# end, by what they went through; µs as measured, each by itself, on the emulated Pico of tests/rp2040.
from _kernel import spend

from controller import presence, scanner, tile_registry
from drivers import iso15693
from tablelink.table_end import TableEnd


def _plain(us):
    def wrap(work):
        def charged(self):
            spend(us)
            return work(self)

        return charged

    return wrap


def _timely(us):
    def wrap(work):
        def charged(self, now):
            spend(us)
            return work(self, now)

        return charged

    return wrap


def _judged(work):
    def charged(self, outcome):
        spend(390 + 14 * self.count if outcome == iso15693.GOOD else 56)
        work(self, outcome)

    return charged


def _copied(work):
    def charged(self, uids, number):
        spend(107)
        work(self, uids, number)

    return charged


def _found(work):
    def charged(self, uid):
        us = 100
        left = self.count
        while left:
            us += 31
            left >>= 1
        spend(us)
        return work(self, uid)

    return charged


def _placed(work):
    def charged(self, code):
        at = work(self, code)
        spend(60 + 5 * (self.count if at < 0 else at // 7))
        return at

    return charged


def _decoded(work):
    def charged(uid, memory):
        spend(850)
        return work(uid, memory)

    return charged


def _unseen(work):
    def charged(self, zone, tile):
        found = work(self, zone, tile)
        spend(7 * ((presence.TILES if found < 0 else found) - tile))
        return found

    return charged


def _see(work):
    def charged(self, tile):
        spend(205)  # with what goes on around it for a known tag
        work(self, tile)

    return charged


for _owner, _name, _wrap in (
    (iso15693.Inventory, "more", _plain(200)),
    (iso15693.Inventory, "round", _plain(200)),
    (iso15693.Inventory, "shared", _plain(200)),
    (presence.Presence, "begin", _plain(275)),
    (iso15693.Inventory, "_note", _judged),
    (scanner.Scanner, "_copy", _copied),
    (tile_registry.TileRegistry, "find", _found),
    (tile_registry.TileRegistry, "_place", _placed),
    (tile_registry, "code_of", _decoded),
    (presence.Presence, "unseen", _unseen),
    (presence.Presence, "see", _see),
    (TableEnd, "tick", _timely(66)),
    (TableEnd, "due", _timely(122)),
    (TableEnd, "next_frame", _timely(156)),
):
    setattr(_owner, _name, _wrap(getattr(_owner, _name)))

"""Seat panels, buzzer and the console's buttons: presses become events, displays show what they are told."""

import asyncio
from time import ticks_diff, ticks_ms

from micropython import const

import board
from drivers.faults import DriverFault
from drivers.ht16k33 import Ht16k33

_CONSOLE = const(255)  # seat number of the buttons in the centre
_DEBOUNCE_MS = const(30)
_LETTERS = {" ": 0, "-": 0x40, "E": 0x79, "S": 0x6D, "A": 0x77, "n": 0x54, "F": 0x71, "r": 0x50, "b": 0x7C, "w": 0x3E}
_DIGITS = b"\x3f\x06\x5b\x4f\x66\x6d\x7d\x07\x7f\x6f"


class Seats:
    """`emit` records button events; `pressed(seat, button)` hears each press once."""

    def __init__(self, i2c, ports, emit, pressed):
        self._ports = ports
        self._panels = [Ht16k33(i2c, address) for address in board.PANEL_ADDRESSES]
        self._emit = emit
        self._pressed = pressed
        self._buttons = {}
        for seat in range(4):
            self._buttons[board.IN_WIN[seat]] = (seat, "win")
            self._buttons[board.IN_REFEREE[seat]] = (seat, "referee")
        self._buttons[board.IN_BUTTON_DICE] = (_CONSOLE, "dice")
        self._buttons[board.IN_BUTTON_RAISE] = (_CONSOLE, "raise")
        self._buttons[board.IN_BUTTON_REFILL] = (_CONSOLE, "refill")
        self._last = {}
        self._texts = ["     "] * 4
        self._marks = [""] * 4
        self._notice = ""
        self._beeping = None

    def setup(self):
        """BusFault names the panel that does not answer."""
        for panel in self._panels:
            panel.setup()

    def on_input(self, bit, level):
        button = self._buttons.get(bit)
        if button is None:
            return
        now = ticks_ms()
        last = self._last.get(bit)
        if last is not None and last[1] == level or last and ticks_diff(now, last[0]) < _DEBOUNCE_MS:
            return
        self._last[bit] = (now, level)
        seat, name = button
        self._emit("button", seat, name, level)
        if level:
            self._pressed(seat, name)

    def text(self, seat, text):
        """Five characters of `0123456789-ESAnFrbw` and space; others show as a dash."""
        self._texts[seat] = text
        self.mark(seat, "")

    def mark(self, seat, text):
        """The table's own word at one seat, until the host writes there; "" gives the display back."""
        self._marks[seat] = text
        if not self._notice:
            self._write(seat, text or self._texts[seat])

    def over(self, seat, text):
        """Five characters at one seat over everything, until the next text or notice."""
        self._write(seat, text)

    def notice(self, text):
        """The table's own word on every display, over what the host has written; "" gives them back."""
        self._notice = text
        for seat in range(4):
            self._write(seat, text or self._marks[seat] or self._texts[seat])
        if text:
            self.beep(400)

    def _write(self, seat, text):
        panel = self._panels[seat]
        for n, ch in enumerate((text + "     ")[:5]):
            panel.segments(n, _DIGITS[ord(ch) - 48] if "0" <= ch <= "9" else _LETTERS.get(ch, 0x40))
        try:
            panel.show()
        except DriverFault:
            pass  # the self-test has told which panel is missing

    def beep(self, ms):
        """Sound the buzzer; a new beep ends the one that sounds."""
        if self._beeping is not None:
            self._beeping.cancel()
        self._beeping = asyncio.create_task(self._beep(ms))

    async def _beep(self, ms):
        self._ports.put(board.OUT_BUZZER, 1)
        try:
            await asyncio.sleep_ms(ms)
        finally:
            self._ports.put(board.OUT_BUZZER, 0)

    def lamp(self, seat, lamp, on):
        self._panels[seat].lamp(lamp, on)
        try:
            self._panels[seat].show()
        except DriverFault:
            pass

    def number(self, value):
        """The same number on all four displays."""
        for seat in range(4):
            self.text(seat, "%5d" % value)

# Frames of every byte value and length on this chip; each damaged byte is noticed; what one frame costs.
from time import ticks_diff, ticks_us

from tablelink.frame import PAYLOAD, Decoder, Encoder

out, back = Encoder(), Decoder()


def through(frame):
    whole = False
    for byte in frame:
        whole = back.feed(byte) or whole
    return whole


right = 0
start = ticks_us()
for n in range(PAYLOAD + 1):
    for i in range(n):
        out.buffer[out.START + i] = (n + i) & 0xFF
    if through(out.finish(7, out.START + n)):
        right += back.end - back.START == n and all(back.buffer[back.START + i] == (n + i) & 0xFF for i in range(n))
print("frames", PAYLOAD + 1, "right", right, "us-a-byte", ticks_diff(ticks_us(), start) // (PAYLOAD * PAYLOAD // 2))

for i in range(16):
    out.buffer[out.START + i] = 16 * i
frame = bytearray(out.finish(7, out.START + 16))
passed = 0
for at in range(1, len(frame) - 1):
    for bit in range(8):
        frame[at] ^= 1 << bit
        passed += through(frame)
        frame[at] ^= 1 << bit
print("damaged", 8 * (len(frame) - 2), "passed", passed)

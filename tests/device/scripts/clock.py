# Sleeps and the tick counters agree; a loop turn of asyncio is short.
import asyncio
from time import sleep_ms, sleep_us, ticks_diff, ticks_ms, ticks_us

start_ms, start_us = ticks_ms(), ticks_us()
sleep_ms(200)
sleep_us(500)
print("slept-ms", ticks_diff(ticks_ms(), start_ms), "slept-us", ticks_diff(ticks_us(), start_us))


async def turns(n):
    for _ in range(n):
        await asyncio.sleep_ms(0)


start_us = ticks_us()
asyncio.run(turns(100))
print("turn-us", ticks_diff(ticks_us(), start_us) // 100)

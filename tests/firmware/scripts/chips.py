# FRAM, ADC, PWM, panel and expander drivers against the board's chips; prints what it sees.
from time import sleep_ms

import board_rig
from machine import Pin

import board
from drivers.faults import BusFault
from drivers.ht16k33 import Ht16k33
from drivers.mb85rs2mt import Mb85rs2mt
from drivers.mcp23s17 import Expander
from drivers.mcp3208 import Mcp3208
from drivers.pca9685 import Pca9685

spi = board_rig.aux()
fram = Mb85rs2mt(spi, board_rig.pin(board.PIN_FRAM_CS, True))
fram.start()
fram.write(0x2FFFE, b"paiju")
got = bytearray(5)
fram.readinto(0x2FFFE, got)
print("fram", bytes(got).decode())
for addr in (-1, fram.size - 4):
    try:
        fram.write(addr, b"paiju")
    except ValueError as e:
        print("refused", e)

adc = Mcp3208(spi, board_rig.pin(board.PIN_ADC_CS, True), board.AUX[1])
print("adc", adc.read(0), adc.read(board.ADC_RAIL))

bus = board_rig.i2c()
for number, address in enumerate(board.PWM_ADDRESSES):
    pwm = Pca9685(bus, address)
    pwm.setup(board.PWM_FREQ)
    pwm.duty(0, 1600 + number)
    pwm.duty(1, 4095)
    pwm.duty(2, 1)
    pwm.duty(3, 77)
    pwm.duty(3, 0)
try:
    Pca9685(bus, 0x44).setup(1000)
except BusFault as e:
    print(e)

panel = Ht16k33(bus, board.PANEL_ADDRESSES[1])
panel.setup(7)
panel.number(-208)
panel.lamp(3, True)
panel.lamp(0, True)
panel.lamp(0, False)
panel.show()

chips = board_rig.expanders(spi)
int_pin = Pin(board.PIN_EXPANDER_INT, Pin.IN)
sleep_ms(20)
print("level", chips[2].read(), "int", int_pin())
sleep_ms(20)  # a pulse comes and goes meanwhile
print("int", int_pin())
print("level", chips[2].read(), "pulsed", chips[2].pulsed, "int", int_pin())
print("level", chips[2].read(), "pulsed", chips[2].pulsed)
sleep_ms(20)  # a level that stays
print("level", chips[2].read(), "pulsed", chips[2].pulsed, "int", int_pin())
chips[3].write_bit(8, 1)
chips[3].write_bit(10, 1)
chips[3].write_bit(8, 0)
chips[5].write_mask(0x6000, 0x4000)
try:
    Expander(spi, board_rig.pin(board.PIN_EXPANDER_CS, True), 7).setup(0xFF, 0, 0, 0)
except BusFault as e:
    print(e)

// An emulated Pico (rp2040js) whose pins and buses are those of the twin's board.
//
//   node pico.mjs CONFIG.json
//
// Speaks the calls of hardware/twin/shim/_kernel.py on descriptors 3 and 4, so hardware/twin/kernel.py cannot tell it
// from a PC port. Its USB serial port is standard output; each garbage collection adds a line "[gc] MICROSECONDS".
// Time is the emulated chip's: cycles of the instructions, bits on the buses.
import { existsSync, openSync, readFileSync, readSync, writeFileSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';

const config = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const emulator = createRequire(`${config.modules}/`)('rp2040js');
const { RP2040, USBCDC, ConsoleLogger, LogLevel, BasePeripheral, I2CMode } = emulator;

const [PIN_WRITE, PIN_IRQ, SPI_READ, I2C_WRITE, I2C_READ, UART_INIT, UART_WRITE, UART_READ, WAIT, SYNC] =
  [2, 3, 5, 6, 7, 8, 9, 10, 11, 12];
const HEAD = 36;
const INLINE = 64;
const FLASH = 0x10000000;
const EDGES = 12; // falling and rising
const UART_HEARD = 1; // a wait ends when the host has sent something
const FOREVER = 1n << 61n;

const mcu = new RP2040();
const { clock, core } = mcu;
mcu.logger = new ConsoleLogger(LogLevel.Error, false);

// -- the calls ----------------------------------------------------------------------------------------------------

const out = Buffer.alloc(16384);
let used = 2;
let sent = 0; // µs of the last record
const { start } = config; // µs of the table's time when this chip is powered
let hold = 0; // ns of our clock until which pins cannot change
const head = Buffer.alloc(INLINE);

const micros = () => Math.floor(clock.nanos / 1000);

function record(op, ...operands) {
  const now = micros();
  used = out.writeUInt8(op, used);
  used = out.writeUInt32LE(now - sent, used);
  sent = now;
  for (const byte of operands) used = out.writeUInt8(byte, used);
}

const u16 = (n) => [n & 0xff, n >> 8];

function read(buffer) {
  for (let got = 0; got < buffer.length; ) {
    const n = readSync(4, buffer, got, buffer.length - got, null);
    if (!n) process.exit(0); // the twin has gone
    got += n;
  }
}

function call() {
  out.writeUInt16LE(used - 2, 0);
  for (let done = 0; done < used; ) done += writeSync(3, out, done, used - done);
  used = 2;
  read(head);
  const n = head.readUInt32LE(28);
  const data = Buffer.alloc(n);
  head.copy(data, 0, HEAD, Math.min(INLINE, HEAD + n));
  if (n > INLINE - HEAD) read(data.subarray(INLINE - HEAD));
  const now = Number(head.readBigUInt64LE(0)) - start;
  const pins = head.readUInt32LE(16);
  const waiting = head.readUInt16LE(24);
  sent = now;
  hold = (Number(head.readBigUInt64LE(8)) - start) * 1000;
  if (now * 1000 > clock.nanos) clock.tick(now * 1000 - clock.nanos); // only a wait takes time
  setInputs(pins);
  return { data, now, waiting };
}

function sync() {
  record(SYNC);
  return call();
}

// -- pins ---------------------------------------------------------------------------------------------------------

let levels = 0;
const inputs = new Set(config.inputs);

function setInputs(now) {
  const changed = levels ^ now;
  levels = now;
  for (const n of inputs) {
    if ((changed >>> n) & 1) mcu.gpio[n].setInputValue(!!((now >>> n) & 1));
  }
}

for (const n of config.outputs) {
  let last = 1; // pulled up
  mcu.gpio[n].addListener((state) => {
    if (state > 1 || state === last) return;
    last = state;
    record(PIN_WRITE, n, state);
    sync();
  });
}

// -- buses --------------------------------------------------------------------------------------------------------

for (const bus of config.spi) {
  const spi = mcu.spi[bus];
  const answers = []; // to bytes that are in the FIFO still: all that wait travel in one call
  let byte = 0;
  const done = clock.createAlarm(() => {
    if (!answers.length) {
      const bytes = [byte, ...spi.txFIFO.items];
      record(SPI_READ, bus, ...u16(bytes.length), ...bytes);
      answers.push(...call().data);
    }
    spi.completeTransmit(answers.shift());
  });
  spi.onTransmit = (value) => {
    byte = value;
    done.schedule((spi.dataBits * 1e9) / spi.clockFrequency);
  };
}

{
  const i2c = mcu.i2c[config.i2c.bus];
  const byteNs = 9e9 / config.i2c.freq;
  let then = () => {};
  const done = clock.createAlarm(() => then());
  const later = (fn) => {
    then = fn;
    done.schedule(byteNs);
  };
  let address = 0;
  let writing = null;
  let reading = [];
  i2c.onStart = () => i2c.completeStart();
  i2c.onConnect = (to, mode) => {
    address = to;
    const known = config.i2c.addresses.includes(to);
    if (known && mode === I2CMode.Write) writing = [];
    if (known && mode === I2CMode.Read) {
      record(I2C_READ, to, ...u16(16));
      reading = [...call().data];
    }
    later(() => i2c.completeConnect(known));
  };
  i2c.onWriteByte = (value) => {
    writing.push(value);
    later(() => i2c.completeWrite(true));
  };
  i2c.onReadByte = () => later(() => i2c.completeRead(reading.shift() ?? 0xff));
  i2c.onStop = () => {
    if (writing) {
      record(I2C_WRITE, address, ...u16(writing.length), ...writing);
      writing = null;
      call();
    }
    i2c.completeStop();
  };
}

const uart = mcu.uart[config.uart.id];
const heard = [];
const byteNs = 1e10 / config.uart.baud;

const arrives = clock.createAlarm(() => {
  if (!uart.rxFIFO.full) uart.feedByte(heard.shift());
  if (heard.length) arrives.schedule(byteNs);
});

function hear(count) {
  if (!count) return;
  record(UART_READ, config.uart.id, ...u16(count));
  const idle = !heard.length;
  heard.push(...call().data);
  if (idle) arrives.schedule(byteNs);
}

{
  // The emulator raises the transmit interrupt again at every look, so that it could never be cleared; here it
  // comes once after each byte, as from a FIFO that falls empty.
  const TX = 1 << 5;
  uart.checkInterrupts = function () {
    this.rp2040.setInterrupt(this.irq, !!(this.interruptStatus & this.interruptMask));
  };
  let said = [];
  const say = clock.createAlarm(() => {
    while (said.length) {
      record(UART_WRITE, config.uart.id, ...u16(said.length), ...said);
      said = said.slice(call().data.readUInt16LE(0));
    }
  });
  uart.onByte = (value) => {
    if (!said.length) say.schedule(20 * byteNs);
    said.push(value);
    uart.interruptStatus |= TX;
    uart.checkInterrupts();
  };
}

// -- flash: the commands of a W25Q that the boot ROM gives while it holds the chip select by hand ---------------------

class QspiPins extends BasePeripheral {
  // IO_QSPI: only the chip select's override matters.
  control = 0;
  readUint32(offset) {
    return offset === 0x0c ? this.control : 0;
  }
  writeUint32(offset, value) {
    if (offset !== 0x0c) return;
    this.control = value;
    flash.select(((value >> 8) & 3) === 2);
  }
}

const flash = {
  selected: false,
  command: [],
  answers: [],
  select(on) {
    if (on === this.selected) return;
    this.selected = on;
    if (on) this.command = [];
    else this.execute();
  },
  get address() {
    return (this.command[1] << 16) | (this.command[2] << 8) | this.command[3];
  },
  exchange(byte) {
    if (!this.selected) return 0; // XIP set-up: status without any bit
    this.command.push(byte);
    const n = this.command.length;
    switch (this.command[0]) {
      case 0x4b: // unique number
        return n > 5 ? (config.serial[n - 6] ?? 0) : 0;
      case 0x03: // read
        return n > 4 ? mcu.flash[this.address + n - 5] : 0;
      case 0x9f: // JEDEC number of a W25Q16
        return [0, 0xef, 0x40, 0x15][n - 1] ?? 0;
      default:
        return 0;
    }
  },
  execute() {
    const { command, address } = this;
    const erased = { 0x20: 4096, 0x52: 32768, 0xd8: 65536 }[command[0]];
    if (erased) {
      const from = address & ~(erased - 1);
      mcu.flash.fill(0xff, from, from + erased);
      this.keep(from, erased);
    }
    if (command[0] === 0x02) {
      const page = address & ~0xff;
      command.slice(4).forEach((byte, i) => {
        mcu.flash[page | ((address + i) & 0xff)] &= byte;
      });
      this.keep(page, 256);
    }
  },
  keep(from, size) {
    writeSync(this.file, mcu.flash, from, size, from);
  },
};

{
  const DR0 = 0x60;
  const ssi = mcu.peripherals[0x18000];
  const { readUint32, writeUint32 } = ssi;
  ssi.readUint32 = (offset) => {
    if (offset >= DR0 && offset < 0xf0) return flash.answers.shift() ?? 0;
    if (offset === 0x20) return 0; // TXFLR: sent at once
    if (offset === 0x24) return flash.answers.length; // RXFLR
    if (offset === 0x28) return 0x06 | (flash.answers.length ? 0x08 : 0); // SR: TFE, TFNF, RFNE
    return readUint32.call(ssi, offset);
  };
  ssi.writeUint32 = (offset, value) => {
    if (offset >= DR0 && offset < 0xf0) flash.answers.push(flash.exchange(value & 0xff));
    else {
      if (offset === 0x08 && !(value & 1)) flash.answers = []; // SSIENR
      writeUint32.call(ssi, offset, value);
    }
  };
  mcu.peripherals[0x40018] = new QspiPins(mcu, 'IO_QSPI');
}

// -- image --------------------------------------------------------------------------------------------------------

mcu.loadBootrom(new Uint32Array(new Uint8Array(readFileSync(config.bootrom)).buffer));
const image = readFileSync(config.image);
for (let at = 0; at < image.length; at += 512) {
  if (image.readUInt32LE(at) !== 0x0a324655) throw new Error(`${config.image} is no UF2 file`);
  mcu.flash.set(image.subarray(at + 32, at + 32 + image.readUInt32LE(at + 16)), image.readUInt32LE(at + 12) - FLASH);
}
// What the firmware has written outlives it, in the part behind the image.
const FILES = 0x200000 - 1408 * 1024; // the port keeps the last 1408 KiB of 2 MiB for files
if (existsSync(config.flash)) mcu.flash.set(readFileSync(config.flash).subarray(FILES), FILES);
else writeFileSync(config.flash, mcu.flash.subarray(0, 0x200000));
flash.file = openSync(config.flash, 'r+');
mcu.peripherals[0x40058].onWatchdogTrigger = () => {
  writeSync(1, '[watchdog]\n');
  process.exit(3);
};
const usb = new USBCDC(mcu.usbCtrl);
usb.onSerialData = (data) => writeSync(1, data);
// Nobody types; the emulated host would hand over empty packets without a pause, a third of the chip's time.
mcu.usbCtrl.onEndpointRead = () => {};

// -- run ----------------------------------------------------------------------------------------------------------

record(UART_INIT, config.uart.id, ...u16(config.uart.baud / 100), ...u16(0xffff), ...u16(0xffff));
for (const n of inputs) record(PIN_IRQ, n, EDGES);
sync();
core.PC = FLASH;

function wait(untilMicros) {
  record(WAIT);
  used = out.writeBigUInt64LE(untilMicros === null ? FOREVER : BigInt(untilMicros + start), used);
  used = out.writeUInt8(UART_HEARD, used);
  hear(call().waiting);
}

let collecting = 0; // where the present collection returns to
let began = 0;
for (;;) {
  if (core.waiting) {
    const alarm = clock.nextAlarm ? clock.nextAlarm.nanos : Infinity;
    if (alarm < hold) clock.tick(alarm - clock.nanos);
    else wait(alarm === Infinity ? null : Math.floor(alarm / 1000));
    continue;
  }
  clock.tick((core.executeInstruction() * 1e9) / mcu.clkSys);
  if (clock.nanos >= hold) wait(micros());
  if (core.PC === collecting) {
    collecting = 0;
    writeSync(1, `[gc] ${Math.round((clock.nanos - began) / 1000)}\n`);
  } else if (core.PC === config.collect && !collecting) {
    collecting = core.LR & ~1;
    began = clock.nanos;
  }
}

"""For every test."""

import signal

# Started in the background, a shell ignores Ctrl-C for everything below; programs under test must hear it.
signal.signal(signal.SIGINT, signal.default_int_handler)

"""For every test."""

import signal

import pytest

# Started in the background, a shell ignores Ctrl-C for everything below; programs under test must hear it.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--board", metavar="PORT", help="run tests/device on the board at this port, through mpremote")

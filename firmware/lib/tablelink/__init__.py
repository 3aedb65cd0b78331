"""Wire protocol between the table's controller and the host; runs on MicroPython >= 1.24 and CPython >= 3.11."""

"""From tile events to the record of a hand: pure, deterministic, no input or output.

`Tracker` explains events by actions; `Position` is what a list of actions amounts to;
`HandRecord` is the finished hand as an immutable value.
"""

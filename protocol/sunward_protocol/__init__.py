"""What every replica of a match must agree on; no I/O, no clock, no randomness of its own."""

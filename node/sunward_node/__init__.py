"""One replica at work: sockets, disk, keys and clock around the protocol; draws nothing on a screen."""

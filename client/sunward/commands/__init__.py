"""One module a command, each with `run(options) -> int`; imported only when the command is chosen."""

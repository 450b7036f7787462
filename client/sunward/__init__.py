"""The command line: the only place that knows both the node and the client."""

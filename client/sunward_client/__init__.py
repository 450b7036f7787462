"""What a person sees of a match; talks to a node over its local socket and imports none of it."""

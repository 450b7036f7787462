"""What could keep a person from playing, looked for one by one; every finding says what to do about it."""

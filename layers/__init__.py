"""What is where and what connects to what: the facts, before any law."""

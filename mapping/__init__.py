"""What the facts mean, what must be done by when, and how it is shown."""

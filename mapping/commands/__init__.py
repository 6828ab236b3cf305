"""What each command of the command line does: the object that --json prints, and the same as text."""

"""Cases and their deadlines: what the law asks next, computed from events and the law pack."""

"""The joins, each a table of links: premises, waters, network, sewersheds."""

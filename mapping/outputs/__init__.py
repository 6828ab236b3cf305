"""What leaves the office: the map, sheets, routes, numbers; and the one table of symbols that they share."""

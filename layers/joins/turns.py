"""The way to an outfall with the fewest lines turned round, for what reaches none as drawn: a proposal, never a fact."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np

from layers.joins.network import Network
from layers.joins.ranking import Ints

FAR = np.iinfo(np.int64).max


@dataclass(frozen=True)
class Turns:
    """For each node `count` of edges to turn (0: none, FAR: no outfall in its piece), the first such edge, what is beyond."""

    network: Network
    count: Ints
    edge: Ints
    beyond: Ints

    def lines(self, node: int) -> tuple[tuple[str, str], ...]:
        """Layer and id of the lines to turn, from the node to the outfall; none where nothing is to turn, or nothing helps."""
        found = []
        while 0 < self.count[node] < FAR:
            edge = self.edge[node]
            found.append((str(self.network.edges["layer"].iat[edge]), str(self.network.edges["asset_id"].iat[edge])))
            node = int(self.beyond[node])
        return tuple(dict.fromkeys(found))


def propose_turns(network: Network) -> Turns:
    """For every node the 0–1 shortest path to an outfall: following a carrying storm line costs 0, going against it 1."""
    size = len(network.nodes)
    down, up = (network.adjacency(way, sewers=False) for way in ("down", "up"))
    count, edge, beyond = np.full(size, FAR), np.full(size, -1), np.full(size, -1)
    place = network.nodes["place"].to_numpy(np.int64)
    starts = np.unique(place[(network.nodes["kind"] == "outfall").to_numpy()]).tolist()
    count[starts] = 0
    queue = deque((0, node) for node in starts)
    while queue:
        cost, node = queue.popleft()
        if cost > count[node]:
            continue
        for _, far in up.around(node):  # water runs from far to node: nothing to turn
            if cost < count[far]:
                count[far], edge[far], beyond[far] = cost, edge[node], beyond[node]
                queue.appendleft((cost, far))
        for way, far in down.around(node):  # water runs from node to far: turned, it would run back
            if cost + 1 < count[far]:
                count[far], edge[far], beyond[far] = cost + 1, way, node
                queue.append((cost + 1, far))
    return Turns(network, count, edge, beyond)

"""A tabu search that rebuilds and rescores every neighbour, and remembers whole graphs or pairs."""

from oracle import search


def between(edges, a, b):
    """What is between two nodes: no edge, or an edge in one direction."""
    return frozenset(edges & {(a, b), (b, a)})


def walk(score, names, constraints, n_states, *, tenure, patience, memory):
    """Return the moves up to the best graph, and its edges.

    ``names`` are in the order in which ties are settled: by child, added or removed edges before
    reversed ones, then by the other node; new edges that may point either way by what could follow.
    """
    place = {name: i for i, name in enumerate(names)}

    def rank(move):
        operator, start, end = move
        return place[end], operator == "reverse", place[start]

    edges = best_edges = frozenset()
    best = now = score(edges)
    trace, best_trace = [], []
    past = []  # (the graph before a step, the pair it changed), oldest first
    since_best = 0
    while since_best < patience:
        moves = search.legal_moves(names, edges, constraints, n_states)
        if not moves:
            break

        def is_tabu(move, after):
            _, a, b = move
            if memory == "states":
                return any(after == before for before, _ in past[-tenure:])
            return any(
                pair == {a, b} and between(before, a, b) == between(after, a, b)
                for before, pair in past[-tenure:]
            )

        gains = {move: score(after) - now for move, after in moves.items()}
        wanted = [
            move
            for move, after in moves.items()
            if now + gains[move] > best + 1e-9 or not is_tabu(move, after)
        ]
        if not wanted:
            past.clear()
            wanted = list(moves)
        largest = max(gains[move] for move in wanted)
        tied = [move for move in wanted if gains[move] > largest - 1e-9]
        operator, start, end = move = min(tied, key=rank)
        if (operator == "add" and (operator, end, start) in tied) and search.other_way(
            score, names, edges, (start, end), constraints, n_states
        ):
            move = (operator, end, start)
        past.append((edges, {move[1], move[2]}))
        edges = moves[move]
        now = score(edges)
        trace.append(move)
        since_best += 1
        if now > best + 1e-9:
            best, best_edges, best_trace, since_best = now, edges, list(trace), 0
    return best_trace, best_edges

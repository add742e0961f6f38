import random, sys

def walk(board, at, steps, used, found):  # finds where the piece can end that is on its way
    for to in (at - 1, at + 1, at - 6, at + 6):
        if to == at + 6 > 35 and steps == 1:
            found.add(36)  # the goal, by the last step of a leg
        if not 0 <= to < 36 or abs(to % 6 - at % 6) > 1 or {at, to} in used:
            continue
        if steps > 1 and not board[to]:
            walk(board, to, steps - 1, used + [{at, to}], found)
        elif steps == 1 and not (board[to] and to in found):
            found.add(to)
            if board[to]:  # it may bounce; once off each piece is enough to play well
                walk(board, to, board[to], used + [{at, to}], found)

def moves(board):
    found = []
    for start in range(36):
        if found and start % 6 == 0:
            break  # the nearest row that can move must
        if board[start]:
            rest, ends = board[:start] + [0] + board[start + 1:], set()
            walk(rest, start, board[start], [], ends)
            rows = max(s for s in range(36) if rest[s]) // 6 + 1  # up to the opponent's first
            drops = [d for d in range(6 * rows) if not rest[d]]
            hits = {end for end in ends if end < 36 and rest[end]}
            found += [f"{start}|{end}" for end in ends - hits - {start}]
            found += [f"{start}|{end}|{d}" for end in hits for d in drops if d != start or rest[end] != board[start]]
    return found or ["null"]

for line in sys.stdin:
    words = line.split() + ["", ""]
    if words[0] in ("ugi", "isready"):
        print("id name example\nugiok" if words[0] == "ugi" else "readyok", flush=True)
    elif words[0] == "setpos":  # start, or data and six rows, ours first
        board = [int(c) for c in words[2] or "321123" + "0" * 24 + "321123" if c.isdigit()]
    elif words[0] == "go":
        print("bestmove", max(moves(board), key=lambda m: (m.endswith("|36"), random.random())), flush=True)
    elif words[0] == "quit":
        break

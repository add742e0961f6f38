# An engine with typed options and the extensions: the rule sets of RULES, the history of the game, limits and clocks.
import random, sys, time

RULES = {  # displacement, and whether no position may return
    "standard": (True, True), "simplified": (False, True), "italian": (True, False), "italian-simplified": (False, False),
}
OPTIONS = {  # type, default, low, high
    "wReach": ("int", 5, -100, 100), "wThreat": ("real", 500.0, 0, 10000), "moveOverhead": ("int", 10, 0, 5000),
    "seed": ("int", 0, 0, 2**64 - 1),
}
value = {name: option[1] for name, option in OPTIONS.items()}
rules = "standard"


def walk(board, at, steps, doors, ends):
    for to in (at - 1, at + 1, at - 6, at + 6):
        if to == at + 6 > 35 and steps == 1:
            ends.add(36)  # the goal
        door = (min(at, to), max(at, to))
        if not 0 <= to < 36 or abs(to % 6 - at % 6) > 1 or door in doors or steps > 1 and board[to]:
            continue
        doors.add(door)
        if steps > 1:
            walk(board, to, steps - 1, doors, ends)
        else:
            ends.add(to)
            if board[to]:  # it bounces
                walk(board, to, board[to], doors, ends)
        doors.remove(door)


def reach(board, start):  # where the piece on a square can end
    ends = set()
    walk(board[:start] + [0] + board[start + 1:], start, board[start], set(), ends)
    return ends


def play(board, move):
    start, end, drop = move
    after = board[:]
    after[start] = 0
    if drop is not None:
        after[drop] = board[end]
    if end < 36:
        after[end] = board[start]
    return after


def moves(board, forbidden):  # of the side at the bottom; forbidden has boards that may not return
    displaces, _ = RULES[rules]
    found = []
    for start in range(36):
        if found and start % 6 == 0:
            break  # the nearest row that can move must
        for end in reach(board, start) - {start} if board[start] else ():
            if end == 36 or not board[end]:
                found.append((start, end, None))
            elif displaces:
                rest = [s for s in range(36) if board[s] and s != start]
                room = range(max(rest) // 6 * 6 + 6)  # up to the opponent's first row
                found += [(start, end, drop) for drop in room if drop == start or not board[drop]]
        if start % 6 == 5:
            found = [m for m in found if m[1] == 36 or play(board, m) not in forbidden + [board]]
    return found


def evaluate(board):  # for the side that isn't to move
    first = min(s for s in range(36) if board[s]) // 6 * 6
    ends = [reach(board, s) for s in range(first, first + 6) if board[s]]
    return -sum(value["wThreat"] * (36 in e) + value["wReach"] * len(e) for e in ends)


def name(square, south):  # in South's numbers
    return "%d" % (square if south else 35 - square if square < 36 else 37)


def search(board, south, history, limits):
    began = time.monotonic()
    budget = limits.get("movetime", 300)
    left = limits.get("wtime" if south else "btime")
    if left is not None:
        budget = max(min(budget, left / 20 - value["moveOverhead"]), 1)
    turn = (lambda b: b) if south else (lambda b: b[::-1])
    found = moves(turn(board), [turn(b) for b in history] if RULES[rules][1] else [])
    random.Random(value["seed"]).shuffle(found)
    best, highest, nodes = "null", 0, 0
    for move in sorted(found, key=lambda m: m[1] != 36):
        if nodes and (nodes >= limits.get("nodes", 10**9) or (time.monotonic() - began) * 1000 > 0.7 * budget):
            break
        score = 29999 if move[1] == 36 else evaluate(play(turn(board), move)[::-1])
        if not nodes or score > highest:
            best, highest = "|".join(name(s, south) for s in move if s is not None), score
        nodes += 1
    print("info depth 1 bestmove %s score %d nodes %d\nbestmove %s" % (best, highest, nodes, best), flush=True)


def square(text):
    return "abcdef".index(text[0]) + 6 * (int(text[1]) - 1)


for line in sys.stdin:
    words = line.split() + ["", "", ""]
    if words[0] == "ugi":
        print("id name example with the extensions\noption rules type choice default standard var", " var ".join(RULES))
        for key, option in OPTIONS.items():
            print("option %s type %s default %s min %s max %s" % (key, *option))
        print("ugiok", flush=True)
    elif words[0] == "isready":
        print("readyok", flush=True)
    elif words[0] == "setoption" and words[1] == "rules":
        rules = words[2]
    elif words[0] == "setoption" and words[1] in OPTIONS:
        value[words[1]] = {"int": int, "real": float}[OPTIONS[words[1]][0]](words[2])
    elif words[0] == "setpos":  # pos, the rows from South's side, who is to move, and the moves since
        board, south, history = [int(c) for c in words[2] if c.isdigit()], words[3] == "s", []
        for text in words[5:]:
            history.append(board)
            if text and text != "pass":
                start, _, rest = text.replace("x", "-").partition("-")
                end, _, drop = rest.partition("@")
                board = play(board, (square(start), square(end), square(drop) if drop else None))
            south ^= text != ""
    elif words[0] == "go":
        search(board, south, history, {k: int(n) for k, n in zip(words[1::2], words[2::2]) if n})
    elif words[0] == "quit":
        break

#!/usr/bin/env python3
"""Writes vectors/games/*.ndjson: the same bytes at every run. README.md says what the fields mean.

    python3 vectors/gen/games.py

An independent computation of docs/spec/games.md and of the schemes of other sites:
plain Python, its doubles, fractions, and the tables of vectors/games/tables.json. It
stops at the first example of the specification that it does not reproduce.
"""

import hashlib
import hmac
import json
import math
import pathlib
import sys
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal, getcontext
from fractions import Fraction

sys.dont_write_bytecode = True
getcontext().prec = 120

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "games"
T = json.loads((FOLDER / "tables.json").read_text())
TWO32 = 2**32
DIFFICULTIES = ["easy", "medium", "hard", "expert"]


# Sources: a number of bytes in blocks.


class Source:
    """The bytes of block(0), block(1), ...; seek goes to the beginning of another."""

    def __init__(self, block, single=False):
        self.block, self.single = block, single
        self.n, self.rest = 0, b""

    def byte(self):
        if not self.rest:
            assert not (self.single and self.n), "one block only"
            self.rest = self.block(self.n)
            self.n += 1
        b, self.rest = self.rest[0], self.rest[1:]
        return b

    def seek(self, n):
        if not self.single:
            self.n, self.rest = n, b""

    def word(self):
        return int.from_bytes(bytes(self.byte() for _ in range(4)), "big")

    def index(self, n):
        return self.word() * n // TWO32

    def take(self, n, m):
        left, places, numbers = list(range(n)), [], []
        for _ in range(m):
            p = self.index(len(left))
            places.append(p)
            numbers.append(left.pop(p))
        return places, numbers

    def tier(self, rows):
        k = self.word()
        return next(r for r in rows if Fraction(k, TWO32) >= Fraction(str(r["min"])))

    def weighted(self, weights):
        k, total = self.word(), 0
        for i, w in enumerate(weights):
            total += w
            if Fraction(k, TWO32) < Fraction(total, 1000):
                return i

    def top52(self):
        return int.from_bytes(bytes(self.byte() for _ in range(7)), "big") >> 4

    def below(self, n, limit):
        for _ in range(8):
            k = self.word()
            if k < limit:
                return k % n
        raise Exhausted

    def duel(self, block, n):
        self.seek(block)
        m = TWO32 - 1
        return self.below(n, m - m % n)

    def liqd(self, block, n):
        for _ in range(5):
            self.seek(block)
            try:
                return self.below(n, TWO32 // n * n)
            except Exhausted:
                block += 1_000_000
        raise Exhausted


class Exhausted(Exception):
    pass


def mac(key, message, hashed=hashlib.sha256):
    return hmac.new(key, message, hashed).digest()


def text_source(seed, client, nonce):
    return Source(lambda c: mac(seed.encode(), f"{client}:{nonce}:{c}".encode()))


def byte_source(seed, client, nonce):
    return Source(lambda c: mac(bytes.fromhex(seed), f"{client}:{nonce}:{c}".encode()))


def single(key, message, hashed=hashlib.sha256):
    return Source(lambda _: mac(key, message, hashed), single=True)


# Numbers as text.


def dec(x):
    """A plain decimal without zeros that say nothing."""
    text = format(Decimal(x) if not isinstance(x, Fraction) else Decimal(x.numerator) / Decimal(x.denominator), "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def hundredths(h, places=2):
    text = f"{h // 100}.{h % 100:02}"
    return text if places else dec(text)


def shortest(f):
    return dec(repr(f))


def floor2(x):
    return math.floor(x * 100)


def rounded(x, places, how):
    return (Decimal(x.numerator) / Decimal(x.denominator)).quantize(Decimal(1).scaleb(-places), rounding=how)


# Cards.

A, B, C = T["decks"]["a"], T["decks"]["b"], T["decks"]["c"]


def points(card):
    return [2, 3, 4, 5, 6, 7, 8, 9, 0, 0, 0, 0, 1][card // 4]


def baccarat(draws, player, banker):
    rest = draws[4:]
    total = lambda hand: sum(map(points, hand)) % 10
    p, b = total(player), total(banker)
    if max(p, b) < 8:
        t = None
        if p <= 5:
            player = player + [rest.pop(0)]
            t = points(player[2])
        needs = b <= 5 if t is None else (b <= 2 or b == 3 and t != 8 or b == 4 and t in range(2, 8) or b == 5 and t in range(4, 8) or b == 6 and t in (6, 7))
        if needs:
            banker = banker + [rest.pop(0)]
    p, b = total(player), total(banker)
    return player, banker, [p, b], "player" if p > b else "banker" if b > p else "tie"


# Games: each gives the keys that came out.


def plinko(s, p):
    path = "".join("LR"[s.index(2)] for _ in range(p["rows"]))
    slot = path.count("R")
    out = {"path": path, "slot": slot}
    if "risk" in p:
        out["multiplier"] = dec(str(T["plinko"]["rows"][str(p["rows"])][p["risk"]][slot]))
    return out


def dice(s, p):
    return {"roll": hundredths(s.index(10001))}


def limbo_shuffle(s, p):
    return {"multiplier": hundredths(math.floor(Fraction(99, 100) * 2**24 / (Fraction(s.word(), 256) + 1) * 100))}


def limbo(s, p, variant):
    k = s.word()
    if variant == "2^24":
        m = k // 256 + 1
        return {"multiplier": hundredths(max(100, floor2(16777216 / m * 0.99))), "exact": hundredths(max(100, 99 * 2**24 // m))}
    f = k / TWO32
    x = 1e8 / (math.floor(f * 1e8) + 1) * 0.99 if variant == "1e8" else 1e8 / (f * 1e8) * 0.99
    return {"multiplier": hundredths(max(100, floor2(x)))}


def numbered(places, numbers, name):
    return {"raw": places, name: numbers, "set": sorted(numbers)}


def keno_shuffle(s, p):
    left, places, numbers = list(range(41)), [], []
    for i in range(10):
        v = math.ceil(Fraction(s.word(), TWO32) * (40 - i))
        places.append(v)
        numbers.append(left.pop(v))
    return numbered(places, numbers, "numbers")


def keno(s, p):
    places, numbers = s.take(40, 10)
    return numbered(places, [n + 1 for n in numbers], "numbers")


def mines(s, p):
    return numbered(*s.take(25, p["mines"]), "cells")


def roulette(s, p):
    return {"pocket": s.index(37)}


def wheel(s, p):
    n = int(p["segments"])
    out = {"segment": s.index(n)}
    if "risk" in p:
        out["multiplier"] = dec(str(T["wheel"]["segments"][str(n)][p["risk"]][out["segment"]]))
    return out


def tower(s, p):
    level = T["tower"]["levels"][p["difficulty"]]
    rows = [s.take(level["columns"], level["draw"])[1] for _ in range(9)]
    return {"rows": rows, "sets": [sorted(r) for r in rows]}


def dealt(deck):
    def play(s, p):
        draws = [s.index(52) for _ in range(p.get("count", 52))]
        return {"draws": draws, "cards": [deck[d] for d in draws]}

    return play


def blackjack(s, p):
    out = dealt(A)(s, p)
    c = out["cards"]
    return {**out, "player": c[:2], "dealer": c[2:4], "next": c[4:]}


def baccarat_shuffle(s, p):
    d = [s.index(52) for _ in range(6)]
    player, banker, totals, winner = baccarat(d, [d[0], d[2]], [d[1], d[3]])
    return {"draws": d, "cards": [B[x] for x in d], "player": [B[x] for x in player], "banker": [B[x] for x in banker], "totals": totals, "winner": winner}


def baccarat_stake(s, p, variant):
    d = [s.index(52) for _ in range(6)]
    player, banker, totals, winner = baccarat(d, d[:2], d[2:4])
    out = {"draws": d, "cards": [A[x] for x in d], "totals": totals, "winner": winner}
    if variant == "played":
        return {**out, "player": [A[x] for x in player], "banker": [A[x] for x in banker]}
    return {**out, "player": out["cards"][:2], "banker": out["cards"][2:4], "next": out["cards"][4:]}


def blitz(s, p):
    out = dealt(C)(s, p)
    return {**out, "win": len(set(out["draws"])) == len(out["draws"])}


def video_poker(s, p):
    _, d = s.take(52, 10)
    return {"draws": d, "hand": [A[x] for x in d[:5]], "next": [A[x] for x in d[5:]]}


def gems(s, n):
    return [T["gems"][s.index(7)] for _ in range(n)]


def climb(game):
    def play(s, p):
        level = T[game]["levels"][p["difficulty"]]
        _, cells = s.take(T[game]["size"], level["pops"])
        return {"cells": cells, "safe": min(cells), "multiplier": dec(str(level["pays"][min(cells)]))}

    return play


def cases(s, p):
    return {"multiplier": dec(str(s.tier(T["cases"]["levels"][p["difficulty"]])["pays"]))}


def bars(s, p):
    rows = T["bars"]["levels"][p["difficulty"]]
    return {"multipliers": [hundredths(floor2(s.tier(rows)["pays"] / p["tiles"]), 0) for _ in range(30)]}


def tarot(s, p):
    pays = [s.tier(T["tarot"][kind][p["difficulty"]])["pays"] for kind in ("minor", "major", "minor")]
    return {"multipliers": [dec(str(x)) for x in pays], "multiplier": dec(math.prod(Fraction(str(x)) for x in pays))}


def packs(s, p):
    rows = [s.tier(T["packs"]["cards"]) for _ in range(5)]
    cards = [r["card"] for r in rows]
    return {"numbers": cards, "set": sorted(cards), "multiplier": dec(sum(Fraction(str(r["pays"])) for r in rows))}


def drill_of(k):
    u = k / TWO32
    return 100 if u < 0.02 else floor2(min(0.98 / (1 - u), 2000000))


def drill(s, p):
    return {"multipliers": [hundredths(drill_of(s.word()), 0) for _ in range(3)]}


def darts(s, p):
    level = T["darts"]["levels"][p["difficulty"]]
    rotation, distance = s.word() / TWO32, s.word() / TWO32
    radius = math.sqrt(distance) / 2
    r, b = radius * 1000, level["borders"]
    wedge = int(rotation * 360 / 20)
    field = (
        "green" if r <= b[0] else "dark" if r <= b[1] else "light" if r <= b[2] else "dark" if r >= b[3]
        else "orange" if wedge in level["orange"] else "red" if wedge in level["red"] else "yellow"
    )
    return {"rotation": shortest(rotation), "distance": shortest(distance), "radius": shortest(radius), "field": field, "multiplier": dec(str(level["pays"][field]))}


def snakes(s, p):
    rolls = [[s.index(6) + 1, s.index(6) + 1] for _ in range(5)]
    table = T["snakes"]["pays"][p["difficulty"]]
    return {"rolls": rolls, "sums": [sum(r) for r in rolls], "multipliers": [dec(str(table[sum(r) - 2])) for r in rolls]}


def flip(s, p):
    return {"flips": "".join("TH"[s.word() // 2**31] for _ in range(20))}


def rps(s, p):
    return {"throws": "".join("RPS"[s.index(3)] for _ in range(20))}


def moles(s, p):
    return {"rounds": [s.take(7, p["moles"])[1] for _ in range(T["moles"]["rounds"][str(p["moles"])])]}


def window(stops):
    return [[T["reels"]["reels"][i][(stop + d) % len(T["reels"]["reels"][i])] for d in (-1, 0, 1)] for i, stop in enumerate(stops)]


def reels(s, p):
    spin = lambda: [s.index(len(r)) for r in T["reels"]["reels"]]
    scatters = lambda stops: sum(reel.count("scatter") for reel in window(stops))
    if "from" in p:
        spins = [spin() for _ in range(p["to"] + 1)][p["from"] :]
    else:
        spins, left, bonus = [], 1, 0
        while left:
            spins.append(spin())
            left -= 1
            if scatters(spins[-1]) >= 3:
                more = min(15, 180 - bonus)
                bonus, left = bonus + more, left + more
    return {"stops": spins, "windows": [window(x) for x in spins], "scatters": [scatters(x) for x in spins]}


def samurai(s, p):
    t = T["samurai"]
    columns = [[t["symbols"][s.weighted(t["outer" if i in (0, 4) else "inner"])] for _ in range(n)] for i, n in enumerate(t["columns"])]
    scatters = sum(c.count("scatter") for c in columns)
    full = any(set(columns[i]) == {"samurai"} for i in (0, 4))
    return {"columns": columns, "scatters": scatters, "special_spins": 5 if full else 0, "bonus_spins": 10 if scatters >= 3 else 0}


def of_word(edge):
    def play(s, p):
        raw = max(1.0, TWO32 / (s.word() + 1) * edge)
        return {"multiplier": hundredths(floor2(raw)), "raw": shortest(raw)}

    return play


def zoo(s, p):
    return {"animals": [next(a["animal"] for a in T["zoo"]["animals"] if n < a["below"]) for n in (s.word() % 20 for _ in range(3))]}


def duel_dice(s, p):
    v = s.duel(0, 10001)
    out = {"result": v}
    if "target" in p:
        ways = 10000 - p["target"]
        pays = rounded(Fraction(999, 1000) * 10001 / ways, 18, ROUND_HALF_UP)
        out |= {"win": v > p["target"], "chance": str(rounded(Fraction(ways, 10001), 18, ROUND_HALF_UP)), "multiplier": str(pays)}
        if "amount" in p:
            paid = Fraction(pays) * Fraction(p["amount"]) if out["win"] else Fraction(0)
            out["paid"] = dec(rounded(paid, 18, ROUND_HALF_UP))
    return out


def duel_cells(size, name):
    def play(s, p):
        board = list(range(size))
        for i in range(size - 1, 0, -1):
            j = s.duel(size - 1 - i, i + 1)
            board[i], board[j] = board[j], board[i]
        return {"set": sorted(board[: p[name]])}

    return play


def duel_table(rows, risk):
    row = [Fraction(str(x)) for x in T["plinko"]["rows"][str(rows)][risk]]
    for _ in range(2):
        mean = sum(math.comb(rows, i) * x for i, x in enumerate(row)) / Fraction(2**rows)
        row = [Fraction(rounded(x * Fraction(999, 1000) / mean, 8, ROUND_HALF_UP)) for x in row]
    return row


def duel_plinko(s, p):
    path = ""
    for i in range(p["rows"]):
        s.seek(i)
        path += "LR"[s.word() % 2]
    slot = path.count("R")
    out = {"path": path, "slot": slot}
    if "risk" in p:
        pays = duel_table(p["rows"], p["risk"])[slot]
        out["multiplier"] = dec(pays)
        if "amount" in p:
            out["paid"] = dec(rounded(pays * Fraction(p["amount"]), 18, ROUND_HALF_UP))
    return out


def castle(s, p):
    place = s.word() % 48
    coin, pays = next(c for border, *c in ((1, "forty_eight", 48), (3, "twenty_four", 24), (6, "sixteen", 16), (12, "eight", 8), (24, "four", 4), (48, "two", 2)) if place < border)
    return {"pocket": place, "coin": coin, "multiplier": pays}


def liqd_dice(s, p):
    v = s.liqd(p.get("cursor", 0), 10000)
    out = {"roll": hundredths(v)}
    if "lower" in p:
        lower, upper = (int(Fraction(p[k]) * 100) for k in ("lower", "upper"))
        win, width = lower <= v < upper, upper - lower
        if p["inverted"] == "true":
            win, width = not win, 10000 - width
        out |= {"win": win, "multiplier": shortest(9900 / width) if win else "0"}
        if "amount" in p:
            pays = rounded(Fraction(9900, width), 8, ROUND_HALF_EVEN) if win else 0
            out["paid"] = dec(rounded(Fraction(pays) * Fraction(p["amount"]), 8, ROUND_HALF_EVEN))
    return out


def liqd_mines(s, p):
    board = list(range(25))
    for c in range(25):
        j = c + s.liqd(c, 25 - c)
        board[c], board[j] = board[j], board[c]
    return {"cells": board[: p["mines"]], "set": sorted(board[: p["mines"]])}


def liqd_plinko(s, p):
    path = "".join("LR"[s.liqd(i + 1, 2)] for i in range(p["rows"]))
    return {"path": path, "slot": path.count("R")}


def liqd_blackjack(s, p):
    ranks = "A 2 3 4 5 6 7 8 9 10 J Q K".split()
    shoe = [suit + rank for suit in "♣♥♠♦" for rank in ranks] * 8
    for i in range(415, 0, -1):
        j = s.liqd(i, i + 1)
        shoe[i], shoe[j] = shoe[j], shoe[i]
    return {"cards": shoe[:52]}


def liqd_draw(s, p):
    return {"value": s.liqd(p.get("cursor", 0), p["range"])}


def bust_of(x):
    return max(100, math.floor(99 / (1 - x)))


def bustabit(s, p):
    return {"multiplier": hundredths(bust_of(s.top52() / 2**52))}


def nine(r):
    x = Decimal(r) / Decimal(2**52)
    return float(x.quantize(Decimal(1).scaleb(x.adjusted() - 8), rounding=ROUND_HALF_UP)) if r else 0.0


def bcgame_crash(s, p):
    return {"multiplier": hundredths(bust_of(nine(s.top52())))}


def roobet(s, p):
    d = bytes(s.byte() for _ in range(32))
    if int.from_bytes(d, "big") % int(p["divisor"]) == 0:
        return {"multiplier": "1.00"}
    h = int(d.hex()[:13], 16)
    e = 2.0**52
    return {"multiplier": hundredths(math.floor((100 * e - h) / (e - h)))}


def backgammon(s, p):
    rolls, nonce = [], p["nonce"]
    for _ in range(p["rolls"]):
        roll, taken = [], 0
        s.seek(nonce)
        while len(roll) < 2:
            b = s.byte()
            taken += 1
            if b < 252:
                roll.append(b % 6 + 1)
        rolls.append(roll)
        nonce += -(-taken // 32)
    return {"dice": rolls, "next_nonce": nonce}


def old_primedice(s, p):
    digits = bytes(s.byte() for _ in range(64)).hex()
    value = next(v for v in (int(digits[i : i + 5], 16) for i in range(0, 125, 5)) if v < 1_000_000)
    return {"roll": hundredths(value % 10000)}


def plain(play):
    return lambda s, p, variant: play(s, p)


def each(name, values, **more):
    return [{name: v, **more} for v in values]


SEGMENTS = ["10", "20", "30", "40", "50"]
TOWERS = DIFFICULTIES + ["master"]
LEVELS = each("difficulty", DIFFICULTIES)
BET = [{"lower": "8.16", "upper": "97.49", "inverted": i, "amount": a} for i in ("true", "false") for a in ("0.1", "123.45678901")]

# site, game: the rule, its variants, and the parameters to try.
GAMES = {
    ("shuffle", "plinko"): (plain(plinko), [""], each("rows", range(8, 17))),
    ("shuffle", "dice"): (plain(dice), [""], [{}]),
    ("shuffle", "limbo"): (plain(limbo_shuffle), [""], [{}]),
    ("shuffle", "keno"): (plain(keno_shuffle), [""], [{}]),
    ("shuffle", "mines"): (plain(mines), [""], each("mines", (1, 3, 10, 23, 24))),
    ("shuffle", "roulette"): (plain(roulette), [""], [{}]),
    ("shuffle", "wheel"): (plain(wheel), [""], each("segments", SEGMENTS)),
    ("shuffle", "tower"): (plain(tower), [""], each("difficulty", TOWERS)),
    ("shuffle", "blackjack"): (plain(dealt(A)), [""], [{}]),
    ("shuffle", "hilo"): (plain(dealt(A)), [""], each("count", (1, 60))),
    ("shuffle", "baccarat"): (plain(baccarat_shuffle), [""], [{}]),
    ("shuffle", "blitz"): (plain(blitz), [""], each("count", (1, 5, 20))),
    ("stake", "dice"): (plain(dice), [""], [{}]),
    ("stake", "primedice"): (plain(dice), [""], [{}]),
    ("stake", "limbo"): (limbo, ["2^24", "1e8", "page"], [{}]),
    ("stake", "plinko"): (plain(plinko), [""], [{"rows": r, "risk": k} for r in range(8, 17) for k in ("low", "medium", "high", "expert")]),
    ("stake", "wheel"): (plain(wheel), [""], [{"segments": n, "risk": k} for n in SEGMENTS for k in ("low", "medium", "high")]),
    ("stake", "roulette"): (plain(roulette), [""], [{}]),
    ("stake", "keno"): (plain(keno), [""], [{}]),
    ("stake", "mines"): (plain(mines), [""], each("mines", (1, 3, 10, 23, 24))),
    ("stake", "video-poker"): (plain(video_poker), [""], [{}]),
    ("stake", "blackjack"): (plain(blackjack), [""], [{}]),
    ("stake", "hilo"): (plain(dealt(A)), [""], [{}]),
    ("stake", "baccarat"): (baccarat_stake, ["", "played"], [{}]),
    ("stake", "diamonds"): (lambda s, p, v: {"gems": gems(s, 5)}, [""], [{}]),
    ("stake", "diamond-poker"): (lambda s, p, v: {"dealer": gems(s, 5), "player": gems(s, 5)}, [""], [{}]),
    ("stake", "dragon-tower"): (plain(tower), [""], each("difficulty", TOWERS)),
    ("stake", "pump"): (plain(climb("pump")), [""], LEVELS),
    ("stake", "chicken"): (plain(climb("chicken")), [""], LEVELS),
    ("stake", "cases"): (plain(cases), [""], LEVELS),
    ("stake", "bars"): (plain(bars), [""], [{"difficulty": d, "tiles": n} for d in DIFFICULTIES for n in range(1, 6)]),
    ("stake", "tarot"): (plain(tarot), [""], LEVELS),
    ("stake", "packs"): (plain(packs), [""], [{}]),
    ("stake", "drill"): (plain(drill), [""], [{}]),
    ("stake", "darts"): (plain(darts), [""], LEVELS),
    ("stake", "snakes"): (plain(snakes), [""], each("difficulty", TOWERS)),
    ("stake", "flip"): (plain(flip), [""], [{}]),
    ("stake", "rps"): (plain(rps), [""], [{}]),
    ("stake", "moles"): (plain(moles), [""], each("moles", range(1, 7))),
    ("stake", "scarab-spin"): (plain(reels), [""], [{}, {"from": 0, "to": 2}, {"from": 3, "to": 3}]),
    ("stake", "tome-of-life"): (plain(reels), [""], [{}]),
    ("stake", "blue-samurai"): (plain(samurai), [""], [{}]),
    ("stake", "crash"): (plain(of_word(1 - 0.01)), [""], [{}]),
    ("stake", "slide"): (plain(of_word(1 - 0.02)), [""], [{}]),
    ("stake", "zoo"): (plain(zoo), [""], [{}]),
    ("duel", "dice"): (plain(duel_dice), [""], [{}, {"side": "over", "target": 0, "amount": "0.01"}, {"side": "over", "target": 9999, "amount": "1.5"}, {"side": "over", "target": 4253, "amount": "12.345678"}]),
    ("duel", "mines"): (plain(duel_cells(25, "mines")), [""], each("mines", (1, 3, 24))),
    ("duel", "beef"): (plain(duel_cells(20, "deaths")), [""], each("deaths", (1, 10, 19))),
    ("duel", "plinko"): (plain(duel_plinko), [""], [{"rows": r, "risk": k, "amount": "0.01"} for r in range(8, 17) for k in ("low", "medium", "high")]),
    ("duel", "crash"): (plain(of_word(0.999)), [""], [{}]),
    ("duel", "castle-roulette"): (plain(castle), [""], [{}]),
    ("liqd", "dice"): (plain(liqd_dice), [""], [{}, {"cursor": 7}] + BET),
    ("liqd", "mines"): (plain(liqd_mines), [""], each("mines", (1, 3, 24))),
    ("liqd", "plinko"): (plain(liqd_plinko), [""], each("rows", (8, 16))),
    ("liqd", "blackjack"): (plain(liqd_blackjack), [""], [{"decks": 8}]),
    ("liqd", "draw"): (plain(liqd_draw), [""], each("range", (1, 2, 25, 2**32 - 1))),
    ("bustabit", "crash"): (plain(bustabit), [""], [{}]),
    ("bcgame", "limbo"): (plain(bustabit), [""], [{}]),
    ("bcgame", "dice"): (plain(dice), [""], [{}]),
    ("bcgame", "crash"): (plain(bcgame_crash), [""], [{}]),
    ("roobet", "crash"): (plain(roobet), [""], each("divisor", ("20", "25"))),
    ("zeroplay", "backgammon"): (plain(backgammon), [""], [{"nonce": 0, "rolls": 5}]),
    ("primedice", "dice"): (plain(old_primedice), ["2015"], [{}]),
}


def play(source, site, game, params, variant=""):
    return GAMES[site, game][0](source, params, variant)


# Bets: seeds of a named counter stream, and the schemes of the sites.


def counter(name, i):
    return hashlib.sha256(name.encode() + i.to_bytes(8, "big")).digest()


def lossy(signature):
    # Python replaces each maximal part as the WHATWG decoder does.
    return signature.decode("utf-8", "replace").encode()


def bet(site, game, i, params):
    """Seeds for bet i: the fields of the record, the source, and what the game itself gets of params."""
    b = counter("veridice games", i)
    seed, client, nonce = counter("veridice games seed", i).hex(), b[:8].hex(), int.from_bytes(b[8:12], "big") % 10**6
    more = {}
    if site in ("shuffle", "stake") and game not in ("crash", "slide", "zoo"):
        source = text_source(seed, client, nonce)
    elif site == "stake":
        client, nonce = b.hex(), None
        source = single(seed.encode(), client.encode())
    elif site == "duel" and game in ("crash", "castle-roulette"):
        client = (b + counter("veridice games more", i)[:16]).hex()
        source = single(bytes.fromhex(seed), lossy(bytes.fromhex(client)) + b":0")
    elif site == "duel" and game == "dice":
        source = single(bytes.fromhex(seed), f"{client}:{nonce}".encode())
    elif site == "duel":
        source = byte_source(seed, client, nonce)
    elif site == "liqd":
        seed = seed[:32]
        source = byte_source(seed, client, nonce)
    elif game == "crash" and site in ("bustabit", "bcgame"):
        client, nonce = b.hex(), None
        source = single(client.encode(), bytes.fromhex(seed))
    elif site == "bcgame":
        source = single(seed.encode(), f"{client}:{nonce}".encode())
    elif site == "roobet":
        client, nonce = "0x" + b.hex(), None
        source = single(seed.encode(), client.encode())
    elif site == "primedice":
        source = single(seed.encode(), f"{client}-{nonce}".encode(), hashlib.sha512)
    elif site == "zeroplay":
        seed, client = seed[:32], None
        more = {"uid1": "9", "client1": b[:16].hex(), "uid2": "10", "client2": b[16:].hex()}
        joined = b"10:9:" + b[16:] + b":" + b[:16]
        combined = hashlib.sha256(joined).digest()
        key = bytes.fromhex(seed)
        source = Source(lambda n: mac(key, combined + n.to_bytes(4, "big")))
        nonce = params["nonce"]
    fields = {"seed": seed, "client": client, "nonce": nonce}
    if site in ("shuffle", "stake", "liqd"):
        fields["sealed_as"] = hashlib.sha256(seed.encode()).hexdigest()
    elif site in ("duel", "zeroplay"):
        fields["sealed_as"] = hashlib.sha256(bytes.fromhex(seed)).hexdigest()
    recorded = {k: v for k, v in {**params, **more}.items() if k not in ("nonce", "cursor")}
    if "cursor" in params:
        fields["cursor"] = params["cursor"]
    return fields, source, recorded


class Files:
    def __init__(self):
        self.lines = {}

    def add(self, file, name, **fields):
        lines = self.lines.setdefault(file, {})
        assert name not in lines, name
        lines[name] = json.dumps({"name": name, **fields}, separators=(",", ":"))

    def write(self):
        for file, lines in self.lines.items():
            (FOLDER / f"{file}.ndjson").write_bytes(("\n".join(lines.values()) + "\n").encode("ascii"))


def label(site, game, variant, params, i):
    parts = [site, game, variant] + [f"{k}={v}" for k, v in params.items()] + [str(i)]
    return ",".join(p for p in parts if p)


def write_bets(files):
    i = 0
    for (site, game), (_, variants, sets) in GAMES.items():
        for variant in variants:
            for params in sets:
                for n in range(4 if len(sets) == 1 else 2 if len(sets) < 10 else 1):
                    fields, source, recorded = bet(site, game, i, params)
                    want = play(source, site, game, params, variant)
                    files.add("bets", label(site, game, variant, params, n), site=site, game=game, variant=variant, params=recorded, **fields, want=want)
                    i += 1


CORNERS = [0, 1, 2**31 - 1, 2**31, 2**32 - 1]


def write_corners(files):
    """Each game on streams that repeat one word; null where there is no outcome."""
    for (site, game), (_, variants, sets) in GAMES.items():
        for variant in variants:
            for params in sets[:1] + sets[-1:] if len(sets) > 1 else sets:
                for k in CORNERS:
                    if (site, k) == ("zeroplay", 2**32 - 1):
                        continue  # rejected without end
                    try:
                        want = play(Source(lambda _: k.to_bytes(4, "big") * 16), site, game, params, variant)
                    except (Exhausted, StopIteration, ZeroDivisionError):
                        want = None
                    files.add("corners", label(site, game, variant, params, k), site=site, game=game, variant=variant, params=params, word=k, want=want)


def divisors(n, limit):
    """Those up to limit. Doubles can part from the exact floor only where n / d is whole: the
    error of three operations is below 2^-51 of the value, and the fraction of n / d is 0 or at
    least 1 / d."""
    found, powers = set(), [1]
    while powers[-1] * 2 <= limit:
        powers.append(powers[-1] * 2)
    odd = n
    while odd % 2 == 0:
        odd //= 2
    for d in (d for d in range(1, odd + 1) if odd % d == 0):
        found |= {d * p for p in powers if d * p <= limit and n % (d * p) == 0}
    return sorted(found)


def write_edges(files):
    """Inputs for which doubles in the written order differ from the exact floor, as hundredths."""

    def edge(formula, n, limit, word, double, count, exact):
        found = [d for d in divisors(n, limit) if double(d) != exact(d)]
        assert len(found) == count, (formula, len(found))
        for d in found:
            files.add("edges", f"{formula},{d}", formula=formula, word=word(d), double=double(d), exact=exact(d))

    edge("limbo 2^24", 99 * 2**24, 2**24, lambda m: (m - 1) * 256, lambda m: floor2(16777216 / m * 0.99), 44, lambda m: 99 * 2**24 // m)
    edge("crash", 99 * TWO32, TWO32, lambda n: n - 1, lambda n: floor2(TWO32 / n * (1 - 0.01)), 60, lambda n: 99 * TWO32 // n)
    edge("slide", 98 * TWO32, TWO32, lambda n: n - 1, lambda n: floor2(TWO32 / n * (1 - 0.02)), 57, lambda n: 98 * TWO32 // n)
    edge("duel crash", 999 * TWO32, TWO32, lambda n: n - 1, lambda n: floor2(TWO32 / n * 0.999), 0, lambda n: 999 * TWO32 // (10 * n))
    # u < 0.02 gives 1 and large values are capped, so that n = 2^32 - k has a range.
    low = next(n for n in range(1, 10**4) if 98 * TWO32 // n <= 200_000_000)
    high = TWO32 - math.ceil(Fraction("0.02") * TWO32)
    edge("drill", 98 * TWO32, high, lambda n: TWO32 - n, lambda n: drill_of(TWO32 - n), 21, lambda n: 98 * TWO32 // n if n >= low else 200_000_000)
    found = []
    for level, rows in T["bars"]["levels"].items():
        for row in rows:
            for tiles in range(1, 6):
                double, exact = floor2(row["pays"] / tiles), math.floor(Fraction(str(row["pays"])) * 100 / tiles)
                if double != exact:
                    found.append((level, row, tiles, double, exact))
    assert [(f[0], f[1]["pays"], f[2]) for f in found] == [("medium", 1.4, 5)]
    level, row, tiles, double, exact = found[0]
    files.add("edges", "bars,1.4/5", formula="bars", word=row["from"], double=double, exact=exact)
    r = 0xAF075C6BF62F7
    files.add("edges", "bustabit,af075c6bf62f7", formula="bustabit", word=r, double=bust_of(r / 2**52), exact=math.floor(Fraction(99) / (1 - Fraction(r, 2**52))))
    assert (bust_of(r / 2**52), math.floor(Fraction(99) / (1 - Fraction(r, 2**52)))) == (313, 312)
    for r in (513 * 2**42, 1, 2**52 - 1, 2**52 - 2**22, 1234567890123456, 515 * 2**42, 3 * 2**20, 0):
        files.add("edges", f"nine,{r}", formula="nine", word=r, double=shortest(nine(r)), exact=dec(Fraction(r, 2**52)))


def write_reference(files):
    """Where tables change rows: every threshold, from - 1 and from."""
    tables = [("cases", d, T["cases"]["levels"][d]) for d in DIFFICULTIES] + [("bars", d, T["bars"]["levels"][d]) for d in DIFFICULTIES]
    tables += [(kind, d, T["tarot"][kind][d]) for kind in ("minor", "major") for d in DIFFICULTIES] + [("packs", "", T["packs"]["cards"])]
    for game, level, rows in tables:
        for i, row in enumerate(rows):
            word = math.ceil(Fraction(str(row["min"])) * TWO32)
            assert word == row["from"], row
            files.add("thresholds", f"{game},{level},{i}" if level else f"{game},{i}", game=game, difficulty=level, row=i, word=word, pays=dec(str(row["pays"])))


def check(got, want):
    assert got == want, (got, want)


def check_examples():
    """The examples of docs/spec/games.md and of the schemes of other sites."""
    abc = lambda nonce: text_source("def", "abc", nonce)
    check(play(abc(0), "shuffle", "plinko", {"rows": 8}), {"path": "RRLRLRRL", "slot": 5})
    check(play(abc(1), "shuffle", "dice", {}), {"roll": "43.05"})
    check(play(abc(1), "shuffle", "limbo", {}), {"multiplier": "2.29"})
    check(play(abc(1), "shuffle", "keno", {})["numbers"], [18, 27, 7, 24, 35, 11, 28, 9, 31, 16])
    check(play(abc(1), "shuffle", "keno", {})["raw"], [18, 26, 7, 22, 31, 10, 23, 8, 24, 13])
    check(play(abc(0), "shuffle", "mines", {"mines": 3})["cells"], [20, 21, 4])
    check([play(abc(1), "shuffle", "wheel", {"segments": n})["segment"] for n in SEGMENTS], [4, 8, 12, 17, 21])
    check("".join(map(str, sum(play(abc(1), "shuffle", "tower", {"difficulty": "easy"})["rows"], []))), "120230203120310210132130301")
    check(play(abc(1), "shuffle", "baccarat", {})["totals"], [1, 9])
    check(play(abc(1), "shuffle", "blitz", {"count": 5})["win"], True)
    edge = lambda variant: play(text_source("e8df2cc3b9ccb583ce5ea92336842387", "83e27f682128eb1852b048203dfd6931", 1942124), "stake", "limbo", {}, variant)["multiplier"]
    check([edge("1e8"), edge("2^24"), edge("page")], ["3807692.30", "3321888.76", "3940702.15"])
    check(play(text_source("3c382bcdaa7a266bb839405f8a5c0440", "9d1a65292e3273961d48aa30ce87d0e2", 0), "stake", "baccarat", {}, "played")["totals"], [9, 5])
    check(play(text_source("0f256f45dab125edf2c213798905c25a", "7a34199d71831c82045177b0fc47b8ea", 2), "stake", "tarot", {"difficulty": "hard"})["multiplier"], "0.045")
    check(play(single(b"9dd9a4ce539a7d11a36a96c71f3d939c46d972b2e56254bc85ea2c0681541dca", b"23eb7069c6fc5b1369b92f5321af9f63"), "stake", "crash", {})["multiplier"], "7.74")
    check(play(single(b"8c6ccd93221a2e055e669f1950128dd92ff088683ecf116d7d8276820d45b052", b"1d947e6516c7f0fc10cd17931c69daa9"), "stake", "zoo", {})["animals"], ["crocodile", "rhino", "penguin"])
    seed = bytes.fromhex("528555039caf67c0219c9537cf6626c63cb0bfa384b72571410e522773270eb5")
    check(play(single(seed, b"bRNvtSn0hp2uVFRe:1"), "duel", "dice", {})["result"], 9793)
    check(play(byte_source("1cdcd1d16090b08915c3bf8da241aa5db94605244449f8fd67cf92e7f21eb0f7", "Bw2ll1YE0PQa1CGz", 0), "duel", "mines", {"mines": 3})["set"], [8, 17, 21])
    check(play(byte_source("015307d5a3f62db476210c3797bac8b7", "auditf2456fc140ac", 0), "liqd", "dice", {})["roll"], "24.01")
    salt = b"00000000000000000001e08b7fd44f95e3e950ac65650a8031a6d5e1750e34be"
    check(play(single(salt, bytes.fromhex("4488d92d89d0ed7fbb2ea23b219d569f63207e32fc44b957858838835c1719f1")), "bustabit", "crash", {})["multiplier"], "1.46")
    check(play(single(b"server", b"client:1"), "bcgame", "limbo", {})["multiplier"], "1.44")
    check(play(single(b"server", b"client:1"), "bcgame", "dice", {})["roll"], "31.25")
    roo = b"0xe0fcab987236cb02bba4919f9ea8280d163a58209cd8960a5204d152dbdf4e2d"
    for key, want in ((b"c238a29beaa6692bf1d2a18c82fd67d1bea3b8791d333dfe1cba51cc7157c73e", "1.08"), (b"f0469d912c2baa541d382ce99fd8ed555652806ef8b96b289316784ec0e5e982", "1.00")):
        check(play(single(key, roo), "roobet", "crash", {"divisor": "20"})["multiplier"], want)
    check(play(single(b"293d5d2ddd365f54759283a8097ab2640cbe6f8864adc2b1b31e65c14c999f04", b"ClientSeedForDiceSites.com-0", hashlib.sha512), "primedice", "dice", {}, "2015")["roll"], "79.69")


def main():
    check_examples()
    files = Files()
    write_bets(files)
    write_corners(files)
    write_edges(files)
    write_reference(files)
    files.write()


main()

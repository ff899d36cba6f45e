#!/usr/bin/env python3
"""Writes vectors/games/odds.ndjson: the same bytes at every run. README.md says what the fields mean.

    python3 vectors/gen/odds.py

Exact counts of what the rules of docs/spec/games.md make of equally likely words,
with Python's integers alone: every case is followed, none is sampled.
"""

import itertools
import json
import math
import pathlib
import sys
from collections import Counter
from fractions import Fraction
from functools import lru_cache

sys.dont_write_bytecode = True

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "games"
T = json.loads((FOLDER / "tables.json").read_text())
W = 2**32
lines, names = [], set()


def write(name, kind, **fields):
    assert name not in names and " " not in name, name
    names.add(name)
    lines.append(json.dumps({"name": name, "kind": kind, **fields}, ensure_ascii=False, separators=(",", ":")))


def distribution(pairs, total, each=1):
    """The lines that come at all; they sum to the total, or to as many as are drawn."""
    pairs = [[str(k), str(n)] for k, n in pairs if n]
    assert sum(int(n) for _, n in pairs) == each * total
    return {"total": str(total), "lines": pairs}


def game(name, site, kind, key, pairs, total, each=1, variant="", **params):
    write(name, "game", site=site, game=kind, variant=variant, params=params, key=key,
          **distribution(pairs, total, each))


def index(n):
    """How many words k have floor(k n / 2^32) = v, for each v: by the borders of the stretches."""
    borders = [-(-v * W // n) for v in range(n + 1)]
    return [b - a for a, b in zip(borders, borders[1:])]


def modulo(n):
    return [len(range(v, W, n)) for v in range(n)]


def decimal(x):
    x = Fraction(x)
    places = 0
    while x.denominator != 1:
        x, places = x * 10, places + 1
    digits = str(x.numerator).rjust(places + 1, "0")
    return digits[:-places] + "." + digits[-places:] if places else digits


def hundredths(h):
    return f"{h // 100}.{h % 100:02}"


# Draws without replacement: the list is followed as it shrinks.


def members(items, counts):
    """In how many cases each item is drawn. counts[i][p] words of draw i delete place p."""

    @lru_cache(None)
    def drawn(i, size, place):
        if i == len(counts):
            return 0
        rest, total = W ** (len(counts) - i - 1), 0
        before, after = sum(counts[i][:place]), sum(counts[i][place + 1:])
        total += counts[i][place] * rest
        if before:
            total += before * drawn(i + 1, size - 1, place - 1)
        if after:
            total += after * drawn(i + 1, size - 1, place)
        return total

    return [drawn(0, len(items), place) for place in range(len(items))]


def sets(n, m):
    """Every order of m of n items, added up by set."""
    ways = Counter()
    for order in itertools.permutations(range(n), m):
        left, product = list(range(n)), 1
        for item in order:
            product *= index(len(left))[left.index(item)]
            left.remove(item)
        ways[tuple(sorted(order))] += product
    return [(" ".join(map(str, s)), ways[s]) for s in itertools.combinations(range(n), m)]


def smallest(n, m):
    def none_below(s):
        product = 1
        for i in range(m):
            product *= sum(index(n - i)[s:])
        return product

    return [(s, none_below(s) - (none_below(s + 1) if s < n - m else 0)) for s in range(n - m + 1)]


def games():
    game("dice", "shuffle", "dice", "roll", [(hundredths(v), n) for v, n in enumerate(index(10001))], W)
    game("roulette", "stake", "roulette", "pocket", enumerate(index(37)), W)
    for n in (8, 9, 16):
        paths = Counter(bin(p).count("1") for p in range(2**n))
        for site in ("shuffle", "stake", "duel", "liqd"):
            game(f"plinko-{site}-{n}", site, "plinko", "slot", sorted(paths.items()), 2**n, rows=n)
        for risk in ("low", "expert"):
            pays = Counter()
            for slot, ways in paths.items():
                pays[Fraction(str(T["plinko"]["rows"][str(n)][risk][slot]))] += ways
            game(f"plinko-pays-{n}-{risk}", "stake", "plinko", "multiplier",
                 [(decimal(x), pays[x]) for x in sorted(pays)], 2**n, rows=n, risk=risk)
    for n in (10, 30, 50):
        game(f"wheel-{n}", "shuffle", "wheel", "segment", enumerate(index(n)), W, segments=str(n))
        for risk in ("low", "medium", "high"):
            pays = Counter()
            for segment, words in enumerate(index(n)):
                pays[Fraction(str(T["wheel"]["segments"][str(n)][risk][segment]))] += words
            game(f"wheel-{n}-{risk}", "stake", "wheel", "multiplier",
                 [(decimal(x), pays[x]) for x in sorted(pays)], W, segments=str(n), risk=risk)
    # Shuffle's keno rounds up: place v of ceil(k s / 2^32), in a list that begins with a blank.
    ceil = []
    for i in range(10):
        s = 40 - i
        last = [v * W // s for v in range(s)] + [W - 1]  # the last word of each place
        ceil.append([last[0] + 1] + [b - a for a, b in zip(last, last[1:])])
    game("keno-shuffle", "shuffle", "keno", "numbers", enumerate(members(range(41), ceil)), W**10, 10)
    game("keno-stake", "stake", "keno", "numbers",
         [(c + 1, n) for c, n in enumerate(members(range(40), [index(40 - i) for i in range(10)]))], W**10, 10)
    for m in (1, 3, 24):
        game(f"mines-{m}", "stake", "mines", "cells",
             enumerate(members(range(25), [index(25 - i) for i in range(m)])), W**m, m, mines=m)
        game(f"mines-liqd-{m}", "liqd", "mines", "cells", [(c, m) for c in range(25)], 25, m, mines=m)
    for level, shape in T["tower"]["levels"].items():
        for site, kind in (("shuffle", "tower"), ("stake", "dragon-tower")):
            game(f"{kind}-{level}", site, kind, "sets", sets(shape["columns"], shape["draw"]), W ** shape["draw"],
                 difficulty=level)
    for m in range(1, 7):
        game(f"moles-{m}", "stake", "moles", "rounds", sets(7, m), W**m, moles=m)
    for level, m in (("easy", 1), ("medium", 3), ("hard", 5), ("expert", 10)):
        game(f"pump-{level}", "stake", "pump", "safe", smallest(25, m), W**m, difficulty=level)
        game(f"chicken-{level}", "stake", "chicken", "safe", smallest(20, m), W**m, difficulty=level)
    for deck, site, kind in (("a", "stake", "hilo"), ("a", "shuffle", "blackjack")):
        game(f"cards-{site}-{kind}", site, kind, "cards", zip(T["decks"][deck], index(52)), W)
    game("poker", "stake", "video-poker", "hand",
         zip(T["decks"]["a"], members(range(52), [index(52 - i) for i in range(5)])), W**5, 5)
    for n in (1, 2, 5, 52):
        # Different cards: n! times the sum of the products of n of them.
        products = [1] + [0] * n
        for c in index(52):
            products = [1] + [products[i] + products[i - 1] * c for i in range(1, n + 1)]
        won = math.factorial(n) * products[n]
        if n == 2:
            assert won == sum(a * b for (i, a), (j, b) in itertools.product(enumerate(index(52)), repeat=2) if i != j)
        game(f"blitz-{n}", "shuffle", "blitz", "win", [("true", won), ("false", W**n - won)], W**n, count=n)
    baccarat()
    colours = [g if isinstance(g, str) else g["name"] for g in T["gems"]["colours"]] if isinstance(T["gems"], dict) else T["gems"]
    game("gems", "stake", "diamonds", "gems", zip(colours, index(7)), W)
    ways = Counter()
    for hand in itertools.product(range(7), repeat=5):
        product = 1
        for g in hand:
            product *= index7[g]
        ways[" ".join(map(str, sorted(Counter(hand).values(), reverse=True)))] += product
    order = ["5", "4 1", "3 2", "3 1 1", "2 2 1", "2 1 1 1", "1 1 1 1 1"]
    game("patterns", "stake", "diamonds", "pattern", [(p, ways[p]) for p in order], W**5)
    game("patterns-poker", "stake", "diamond-poker", "pattern", [(p, ways[p]) for p in order], W**5)
    tiers()
    die = index(6)
    sums = Counter()
    for a, b in itertools.product(range(6), repeat=2):
        sums[a + b + 2] += die[a] * die[b]
    game("snakes", "stake", "snakes", "sums", sorted(sums.items()), W**2, difficulty="easy")
    game("flip", "stake", "flip", "flips", zip("TH", index(2)), W)
    game("rps", "stake", "rps", "throws", zip("RPS", index(3)), W)
    scatters = Counter({0: 1})
    for i, strip in enumerate(T["reels"]["reels"]):
        n = len(strip)
        game(f"reel-{i + 1}", "stake", "scarab-spin", f"reel {i + 1}", enumerate(index(n)), W)
        longer = Counter()
        for stop, words in enumerate(index(n)):
            shown = [strip[(stop + d) % n] for d in (-1, 0, 1)].count("scatter")
            for s, w in scatters.items():
                longer[s + shown] += w * words
        scatters = longer
    game("scatters", "stake", "tome-of-life", "scatters", sorted(scatters.items()), W**5)
    for part in ("inner", "outer"):
        weights, borders = T["samurai"][part], [0]
        for w in weights:
            borders.append(borders[-1] + w)
        stretch = [-(-b * W // 1000) for b in borders]
        game(f"samurai-{part}", "stake", "blue-samurai", part,
             [(s, stretch[i + 1] - stretch[i]) for i, s in enumerate(T["samurai"]["symbols"])], W)
    animals = Counter()
    for v, words in enumerate(modulo(20)):
        animals[next(a["animal"] for a in T["zoo"]["animals"] if v < a["below"])] += words
    game("zoo", "stake", "zoo", "animals", [(a["animal"], animals[a["animal"]]) for a in T["zoo"]["animals"]], W)
    game("castle", "duel", "castle-roulette", "pocket", enumerate(modulo(48)), W)
    coins, borders = [], [0, 1, 3, 6, 12, 24, 48]
    for name, a, b in zip(("forty_eight", "twenty_four", "sixteen", "eight", "four", "two"), borders, borders[1:]):
        coins.append((name, sum(modulo(48)[a:b])))
    game("coins", "duel", "castle-roulette", "coin", coins, W)
    rolls = Counter((a % 6 + 1, b % 6 + 1) for a in range(252) for b in range(252))
    game("zeroplay", "zeroplay", "backgammon", "dice", [(f"{a} {b}", n) for (a, b), n in sorted(rolls.items())], 252**2,
         nonce=0, rolls=1)


index7 = index(7)


def baccarat():
    """Every hand of six values, by the third-card rules of section 4.8."""
    words = [0] * 10
    for card, n in enumerate(index(52)):
        rank = card // 4  # 2 .. 10 J Q K A
        words[1 if rank == 12 else 0 if rank >= 8 else rank + 2] += n
    totals = Counter()
    for p1, p2, b1, b2 in itertools.product(range(10), repeat=4):
        hand = words[p1] * words[p2] * words[b1] * words[b2]
        p, b = (p1 + p2) % 10, (b1 + b2) % 10
        if max(p, b) >= 8 or (p >= 6 and b >= 6):
            totals[p, b] += hand * W * W
        elif p >= 6:
            for third in range(10):
                totals[p, (b + third) % 10] += hand * words[third] * W
        else:
            for t in range(10):
                draws = {3: t != 8, 4: 2 <= t <= 7, 5: 4 <= t <= 7, 6: t in (6, 7), 7: False}.get(b, True)
                if not draws:
                    totals[(p + t) % 10, b] += hand * words[t] * W
                    continue
                for third in range(10):
                    totals[(p + t) % 10, (b + third) % 10] += hand * words[t] * words[third]
    winners = Counter()
    for (p, b), n in totals.items():
        winners["player" if p > b else "banker" if p < b else "tie"] += n
    for site, variant in (("shuffle", ""), ("stake", ""), ("stake", "played")):
        game(f"baccarat-{site}{'-' * bool(variant)}{variant}", site, "baccarat", "winner",
             [(w, winners[w]) for w in ("player", "banker", "tie")], W**6, variant=variant)
    game("baccarat-totals", "stake", "baccarat", "totals",
         [(f"{p} {b}", totals[p, b]) for p in range(10) for b in range(10)], W**6)


def rows(table):
    """Words of each row: from its own least word to that of the row above."""
    above, out = W, []
    for row in table:
        least = math.ceil(Fraction(str(row["min"])) * W)
        assert least == row["from"], row
        out.append((row, above - least))
        above = least
    return out


def tiers():
    for level in ("easy", "medium", "hard", "expert"):
        pays = Counter()
        for row, words in rows(T["cases"]["levels"][level]):
            pays[Fraction(str(row["pays"]))] += words
        game(f"cases-{level}", "stake", "cases", "multiplier", [(decimal(x), pays[x]) for x in sorted(pays)], W, difficulty=level)
        for tiles in (1, 5):
            shown = Counter()
            for row, words in rows(T["bars"]["levels"][level]):
                shown[math.floor(row["pays"] / tiles * 100)] += words
            game(f"bars-{level}-{tiles}", "stake", "bars", "multipliers",
                 [(decimal(Fraction(h, 100)), shown[h]) for h in sorted(shown)], W, difficulty=level, tiles=tiles)
        product = Counter()
        parts = [rows(T["tarot"][part][level]) for part in ("minor", "major", "minor")]
        for triple in itertools.product(*parts):
            pay, words = Fraction(1), 1
            for row, n in triple:
                pay, words = pay * Fraction(str(row["pays"])), words * n
            product[pay] += words
        game(f"tarot-{level}", "stake", "tarot", "multiplier", [(decimal(x), product[x]) for x in sorted(product)], W**3, difficulty=level)
    game("packs", "stake", "packs", "numbers", [(row["card"], n) for row, n in rows(T["packs"]["cards"])], W)


# Multipliers: the border is found where exact arithmetic puts it, and then moved
# by the few inputs at which the doubles of the site differ.


def border(guess, reaches):
    """The greatest k for which a falling multiplier reaches a value, near a guess."""
    k = max(guess, 0) + 5
    while k >= 0 and not reaches(k):
        k -= 1
        assert k > guess - 50
    return k


def indivisible(a, b, d):
    """How many whole numbers from a on and below b do not divide by d."""
    return b - a - ((b - 1) // d - (a - 1) // d)


STEPS = (100, 101, 110, 150, 198, 200, 300, 1000, 10000, 1000000, 100000000)


def survival():
    for h in STEPS:
        def put(name, site, kind, count, total, variant="", **params):
            write(f"{name}-{h}", "at-least", site=site, game=kind, variant=variant, params=params, hundredths=h,
                  count=str(count), total=str(total))

        # Shuffle: hundredths = (99 × 2^32) div (k + 256), exact.
        put("limbo-shuffle", "shuffle", "limbo", min(W, max(0, 99 * W // h - 256 + 1)), W)
        # Stake 2^24: m = (k >> 8) + 1, of which 256 words each are the same.
        reach = lambda m: 1 <= m and max(100, math.floor(16777216 / m * 0.99 * 100)) >= h
        m = 2**24 if h == 100 else border(99 * 2**24 // h, reach)
        put("limbo-stake", "stake", "limbo", 256 * min(m, 2**24), W, variant="2^24")
        for kind, edge, whole in (("crash", 1 - 0.01, 99), ("slide", 1 - 0.02, 98)):
            reach = lambda k: k >= 0 and math.floor(max(1, 2**32 / (k + 1) * edge) * 100) >= h
            put(f"{kind}-stake", "stake", kind, W if h == 100 else border(whole * W // h - 1, reach) + 1, W)
        reach = lambda k: k >= 0 and math.floor(max(1, 2**32 / (k + 1) * 0.999) * 100) >= h
        put("crash-duel", "duel", "crash", W if h == 100 else border(999 * W // (10 * h) - 1, reach) + 1, W)
        # 52 bits, rising: the least r that reaches h.
        end = 2**52

        def rising(exact, f):
            r = max(0, exact - 3000)
            while f(r) < h:
                r += 1
                assert r < exact + 3000
            return r

        bust = lambda r: max(100, math.floor(99 / (1 - r / end)))
        r = 0 if h == 100 else rising(end - 99 * end // h, bust)
        put("bustabit", "bustabit", "crash", end - r, end)
        put("limbo-bcgame", "bcgame", "limbo", end - r, end)
        roo = lambda r: math.floor((100 * end - r) / (end - r))
        # floor((100 E - r) / (E - r)) >= h where r >= E (h - 100) / (h - 1)
        r = 0 if h == 100 else rising(end * (h - 100) // (h - 1), roo)
        for divisor in (20, 25):
            d = 2**256 if h == 100 else indivisible(r << 204, 2**256, divisor)
            put(f"roobet-{divisor}", "roobet", "crash", d, 2**256, divisor=str(divisor))


def schemes():
    pairs = Counter(divmod(b % 36, 6) for b in range(252))
    write("tavli", "scheme", scheme="tavli/1", **distribution([(f"{a + 1} {b + 1}", n) for (a, b), n in sorted(pairs.items())], 252))
    write("yayay", "scheme", scheme="yayay/1", **distribution([(v + 1, n) for v, n in enumerate(modulo(6))], W))


def streaks():
    sixth = Fraction(1, 6)

    @lru_cache(None)
    def run(n, k, p, row=0):
        """A run of k in n more trials, after `row` successes."""
        if row == k:
            return Fraction(1)
        return Fraction(0) if n == 0 else p * run(n - 1, k, p, row + 1) + (1 - p) * run(n - 1, k, p, 0)

    for n, k, p in ((60, 3, sixth), (60, 4, sixth), (1, 1, sixth), (10, 3, 1 - sixth), (100, 20, 1 - sixth), (30, 2, Fraction(11, 36)), (4, 5, sixth)):
        x = run(n, k, p)
        write(f"run-{k}-in-{n}-of-{p.numerator}-{p.denominator}", "run", rolls=n, row=k, of=[p.numerator, p.denominator],
              count=str(x.numerator), total=str(x.denominator))
    assert round(float(run(60, 3, sixth)), 3) == 0.204 and round(float(run(60, 4, sixth)), 3) == 0.036
    for n in (1, 12, 60):
        whole = 6**n
        write(f"doubles-{n}", "binomial", rolls=n, of=[1, 6],
              **distribution([(k, math.comb(n, k) * 5 ** (n - k)) for k in range(n + 1)], whole))
        longest = [run(n, k, sixth) * whole for k in range(n + 1)] + [0]
        write(f"longest-{n}", "longest", rolls=n, of=[1, 6],
              **distribution([(k, int(longest[k] - longest[k + 1])) for k in range(n + 1)], whole))
        ways = Counter({0: 1})
        for _ in range(n):
            more = Counter()
            for total, w in ways.items():
                for a, b in itertools.product(range(1, 7), repeat=2):
                    more[total + (4 * a if a == b else a + b)] += w
            ways = more
        write(f"pips-{n}", "pips", rolls=n, **distribution(sorted(ways.items()), 36**n))


games()
survival()
schemes()
streaks()
(FOLDER / "odds.ndjson").write_bytes(("\n".join(lines) + "\n").encode())
print(len(lines), "lines")

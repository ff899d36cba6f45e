"""Records of tavli/1 and yayay/1 (docs/spec/record.md)."""

import examples as ex
import rules
from rules import sha256


def text(scheme, server, clients, seal, rolls, games=None, match="m-1", count=None, state="finished", total=None):
    """The canonical text of a record; rolls are (number, dice)."""
    lines = ["veridice record 1", f"scheme {scheme}", f"match {match}", f"seal {seal or '-'}"]
    lines += [f"client {c}" for c in clients]
    starts, at = set(), 0
    for n in games or ():
        starts.add(at)
        at += n
    for i, (number, dice) in enumerate(rolls):
        if i in starts:
            lines.append("game")
        lines.append(" ".join(["roll", str(number)] + list(map(str, dice))))
    lines += [f"seed {server or '-'}", f"rolls {len(rolls) if count is None else count}", f"state {state}"]
    body = "\n".join(lines) + "\n"
    return body + f"sum {total or sha256(body.encode()).hex()}\n"


def add(f, check):
    proven = ("proven", "", "")

    def judged(name, expect, scheme, server, clients, seal, rolls, findings=(), given=None, kept=False, noted=None, games=None, **more):
        count, total = more.get("count"), more.get("total")
        want = check(scheme, bytes.fromhex(server) if server else None, clients, seal and bytes.fromhex(seal), rolls,
                     given=given and bytes.fromhex(given), kept=kept, noted=noted, count=len(rolls) if count is None else count,
                     sum_fits=total is None, whole=more.get("state") != "running" and (more.get("match") != "-" or bool(games)))
        got = (want["verdict"], want["code"], want["place"])
        assert got == expect, (name, got)
        assert [x[0] for x in want.get("findings", [])] == list(findings), (name, want["findings"])
        want.update(scheme=scheme, state=more.get("state", "finished"), games=games or [])
        fields = {"text": text(scheme, server, clients, seal, rolls, games, **more)}
        if given:
            fields["seal"] = given
        if kept:
            fields["kept"] = True
        if noted is not None:
            fields["noted"] = noted
        f.add("records", name, **fields, want=want)

    def unread(name, data, code, line=None, findings=()):
        want = {"verdict": "unknown", "code": code, "place": f"line {line}" if line else "", "findings": [[x] for x in findings]}
        if isinstance(data, bytes):
            f.add("records", name, hex=data.hex(), want=want)
        else:
            f.add("records", name, text=data, want=want)

    # tavli/1
    server, clients, seal = ex.A["server"], ex.A["clients"], ex.A["seal"]
    dice = [[int(d) for d in r.split("-")] for r in ex.A["rolls"].split()]
    rolls = list(enumerate(dice, 1))
    other = sha256(b"veridice vectors other seed").hex()
    other_seal = sha256(bytes.fromhex(other)).hex()

    def tavli(name, expect, server=server, clients=clients, seal=seal, rolls=rolls, **more):
        judged("tavli-" + name, expect, "tavli/1", server, clients, seal, rolls, **more)

    def with_die(n, turn=1):
        return [(i, [d[0] % 6 + turn, d[1]] if i == n else d) for i, d in rolls]

    tavli("proven", proven)
    tavli("games", proven, games=[7, 5])
    tavli("match-none", proven, match="-")
    tavli("match-64", proven, match="A" * 60 + "._-9")
    tavli("given", proven, given=seal)
    tavli("kept", proven, given=seal, kept=True)
    tavli("given-alone", proven, seal=None, given=seal)
    tavli("aborted", proven, state="aborted")
    tavli("running", ("unknown", "seed-not-revealed", ""), server=None, state="running")
    tavli("running-no-rolls", ("unknown", "seed-not-revealed", ""), server=None, rolls=[], state="running")
    tavli("running-revealed", proven, state="running")
    tavli("one-phone", proven, ex.SHORT["server"], ["Lucky_7"], ex.SHORT["seal"],
          [(n, rules.tavli_dice(bytes.fromhex(ex.SHORT["server"]), ["Lucky_7"], n)) for n in range(1, 10)])
    tavli("wrong-dice", ("broken", "wrong-dice", "roll 9"), rolls=with_die(9))
    tavli("wrong-dice-with-games", ("broken", "wrong-dice", "roll 9"), rolls=with_die(9), games=[7, 5])
    tavli("wrong-seal", ("broken", "wrong-seal", ""), seal=other_seal)
    tavli("seal-over-text", ("broken", "wrong-seal", ""), seal=sha256(server.encode()).hex(), findings=["seal-over-text"])
    tavli("other-seal", ("broken", "other-seal", ""), given=other_seal)
    tavli("other-seed", ("unknown", "other-seed", ""), server=other)
    tavli("other-seed-given", ("broken", "other-seed", ""), server=other, given=seal)
    tavli("few-fit", ("unknown", "few-fit", "roll 1"), clients=["a"])
    tavli("few-fit-given", ("broken", "few-fit", "roll 1"), clients=["a"], given=seal)
    tavli("few-fit-kept", ("broken", "few-fit", "roll 1"), clients=["a"], given=seal, kept=True)
    tavli("clients-reordered", ("unknown", "few-fit", "roll 1"), clients=clients[::-1], findings=["clients-reordered"])
    tavli("seal-as-seed", ("unknown", "seal-as-seed", ""), server=seal)
    tavli("exchanged", ("unknown", "seed-and-seal-exchanged", ""), server=seal, seal=server)
    tavli("no-rolls", ("unknown", "no-rolls", ""), rolls=[])
    tavli("no-seal", ("unknown", "no-seal", ""), seal=None)
    tavli("no-seal-wrong-dice", ("broken", "wrong-dice", "roll 2"), seal=None, rolls=with_die(2))
    tavli("roll-lost", ("broken", "wrong-number", "roll 6"), rolls=rolls[:5] + rolls[6:])
    tavli("roll-doubled", ("broken", "wrong-number", "roll 7"), rolls=rolls[:6] + rolls[5:])
    tavli("rolls-exchanged", ("broken", "wrong-number", "roll 3"), rolls=rolls[:2] + [rolls[3], rolls[2]] + rolls[4:])
    tavli("first-roll-lost", ("broken", "wrong-number", "roll 1"), rolls=rolls[1:])
    tavli("number-far", ("broken", "wrong-number", "roll 12"), rolls=rolls[:11] + [(100000, dice[11])])
    tavli("count-13", ("broken", "wrong-count", "roll 13"), count=13)
    tavli("count-11", ("broken", "wrong-count", "roll 12"), count=11)
    tavli("count-0", ("broken", "wrong-count", "roll 1"), count=0)
    tavli("wrong-sum", ("unknown", "wrong-sum", ""), total="0" * 64)
    tavli("wrong-sum-wrong-dice", ("broken", "wrong-dice", "roll 9"), rolls=with_die(9), total="0" * 64)
    tavli("noted-equal", proven, noted=dice)
    tavli("noted-alone", proven, rolls=[], noted=dice)
    tavli("noted-alone-count-12", ("broken", "wrong-count", "roll 1"), rolls=[], noted=dice, count=12)
    tavli("noted-other", ("broken", "other-rolls", "roll 4"), noted=dice[:3] + [[6, 6]] + dice[4:])
    tavli("noted-shorter", ("unknown", "count-differs", ""), noted=dice[:11])
    tavli("noted-longer", ("broken", "other-rolls", "roll 12"), rolls=rolls[:11], noted=dice)
    tavli("noted-longer-aborted", ("broken", "other-rolls", "roll 12"), rolls=rolls[:11], noted=dice, state="aborted")
    tavli("noted-longer-running", ("unknown", "ends-early", "roll 12"), rolls=rolls[:11], noted=dice, state="running")
    tavli("noted-longer-no-name", ("unknown", "ends-early", "roll 12"), rolls=rolls[:11], noted=dice, match="-")
    tavli("noted-longer-no-name-games", ("broken", "other-rolls", "roll 12"), rolls=rolls[:11], noted=dice, match="-", games=[7, 4])
    tavli("noted-longer-running-wrong-sum", ("unknown", "wrong-sum", ""), rolls=rolls[:11], noted=dice, state="running", total="0" * 64)

    # yayay/1
    y, y_seal = ex.Y["server"], ex.Y["seal"]
    key = bytes.fromhex(y)

    def throws(sizes, derive=lambda i: rules.yayay_die(key, i)):
        out, first = [], 0
        for n, size in enumerate(sizes, 1):
            out.append((n, [derive(first + i) for i in range(size)]))
            first += size
        return out

    def yayay(name, expect, server=y, seal=y_seal, rolls=throws([2] * 8), **more):
        judged("yayay-" + name, expect, "yayay/1", server, [], seal, rolls, **more)

    throws_seen = [d for _, d in throws([5, 1, 4, 3])]
    yayay("noted-longer", ("broken", "other-rolls", "roll 4"), rolls=throws([5, 1, 4]), noted=throws_seen)
    yayay("noted-longer-running", ("unknown", "ends-early", "roll 4"), rolls=throws([5, 1, 4]), noted=throws_seen, state="running")
    yayay("noted-in-other-throws", ("broken", "other-rolls", "roll 1"), rolls=throws([4, 2, 4]), noted=throws_seen)

    def turned(rolls, n, die):
        return [(i, [x % 6 + 1 if (i, j) == (n, die) else x for j, x in enumerate(d)]) for i, d in rolls]

    yayay("proven", proven)
    yayay("one-die", proven, rolls=throws([1]))
    yayay("mixed", proven, rolls=throws([5, 1, 5, 2, 3]))
    yayay("hundred", proven, rolls=throws([100, 1, 100]))
    yayay("given", proven, given=y_seal)
    yayay("running", ("unknown", "seed-not-revealed", ""), server=None, state="running")
    yayay("weak-seed", proven, server="00" * 32, seal=ex.ZERO["seal"],
          rolls=throws([2, 2], lambda i: rules.yayay_die(bytes(32), i)), findings=["weak-seed"])
    yayay("wrong-dice", ("broken", "wrong-dice", "roll 3"), rolls=turned(throws([2] * 8), 3, 1))
    yayay("wrong-dice-in-5", ("broken", "wrong-dice", "roll 3"), rolls=turned(throws([5, 1, 5]), 3, 4))
    yayay("wrong-seal", ("broken", "wrong-seal", ""), seal=other_seal)
    yayay("other-seed", ("unknown", "other-seed", ""), server=other)
    yayay("seal-as-seed", ("unknown", "seal-as-seed", ""), server=y_seal)
    yayay("exchanged", ("unknown", "seed-and-seal-exchanged", ""), server=y_seal, seal=y)
    yayay("no-rolls", ("unknown", "no-rolls", ""), rolls=[])
    yayay("no-seal", ("unknown", "no-seal", ""), seal=None)
    yayay("throw-lost", ("broken", "wrong-number", "roll 4"), rolls=throws([2] * 8)[:3] + throws([2] * 8)[4:])
    yayay("count-9", ("broken", "wrong-count", "roll 9"), count=9)
    for name, orders in rules.YAYAY_WRONG.items():
        wrong = throws([2] * 8, lambda i: rules.yayay_die(key, i, *orders))
        right = throws([2] * 8)
        first = next(n for (n, a), (_, b) in zip(wrong, right) if a != b)
        few = rules.hardly(*rules.fits("yayay/1", wrong, [d for _, d in right]))
        expect = ("unknown", "few-fit") if few else ("broken", "wrong-dice")
        yayay(name, (*expect, f"roll {first}"), rolls=wrong, findings=[name])
    # Pairs of dice are counted, not throws: in one throw of seven dice all three pairs
    # are wrong and the single die is left out; two throws make two pairs only.
    opposite = lambda i: 7 - rules.yayay_die(key, i)
    yayay("few-fit-one-throw", ("unknown", "few-fit", "roll 1"), rolls=throws([7], opposite))
    yayay("few-fit-given", ("broken", "few-fit", "roll 1"), rolls=throws([7], opposite), given=y_seal)
    yayay("two-pairs", ("broken", "wrong-dice", "roll 1"), rolls=throws([2, 3], opposite))
    yayay("single-dice", ("unknown", "few-fit", "roll 1"), rolls=throws([1] * 6, opposite))

    # Texts that are no record, or not byte for byte.
    good = text("tavli/1", server, clients, seal, rolls)
    lines = good.count("\n")
    unread("later-version", good.replace("record 1", "record 2", 1), "version")
    unread("later-scheme", good.replace("tavli/1", "tavli/2", 1), "scheme")
    unread("byte-order-mark", "\ufeff" + good, "syntax", 1, ["byte-order-mark"])
    unread("carriage-returns", good.replace("\n", "\r\n"), "syntax", 1, ["carriage-returns"])
    unread("carriage-returns-alone", good.replace("\n", "\r"), "syntax", 1, ["carriage-returns"])
    unread("no-last-newline", good[:-1], "syntax", lines, ["no-last-newline"])
    unread("utf-16", b"\xff\xfe" + good.encode("utf-16-le"), "syntax", 1, ["utf-16"])
    unread("utf-16-big", b"\xfe\xff" + good.encode("utf-16-be"), "syntax", 1, ["utf-16"])
    unread("utf-16-read-as-utf-8", "\ufffd\ufffd" + "".join(c + "\0" for c in good), "syntax", 1, ["utf-16"])
    unread("blanks-in-front", " \u00a0\u2003\n" + good, "syntax", 1)
    unread("blank-and-byte-order-mark", "\n\ufeff" + good, "syntax", 1)
    unread("line-after", good + "x\n", "syntax", lines + 1)
    # An empty line makes a signed note of it, which has no signatures: no place.
    unread("empty-line-after", good + "\n", "syntax")
    unread("leading-zero", good.replace("roll 7 ", "roll 07 "), "syntax", 13)
    unread("a-7", good.replace("roll 7 2 6", "roll 7 2 7"), "syntax", 13)
    unread("three-dice", good.replace("roll 7 2 6", "roll 7 2 6 1"), "syntax", 13)
    unread("upper-case-seal", good.replace(seal, seal.upper()), "syntax", 4)
    unread("no-client", text("tavli/1", server, [], seal, rolls), "syntax", 5)
    unread("17-clients", text("tavli/1", server, [f"p{i}" for i in range(17)], seal, rolls), "syntax", 21)
    unread("empty-game", good.replace("roll 1 ", "game\ngame\nroll 1 "), "syntax", 8)
    unread("late-first-game", good.replace("roll 2 ", "game\nroll 2 "), "syntax", 8)
    unread("yayay-with-client", text("yayay/1", y, ["a"], y_seal, throws([2])), "syntax", 5)
    unread("yayay-101-dice", text("yayay/1", y, [], y_seal, [(1, [1] * 101)]), "syntax", 5)
    unread("yayay-31-bytes", text("yayay/1", y[:-2], [], y_seal, throws([2])), "syntax", 6)
    unread("cut", good[: len(good) // 2], "syntax", good[: len(good) // 2].count("\n") + 1, ["no-last-newline"])

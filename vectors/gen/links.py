"""Share links of tavli/1 (docs/spec/tavli.md) and pasted rolls (docs/spec/record.md)."""

from urllib.parse import quote

import examples as ex
import rules
from rules import sha256

PATH = "/el/check/#"


def pairs(text):
    return [[int(d) for d in roll.split("-")] for roll in text.split()]


def digits(rolls):
    return "".join(str(d) for dice in rolls for d in dice)


def parts(server, clients, seal, rolls, games):
    """The parts of a link in the order in which they are written."""
    out = {"v": "1", "s": server}
    if seal:
        out["c"] = seal
    out["p"] = ",".join(clients)
    if rolls:
        out["r"] = digits(rolls)
    if games:
        out["g"] = ",".join(map(str, games))
    return out


def join(p):
    return "&".join(f"{k}={v}" for k, v in p.items())


def add(f, check):
    server, clients, seal = ex.A["server"], ex.A["clients"], ex.A["seal"]
    right, games = pairs(ex.A["rolls"]), ex.A["games"]
    base = parts(server, clients, seal, right, games)
    link = PATH + join(base)
    assert link == (
        "/el/check/#v=1&s=c149c301f8134a320da3e36748bb70c14850c75fc8ab0dc1e36460fa89070300"
        "&c=76243eb20b5ad494780afead6d49b5f826775834b0b12ddafe12819ca4608a63"
        "&p=f24279610d6b8b1362d85c3ddec7f24e,d60062c1d2fe5d3f376829416b34be90&r=213216213333262333341666&g=7,5"
    )

    def report(want, games=(), show=0, ignored=()):
        want = dict(want)
        if want["code"] != "no-rolls" and want["rolls"]:
            want["games"] = list(games)
        want["show"], want["ignored"] = show, list(ignored)
        return want

    def understood(name, text, rolls=right, games=games, seal=seal, **more):
        """A link that is read; its verdict follows from what was read."""
        got = check("tavli/1", bytes.fromhex(server), clients, seal and bytes.fromhex(seal), list(enumerate(rolls, 1)))
        f.add("links", name, text=text, want=report(got, games, 0 if rolls else sum(games), **more))
        return got

    def refused(name, text, code, part="", column=None, char=None, pad=0):
        want = {"verdict": "unknown", "code": code}
        if part is not None:
            want["place"] = f"part {part}" if part else ""
        if column:
            want.update(column=column, char=char)
        f.add("links", name, text=text, **({"pad": pad} if pad else {}), want=want)

    # The table of docs/spec/tavli.md, row by row.
    fragment = join(base)

    def changed(**new):
        return PATH + join({**base, **new})

    def without(*keys):
        return PATH + join({k: v for k, v in base.items() if k not in keys})

    assert understood("as-it-is", link)["verdict"] == "proven"
    understood("fragment", "#" + fragment)
    understood("fragment-without-hash", fragment)
    understood("fbclid", link.replace("#", "?fbclid=IwAR0x#"))
    understood("other-order", PATH + join({k: base[k] for k in "grpcsv"}))
    understood("commas-coded", link.replace(",", "%2C"))
    understood("fragment-coded", PATH + quote(fragment, safe=""))
    understood("fragment-coded-twice", PATH + quote(quote(fragment, safe=""), safe=""))
    understood("hash-coded", link.replace("#", "%23"))
    understood("ampersands-as-entities", link.replace("&", "&amp;"))
    understood("angle-brackets", f"<{link}>")
    understood("full-stop", link + ".")
    understood("comma", link + ",")
    understood("text-around", f"Here it is: https://tavli.example{link} what do you say?")
    lines = [link[i : i + 76] for i in range(0, len(link), 76)]
    understood("wrapped", "\n".join(lines))
    understood("wrapped-and-quoted", "\n".join("> " + line for line in lines))
    understood("upper-case-hex", changed(s=server.upper(), c=seal.upper()))
    understood("seal-with-sha256", changed(c="sha256:" + seal))
    understood("seed-with-0x", changed(s="0x" + server))
    # A percent sign of the text before the link is not coding of the link.
    understood("percent-before", "90% sure: " + PATH.replace("#", "%23") + join(base))
    understood("unknown-key", link + "&utm_source=x", ignored=["utm_source"])
    understood("without-g", without("g"), games=())
    assert understood("without-c", without("c"), seal=None)["code"] == "no-seal"
    assert understood("without-r", without("r"), rolls=[])["code"] == "no-rolls"
    understood("empty-r", changed(r=""), rolls=[])
    refused("without-p", without("p"), "missing-part", "p")
    refused("without-v", without("v"), "missing-part", "v")
    refused("v-2", changed(v="2"), "version")
    refused("v-01", changed(v="01"), "bad-part", "v")
    refused("p-a-comma", changed(p="a,"), "bad-part", "p")
    refused("p-comma-a", changed(p=",a"), "bad-part", "p")
    refused("empty-p", changed(p=""), "bad-part", "p")
    last = {k: base[k] for k in "vscrgp"}
    refused("p-last-comma-glued", PATH + join(last) + ",", "bad-part", "p")
    refused("colon-in-client", changed(p=clients[0][:4] + ":" + clients[0][4:] + "," + clients[1]), "bad-part", "p", 5, "':'")
    refused("u200b-in-s", changed(s=server[:8] + "\u200b" + server[8:]), "bad-part", "s", 9, "U+200B")
    refused("65-digits-in-s", changed(s=server + "0"), "bad-part", "s")
    refused("7-in-r", changed(r="2132167" + base["r"][7:]), "bad-part", "r", 7, "'7'")
    refused("odd-digits-in-r", changed(r=base["r"][:-1]), "odd-rolls", "r")
    refused("g-7-6", changed(g="7,6"), "games-differ", "g")
    refused("g-7-5-0", changed(g="7,5,0"), "bad-part", "g")
    refused("g-plus-7", changed(g="+7,5"), "bad-part", "g")
    refused("r-twice", link + "&r=" + base["r"], "repeated-part", "r")
    refused("ellipsis", link[:170] + "\u2026", "link-cut")
    refused("cut-after-150", link[:150], "missing-part", "p")
    refused("two-links", link + " " + link, "two-links")
    refused("no-link", "The dice were good to me tonight.", "not-a-link")
    refused("percent-zz", changed(p=base["p"].replace(",", "%zz,")), "bad-percent")
    refused("byte-ff", changed(p=base["p"] + "%FF"), "bad-percent")

    # Relatives of the table's rows.
    understood("whole-address", "https://tavli.example" + link)
    understood("other-language", link.replace("/el/", "/de/"))
    understood("a-newline-after", link + "\n")
    understood("crlf-wrapped", "\r\n".join(lines))
    understood("no-break-space-inside", link[:60] + "\u00a0" + link[60:])
    understood("quotation-marks", "\u00ab" + link + "\u00bb")
    understood("typographic-quotes", "\u201c" + link + "\u201d")
    understood("brackets-and-stop", f"(see {link}).")
    understood("commas-coded-small", link.replace(",", "%2c"))
    understood("v-in-the-middle", PATH + join({k: base[k] for k in "scvprg"}))
    understood("two-unknown-keys", link + "&fbclid=1&igsh=2", ignored=["fbclid", "igsh"])
    understood("seal-with-0x", changed(c="0x" + seal))
    refused("three-full-stops", link[:170] + "...", "link-cut")
    coded = base["p"].replace(",", "%252C")
    understood("commas-coded-three-times", changed(p=coded.replace("%25", "%2525")))
    refused("commas-coded-four-times", changed(p=coded.replace("%25", "%252525")), "bad-percent")
    refused("fragment-coded-four-times", PATH + quote(quote(quote(quote(fragment, safe=""), safe=""), safe=""), safe=""), "not-a-link")
    refused("nothing", " \n", "not-a-link")
    refused("without-s", without("s"), "missing-part", "s")
    refused("v-empty", changed(v=""), "bad-part", "v")
    refused("v-0", changed(v="0"), "version")
    refused("v-1.0", changed(v="1.0"), "bad-part", "v")
    refused("v-large", changed(v="99999999999999999999"), "version")
    refused("upper-case-key", link.replace("&p=", "&P="), "missing-part", "p")
    refused("a-part-without-equals", link + "&x", "bad-part", None)
    refused("a-lost-client", changed(p=base["p"].replace(",", ",,")), "bad-part", "p")
    refused("17-clients", changed(p=",".join(f"p{i}" for i in range(17))), "bad-part", "p")
    refused("129-characters", changed(p="_" * 129), "bad-part", "p")
    refused("en-dash-in-client", changed(p="blue\u2013heron," + clients[1]), "bad-part", "p", 5, "U+2013")
    refused("soft-hyphen-in-client", changed(p="blue\u00adheron," + clients[1]), "bad-part", "p", 5, "U+00AD")
    refused("joiner-in-client", changed(p="a\u200db," + clients[1]), "bad-part", "p", 2, "U+200D")
    refused("emoji-in-client", changed(p="ab\U0001f3b2," + clients[1]), "bad-part", "p", 3, "U+1F3B2")
    refused("plus-in-client", changed(p="a+b," + clients[1]), "bad-part", "p", 2, "'+'")
    refused("a-letter-in-s", changed(s=server[:10] + "g" + server[11:]), "bad-part", "s", 11, "'g'")
    refused("15-bytes-in-s", changed(s=server[:30]), "bad-part", "s")
    refused("65-bytes-in-s", changed(s=server * 2 + "00"), "bad-part", "s")
    refused("63-digits-in-c", changed(c=seal[:-1]), "bad-part", "c")
    refused("empty-c", changed(c=""), "bad-part", "c")
    refused("0-in-r", changed(r="0" + base["r"][1:]), "bad-part", "r", 1, "'0'")
    refused("arabic-digit-in-r", changed(r="21\u0663" + base["r"][3:]), "bad-part", "r", 3, "U+0663")
    refused("g-empty", changed(g=""), "bad-part", "g")
    refused("g-ends-in-comma-before-c", PATH + join({k: (base[k] + "," if k == "g" else base[k]) for k in "vsgprc"}), "bad-part", "g")
    refused("g-leading-zero", changed(g="07,5"), "bad-part", "g")
    refused("g-ten-digits", changed(g="1000000000"), "bad-part", "g")
    refused("lost-roll", changed(r=base["r"][2:]), "games-differ", "g")
    refused("too-long", link + "&x=", "too-long", pad=262_145 - len(link + "&x="))

    # What the parts come to: steps 2 to 9.
    def judged(name, expect, server=server, clients=clients, seal=seal, rolls=right, games=None, given=None, kept=False,
               noted=None, number=None, findings=()):
        games = ([len(rolls)] if rolls else []) if games is None else games
        want = check("tavli/1", bytes.fromhex(server), clients, seal and bytes.fromhex(seal), list(enumerate(rolls, 1)),
                     given=given and bytes.fromhex(given), kept=kept, noted=noted, whole=bool(games))
        got = (want["verdict"], want["code"], want["place"])
        assert got == expect, (name, got)
        assert [x[0] for x in want.get("findings", [])] == list(findings), (name, want["findings"])
        show = 0 if rolls or noted else number or sum(games)
        fields = {"text": PATH + join(parts(server, clients, seal, rolls, games))}
        if given:
            fields["seal"] = given
        if kept:
            fields["kept"] = True
        if noted is not None:
            fields["noted"] = noted
        if number:
            fields["number"] = number
        f.add("links", name, **fields, want=report(want, games, show))

    def with_die(rolls, n, die=0):
        """The rolls with one die of roll n turned to its next face."""
        out = [list(dice) for dice in rolls]
        out[n - 1][die] = out[n - 1][die] % 6 + 1
        return out

    def all_but(rolls, keep):
        """Every roll changed so that neither it nor its reverse fits, except those kept."""
        out = []
        for i, dice in enumerate(rolls, 1):
            total = next([a, b] for a in range(1, 7) for b in range(1, 7) if {a, b}.isdisjoint(dice))
            out.append(list(dice) if i in keep else total)
        return out

    proven = ("proven", "", "")
    key = bytes.fromhex(server)
    other = sha256(b"veridice vectors other seed").hex()
    other_seal = sha256(bytes.fromhex(other)).hex()
    of_text = sha256(server.encode()).hex()

    def roll(count, server=server, clients=clients):
        return [rules.tavli_dice(bytes.fromhex(server), clients, n) for n in range(1, count + 1)]

    judged("proven-one-game", proven)
    judged("proven-two-games", proven, games=[7, 5])
    judged("proven-one-roll", proven, rolls=right[:1])
    judged("proven-shorter-list", proven, rolls=right[:7])
    judged("proven-100", proven, rolls=roll(100), games=[34, 41, 25])
    judged("proven-1417", proven, rolls=roll(1417))
    judged("proven-given", proven, given=seal)
    judged("proven-kept", proven, given=seal, kept=True)
    judged("proven-given-alone", proven, seal=None, given=seal)
    judged("proven-hostile", proven, ex.HOSTILE["server"], ex.HOSTILE["clients"], ex.HOSTILE["seal"], pairs(ex.HOSTILE["rolls"]), [7, 5])
    judged("proven-16-bytes", proven, ex.SHORT["server"], ex.SHORT["clients"], ex.SHORT["seal"], pairs(ex.SHORT["rolls"]))
    judged("proven-64-bytes", proven, ex.LONG["server"], ex.LONG["clients"], ex.LONG["seal"], roll(12, ex.LONG["server"], ex.LONG["clients"]))
    sixteen = [f"seat-{i}" for i in range(1, 17)]
    judged("proven-16-phones", proven, clients=sixteen, rolls=roll(12, clients=sixteen))
    judged("proven-digits", proven, clients=["1", "2"], rolls=roll(12, clients=["1", "2"]))
    weak = "2a" * 32
    judged("proven-weak-seed", proven, weak, ["a"], sha256(bytes.fromhex(weak)).hex(), roll(5, weak, ["a"]), findings=["weak-seed"])

    for n in (1, 6, 12):
        for die in (0, 1):
            judged(f"wrong-dice-{n}-{die}", ("broken", "wrong-dice", f"roll {n}"), rolls=with_die(right, n, die))
    judged("wrong-dice-two", ("broken", "wrong-dice", "roll 4"), rolls=with_die(with_die(right, 4), 9))
    judged("wrong-dice-100", ("broken", "wrong-dice", "roll 100"), rolls=with_die(roll(100), 100))
    judged("wrong-dice-no-seal", ("broken", "wrong-dice", "roll 3"), seal=None, rolls=with_die(right, 3))
    judged("wrong-dice-given", ("broken", "wrong-dice", "roll 3"), rolls=with_die(right, 3), given=seal)
    judged("wrong-dice-exchanged", ("broken", "wrong-dice", "roll 1"), rolls=[[1, 2]] + right[1:], findings=["dice-in-other-order"])
    judged("wrong-dice-all-exchanged", ("broken", "wrong-dice", "roll 1"), rolls=[d[::-1] for d in right], findings=["dice-in-other-order"])
    judged("two-rolls-none-fits", ("broken", "wrong-dice", "roll 1"), rolls=all_but(right[:2], ()))
    judged("three-rolls-none-fits", ("unknown", "few-fit", "roll 1"), rolls=all_but(right[:3], ()))
    judged("seven-rolls-one-fits", ("broken", "wrong-dice", "roll 1"), rolls=all_but(right[:7], (3,)))
    judged("eight-rolls-one-fits", ("unknown", "few-fit", "roll 1"), rolls=all_but(right[:8], (3,)))
    judged("eight-rolls-the-first-fits", ("unknown", "few-fit", "roll 2"), rolls=all_but(right[:8], (1,)))
    judged("eight-rolls-two-fit", ("broken", "wrong-dice", "roll 1"), rolls=all_but(right[:8], (3, 5)))

    judged("few-fit", ("unknown", "few-fit", "roll 1"), rolls=all_but(right, ()))
    judged("few-fit-given", ("broken", "few-fit", "roll 1"), rolls=all_but(right, ()), given=seal)
    judged("few-fit-kept", ("broken", "few-fit", "roll 1"), rolls=all_but(right, ()), given=seal, kept=True)
    judged("few-fit-given-alone", ("broken", "few-fit", "roll 1"), rolls=all_but(right, ()), seal=None, given=seal)
    judged("few-fit-no-seal", ("unknown", "few-fit", "roll 1"), rolls=all_but(right, ()), seal=None)
    judged("few-fit-other-client", ("unknown", "few-fit", "roll 1"), clients=["f24279610d6b8b1362d85c3ddec7f24f", clients[1]])

    judged("wrong-seal", ("broken", "wrong-seal", ""), seal=other_seal)
    judged("wrong-seal-over-text", ("broken", "wrong-seal", ""), seal=of_text, findings=["seal-over-text"])
    judged("wrong-seal-hostile", ("broken", "wrong-seal", ""), ex.HOSTILE["server"], ex.HOSTILE["clients"], ex.HOSTILE["text_seal"],
           pairs(ex.HOSTILE["rolls"]), [7, 5], findings=["seal-over-text"])
    judged("wrong-seal-no-rolls", ("broken", "wrong-seal", ""), seal=other_seal, rolls=[])
    judged("wrong-seal-given-alone", ("broken", "wrong-seal", ""), seal=None, given=other_seal)
    judged("wrong-seal-two-rolls", ("broken", "wrong-seal", ""), seal=other_seal, rolls=all_but(right[:2], ()))
    judged("wrong-seal-one-die", ("broken", "wrong-seal", ""), seal=other_seal, rolls=with_die(right, 6))
    judged("other-seal", ("broken", "other-seal", ""), given=other_seal)
    judged("other-seal-no-rolls", ("broken", "other-seal", ""), rolls=[], given=other_seal)

    judged("other-seed", ("unknown", "other-seed", ""), server=other)
    judged("other-seed-given", ("broken", "other-seed", ""), server=other, given=seal)
    judged("other-seed-kept", ("broken", "other-seed", ""), server=other, given=seal, kept=True)
    judged("other-seed-given-alone", ("unknown", "other-seed", ""), server=other, seal=None, given=seal)

    judged("seal-as-seed", ("unknown", "seal-as-seed", ""), server=seal)
    judged("seed-as-seal", ("unknown", "seal-as-seed", ""), seal=server)
    judged("seed-given-as-seal", ("unknown", "seal-as-seed", ""), given=server)
    judged("exchanged", ("unknown", "seed-and-seal-exchanged", ""), server=seal, seal=server)
    judged("exchanged-given", ("unknown", "seed-and-seal-exchanged", ""), server=seal, seal=None, given=server)

    judged("no-rolls", ("unknown", "no-rolls", ""), rolls=[])
    judged("no-rolls-no-seal", ("unknown", "no-rolls", ""), rolls=[], seal=None)
    judged("no-rolls-given", ("unknown", "no-rolls", ""), rolls=[], given=seal)
    judged("no-seal", ("unknown", "no-seal", ""), seal=None)

    judged("noted-equal", proven, noted=right)
    judged("noted-other", ("broken", "other-rolls", "roll 5"), noted=with_die(right, 5))
    judged("noted-shorter", ("unknown", "count-differs", ""), noted=right[:11])
    judged("noted-longer", ("broken", "other-rolls", "roll 13"), noted=right + [[1, 1]])
    judged("noted-other-than-tampered", ("broken", "other-rolls", "roll 6"), rolls=with_die(right, 6), noted=right)
    judged("noted-longer-no-g", ("unknown", "ends-early", "roll 8"), rolls=right[:7], games=[], noted=right)
    judged("noted-longer-no-g-kept", ("unknown", "ends-early", "roll 12"), rolls=right[:11], games=[], noted=right, given=seal, kept=True)
    judged("noted-longer-no-g-other", ("broken", "other-rolls", "roll 7"), rolls=with_die(right[:7], 7), games=[], noted=right)
    judged("noted-longer-no-g-wrong-dice", ("broken", "wrong-dice", "roll 3"), rolls=with_die(right[:7], 3), games=[], noted=with_die(right, 3))
    judged("noted-longer-no-g-wrong-seal", ("broken", "wrong-seal", ""), seal=other_seal, rolls=right[:7], games=[], noted=right)
    judged("noted-longer-no-g-no-seal", ("unknown", "no-seal", ""), seal=None, rolls=right[:7], games=[], noted=right)
    judged("noted-shorter-wrong-dice", ("broken", "wrong-dice", "roll 12"), rolls=with_die(right, 12), noted=right[:11])
    judged("noted-alone", proven, rolls=[], noted=right)
    judged("noted-alone-cut-client", ("unknown", "few-fit", "roll 1"), clients=[clients[0], clients[1][:9]], rolls=[], noted=right, given=seal, kept=True)
    judged("noted-alone-cut-client-few", ("unknown", "few-fit", "roll 1"), clients=[clients[0], clients[1][:9]], rolls=[], noted=right[:2])
    judged("noted-alone-half-fits", ("unknown", "few-fit", "roll 7"), rolls=[], given=seal, noted=right[:6] + all_but(right[6:], ()))
    judged("noted-alone-more-than-half-fits", ("broken", "wrong-dice", "roll 8"), rolls=[], given=seal, noted=right[:7] + all_but(right[7:], ()))
    judged("noted-alone-wrong", ("broken", "wrong-dice", "roll 2"), rolls=[], noted=with_die(right, 2))

    judged("number-equal", proven, number=12)
    judged("number-shown", ("unknown", "no-rolls", ""), rolls=[], number=5)
    for name, text, number in (("number-differs", link, 13), ("number-differs-from-g", without("r"), 13)):
        f.add("links", name, text=text, number=number, want={"verdict": "unknown", "code": "count-differs"})

    # Readings that are wrong, and the diagnosis that names them.
    def reading(name, derive, findings, clients=clients, shown=None, expect="few-fit"):
        rolls = [derive(key, clients, n) for n in range(1, 13)]
        right = roll(12, clients=shown or clients)
        first = next(i for i, (a, b) in enumerate(zip(rolls, right), 1) if a != b)
        verdict = "unknown" if expect == "few-fit" else "broken"
        judged("reading-" + name, (verdict, expect, f"roll {first}"), clients=shown or clients, rolls=rolls, findings=findings)

    wrong = rules.TAVLI_WRONG
    reading("key-is-text", wrong["key-is-text"], ["key-is-text"])
    reading("clients-exchanged", wrong["clients-exchanged"], ["clients-reordered"])
    reading("numbers-from-0", wrong["numbers-from-0"], ["numbers-from-0"])
    for name in ("no-colon-before-number", "key-and-message-exchanged", "a-byte-for-each-die", "hash-of-key-and-message"):
        reading(name, wrong[name], [])
    three = clients + ["blue-heron--42"]
    reading("three-in-another-order", rules.tavli_dice, ["clients-reordered"], three, [three[2], three[0], three[1]])
    four = three + ["Il1O0"]
    reading("four-in-another-order", rules.tavli_dice, ["clients-reordered"], four, four[::-1])
    five = four + ["5"]
    reading("five-are-not-tried", rules.tavli_dice, [], five, five[::-1])
    reading("lower-case", rules.tavli_dice, ["case-of-client-seed"], ["lucky_7"], ["Lucky_7"])
    reading("upper-case", rules.tavli_dice, ["case-of-client-seed"], ["LUCKY_7"], ["Lucky_7"])
    three_rolls = [wrong["key-is-text"](key, clients, n) for n in range(1, 4)]
    judged("reading-of-three-rolls-is-not-tried", ("unknown", "few-fit", "roll 1"), rolls=three_rolls)

    pasted(f)


# The table of docs/spec/record.md, "Pasted rolls": text, dice or the line that is refused.
PASTED = [
    ("1. 6-3", "6-3"), ("1: 6 3", "6-3"), ("1) 63", "6-3"), ("#1 6-3", "6-3"), ("1\t6-3", "6-3"), ("1 6 3", "6-3"), ("1 63", "6-3"),
    ("6-3", "6-3"), ("6 3", "6-3"), ("6,3", "6-3"), ("63", "6-3"), ("6 \u2013 3", "6-3"), ("6/3", "6-3"),
    ("6-3 4-4 1-2", "6-3 4-4 1-2"), ("63 44 12", "6-3 4-4 1-2"), ("63,44;12", "6-3 4-4 1-2"), ("634412", "6-3 4-4 1-2"),
    ("6-3\n4-4\n1-2", "6-3 4-4 1-2"), ("6 3\n4 4", "6-3 4-4"), ("1. 6-3 2. 4-4", "6-3 4-4"), ("1. 6-3\r\n2. 4-4\r\n", "6-3 4-4"),
    ("\ufeff1. 6-3\n\n2. 4-4", "6-3 4-4"), ("12 44", "1-2 4-4"), ("1 63\n2 44", "6-3 4-4"), (" ", ""),
    ("12: 4 4", 1), ("2. 6-3", 1), ("1. 6-3\n3. 4-4", 2), ("1. 6-3\n1. 4-4", 2), ("6 3 4 4", 1), ("1 6 3 2 4 4", 1), ("6", 1),
    ("634", 1), ("6-3 4", 1), ("7-1", 1), ("0-3", 1), ("6-3-2", 1), ("6,3 4,4", 1), ("1. 6-3\n4-4", 2), ("Game 2\n6-3", 1),
    ("six-three", 1), ("\u0666-\u0663", 1), ("6-\u200b3", 1), ("6.3", 1), ("1.63", "6-3"), ("01. 6-3", 1),
]

# Relatives of those rows.
PASTED_MORE = [
    ("", ""), ("\n\n", ""), ("\ufeff", ""), ("1 . 6-3", "6-3"), ("1.63 2.44", "6-3 4-4"), ("1. 6-3, 2. 4-4; 3. 1-2|4. 5-5", "6-3 4-4 1-2 5-5"),
    ("6\u20123", 1), ("6\u20143", "6-3"), ("6\u22123", "6-3"), ("6\u00a0-\u00a03", "6-3"), ("6\u20093", "6-3"), ("6\u202f3", "6-3"),
    ("  6-3  \n  4-4  ", "6-3 4-4"), ("6-3\r4-4", "6-3 4-4"), ("6-3 | 4-4", "6-3 4-4"), ("6-3,4-4", "6-3 4-4"), ("6344\n1255", "6-3 4-4 1-2 5-5"),
    ("1 6-3\n2 4-4\n3 1-2", "6-3 4-4 1-2"), ("0. 6-3", 1), ("1. 6-3\n2. 7-1", 2), ("1. 6-3\n\n\n3. 4-4", 4), ("6-3\n4-4\nx", 3),
    ("6-3\n\n6", 3), ("+1. 6-3", 1), ("1. 6-3\n2. 4-4\n2. 4-4", 3),
]

# yayay/1: throws of 1 to 100 dice; blanks never join dice.
PASTED_THROWS = [
    ("6-3-2", [[6, 3, 2]]), ("632", [[6, 3, 2]]), ("1. 6-3-2\n2. 4", [[6, 3, 2], [4]]), ("1 632\n2 44", [[6, 3, 2], [4, 4]]),
    ("1) 5\n2) 5-5", [[5], [5, 5]]), ("6-1\n2-1", [[6, 1], [2, 1]]), ("1" * 100, [[1] * 100]), ("", []),
    ("1" * 101, 1), ("1. 6-3\n3. 4", 2), ("2. 6-3", 1), ("7", 1), ("1. 6-3-", 1), ("6-3\n6--3", 2),
]


def pasted(f):
    def row(name, scheme, text, want):
        fields = {"line": want} if isinstance(want, int) else {"rolls": want}
        f.add("rolls", name, scheme=scheme, text=text, **fields)

    for what, table in (("spec", PASTED), ("more", PASTED_MORE)):
        for i, (text, want) in enumerate(table, 1):
            row(f"{what}-{i}", "tavli/1", text, want if isinstance(want, int) else pairs(want))
    for i, (text, want) in enumerate(PASTED_THROWS, 1):
        row(f"throws-{i}", "yayay/1", text, want)

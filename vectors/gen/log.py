"""log.ndjson: entries, policies, receipts and proof files (docs/spec/log.md, docs/spec/proof.md).

Everything is computed from those pages with hashlib alone; Ed25519 is that of
veridice1.py. What a receipt must come to is said twice: by hand, where it is made,
and by receipt_code, which goes through the steps of the page.
"""

import base64
import itertools

import examples as ex
import records
from veridice1 import Match, counter, h, leaf, note, play, public, request, sha256, sign, u32, verifies

ORIGIN, OTHER = "log.example/table", "second.example/table"


def b64(b):
    return base64.b64encode(b).decode()


# Keys, checkpoints, tree.

class Signer:
    def __init__(self, name, kind, another=""):
        self.name, self.kind, self.secret = name, kind, counter("log key of " + name + another)
        self.key = public(self.secret)
        self.id = sha256(name.encode() + b"\n" + bytes([kind]) + self.key)[:4]

    def vkey(self):
        return f"{self.name}+{self.id.hex()}+{b64(bytes([self.kind]) + self.key)}"

    def sign(self, lines, time=None, name=None):
        message, stamp = lines, b""
        if self.kind == 4:
            message, stamp = f"cosignature/v1\ntime {time}\n" + lines, time.to_bytes(8, "big")
        return name or self.name, self.id + stamp + sign(self.secret, message.encode())


LOG, SECOND = Signer(ORIGIN, 1), Signer(OTHER, 1)
WITNESSES = [Signer(f"w{n}.example", 4) for n in range(1, 5)]


def policy(quorum="group three 3 w1 w2 w3 w4\nquorum three\n", logs=(LOG,)):
    return ("".join(f"log {s.vkey()}\n" for s in logs)
            + "".join(f"witness w{n} {w.vkey()}\n" for n, w in enumerate(WITNESSES, 1)) + quorum)


def inner(left, right):
    return sha256(b"\1" + left + right)


def split(n):
    return 1 << (n - 1).bit_length() - 1


def root(hashes):
    """RFC 6962, section 2.1."""
    if not hashes:
        return sha256(b"")
    if len(hashes) == 1:
        return hashes[0]
    k = split(len(hashes))
    return inner(root(hashes[:k]), root(hashes[k:]))


def path(m, hashes):
    """Section 2.1.1."""
    if len(hashes) == 1:
        return []
    k = split(len(hashes))
    if m < k:
        return path(m, hashes[:k]) + [root(hashes[k:])]
    return path(m - k, hashes[k:]) + [root(hashes[:k])]


def growth(m, hashes, whole=True):
    """Section 2.1.2."""
    n = len(hashes)
    if m == n:
        return [] if whole else [root(hashes)]
    k = split(n)
    if m <= k:
        return growth(m, hashes[:k], whole) + [root(hashes[k:])]
    return growth(m - k, hashes[k:], False) + [root(hashes[:k])]


class Log:
    def __init__(self, signer, entries):
        self.signer, self.entries = signer, entries
        self.hashes = [leaf(e) for e in entries]

    def lines(self, size):
        return f"{self.signer.name}\n{size}\n{b64(root(self.hashes[:size]))}\n"

    def checkpoint(self, size, witnesses=(0, 1, 2), time=1790000000):
        lines = self.lines(size)
        return note(lines, self.signer.sign(lines), *(WITNESSES[w].sign(lines, time + w) for w in witnesses))

    def receipt(self, index, size, checkpoint=None, hashes=None, extra="", **more):
        lines = "".join(b64(x) + "\n" for x in (path(index, self.hashes[:size]) if hashes is None else hashes))
        return f"c2sp.org/tlog-proof@v1\n{extra}index {index}\n{lines}\n" + (checkpoint or self.checkpoint(size, **more))


# The steps of the page, once more.

def strict(text):
    try:
        b = base64.b64decode(text, validate=True)
    except ValueError:
        return None
    return b if b64(b) == text else None


def whole(text):
    return int(text) if text.isascii() and text.isdigit() and str(int(text)) == text and int(text) < 2**53 else None


def receipt_code(entry, receipt, logs=(LOG,), need=lambda names: len(names) >= 3):
    """'', bad-receipt or no-quorum; index, size, witnesses and latest time."""
    bad = "bad-receipt", None
    head, gap, signed = receipt.partition("\n\n")
    lines = head.split("\n")
    text, end, rest = signed.partition("\n\n")
    if not gap or not end or lines.pop(0) != "c2sp.org/tlog-proof@v1" or not rest.endswith("\n"):
        return bad
    if lines and lines[0].startswith("extra "):
        if not strict(lines.pop(0)[6:]):
            return bad
    if not lines or not lines[0].startswith("index ") or whole(lines[0][6:]) is None:
        return bad
    index, hashes = whole(lines[0][6:]), [strict(x) for x in lines[1:]]
    if len(hashes) > 63 or any(x is None or len(x) != 32 for x in hashes):
        return bad
    three, signatures = (text + "\n").split("\n"), rest[:-1].split("\n")
    if len(three) != 4 or whole(three[1]) is None or len(strict(three[2]) or b"") != 32 or len(signatures) > 100:
        return bad
    size, by_log, times = whole(three[1]), False, {}
    for line in signatures:
        parts = line.split(" ")
        b = strict(parts[2]) if len(parts) == 3 and parts[0] == "\u2014" and parts[1] else None
        if b is None or len(b) < 5:
            return bad
        for signer in (*logs, *WITNESSES):
            if (parts[1], b[:4]) != (signer.name, signer.id):
                continue
            message = (text + "\n").encode()
            if signer.kind == 4:
                time = int.from_bytes(b[4:12], "big")
                if len(b) != 76 or time >= 2**53:
                    return bad
                message, b = f"cosignature/v1\ntime {time}\n".encode() + message, b[:4] + b[12:]
            if not verifies(signer.key, message, b[4:]):
                return bad
            if signer.kind == 4:
                times[signer.name] = max(time, times.get(signer.name, 0))
            elif signer.name == three[0]:
                by_log = True
    if not by_log:
        return bad
    if not need(times):
        return "no-quorum", None
    at, width, got = index, size, leaf(entry)
    if index >= size:
        return bad
    while width > 1:
        if at % 2 == 1 or at < width - 1:
            if not hashes:
                return bad
            x = hashes.pop(0)
            got = inner(x, got) if at % 2 else inner(got, x)
        at, width = at // 2, (width + 1) // 2
    if hashes or b64(got) != three[2]:
        return bad
    return "", dict(index=index, size=size, witnesses=len(times), time=max(times.values(), default=0))


# Entries.

def seal_entry(match, seq, scheme, seal):
    return (f"veridice/1 seal\nmatch {match}\nseq {seq}\nscheme {scheme}\nseal {seal}\n"
            f"rules {counter('log rules').hex()}\nexpires 1790600000\n")


def opening(m):
    return "veridice/1 open\n" + m.lines()


def field(text, name):
    return next(line[len(name) + 1:] for line in text.split("\n") if line.startswith(name + " "))


def closing(m, text, index, pending=None):
    at = "-"
    if pending:
        number, actor, *faces = pending
        ctx = h("ctx", m.opening, m.head, u32(number), request(actor, faces))
        at = f"{number} {ctx.hex()}"
    return (f"veridice/1 close\nmatch {m.id.hex()}\nopen {index} {m.opening.hex()}\nstate {field(text, 'state')}\nrolls {len(m.heads) - 1}\n"
            f"head {m.head.hex()}\npending {at}\nrecord {field(text, 'sum')}\n")


def unsealing(text, index, entry):
    return (f"veridice/1 unseal\nmatch {field(text, 'match')}\nsealed {index} {leaf(entry).hex()}\nstate {field(text, 'state')}\n"
            f"rolls {field(text, 'rolls')}\nrecord {field(text, 'sum')}\n")


def proof(*parts):
    return "veridice proof 1\n" + "".join(f"{name} {len(text.encode())}\n{text}" for name, text in parts)


def policies(f):
    def put(name, text, line=None, enough=()):
        """line: where it is refused, 0 for no line in particular."""
        f.add("log", "policy-" + name, kind="policy", text=text, line=line, enough=[[list(names), bool(yes)] for names, yes in enough])

    names = ["w1", "w2", "w3", "w4"]
    every = [c for n in range(5) for c in itertools.combinations(names, n)]
    put("three-of-four", policy(), enough=[(c, len(c) >= 3) for c in every])
    put("any", policy("group g any w1 w2\nquorum g\n"), enough=[(c, "w1" in c or "w2" in c) for c in every])
    put("all", policy("group g all w1 w2\nquorum g\n"), enough=[(c, "w1" in c and "w2" in c) for c in every])
    put("a-witness", policy("quorum w2\n"), enough=[(c, "w2" in c) for c in every])
    put("none", policy("quorum none\n"), enough=[(c, True) for c in every])
    put("groups-of-groups", policy("group a 2 w1 w2 w3\ngroup b all a w4\nquorum b\n"),
        enough=[(c, "w4" in c and len(c) >= 3) for c in every])
    put("comments-blanks-urls", f"# a comment\n\n \t# another\n\tlog  {LOG.vkey()} https://log.example/ \nwitness w1 {WITNESSES[0].vkey()}\thttps://w1.example/\n"
        "  quorum\tw1", enough=[([], False), (["w1"], True)])
    put("quorum-first-line", "quorum none\n", enough=[([], True)])
    put("two-keys-of-one-log", f"log {LOG.vkey()}\nlog {Signer(ORIGIN, 1, ' another').vkey()}\nquorum none\n", enough=[([], True)])
    put("refused-blank-in-a-name", f"log {LOG.vkey()}\nlog {Signer(ORIGIN + ' ', 1).vkey()}\nquorum none\n", 2)
    head = policy("")
    lines = head.count("\n")
    for name, tail, line in (
        ("no-quorum", "", 0), ("two-quorums", "quorum none\nquorum none\n", 2), ("quorum-unknown", "quorum w5\n", 1),
        ("quorum-before-group", "quorum g\ngroup g any w1\n", 1), ("unknown-word", "witnes w1\nquorum none\n", 1), ("case", "Quorum none\n", 1),
        ("member-unknown", "group g any w5\nquorum g\n", 1), ("member-none", "group g any none\nquorum g\n", 1),
        ("member-twice", "group g 2 w1 w1\nquorum g\n", 1), ("member-of-two", "group g any w1\ngroup i any w1\nquorum g\n", 2),
        ("member-itself", "group g any g\nquorum g\n", 1), ("no-members", "group g any\nquorum none\n", 1),
        ("k-zero", "group g 0 w1\nquorum g\n", 1), ("k-too-large", "group g 3 w1 w2\nquorum g\n", 1), ("k-zero-before", "group g 01 w1\nquorum g\n", 1),
        ("k-word", "group g most w1\nquorum g\n", 1), ("name-taken", "group w1 any w2\nquorum w1\n", 1), ("name-none", "group none any w2\nquorum none\n", 1),
        ("carriage-returns", "quorum none\r\n", 1), ("two-quorum-names", "quorum w1 w2\n", 1), ("log-without-key", "log\nquorum none\n", 1),
        ("witness-twice", f"witness w9 {WITNESSES[0].vkey()}\nquorum none\n", 1), ("log-twice", f"log {LOG.vkey()}\nquorum none\n", 1),
        ("log-key-of-a-witness", f"log {Signer('x', 4).vkey()}\nquorum none\n", 1), ("witness-key-of-a-log", f"witness x {Signer('x', 1).vkey()}\nquorum none\n", 1),
        ("key-id-wrong", f"log {SECOND.vkey().replace(SECOND.id.hex(), '00000000')}\nquorum none\n", 1),
        ("key-name-changed", f"log {SECOND.vkey().replace('second', 'third')}\nquorum none\n", 1),
        ("key-of-unknown-kind", f"witness x {Signer('x', 6).vkey()}\nquorum none\n", 1), ("key-short", f"log {SECOND.vkey()[:-4]}\nquorum none\n", 1),
        ("key-upper-case-id", f"log {SECOND.vkey().replace(SECOND.id.hex(), SECOND.id.hex().upper())}\nquorum none\n", 1),
        ("url-and-more", f"log {SECOND.vkey()} a b\nquorum none\n", 1),
    ):
        put("refused-" + name, head + tail, lines + line if line else 0)
    put("refused-empty", "", 0)


def receipts(f, log):
    def put(name, receipt, code="", entry=None, text=None, logs=(LOG,), need=None):
        got, found = receipt_code(entry or log.entries[1], receipt, logs, need or (lambda names: len(names) >= 3))
        assert got == code, (name, got)
        want = dict(code=code, index=0, size=0, witnesses=0, time=0)
        f.add("log", "receipt-" + name, kind="receipt", policy=text or policy(), entry=entry or log.entries[1], receipt=receipt, want={**want, **(found or {})})

    good = log.receipt(1, 5)
    lines = log.lines(5)
    signatures = [LOG.sign(lines)] + [w.sign(lines, 1790000000 + n) for n, w in enumerate(WITNESSES)]
    right = path(1, log.hashes[:5])

    def under(*chosen, **more):
        return log.receipt(1, 5, note(more.pop("lines", lines), *chosen), **more)

    put("good", good)
    put("four-witnesses", log.receipt(1, 5, witnesses=(3, 2, 1, 0)))
    put("extra-line", under(*signatures[:4], extra="extra AAECAw==\n"))
    put("last-entry", log.receipt(8, 9), entry=log.entries[8])
    put("first-entry", log.receipt(0, 9), entry=log.entries[0])
    put("only-entry", log.receipt(0, 1), entry=log.entries[0])
    put("of-an-unknown-witness-too", under(*signatures[:4], Signer("w9.example", 4).sign(lines, 1790000000)))
    put("cosigned-twice", under(*signatures[:4], WITNESSES[0].sign(lines, 1790009999)))
    put("a-hundred-signatures", under(*signatures[:4], *[("x", b"abcde")] * 96))
    put("time-of-a-great-number", under(signatures[0], *[w.sign(lines, 2**53 - 1) for w in WITNESSES[:3]]))
    put("quorum-none", log.receipt(1, 5, witnesses=()), text=policy("quorum none\n"), need=lambda names: True)
    put("quorum-none-with-witnesses", log.receipt(1, 5, witnesses=(2,)), text=policy("quorum none\n"), need=lambda names: True)
    put("two-logs-known", good, text=policy(logs=(SECOND, LOG)), logs=(SECOND, LOG))

    no, bad = "no-quorum", "bad-receipt"
    put("two-witnesses", log.receipt(1, 5, witnesses=(0, 3)), no)
    put("no-witness", log.receipt(1, 5, witnesses=()), no)
    put("one-witness-twice", under(*signatures[:3], WITNESSES[0].sign(lines, 1790009999)), no)
    put("witness-under-another-name", under(*signatures[:3], WITNESSES[2].sign(lines, 1790000002, "w9.example")), no)
    put("two-witnesses-and-a-wrong-path", log.receipt(1, 5, hashes=right[:1], witnesses=(0, 3)), no)
    put("of-another-entry", good, bad, entry=log.entries[2])
    put("path-of-another-entry", log.receipt(1, 5, hashes=path(2, log.hashes[:5])), bad)
    put("path-too-short", log.receipt(1, 5, hashes=right[:-1]), bad)
    put("path-too-long", log.receipt(1, 5, hashes=right + right[:1]), bad)
    put("path-of-64", log.receipt(1, 5, hashes=right * 22), bad)
    put("path-exchanged", log.receipt(1, 5, hashes=right[1::-1] + right[2:]), bad)
    put("no-path", log.receipt(1, 5, hashes=[]), bad)
    put("index-at-the-size", good.replace("index 1\n", "index 5\n"), bad)
    put("index-with-zero", good.replace("index 1\n", "index 01\n"), bad)
    put("index-too-large", good.replace("index 1\n", f"index {2**53}\n"), bad)
    put("no-index", good.replace("index 1\n", ""), bad)
    put("index-twice", good.replace("index 1\n", "index 1\nindex 1\n"), bad)
    put("version-2", good.replace("@v1", "@v2"), bad)
    put("extra-empty", under(*signatures[:4], extra="extra \n"), bad)
    put("extra-twice", under(*signatures[:4], extra="extra AA==\nextra AA==\n"), bad)
    put("extra-unused-bits", under(*signatures[:4], extra="extra AB==\n"), bad)
    put("path-unused-bits", good.replace(b64(right[0]), b64(right[0])[:-2] + chr(ord(b64(right[0])[-2]) + 1) + "="), bad)
    put("signature-of-the-log-missing", under(*signatures[1:]), bad)
    put("signature-of-another-log", under(SECOND.sign(lines), *signatures[1:4]), bad, text=policy(logs=(SECOND, LOG)), logs=(SECOND, LOG))
    other = log.lines(5).replace(ORIGIN, OTHER)
    put("origin-of-another-log", under(LOG.sign(other), *[w.sign(other, 1790000000) for w in WITNESSES[:3]], lines=other), bad,
        text=policy(logs=(SECOND, LOG)), logs=(SECOND, LOG))
    spoilt = (signatures[1][0], signatures[1][1][:-1] + b"\0")
    put("one-cosignature-spoilt", under(signatures[0], *signatures[2:], spoilt), bad)
    put("log-signature-spoilt", under((signatures[0][0], signatures[0][1][:-1] + b"\0"), *signatures[1:4]), bad)
    put("good-and-bad-of-the-log", under(*signatures[:4], (signatures[0][0], signatures[0][1][:-1] + b"\0")), bad)
    put("bad-of-another-known-log", under(*signatures[:4], (OTHER, SECOND.id + bytes(64))), bad, text=policy(logs=(SECOND, LOG)), logs=(SECOND, LOG))
    put("cosignature-without-time", under(*signatures[:3], (signatures[3][0], signatures[3][1][:4] + signatures[3][1][12:])), bad)
    put("cosignature-at-another-time", under(*signatures[:3], (signatures[3][0], signatures[3][1][:11] + b"\xff" + signatures[3][1][12:])), bad)
    put("cosignature-of-2-to-53", under(*signatures[:3], WITNESSES[2].sign(lines, 2**53)), bad)
    put("cosignature-of-another-size", under(*signatures[:3], WITNESSES[2].sign(log.lines(4), 1790000002)), bad)
    put("root-changed", good.replace(b64(root(log.hashes[:5])), b64(counter("another root"))), bad)
    for name, before, after in (("size-with-zero", "\n5\n", "\n05\n"), ("size-with-plus", "\n5\n", "\n+5\n"), ("fourth-line", "=\n\n\u2014", "=\nmore\n\n\u2014")):
        changed = good[:good.index("\n\n") + 2] + good[good.index("\n\n") + 2:].replace(before, after)
        assert changed != good
        put(name, changed, bad)
    for name, text in (("fourth-line-signed", lines + "more\n"), ("two-lines-signed", f"{ORIGIN}\n5\n")):
        put(name, under(LOG.sign(text), *[w.sign(text, 1790000000) for w in WITNESSES[:3]], lines=text), bad)
    put("size-0", under(*[s.sign(x, 1790000000) for x in [f"{ORIGIN}\n0\n{b64(sha256(b''))}\n"] for s in [LOG] + WITNESSES],
                        lines=f"{ORIGIN}\n0\n{b64(sha256(b''))}\n", hashes=[]), bad)
    put("101-signatures", under(*signatures[:4], *[("x", b"abcde")] * 97), bad)
    put("not-ended", good[:-1], bad)
    put("carriage-returns", good.replace("\n", "\r\n"), bad)
    put("no-empty-line", good.replace("\n\n", "\n", 1), bad)
    put("no-signatures", good[:good.rindex("\n\n\u2014")] + "\n", bad)
    put("nothing", "\n", bad)


def growths(f, log):
    def put(name, old, new, roots, hashes, valid):
        f.add("log", "growth-" + name, kind="growth", old=old, new=new, oldRoot=roots[0].hex(), newRoot=roots[1].hex(),
              proof=[x.hex() for x in hashes], valid=valid)

    hashes = log.hashes
    for old in range(10):
        for new in range(max(old, 1), 10):
            roots = root(hashes[:old]), root(hashes[:new])
            made = growth(old, hashes[:new]) if old else []
            put(f"{old}-{new}", old, new, roots, made, True)
            if old == new or not old:
                put(f"{old}-{new}-with-a-hash", old, new, roots, [hashes[0]], False)
                if old and (old, new) == (5, 5):
                    put("5-5-other-root", 5, 5, (roots[0], root(hashes[1:6])), [], False)
                continue
            if new in (3, 7, 8):
                put(f"{old}-{new}-short", old, new, roots, made[:-1], False)
                put(f"{old}-{new}-long", old, new, roots, made + made[:1], False)
                put(f"{old}-{new}-forked", old, new, (root([counter("forked")] + hashes[1:old]), roots[1]), made, False)
    put("shrunk", 5, 4, (root(hashes[:5]), root(hashes[:4])), growth(4, hashes[:5]), False)
    put("0-another-root", 0, 3, (counter("another root"), root(hashes[:3])), [], False)
    put("0-0", 0, 0, (root([]), root([])), [], True)
    put("0-0-other-root", 0, 0, (root([]), counter("another root")), [], False)


def entries(f, good):
    def put(name, text, valid):
        f.add("log", "entry-" + name, kind="entry", text=text, valid=valid)

    for name, text in good:
        put(name, text, True)
        lines = text.splitlines(keepends=True)
        put(name + "-cut", text[:-1], False)
        put(name + "-line-lost", "".join(lines[:2] + lines[3:]), False)
        put(name + "-line-more", text + lines[-1], False)
        put(name + "-blank", text.replace("match ", "match  "), False)
        put(name + "-later-version", text.replace("veridice/1 ", "veridice/2 "), False)
    seal, unseal = dict(good)["seal"], dict(good)["unseal"]
    for name, text, before, after in (
        ("seal-of-no-match", seal, "match m-1", "match -"), ("seal-seq-0", seal, "seq 2", "seq 0"), ("seal-seq-zero-before", seal, "seq 2", "seq 02"),
        ("seal-of-veridice", seal, "scheme tavli/1", "scheme veridice/1"), ("seal-none", seal, "seal " + ex.A["seal"], "seal -"),
        ("seal-match-too-long", seal, "match m-1", "match " + "m" * 65), ("seal-expires-negative", seal, "expires ", "expires -"),
        ("unseal-running", unseal, "state finished", "state running"), ("unseal-index-zero-before", unseal, "sealed ", "sealed 0"),
        ("unseal-too-many-rolls", unseal, "rolls 12", "rolls 100001"), ("unseal-aborted-by", unseal, "state finished", "state aborted 1"),
    ):
        assert before in text, name
        put(name, text.replace(before, after), False)
    put("unseal-aborted", unseal.replace("state finished", "state aborted"), True)
    put("nothing", "", False)
    put("other", "an entry of something else\n", False)


def add_all(f):
    m = play(Match("log two", 2, seq=1), 4)
    text = m.record()
    signed = m.signed(text, 0, 1, 2)
    broken_off = play(Match("log aborted", 2, seq=3), 2)
    off = broken_off.record("aborted 2", pending="3 1 6,20")
    dice = [[int(d) for d in r.split("-")] for r in ex.A["rolls"].split()]
    classic = records.text("tavli/1", ex.A["server"], ex.A["clients"], ex.A["seal"], list(enumerate(dice, 1)))
    seal = seal_entry("m-1", 2, "tavli/1", ex.A["seal"])
    begin = ["an entry of something else\n", opening(m), seal, opening(broken_off), "another\n"]
    end = [closing(m, text, 1), unsealing(classic, 2, seal), closing(broken_off, off, 3, (3, 1, 6, 20)), "the last\n"]
    log = Log(LOG, begin + end)
    policies(f)
    receipts(f, log)
    growths(f, log)
    entries(f, [("open", begin[1]), ("seal", seal), ("close", end[0]), ("unseal", end[1]), ("close-with-pending", end[2])])

    def put(name, proof, verdict, code="", place="", policy=policy(), heads=(), rolls=0, signed=(), account=(), closed=False, witnesses=3, limits=None):
        source = "receipt" if verdict == "proven" else ""
        f.add("log", "proof-" + name, kind="proof", text=proof, policy=policy, heads=list(heads), want=dict(
            verdict=verdict, code=code, place=place, rolls=rolls, source=source, signed=list(signed), account=list(account),
            before=1790000000 + witnesses - 1 if source and witnesses else 0, closed=closed, limits=limits))

    opened, closed = log.receipt(1, 5), log.receipt(5, 9, time=1790003600)
    rec, opn, cls, clr = ("record", signed), ("open-receipt", opened), ("close", end[0]), ("close-receipt", closed)
    all_ = dict(rolls=4, signed=[0, 1, 2])
    bare = dict(rolls=4)
    broken, unknown, proven = "broken", "unknown", "proven"
    put("whole", proof(rec, opn, cls, clr), proven, account=["signature", "close"], closed=True, limits=["rolled-later", "veto"], **all_)
    put("unsigned", proof(("record", text), opn, cls, clr), proven, account=["close"], closed=True, limits=["rolled-later", "seats-unsigned", "veto"], **bare)
    put("unsigned-not-closed", proof(("record", text), opn), unknown, "not-signed", **bare)
    put("head-alone", proof(("record", text), opn), proven, account=["head"], heads=[m.receipt(4)],
        limits=["rolled-later", "not-closed", "only-head", "seats-unsigned", "veto"], **bare)
    put("head-that-is-another", proof(rec, opn), broken, "other-head", "roll 3",
        heads=[m.receipt(3).replace(m.heads[3].hex(), m.heads[2].hex()).partition("\n\n")[0] + "\n"], **all_)
    put("not-closed", proof(rec, opn), proven, account=["signature"], limits=["rolled-later", "not-closed", "veto"], **all_)
    put("no-witness", proof(rec, ("open-receipt", log.receipt(1, 5, witnesses=()))), proven, account=["signature"], policy=policy("quorum none\n"), witnesses=0,
        limits=["only-log", "not-closed", "veto"], **all_)
    put("no-witness-closed", proof(rec, ("open-receipt", log.receipt(1, 5, witnesses=())), cls, ("close-receipt", log.receipt(5, 9, witnesses=()))), proven,
        account=["signature", "close"], policy=policy("quorum none\n"), witnesses=0, closed=True, limits=["only-log", "veto"], **all_)
    running = broken_off.signed(broken_off.record("running", pending="3 1 6,20"), 0)
    put("running", proof(("record", running), ("open-receipt", log.receipt(3, 5))), proven, account=["signature"], rolls=2, signed=[0],
        limits=["rolled-later", "not-finished", "seats-unsigned", "veto"])
    put("aborted", proof(("record", off), ("open-receipt", log.receipt(3, 5)), ("close", end[2]), ("close-receipt", log.receipt(7, 9))), proven,
        account=["close"], closed=True, rolls=2, limits=["rolled-later", "seats-unsigned", "veto"])
    put("record-alone", proof(rec), unknown, "no-receipt", "open", **all_)
    put("plain-record", signed, unknown, "no-receipt", "open", **all_)
    put("no-policy", proof(rec, opn), unknown, "no-policy", policy="", **all_)
    put("bad-policy", proof(rec, opn), unknown, "bad-policy", policy=policy("") + "quorum w5\n", **all_)
    put("bad-policy-record-alone", signed, unknown, "bad-policy", policy="quorum\n", **all_)
    put("too-few-witnesses", proof(rec, ("open-receipt", log.receipt(1, 5, witnesses=(0, 1)))), unknown, "no-quorum", "open", **all_)
    put("receipt-of-another-opening", proof(rec, ("open-receipt", log.receipt(3, 5))), broken, "bad-receipt", "open", **all_)
    put("closing-too-few-witnesses", proof(rec, opn, cls, ("close-receipt", log.receipt(5, 9, witnesses=(1,)))), unknown, "no-quorum", "close", **all_)
    put("closing-of-another-place", proof(rec, opn, ("close", end[0].replace("open 1 ", "open 2 ")), clr), broken, "close-differs", **all_)
    put("closing-of-another-state", proof(rec, opn, ("close", end[0].replace("finished", "aborted -")), clr), broken, "close-differs", **all_)
    put("closing-cut", proof(rec, opn, ("close", end[0].partition("pending")[0]), clr), broken, "close-differs", **all_)
    put("closing-not-in-the-log", proof(rec, opn, cls, ("close-receipt", log.receipt(6, 9))), broken, "bad-receipt", "close", **all_)
    second = Log(SECOND, ["x\n", "y\n", end[0]])
    both = policy(logs=(LOG, SECOND))
    put("closing-in-another-log", proof(rec, opn, cls, ("close-receipt", second.receipt(2, 3))), broken, "bad-order", "close", policy=both, **all_)
    early = Log(LOG, [closing(m, text, 1), opening(m)])
    put("closing-before-the-opening", proof(rec, ("open-receipt", early.receipt(1, 2)), cls, ("close-receipt", early.receipt(0, 2))), broken, "bad-order", "close", **all_)
    # play has a move behind roll 4 only in longer matches.
    remade = Match("log two", 2, seq=1)
    for n in range(1, 5):
        remade.roll(2 - n % 2, 6, 6)
        if n < 4:
            remade.move(2 - n % 2, "24/14")
    again = remade.record()
    put("made-again", proof(("record", again), opn, cls, clr), broken, "close-differs", **bare)
    syntax = unknown, "syntax"
    put("closing-without-receipt", proof(rec, opn, cls), *syntax, **all_)
    put("closing-without-opening", proof(rec, cls, clr), *syntax, **all_)
    put("closing-twice", proof(rec, opn, cls, cls, clr), *syntax, **all_)
    put("receipt-twice", proof(rec, opn, opn), *syntax, **all_)
    put("parts-of-the-other-schemes", proof(rec, ("seal", seal), ("seal-receipt", log.receipt(2, 5))), *syntax, **all_)
    put("parts-in-another-order", proof(rec, opn, clr, cls), *syntax, **all_)
    put("closing-of-a-running-match", proof(("record", running), ("open-receipt", log.receipt(3, 5)), ("close", end[2]), ("close-receipt", log.receipt(7, 9))), *syntax,
        rolls=2, signed=[0])
    die = m.entries[2].split(" ")
    other_die = m.entries[2][:-1] + str(int(die[-1][-1]) % 6 + 1)
    put("wrong-dice-and-parts-that-do-not-fit", proof(("record", m.record(entries=[*m.entries[:2], other_die, *m.entries[3:]])), opn, opn), broken, "wrong-dice", "roll 2", **bare)
    whole_file = proof(rec, opn, cls, clr)
    for name, changed in (
        ("cut", whole_file[:-3]), ("text-behind", whole_file + "x\n"), ("version-2", whole_file.replace("proof 1", "proof 2", 1)), ("nothing-in-it", "veridice proof 1\n"),
        ("unknown-part", whole_file.replace("close-receipt", "close-receipts")), ("record-twice", proof(rec, rec)), ("record-last", proof(opn, rec)),
        ("length-with-zero", whole_file.replace("open-receipt ", "open-receipt 0")), ("length-0", whole_file.replace(f"close {len(end[0])}\n", "close 0\n")),
        ("length-too-large", whole_file.replace(f"close {len(end[0])}\n", f"close {2**24 + 1}\n")), ("length-short", whole_file.replace(f"close {len(end[0])}\n", f"close {len(end[0]) - 1}\n")),
        ("two-blanks", whole_file.replace("close ", "close  ", 1)), ("carriage-returns", whole_file.replace("\n", "\r\n")),
    ):
        assert changed != whole_file
        put("split-" + name, changed, *syntax)

    record, sealed, unseal = ("record", classic), ("seal", seal), ("unseal", end[1])
    sr, ur = ("seal-receipt", log.receipt(2, 5)), ("unseal-receipt", log.receipt(6, 9))
    twelve = dict(rolls=12)
    put("tavli", proof(record, sealed, sr, unseal, ur), proven, closed=True, limits=["rolled-later", "server-knows", "last-client-seed"], **twelve)
    put("tavli-not-unsealed", proof(record, sealed, sr), proven, limits=["rolled-later", "not-closed", "server-knows", "last-client-seed"], **twelve)
    put("tavli-record-alone", proof(record), unknown, "no-receipt", "seal", **twelve)
    put("tavli-no-policy", proof(record, sealed, sr), unknown, "no-policy", policy="", **twelve)
    put("tavli-seal-without-receipt", proof(record, sealed), *syntax, **twelve)
    put("tavli-unseal-without-seal", proof(record, unseal, ur), *syntax, **twelve)
    put("tavli-unsealed-while-running", proof(("record", classic_again(ex, dice, state="running")), sealed, sr, unseal, ur), *syntax, **twelve)
    put("tavli-too-few-witnesses", proof(record, sealed, ("seal-receipt", log.receipt(2, 5, witnesses=(0,)))), unknown, "no-quorum", "seal", **twelve)
    put("tavli-another-match", proof(("record", classic_again(ex, dice, match="m-2")), sealed, sr), broken, "seal-differs", **twelve)
    put("tavli-no-match", proof(("record", classic_again(ex, dice, match="-")), sealed, sr), broken, "seal-differs", **twelve)
    put("tavli-another-seal", proof(record, ("seal", seal.replace(ex.A["seal"], "00" * 32)), sr), broken, "seal-differs", **twelve)
    put("tavli-another-scheme", proof(record, ("seal", seal.replace("scheme tavli/1", "scheme yayay/1")), sr), broken, "seal-differs", **twelve)
    put("tavli-seal-changed", proof(record, ("seal", seal.replace("seq 2", "seq 5")), sr), broken, "bad-receipt", "seal", **twelve)
    put("tavli-seal-with-a-line-more", proof(record, ("seal", seal + "x\n"), sr), broken, "seal-differs", **twelve)
    put("tavli-unseal-of-another-state", proof(record, sealed, sr, ("unseal", end[1].replace("finished", "aborted")), ur), broken, "unseal-differs", **twelve)
    put("tavli-unseal-receipt-of-the-seal", proof(record, sealed, sr, unseal, ("unseal-receipt", log.receipt(2, 9))), broken, "bad-receipt", "unseal", **twelve)
    made_up = [[d[0] % 6 + 1, d[1]] for d in dice]
    put("tavli-made-up", proof(("record", classic_again(ex, made_up)), sealed, sr), broken, "few-fit", "roll 1", **twelve)
    put("tavli-made-up-alone", proof(("record", classic_again(ex, made_up))), unknown, "few-fit", "roll 1", **twelve)
    put("tavli-made-up-not-dated", proof(("record", classic_again(ex, made_up)), sealed, ("seal-receipt", log.receipt(2, 5, witnesses=(0,)))), unknown, "no-quorum", "seal", **twelve)
    other = counter("another server seed").hex()
    put("tavli-another-seed", proof(("record", classic_again(ex, dice, server=other)), sealed, sr), broken, "other-seed", **twelve)

    def evidence(name, a, b, code="", place="", key=m.keys[0].hex(), policy=policy()):
        f.add("log", "evidence-" + name, kind="evidence", notes=[a, b], key=key, policy=policy, code=code, place=place)

    tree = Log(LOG, ["a\n", opening(remade), closing(remade, again, 1)])
    parts = [("record", again), ("open-receipt", tree.receipt(1, 2)), ("close", tree.entries[2]), ("close-receipt", tree.receipt(2, 3))]
    evidence("head-and-closing", m.receipt(4), proof(*parts), "two-heads", "roll 4")
    evidence("head-and-its-closing", m.receipt(4), proof(("record", text), opn, cls, clr))
    evidence("head-and-closing-without-policy", m.receipt(4), proof(*parts), policy="")
    evidence("head-and-closing-of-too-few-witnesses", m.receipt(4), proof(*parts[:3], ("close-receipt", tree.receipt(2, 3, witnesses=(0,)))))
    evidence("head-and-record-not-closed", m.receipt(4), proof(*parts[:2]))
    evidence("head-and-signed-record-in-a-proof-file", m.receipt(4), proof(("record", remade.signed(again, 0)), *parts[1:2]), "two-heads", "roll 4")
    evidence("closing-of-another-key", m.signed(m.head_text(4), 1), proof(*parts), key=m.keys[1].hex())
    evidence("signed-record-and-closing", signed, proof(*parts))


def classic_again(ex, dice, server=None, **more):
    return records.text("tavli/1", server or ex.A["server"], ex.A["clients"], ex.A["seal"], list(enumerate(dice, 1)), **more)

"""veridice1.ndjson: chains, rolls, records and evidence of scheme veridice/1.

Everything is computed from docs/spec/veridice-1.md with hashlib and hmac alone;
Ed25519 is the arithmetic of RFC 8032, section 5.1, on Python's integers. Secrets
are blocks of counter streams: SHA-256(name, eight bytes of i).
"""

import base64
import hashlib
import hmac
import json

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
I = pow(2, (P - 1) // 4, P)


def sha256(b):
    return hashlib.sha256(b).digest()


# Ed25519. Points are (X, Y, Z, T) with x = X/Z, y = Y/Z, xy = T/Z.

def add(a, b):
    p, q = (a[1] - a[0]) * (b[1] - b[0]) % P, (a[1] + a[0]) * (b[1] + b[0]) % P
    r, s = 2 * a[3] * b[3] * D % P, 2 * a[2] * b[2] % P
    e, f, g, h = q - p, s - r, s + r, q + p
    return e * f % P, g * h % P, f * g % P, e * h % P


def times(n, point):
    out = (0, 1, 1, 0)
    while n:
        if n & 1:
            out = add(out, point)
        point = add(point, point)
        n >>= 1
    return out


def recover(y, sign):
    x2 = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(x2, (P + 3) // 8, P)
    if (x * x - x2) % P:
        x = x * I % P
    if (x * x - x2) % P or (x == 0 and sign):
        return None
    return (P - x if x % 2 != sign else x), y


def base():
    y = 4 * pow(5, P - 2, P) % P
    x, y = recover(y, 0)
    return x, y, 1, x * y % P


def encode(point):
    inverse = pow(point[2], P - 2, P)
    x, y = point[0] * inverse % P, point[1] * inverse % P
    return (y | (x & 1) << 255).to_bytes(32, "little")


def decode(b):
    y = int.from_bytes(b, "little")
    sign, y = y >> 255, y & (2**255 - 1)
    xy = recover(y, sign) if y < P else None
    return None if xy is None else (xy[0], xy[1], 1, xy[0] * xy[1] % P)


B = base()


def expand(secret):
    h = hashlib.sha512(secret).digest()
    a = int.from_bytes(h[:32], "little") & (2**254 - 8) | 2**254
    return a, h[32:]


def public(secret):
    return encode(times(expand(secret)[0], B))


def challenge(r, key, message):
    return int.from_bytes(hashlib.sha512(r + key + message).digest(), "little") % L


def sign(secret, message):
    a, prefix = expand(secret)
    r = int.from_bytes(hashlib.sha512(prefix + message).digest(), "little") % L
    big = encode(times(r, B))
    s = (r + challenge(big, public(secret), message) * a) % L
    return big + s.to_bytes(32, "little")


def verifies(key, message, signature):
    """The rules of the specification: canonical key of no small order, S < L, no cofactor."""
    a = decode(key)
    if a is None or encode(times(8, a)) == encode((0, 1, 1, 0)) or len(signature) != 64:
        return False
    s = int.from_bytes(signature[32:], "little")
    if s >= L:
        return False
    k = challenge(signature[:32], key, message)
    minus = (P - a[0], a[1], 1, P - a[3])
    return encode(add(times(s, B), times(k, minus))) == signature[:32]


# The scheme.

def u32(n):
    return n.to_bytes(4, "big")


def frame(tag, *fields):
    return bytes([len(tag)]) + tag.encode() + b"".join(u32(len(f)) + f for f in fields)


def h(tag, *fields):
    return sha256(frame("veridice/1/" + tag, *fields))


def mac(key, tag, *fields):
    return hmac.new(key, frame("veridice/1/" + tag, *fields), hashlib.sha256).digest()


def leaf(text):
    return sha256(b"\0" + text.encode())


def counter(name, i=0):
    return sha256(("veridice vectors veridice/1 " + name).encode() + i.to_bytes(8, "big"))


def chain(match, role, last, length):
    links = [last]
    for index in range(length, 0, -1):
        links.append(h("link", match, bytes([role]), u32(index - 1), links[-1]))
    return links[::-1]


def die(n, word):
    """A face and the words it took, from a function that gives the next word."""
    limit, used = 2**32 // n * n, []
    while True:
        used.append(word())
        if used[-1] < limit:
            return 1 + used[-1] % n, used


def request(actor, faces):
    return bytes([actor]) + len(faces).to_bytes(2, "big") + b"".join(map(u32, faces))


def derive(opening, head, number, actor, faces, links):
    """All that a roll is made of, and the head after it."""
    ctx = h("ctx", opening, head, u32(number), request(actor, faces))
    prk = mac(links[0], "roll", ctx, *links[1:])
    blocks, words, dice = [], [], []

    def word():
        at = len(words) % 8
        if at == 0:
            blocks.append(mac(prk, "stream", u32(len(blocks))))
        words.append(int.from_bytes(blocks[-1][4 * at:4 * at + 4], "big"))
        return words[-1]

    rejected = 0
    for n in faces:
        face, used = die(n, word)
        dice.append(face)
        rejected += len(used) - 1
    after = h("rolled", head, ctx, *links, b"".join(map(u32, dice)))
    return dict(ctx=ctx, prk=prk, blocks=blocks, words=words, rejected=rejected, dice=dice, after=after)


def commas(numbers):
    return ",".join(map(str, numbers))


def summed(body):
    return body + "sum " + sha256(body.encode()).hex() + "\n"


def note(text, *signatures):
    lines = "".join(f"\u2014 {name} {base64.b64encode(b).decode()}\n" for name, b in signatures)
    return text + "\n" + lines if lines else text


def key_id(name, key):
    return sha256(name.encode() + b"\n\x01" + key)[:4]


class Match:
    """A match played by its own rules: all parties' secrets, entries, the record."""

    def __init__(self, name, seats, links=64, seq=1):
        self.name, self.links, self.seq = name, links, seq
        self.id = counter(name + " match")[:16]
        self.secrets = [counter("server key")] + [counter(f"{name} key {r}") for r in range(1, seats + 1)]
        self.keys = [public(s) for s in self.secrets]
        self.chains = [chain(self.id, r, counter(f"{name} chain {r}"), links) for r in range(seats + 1)]
        self.entries, self.heads, self.made = [], [], []
        self.start()

    def start(self):
        self.opening = leaf("veridice/1 open\n" + self.lines())
        self.head = h("start", self.opening)
        self.heads = [self.head]

    def lines(self):
        text = f"match {self.id.hex()}\nseq {self.seq}\nrules {sha256((self.name + ' rules').encode()).hex()}\nlinks {self.links}\n"
        for r, key in enumerate(self.keys):
            text += f"role {r} {self.chains[r][0].hex()} {key.hex()}\n"
        return text + "expires 1790000000\n"

    def roll(self, actor, *faces):
        i = len(self.heads)
        before = self.head
        made = derive(self.opening, before, i, actor, faces, [c[i] for c in self.chains])
        self.made.append(dict(made, head=before, roll=i, actor=actor, faces=list(faces)))
        self.entries.append(f"roll {i} {actor} {commas(faces)} {commas(made['dice'])}")
        self.head = made["after"]
        self.heads.append(self.head)
        return made["dice"]

    def move(self, role, text):
        self.entries.append(f"move {role} {text}")
        self.head = h("move", self.head, bytes([role]), text.encode())

    def body(self, state="finished", pending="", index=None, count=None, head=None, entries=None):
        n = len(self.heads) - 1
        index = index or [n] * len(self.chains)
        text = "veridice record 1\nscheme veridice/1\n" + self.lines()
        text += "".join(e + "\n" for e in (self.entries if entries is None else entries))
        text += f"pending {pending}\n" if pending else ""
        text += "".join(f"last {r} {i} {self.chains[r][i].hex()}\n" for r, i in enumerate(index))
        return text + f"rolls {n if count is None else count}\nhead {(head or self.head).hex()}\nstate {state}\n"

    def record(self, state="finished", **changes):
        return summed(self.body(state, **changes))

    def signature(self, role, text, as_role=None):
        name = f"{self.id.hex()}/{role if as_role is None else as_role}"
        key = self.keys[role if as_role is None else as_role]
        return name, key_id(name, key) + sign(self.secrets[role], text.encode())

    def signed(self, text, *roles):
        return note(text, *(self.signature(r, text) for r in roles))

    def head_text(self, n):
        return f"veridice/1 head\nmatch {self.id.hex()}\nroll {n}\nhead {self.heads[n].hex()}\n"

    def receipt(self, n):
        return self.signed(self.head_text(n), 0)

    def roll_text(self, i, actor=None, faces=None, head=None):
        m = self.made[i - 1]
        return (f"veridice/1 roll\nmatch {self.id.hex()}\nroll {i}\nactor {m['actor'] if actor is None else actor}\n"
                f"faces {faces or commas(m['faces'])}\nhead {(head or m['head']).hex()}\n")


def play(m, rolls, other=None):
    """Backgammon of two seats: a move behind each roll but the last. other: text of the move behind roll 4."""
    for n in range(1, rolls + 1):
        actor = 2 - n % 2
        m.roll(actor, 6, 6)
        if n < rolls:
            m.move(actor, other if other and n == 4 else f"{25 - n}/{20 - n} 8/7")
    return m


def view_of(text):
    """The JSON view, from the lines of a record without signatures."""
    v = dict(record=1, scheme="veridice/1", roles=[], entries=[], pending=None, last=[])
    for line in text.splitlines()[2:]:
        name, _, rest = line.partition(" ")
        f = rest.split(" ")
        if name in ("match", "rules", "head", "sum"):
            v[name] = rest
        elif name in ("seq", "links", "expires", "rolls"):
            v[name] = int(rest)
        elif name == "role":
            v["roles"].append(dict(anchor=f[1], key=f[2]))
        elif name == "roll":
            lists = [[int(n) for n in x.split(",")] for x in f[2:]]
            v["entries"].append(dict(type="roll", roll=int(f[0]), actor=int(f[1]), faces=lists[0], dice=lists[1]))
        elif name == "move":
            role, _, move = rest.partition(" ")
            v["entries"].append(dict(type="move", role=int(role), move=move))
        elif name == "pending":
            v["pending"] = dict(roll=int(f[0]), actor=int(f[1]), faces=[int(n) for n in f[2].split(",")])
        elif name == "last":
            v["last"].append(dict(role=int(f[0]), index=int(f[1]), link=f[2]))
        else:
            v["state"] = f[0]
            v["role"] = int(f[1]) if len(f) > 1 and f[1] != "-" else None
    order = "record scheme match seq rules links roles expires entries pending last rolls head state role sum".split()
    assert set(order) == set(v), v
    return {k: v[k] for k in order}


def primitives(f):
    def put(name, kind, **fields):
        f.add("veridice1", name, kind=kind, **fields)

    for i, (tag, fields) in enumerate([("start", [counter("frames")]), ("link", [counter("frames")[:16], b"\x01", u32(0), counter("frames", 1)]),
                                       ("move", [counter("frames", 2), b"\x02", b"bar/21"]), ("rolled", [b"", b"", b"\0"])]):
        put(f"frame-{tag}", "frame", tag="veridice/1/" + tag, fields=[x.hex() for x in fields],
            frame=frame("veridice/1/" + tag, *fields).hex(), sha256=h(tag, *fields).hex())
    assert frame("veridice/1/a", b"bc") != frame("veridice/1/ab", b"c")

    for n in (2, 3, 6, 7, 100, 256, 10001, 2**31, 2**31 + 1, 3 * 10**9, 2**32 - 1):
        limit = 2**32 // n * n
        rows = {"first": [0], "last-kept": [limit - 1], "greatest": [2**32 - 1, 5]}
        if limit < 2**32:
            rows["limit"] = [limit, 1]
            rows["many-rejected"] = [limit, 2**32 - 1] * 5 + [limit - 1]
        for what, words in rows.items():
            left = iter(words)
            face, used = die(n, lambda: next(left))
            put(f"die-{n}-{what}", "die", faces=n, words=words, face=face, used=len(used))

    for items, take in ((52, 5), (52, 52), (1, 1), (2, 2), (3, 2), (1025, 1025), (7, 1)):
        faces = [items - i for i in range(take) if items - i > 1]
        dice = [1 + int.from_bytes(counter(f"sample {items} {take}", i)[:4], "big") % n for i, n in enumerate(faces)]
        there, taken = list(range(items)), []
        for d in dice:
            taken.append(there.pop(d - 1))
        taken += there[:take - len(taken)]
        put(f"sample-{take}-of-{items}", "sample", items=items, take=take, faces=faces, dice=dice, result=taken)
    for items, take in ((1026, 1026), (2000, 1025), (5, 0), (5, 6), (0, 0)):
        put(f"sample-refused-{take}-of-{items}", "sample", items=items, take=take, faces=None, dice=None, result=None)
    for weights in ([8, 6, 9], [1, 1], [2**32 - 2, 1]):
        total = sum(weights)
        for face in sorted({1, weights[0], weights[0] + 1, total}):
            item = next(i for i in range(len(weights)) if sum(weights[:i + 1]) >= face)
            put(f"choice-{'-'.join(map(str, weights))}-{face}", "choice", weights=weights, faces=total, die=face, item=item)
    for what, weights in (("zero", [1, 0, 2]), ("one", [1]), ("sum", [2**32 - 1, 1]), ("none", [])):
        put(f"choice-refused-{what}", "choice", weights=weights, faces=0, die=1, item=None)

    match = counter("chain match")[:16]
    for role, length in ((0, 1), (1, 4), (16, 100), (2, 8192)):
        last = counter(f"chain {role}")
        links = chain(match, role, last, length)
        some = sorted({0, 1, length // 2, length - 1, length})
        put(f"chain-{role}-{length}", "chain", match=match.hex(), role=role, length=length, last=last.hex(),
            links=[dict(index=i, link=links[i].hex()) for i in some])
    signatures(put)


def signatures(put):
    def one(name, key, message, signature):
        put("ed25519-" + name, "ed25519", key=key.hex(), message=message.hex(), signature=signature.hex(),
            valid=verifies(key, message, signature))

    # RFC 8032, section 7.1, tests 1 and 2.
    for name, secret, key, message, signature in (
        ("rfc-1", "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60", "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
         "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"),
        ("rfc-2", "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb", "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
         "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"),
    ):
        assert public(bytes.fromhex(secret)).hex() == key and sign(bytes.fromhex(secret), bytes.fromhex(message)).hex() == signature, name
        one(name, bytes.fromhex(key), bytes.fromhex(message), bytes.fromhex(signature))
    secret, message = counter("ed25519"), b"a text\n"
    key, good = public(secret), sign(secret, message)
    assert verifies(key, message, good)
    one("good", key, message, good)
    one("other-message", key, b"a text", good)
    one("s-plus-l", key, message, good[:32] + (int.from_bytes(good[32:], "little") + L).to_bytes(32, "little"))
    one("s-is-l", key, message, good[:32] + L.to_bytes(32, "little"))
    one("short", key, message, good[:63])
    one("zeros", key, message, bytes(64))
    # Small order: with S = 0 and R the neutral point these hold for any text, where nobody looks at the key.
    neutral, minus = (1).to_bytes(32, "little"), (P - 1).to_bytes(32, "little")
    eight = next(e for e in (encode(times(L, decode(bytes([y]) + bytes(31)))) for y in range(2, 60) if decode(bytes([y]) + bytes(31)))
                 if encode(times(4, decode(e))) != neutral)
    four = encode(times(2, decode(eight)))
    for name, small in (("order-1", neutral), ("order-2", minus), ("order-4", four), ("order-8", eight),
                        ("order-8-minus", encode(times(7, decode(eight)))), ("order-8-third", encode(times(3, decode(eight)))),
                        ("order-1-in-another-encoding", (P + 1).to_bytes(32, "little")),
                        ("order-1-with-a-sign", (1 + 2**255).to_bytes(32, "little")),
                        ("order-4-in-another-encoding", P.to_bytes(32, "little"))):
        for i in range(64):
            text = b"text %d\n" % i
            point = decode(small) or (0, 1, 1, 0)
            r = encode(times(8 * L - challenge(neutral, small, text), point)) if decode(small) else neutral
            signature = r + bytes(32)
            if r == neutral and (decode(small) is None or challenge(neutral, small, text) % 8 == 0):
                break
        one(name, small, text, signature)
    one("order-2-of-r", key, message, minus + good[32:])
    one("y-above-p", (P + 3).to_bytes(32, "little"), message, good)
    no_point = next(y for y in range(2, 60) if decode(bytes([y]) + bytes(31)) is None)
    one("no-point", bytes([no_point]) + bytes(31), message, good)
    # A key with a part of order 8: fits only if both sides are multiplied by the cofactor.
    a, _ = expand(secret)
    mixed = encode(add(times(a, B), decode(eight)))
    for i in range(64):
        r = int.from_bytes(counter("mixed", i), "little") % L
        big = encode(times(r, B))
        k = challenge(big, mixed, message)
        if k % 8:
            one("cofactor", mixed, message, big + ((r + k * a) % L).to_bytes(32, "little"))
            break
    for i in range(64):
        r = int.from_bytes(counter("mixed", i), "little") % L
        big = encode(times(r, B))
        k = challenge(big, mixed, message)
        if k % 8 == 0:
            one("mixed-order-key", mixed, message, big + ((r + k * a) % L).to_bytes(32, "little"))
            break


def rolls(f, matches):
    for m in matches:
        f.add("veridice1", f"transcript-{m.name}", kind="transcript", open="veridice/1 open\n" + m.lines(), hash=m.opening.hex(),
              start=m.heads[0].hex(), entries=transcript(m))
        for made in m.made[:6]:
            f.add("veridice1", f"roll-{m.name}-{made['roll']}", kind="roll", opening=m.opening.hex(), head=made["head"].hex(),
                  roll=made["roll"], actor=made["actor"], faces=made["faces"], links=[c[made["roll"]].hex() for c in m.chains],
                  request=request(made["actor"], made["faces"]).hex(), ctx=made["ctx"].hex(), key=made["prk"].hex(),
                  blocks=[b.hex() for b in made["blocks"]], words=made["words"], rejected=made["rejected"],
                  dice=made["dice"], after=made["after"].hex())


def transcript(m):
    head, out, n = m.heads[0], [], 0
    for e in m.entries:
        if e.startswith("move "):
            _, role, text = e.split(" ", 2)
            head = h("move", head, bytes([int(role)]), text.encode())
            out.append(dict(role=int(role), move=text, head=head.hex()))
        else:
            head = m.made[n]["after"]
            n += 1
            out.append(dict(roll=n, head=head.hex()))
    assert head == m.head
    return out


def records(f):
    def put(name, text, verdict, code="", place="", given="", heads=(), signed=(), account=(), rolls=None, source=None, state=None, silent=None):
        read = code not in ("syntax", "version", "scheme", "too-long")
        if rolls is None:
            rolls = sum(line.startswith("roll ") for line in text.split("\n\n\u2014")[0].split("\n")) if read else 0
        if source is None:
            source = ("given" if given else "record") if verdict == "proven" else ""
        f.add("veridice1", "record-" + name, kind="record", text=text, opening=given, heads=list(heads),
              want=dict(verdict=verdict, code=code, place=place, rolls=rolls, source=source, signed=list(signed), account=list(account)))

    m = play(Match("two", 2), 6)
    opening, unsigned = m.opening.hex(), m.record()
    whole = m.signed(unsigned, 0, 1, 2)
    server = m.signed(unsigned, 0)
    good = dict(verdict="proven", signed=[0], account=["signature"])
    not_signed = ("unknown", "not-signed")

    # What is proven.
    put("signed-by-all", whole, "proven", given=opening, signed=[0, 1, 2], account=["signature"])
    put("signed-by-the-server", server, **good)
    put("signed-by-the-server-and-a-seat", m.signed(unsigned, 0, 2), "proven", signed=[0, 2], account=["signature"])
    put("head-and-signature", server, "proven", heads=[m.receipt(6)], signed=[0], account=["signature", "head"])
    put("receipt-of-the-last-roll", unsigned, "proven", given=opening, heads=[m.receipt(6)], account=["head"])
    put("own-head-of-the-last-roll", unsigned, "proven", heads=[m.head_text(6)], account=["head"])
    put("receipts-of-all-rolls", server, "proven", heads=[m.receipt(n) for n in range(1, 7)], signed=[0], account=["signature", "head"])
    running = play(Match("running", 2), 3)
    text = running.record("running", pending="4 2 6,6")
    put("running-and-signed", running.signed(text, 0, 1), "proven", given=running.opening.hex(), signed=[0, 1], account=["signature"])
    put("running-with-a-later-receipt", m.signed(play(Match("two", 2), 4).record("running"), 0), "proven",
        heads=[m.receipt(6)], signed=[0], account=["signature"])
    aborted = play(Match("aborted", 2), 2)
    for name, state in (("by-a-seat", "aborted 2"), ("by-the-server", "aborted 0"), ("by-nobody", "aborted -")):
        put(f"aborted-{name}", aborted.signed(aborted.record(state, pending="3 1 6,6"), 0), **good)
    sixteen = Match("sixteen", 16)
    for n in range(1, 5):
        sixteen.roll(n, 6, 20, 100)
    sixteen.roll(0, 2)
    put("sixteen-seats", sixteen.signed(sixteen.record(), *range(17)), "proven", signed=list(range(17)), account=["signature"])
    cards = Match("cards", 1, links=8192, seq=2**53 - 1)
    cards.roll(1, *range(52, 1, -1))
    cards.move(1, "~ !  \"#")
    cards.move(0, "x" * 1000)
    cards.roll(1, *[3 * 10**9] * 40)
    cards.roll(0, *[2**32 - 1, 2, 2**31 + 1, 6] * 2)
    put("cards-and-large-dice", cards.signed(cards.record(), 0, 1), "proven", signed=[0, 1], account=["signature"])
    spent = Match("spent", 1, links=3)
    for n in range(3):
        spent.roll(1, 6)
    put("all-links-spent", spent.signed(spent.record(), 0), **good)

    # Nobody vouches.
    put("unsigned", unsigned, *not_signed)
    put("unsigned-opening-given", unsigned, *not_signed, given=opening)
    put("signed-by-the-seats-alone", m.signed(unsigned, 1, 2), *not_signed, given=opening, signed=[1, 2])
    put("receipt-of-an-earlier-roll", unsigned, *not_signed, heads=[m.receipt(5)])
    remade = play(Match("two", 2), 6, "24/14")
    put("made-again-with-another-move", remade.record(), *not_signed, given=opening)
    put("made-again-beside-a-kept-head", remade.record(), "broken", "other-head", "roll 5", given=opening, heads=[m.receipt(6), m.receipt(5)])
    put("relabelled-as-aborted", m.record("aborted 1"), *not_signed, given=opening)
    other_key = counter("a stranger")
    put("signature-of-a-stranger", note(unsigned, ("stranger", key_id("stranger", public(other_key)) + sign(other_key, unsigned.encode()))), *not_signed)
    name, blob = m.signature(0, unsigned)
    put("key-id-spoilt", note(unsigned, (name, bytes([blob[0] ^ 1]) + blob[1:])), *not_signed)
    put("name-of-another-match", note(unsigned, (running.id.hex() + "/0", blob)), *not_signed)
    put("name-of-role-17", note(unsigned, (m.id.hex() + "/17", blob)), *not_signed)
    put("hundred-strange-signatures", note(unsigned, *[(f"s{i}", bytes(5)) for i in range(99)], (name, blob)), **good)

    # The reader's opening and heads.
    put("other-opening-given", whole, "broken", "other-opening", given=running.opening.hex(), signed=[0, 1, 2])
    put("head-of-another-match", server, "unknown", "bad-head", "head 1", heads=[running.receipt(3)], signed=[0])
    text = m.head_text(2)
    bad = note(text, m.signature(1, text, as_role=0))
    put("head-with-a-bad-signature", server, "unknown", "bad-head", "head 2", heads=[m.receipt(1), bad], signed=[0])
    for what, old, new in (("leading-zero", "roll 2\n", "roll 02\n"), ("roll-0", "roll 2\n", "roll 0\n"), ("another-text", "1 head\n", "1 roll\n"),
                           ("not-ended", m.heads[2].hex() + "\n", m.heads[2].hex()), ("upper-case", m.heads[2].hex(), m.heads[2].hex().upper()),
                           ("more-lines", "veridice/1 head\n", "veridice/1 head\nmove 1 x\n")):
        assert old in text
        put(f"head-{what}", server, "unknown", "bad-head", "head 1", heads=[text.replace(old, new)], signed=[0])
    put("bad-head-before-wrong-link", m.signed(unsigned, 0).replace("last 1 6 ", "last 1 5 "), "unknown", "bad-head", "head 1", heads=["x"])
    short = play(Match("two", 2), 4)
    put("end-dropped-beside-a-receipt", short.signed(short.record(), 0), "broken", "other-head", "roll 5", heads=[m.receipt(6)], signed=[0])
    put("head-changed-by-a-move", server, "broken", "other-head", "roll 5", heads=[remade.receipt(5)], signed=[0])

    # Faults, each by itself. With the server's signature on it a broken record is proof against the server.
    def remake(name, change, verdict, code, place="", match=m, text=None, **kw):
        body = text or match.body()
        changed = change(body)
        assert changed != body, name
        put(name, match.signed(summed(changed), 0), verdict, code, place, signed=[0], **kw)

    def line(n, with_):
        """Changes the line that begins with n."""
        def change(body):
            lines = body.split("\n")
            at = [i for i, l in enumerate(lines) if l.startswith(n)]
            assert len(at) == 1, (n, at)
            lines[at[0]] = with_(lines[at[0]]) if callable(with_) else with_
            return "\n".join(l for l in lines if l is not None)
        return change

    dice = [made["dice"] for made in m.made]
    turned = [dice[2][0] % 6 + 1, dice[2][1]]
    remake("die-changed", line("roll 3 ", f"roll 3 1 6,6 {commas(turned)}"), "broken", "wrong-dice", "roll 3")
    remake("actor-changed", line("roll 5 ", lambda l: l.replace("roll 5 1", "roll 5 2")), "broken", "wrong-dice", "roll 5")
    remake("move-changed", line("move 1 22", "move 1 22/17 8/6"), "broken", "wrong-dice", "roll 4")
    remake("move-of-another-role", line("move 1 22", lambda l: l.replace("move 1", "move 0")), "broken", "wrong-dice", "roll 4")
    remake("move-left-out", line("move 1 22", None), "broken", "wrong-dice", "roll 4")
    remake("roll-left-out", line("roll 3 ", None), "broken", "wrong-number", "roll 3")
    remake("roll-twice", line("roll 3 ", lambda l: l + "\n" + l), "broken", "wrong-number", "roll 4")
    remake("roll-skipped", line("roll 3 ", lambda l: l.replace("roll 3", "roll 4")), "broken", "wrong-number", "roll 3")
    remake("seq-changed", line("seq ", "seq 2"), "broken", "wrong-dice", "roll 1")
    remake("rules-changed", line("rules ", "rules " + "0" * 64), "broken", "wrong-dice", "roll 1")
    remake("expires-changed", line("expires ", "expires 1790000001"), "broken", "wrong-dice", "roll 1")
    remake("count-7", line("rolls ", "rolls 7"), "broken", "wrong-count", "roll 7")
    remake("count-5", line("rolls ", "rolls 5"), "broken", "wrong-count", "roll 6")
    remake("head-changed", line("head ", "head " + m.heads[5].hex()), "broken", "wrong-head")
    # A wish of the last move: it changes nothing but the head.
    remake("move-added-at-the-end", line("roll 6 ", lambda l: l + "\nmove 1 resign"), "broken", "wrong-head")
    pending = m.body("running", pending="7 1 6,6")
    remake("pending-of-another-number", line("pending ", "pending 8 1 6,6"), "broken", "wrong-number", "roll 7", text=pending)
    text = summed(line("match ", "match " + running.id.hex())(m.body()))
    put("match-changed", m.signed(text, 0), "broken", "wrong-link", "role 0")
    for r in range(3):
        remake(f"link-changed-{r}", line(f"last {r} ", f"last {r} 6 {counter('no link').hex()}"), "broken", "wrong-link", f"role {r}")
        remake(f"link-too-many-{r}", line(f"last {r} ", f"last {r} 7 {m.chains[r][7].hex()}"), "broken", "links-count", f"role {r}")
        remake(f"link-too-few-{r}", line(f"last {r} ", f"last {r} 5 {m.chains[r][5].hex()}"), "broken", "no-link", f"roll 6 role {r}")
    remake("link-of-another-role", line("last 1 ", f"last 1 6 {m.chains[2][6].hex()}"), "broken", "wrong-link", "role 1")
    remake("link-of-another-match", line("last 1 ", f"last 1 6 {running.chains[1][6].hex()}"), "broken", "wrong-link", "role 1")
    remake("link-of-another-index", line("last 1 ", f"last 1 6 {m.chains[1][7].hex()}"), "broken", "wrong-link", "role 1")
    remake("link-shown-twice", line("last 1 ", f"last 1 6 {m.chains[1][5].hex()}"), "broken", "wrong-link", "role 1")
    remake("anchor-in-place-of-a-link", line("last 1 ", f"last 1 0 {m.chains[1][0].hex()}"), "broken", "no-link", "roll 1 role 1")
    copied = line("role 2 ", f"role 2 {m.chains[1][0].hex()} {m.keys[2].hex()}")
    remake("anchor-copied", copied, "broken", "same-anchor", "role 2")
    remake("anchor-and-key-copied", line("role 2 ", f"role 2 {m.chains[1][0].hex()} {m.keys[1].hex()}"), "broken", "same-anchor", "role 2")
    put("key-copied", m.signed(summed(line("role 2 ", f"role 2 {m.chains[2][0].hex()} {m.keys[1].hex()}")(m.body())), 0),
        "broken", "same-key", "role 2", signed=[0])
    none = Match("none", 1)
    put("no-rolls", none.signed(none.record(), 0, 1), "unknown", "no-rolls", signed=[0, 1])
    only = Match("only-moves", 1)
    only.move(1, "I pass")
    put("only-moves", only.signed(only.record("aborted 1"), 0), "unknown", "no-rolls", signed=[0])
    body = m.body()
    wrong_sum = body + "sum " + "0" * 64 + "\n"
    put("wrong-sum", m.signed(wrong_sum, 0), "unknown", "wrong-sum", signed=[0])
    put("wrong-sum-unsigned", wrong_sum, "unknown", "wrong-sum")

    # Signatures.
    changed = summed(line("expires ", "expires 1790000001")(m.body()))
    put("signed-then-changed", note(m.record("aborted 2"), m.signature(0, unsigned)), "broken", "wrong-signature", "role 0")
    put("dice-before-signatures", note(changed, m.signature(0, unsigned)), "broken", "wrong-dice", "roll 1")
    put("seat-signed-another-text", note(unsigned, m.signature(0, unsigned), m.signature(2, changed)), "broken", "wrong-signature", "role 2", signed=[0])
    put("server-signs-for-a-seat", note(unsigned, m.signature(0, unsigned), m.signature(0, unsigned, as_role=1)), "broken", "wrong-signature", "role 1", signed=[0])
    put("two-bad-signatures", note(unsigned, m.signature(2, changed), m.signature(1, changed)), "broken", "wrong-signature", "role 1")
    put("one-good-and-one-bad-of-the-server", note(unsigned, m.signature(0, unsigned), m.signature(0, changed)), "broken", "wrong-signature", "role 0", signed=[0])
    put("signature-twice", note(unsigned, m.signature(0, unsigned), m.signature(0, unsigned)), **good)
    for what, blob2 in (("63-bytes", blob[:-1]), ("65-bytes", blob + b"\0"),
                        ("s-plus-l", blob[:36] + (int.from_bytes(blob[36:], "little") + L).to_bytes(32, "little"))):
        put(f"signature-of-{what}", note(unsigned, (name, blob2)), "broken", "wrong-signature", "role 0")
    for what, key in (("neutral", (1).to_bytes(32, "little")), ("neutral-in-another-encoding", (P + 1).to_bytes(32, "little"))):
        weak = Match("weak " + what, 1)
        weak.keys[0] = key
        weak.start()
        weak.roll(1, 6, 6)
        text = weak.record()
        role0 = weak.id.hex() + "/0"
        put(f"key-{what}", note(text, (role0, key_id(role0, key) + (1).to_bytes(32, "little") + bytes(32))), "broken", "wrong-signature", "role 0")
        put(f"key-{what}-unsigned", text, "unknown", "not-signed")

    # Texts that are no records. The place is the first line at which they stop being one.
    lines = unsigned.split("\n")[:-1]

    def syntax(name, n, *with_, code="syntax"):
        """Puts lines in the place of line n, counted from 1."""
        copy = lines[:n - 1] + list(with_) + lines[n:]
        put("syntax-" + name, "\n".join(copy) + "\n", "unknown", code, f"line {n}" if code == "syntax" else "")

    def at(start):
        return next(i for i, l in enumerate(lines) if l.startswith(start)) + 1

    role1, roll1, last1 = lines[at("role 1") - 1], lines[at("roll 1 ") - 1], lines[at("last 1") - 1]
    syntax("version-2", 1, "veridice record 2", code="version")
    syntax("scheme-veridice-2", 2, "scheme veridice/2", code="scheme")
    syntax("match-upper-case", 3, lines[2].upper().replace("MATCH", "match"))
    syntax("match-short", 3, lines[2][:-2])
    syntax("seal-line", 3, "seal -")
    for what, value in (("0", "0"), ("above", str(2**53)), ("zero-first", "01"), ("sign", "+1"), ("blank", "1 "), ("point", "1.0")):
        syntax(f"seq-{what}", 4, "seq " + value)
    syntax("rules-long", 5, lines[4] + "00")
    syntax("links-0", 6, "links 0")
    syntax("links-8193", 6, "links 8193")
    syntax("roles-out-of-order", 8, lines[8], lines[7])
    syntax("no-seat", 8)
    syntax("role-without-key", 8, role1[:-65])
    syntax("role-with-two-blanks", 8, role1.replace("role 1 ", "role 1  "))
    many = [f"role {r} {counter('many', r).hex()} {counter('many key', r).hex()}" for r in range(18)]
    text = "\n".join(lines[:6] + many + lines[9:]) + "\n"
    put("syntax-seventeen-seats", text, "unknown", "syntax", "line 24")
    syntax("expires-above", 10, "expires " + str(2**53))
    roll = at("roll 1 ")
    for what, with_ in (("number-0", "roll 0 1 6,6 1,1"), ("number-above", "roll 100001 1 6,6 1,1"), ("actor-3", "roll 1 3 6,6 1,1"),
                        ("faces-1", "roll 1 1 6,1 1,1"), ("faces-2-32", f"roll 1 1 {2**32} 1"), ("die-0", "roll 1 1 6,6 0,1"),
                        ("die-7", "roll 1 1 6,6 1,7"), ("fewer-dice", "roll 1 1 6,6 1"), ("more-dice", "roll 1 1 6 1,1"),
                        ("no-dice", "roll 1 1 6,6"), ("empty-die", "roll 1 1 6,6 1,"), ("comma-and-blank", "roll 1 1 6, 6 1,1"),
                        ("leading-zero", "roll 1 1 6,6 01,1"), ("end-blank", roll1 + " "), ("carriage-return", roll1 + "\r"), ("game-line", "game"),
                        ("1025-dice", f"roll 1 1 {commas([6] * 1025)} {commas([1] * 1025)}"), ("tab", roll1.replace(" ", "\t"))):
        syntax("roll-" + what, roll, with_)
    move = roll + 1
    for what, with_ in (("empty", "move 1 "), ("no-text", "move 1"), ("role-3", "move 3 x"), ("blank-first", "move 1  x"), ("blank-last", "move 1 x "),
                        ("1001", "move 1 " + "x" * 1001), ("not-ascii", "move 1 \u03b6"), ("control", "move 1 a\x07b"), ("delete", "move 1 a\x7f")):
        syntax("move-" + what, move, with_)
    last = at("last 1 ")
    syntax("last-left-out", last)
    syntax("last-index-above", last, last1.replace("last 1 6", "last 1 65"))
    syntax("last-twice", last + 1, last1, lines[last])
    syntax("pending-late", last, "pending 7 1 6,6", last1)
    syntax("entry-behind-the-last", at("rolls "), "move 1 x", lines[at("rolls ") - 1])
    for what, with_ in (("unknown", "state over"), ("aborted-alone", "state aborted"), ("role-3", "state aborted 3"), ("role-00", "state aborted 00"),
                        ("reason", "state aborted 1 rain"), ("finished-role", "state finished 1"), ("running-role", "state running -")):
        syntax("state-" + what, at("state "), with_)
    body = m.body("finished", pending="7 1 6,6")
    put("syntax-finished-with-pending", summed(body), "unknown", "syntax", f"line {body.count(chr(10))}")
    syntax("two-pending", at("last 0 ") + 1, lines[at("last 0 ") - 1], "pending 7 1 6,6", lines[at("last 0 ")])
    syntax("sum-upper-case", at("sum "), lines[at("sum ") - 1].upper().replace("SUM", "sum"))
    put("syntax-nothing-behind-the-opening", "\n".join(lines[:10]) + "\n", "unknown", "syntax", "line 11")
    put("syntax-not-ended", unsigned[:-1], "unknown", "syntax", f"line {len(lines)}")
    put("syntax-text-behind", unsigned + "move 1 x\n", "unknown", "syntax", f"line {len(lines) + 1}")
    put("syntax-two-empty-lines", unsigned + "\n\n", "unknown", "syntax", f"line {len(lines) + 1}")
    put("syntax-empty-line", unsigned + "\n", "unknown", "syntax")
    sig = server[len(unsigned) + 1:]
    for what, text in (("without-dash", sig.replace("\u2014", "-")), ("two-blanks", sig.replace("\u2014 ", "\u2014  ")), ("not-ended", sig[:-1]),
                       ("cut-base64", sig[:-2] + "\n"), ("unused-bits", None), ("blank-behind", sig[:-1] + " \n"), ("four-bytes", f"\u2014 {name} AAAAAA==\n"),
                       ("carriage-return", sig[:-1] + "\r\n"), ("plus-in-name", sig.replace("/0 ", "+0 ")), ("101", sig * 101)):
        if text is None:
            b = base64.b64encode(blob).decode()
            spoilt = b[:-2] + "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"[
                "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".index(b[-2]) + 1] + "="
            assert b.endswith("=") and not b.endswith("==") and base64.b64decode(spoilt) == blob
            text = f"\u2014 {name} {spoilt}\n"
        if not text.startswith("\u2014"):
            put(f"note-{what}", unsigned + "\n" + text, "unknown", "syntax", f"line {len(lines) + 1}")
        else:
            put(f"note-{what}", unsigned + "\n" + text, "unknown", "syntax")

    views = [("two", unsigned), ("running", running.record("running", pending="4 2 6,6")), ("aborted", aborted.record("aborted 2")),
             ("aborted-by-nobody", aborted.record("aborted -")), ("cards", cards.record())]
    for name, text in views:
        f.add("veridice1", "view-" + name, kind="view", text=text, view=json.dumps(view_of(text), separators=(",", ":")))
    evidence(f, m, remade, short, running)
    rolls(f, [m, cards, sixteen, aborted])
    long(f)


def evidence(f, m, remade, short, running):
    key = m.keys[0].hex()

    def put(name, a, b, code="", place="", key=key):
        f.add("veridice1", "evidence-" + name, kind="evidence", key=key, notes=[a, b], code=code, place=place)

    put("two-heads", m.receipt(5), remade.receipt(5), "two-heads", "roll 5")
    put("one-head-twice", m.receipt(5), m.receipt(5))
    put("heads-of-two-rolls", m.receipt(4), remade.receipt(5))
    put("head-without-signature", m.receipt(5), remade.head_text(5))
    put("head-of-a-seat", m.receipt(5), m.signed(remade.head_text(5), 1))
    bad = remade.head_text(5)
    put("head-with-a-forged-signature", m.receipt(5), note(bad, m.signature(1, bad, as_role=0)))
    put("heads-of-two-matches", m.receipt(3), running.receipt(3))
    text, other = m.roll_text(3), m.roll_text(3, faces="6,6,6")
    put("two-texts", m.signed(text, 0, 1), m.signed(other, 0), "two-rolls", "roll 3")
    put("two-texts-of-a-seat", m.signed(text, 0, 1), m.signed(other, 1), "two-rolls", "roll 3", key=m.keys[1].hex())
    put("one-text-of-two", m.signed(text, 0), m.signed(text, 1))
    put("two-texts-of-two", m.signed(text, 0), m.signed(other, 1))
    put("texts-of-two-rolls", m.signed(text, 0), m.signed(m.roll_text(4), 0))
    for what, changed in (("faces-1", m.roll_text(3, faces="1")), ("actor-17", m.roll_text(3, actor=17)), ("faces-with-zero", m.roll_text(3, faces="06,6"))):
        put(f"text-with-{what}", m.signed(text, 0), m.signed(changed, 0))
    put("head-and-record", m.receipt(4), m.signed(m.record(), 0))
    put("head-and-another-record", m.receipt(5), remade.signed(remade.record(), 0), "two-heads", "roll 5")
    put("head-and-shorter-record", m.receipt(6), short.signed(short.record("aborted 1"), 0), "dropped-roll", "roll 5")
    put("head-and-running-record", m.receipt(6), short.signed(short.record("running"), 0))
    put("head-and-unsigned-record", m.receipt(5), remade.record())
    put("head-and-record-of-the-seats", m.receipt(5), remade.signed(remade.record(), 1, 2))
    put("two-records", m.signed(m.record(), 0), remade.signed(remade.record(), 0, 1), "two-heads", "roll 5")
    put("record-and-its-running-beginning", m.signed(m.record(), 0), short.signed(short.record("running"), 0))
    put("record-and-its-finished-beginning", m.signed(m.record(), 0), short.signed(short.record(), 0), "dropped-roll", "roll 5")
    other = play(Match(m.name, 2, seq=m.seq + 1), 6)
    assert other.id == m.id and other.keys == m.keys and other.opening != m.opening
    put("records-of-two-openings", m.signed(m.record(), 0), other.signed(other.record(), 0), "two-heads", "roll 1")
    other = play(Match(m.name, 2, seq=m.seq + 1), 3)
    put("record-and-finished-record-of-another-opening", m.signed(m.record(), 0), other.signed(other.record(), 0), "two-heads", "roll 1")
    other = Match(m.name, 2, seq=m.seq + 1)
    put("record-and-record-without-rolls-of-another-opening", m.signed(m.record(), 0), other.signed(other.record("aborted 1"), 0))
    empty = Match(m.name, 2)
    put("record-and-record-without-rolls", m.signed(m.record(), 0), empty.signed(empty.record("aborted 1"), 0), "dropped-roll", "roll 1")
    put("record-and-broken-record", m.signed(m.record(), 0), short.signed(short.record(count=3), 0))
    put("record-with-a-wrong-sum", m.signed(m.record(), 0), remade.signed(remade.body() + "sum " + "0" * 64 + "\n", 0), "two-heads", "roll 5")
    put("text-and-head", m.signed(text, 0), m.receipt(3))


def long(f):
    """8192 rolls of 17 roles: what cannot stand here in full is made again by the test."""
    m = Match("long", 16, links=8192)
    for n in range(8192):
        m.roll(n % 17, 6, 6)
    f.add("veridice1", "long", kind="long", open=m.lines(), last=[c[-1].hex() for c in m.chains],
          shown="".join(str(d) for made in m.made for d in made["dice"]), head=m.head.hex(),
          sum=sha256(m.body().encode()).hex())


def add_all(f):
    primitives(f)
    records(f)

#!/usr/bin/env python3
"""Writes vectors/*.ndjson: the same bytes at every run. README.md says what the fields mean.

    python3 vectors/gen/gen.py

It knows the rules from docs/spec alone (rules.py) and stops at the first example
of docs/spec that they do not reproduce.
"""

import hashlib
import json
import pathlib
import sys

sys.dont_write_bytecode = True

import examples as ex
import links
import log
import records
import rules
import veridice1
from rules import check, hmac_sha256, sha256

FOLDER = pathlib.Path(__file__).resolve().parent.parent


def pairs(text):
    return [[int(d) for d in roll.split("-")] for roll in text.split()]


def dash(dice):
    return "-".join(map(str, dice))


class Files:
    """Collects the lines of each file; a name stands for one line only."""

    def __init__(self):
        self.lines, self.names = {}, set()

    def add(self, file, name, **fields):
        assert (file, name) not in self.names, (file, name)
        self.names.add((file, name))
        line = json.dumps({"name": name, **fields}, separators=(",", ":"))
        self.lines.setdefault(file, []).append(line)

    def write(self):
        for file, lines in self.lines.items():
            (FOLDER / f"{file}.ndjson").write_bytes(("\n".join(lines) + "\n").encode("ascii"))


def counter(name, i):
    """Block i of the SHA-256 counter stream of a name: SHA-256(name, eight bytes of i)."""
    return sha256(name.encode() + i.to_bytes(8, "big"))


def seeds(name, i, length):
    """length bytes of a counter stream, from its block i on."""
    out = b""
    while len(out) < length:
        out += counter(name, i)
        i += 1
    return out[:length]


def seal(f):
    def add(name, covers, scheme, text, seed):
        other = sha256(text.encode()) if covers == "bytes" else sha256(bytes.fromhex(text)) if is_hex(text) else None
        f.add("seal", name, scheme=scheme, covers=covers, seed=text, seal=sha256(seed).hex(),
              other=other.hex() if other else "")

    for name, e in (("spec-tavli", ex.A), ("spec-shortest", ex.SHORT), ("spec-longest", ex.LONG), ("hostile", ex.HOSTILE)):
        assert sha256(bytes.fromhex(e["server"])).hex() == e["seal"], name
        add(name, "bytes", "tavli/1", e["server"], bytes.fromhex(e["server"]))
    assert sha256(ex.HOSTILE["server"].encode()).hex() == ex.HOSTILE["text_seal"]
    for name, e in (("spec-yayay", ex.Y), ("spec-zero", ex.ZERO)):
        assert sha256(bytes.fromhex(e["server"])).hex() == e["seal"], name
        add(name, "bytes", "yayay/1", e["server"], bytes.fromhex(e["server"]))
    text, of_text, of_bytes = ex.FLOAT_SEAL
    assert sha256(text.encode()).hex() == of_text and sha256(bytes.fromhex(text)).hex().startswith(of_bytes)
    add("spec-stake", "text", "shuffle/1", text, text.encode())
    for length in (16, 31, 32, 33, 55, 56, 63, 64):
        b = seeds("veridice vectors seal", length, length)
        add(f"bytes-{length}", "bytes", "tavli/1", b.hex(), b)
    for name, text in (("text-short", "def"), ("text-upper", text.upper()), ("text-blanks", "  lucky  "),
                       ("text-greek", "καλή τύχη"), ("text-composed", "caf\u00e9"), ("text-decomposed", "cafe\u0301"),
                       ("text-80", "x" * 80), ("text-1024", "0123456789abcdef" * 64)):
        add(name, "text", "shuffle/1", text, text.encode())


def is_hex(text):
    return len(text) % 2 == 0 and all(c in "0123456789abcdef" for c in text)


def tavli(f):
    def add(name, server, clients, roll, **extra):
        one = rules.tavli(bytes.fromhex(server), clients, roll)
        f.add("tavli", name, server=server, clients=clients, roll=roll, **one, **extra)
        return one

    for e, roll, mac, rejected, byte, position, dice, kept in ex.TAVLI:
        name = {id(ex.A): "spec", id(ex.SHORT): "spec-shortest", id(ex.LONG): "spec-longest"}[id(e)]
        one = add(f"{name}-{roll}", e["server"], e["clients"], roll)
        assert one["blocks"][0]["mac"].startswith(mac), name
        assert (one["rejected"], one["byte"], one["position"], dash(one["dice"])) == (rejected, byte, position, dice), name
        if kept:
            assert dash(rules.tavli_pair(rejected[0])) == kept
    # 87 and 1417 are the first of their kind.
    skipped = [len(rules.tavli(bytes.fromhex(ex.A["server"]), ex.A["clients"], n)["rejected"]) for n in range(1, 1418)]
    assert skipped.index(1) + 1 == 87 and skipped.index(2) + 1 == 1417
    for e, name in ((ex.A, "spec"), (ex.HOSTILE, "hostile")):
        for n, dice in enumerate(pairs(e["rolls"]), 1):
            if (name, n) != ("spec", 1):
                assert add(f"{name}-{n}", e["server"], e["clients"], n)["dice"] == dice
    assert [rules.tavli_dice(bytes.fromhex(ex.SHORT["server"]), ["Lucky_7"], n) for n in (1, 2, 3)] == pairs(ex.SHORT["rolls"])

    name = "veridice vectors tavli"
    server = counter(name, 0).hex()
    phones = [counter(name, i)[:16].hex() for i in range(1, 17)]
    for n in (1, 2, 3, 16):
        for roll in (1, 2):
            add(f"clients-{n}-roll-{roll}", server, phones[:n], roll)
    for n in (9, 10, 99, 100, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**53 - 1):
        add(f"roll-{n}", server, phones[:2], n)
    # Digits only: where one field ends must not depend on what stands in it.
    for clients, roll in ((["1", "2"], 3), (["1"], 3), (["12"], 3), (["1"], 23), (["1", "23"], 1), (["1", "2", "3"], 1)):
        add("digits-" + "-".join(clients) + f"-roll-{roll}", server, clients, roll)
    for length in (16, 17, 32, 63, 64):
        add(f"server-{length}", seeds(name, 100 + length, length).hex(), phones[:2], 1)
    # Seeds that differ in their last byte only.
    long = seeds(name, 300, 63)
    for last in (0, 1):
        add(f"last-byte-{last}", (long + bytes([last])).hex(), phones[:2], 1)
    add("case-kept-upper", server, ["Il1O0"], 1)
    add("case-kept-lower", server, ["il1o0"], 1)
    add("alphabet", server, ["ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"], 1)

    def refuse(name, what, server=server, clients=("a",), roll="1"):
        f.add("tavli", "refuse-" + name, server=server, clients=list(clients), roll=roll, refused=what)

    refuse("roll-0", "number", roll="0")
    refuse("roll-2^53", "number", roll="9007199254740992")
    refuse("roll-2^63", "number", roll="9223372036854775808")
    refuse("roll-2^64-1", "number", roll="18446744073709551615")
    refuse("server-15", "server", server=server[:30])
    refuse("server-1", "server", server="00")
    refuse("server-65", "server", server=seeds(name, 200, 65).hex())
    refuse("clients-0", "clients", clients=())
    refuse("clients-17", "clients", clients=phones + ["a"])
    refuse("client-empty", "client", clients=["a", ""])
    refuse("client-129", "client", clients=["_" * 129])
    refuse("client-colon", "client", clients=["a:b"])
    refuse("client-plus", "client", clients=["a+"])
    refuse("client-blank", "client", clients=["a b"])
    refuse("client-comma", "client", clients=["a,b"])
    refuse("client-line-end", "client", clients=["a\n"])
    refuse("client-greek", "client", clients=["\u03b1"])
    refuse("client-full-width", "client", clients=["\uff11"])
    refuse("client-zero-width", "client", clients=["a\u200bb"])
    refuse("client-composed", "client", clients=["caf\u00e9"])
    refuse("client-emoji", "client", clients=["\U0001f3b2"])


def unlucky(f):
    def add(name, macs, clients=("a", "b"), roll=5):
        given, messages = list(macs), []

        def mac(_, message):
            messages.append(message.decode())
            return given.pop(0)

        one = rules.tavli(bytes(16), list(clients), roll, mac)
        assert not given, name
        f.add("unlucky", name, clients=list(clients), roll=roll, macs=[m.hex() for m in macs], messages=messages,
              rejected=len(one["rejected"]), byte=one["byte"], position=one["position"], v=one["v"], dice=one["dice"])
        return one, messages

    full = b"\xff" * 32
    cases = [
        add("spec-one-unusable-block", [full, b"\xff\xfe\x23" + bytes(29)]),
        add("spec-two-unusable-blocks", [full, b"\xfc\xfd\xfe\xff" * 8, b"\xfb" + full[1:]]),
        add("spec-last-byte", [b"\xfc" * 31 + b"\x24"]),
    ]
    for (one, messages), (byte, position, dice, want) in zip(cases, ex.UNLUCKY):
        assert (one["byte"], one["position"], dash(one["dice"]), messages) == (byte, position, dice, want)
    for n in (1, 2, 5, 30):
        add(f"rejected-{n}", [bytes(252 + i % 4 for i in range(n)) + bytes([35 + n]) * (32 - n)])
    add("block-border", [full, b"\x00" + full[1:]])
    add("last-byte-of-second-block", [full, full[:31] + b"\xfb"])
    add("six-unusable-blocks", [full] * 6 + [b"\x07" * 32])
    add("one-phone", [full, bytes(32)], clients=["Lucky_7"], roll=1)
    add("sixteen-phones", [full, b"\x47" * 32], clients=[f"p{i}" for i in range(1, 17)], roll=10)
    add("largest-roll", [full, full, b"\xfa" * 32], roll=2**53 - 1)


def pair(f):
    """The whole domain of tavli/1's draw, from the definition of the dice alone."""
    count = {}
    for byte in range(256):
        dice = rules.tavli_pair(byte) if byte < 252 else None
        if dice:
            count[tuple(dice)] = count.get(tuple(dice), 0) + 1
        f.add("pair", f"byte-{byte}", byte=byte, dice=dice)
    assert set(count.values()) == {7} and len(count) == 36


def yayay(f):
    def die(name, server, number):
        key = bytes.fromhex(server)
        data = rules.yayay_input(key, number)
        h = sha256(data)
        word = int.from_bytes(h[:4], "big")
        f.add("yayay", name, kind="die", server=server, die=number, input=data.hex(), hash=h.hex(), word=word, face=rules.mod6(word))
        return h.hex(), word, rules.mod6(word)

    for e, number, h, word, face in ex.YAYAY:
        got = die(("spec" if e is ex.Y else "spec-zero") + f"-{number}", e["server"], number)
        assert got[0].startswith(h) and got[1:] == (word, face)
    spec = [int(d) for d in ex.Y["dice"].split()]
    assert [rules.yayay_die(bytes.fromhex(ex.Y["server"]), i) for i in range(16)] == spec
    for i in range(2, 16):
        die(f"spec-{i}", ex.Y["server"], i)
    name = "veridice vectors yayay"
    server = counter(name, 0).hex()
    for number in (0, 255, 256, 65535, 65536, 2**24 - 1, 2**24, 2**31 - 1, 2**31, 2**32 - 2, 2**32 - 1):
        die(f"die-{number}", server, number)

    def throws(name, server, sizes):
        key, first, out = bytes.fromhex(server), 0, []
        for size in sizes:
            out.append([rules.yayay_die(key, first + i) for i in range(size)])
            first += size
        f.add("yayay", name, kind="throws", server=server, throws=out)
        return out

    assert throws("spec-throws-of-two", ex.Y["server"], [2] * 8) == [spec[i : i + 2] for i in range(0, 16, 2)]
    assert throws("spec-throws-5-1-5", ex.MIXED["server"], [5, 1, 5]) == ex.MIXED["throws"]
    throws("throws-1", server, [1] * 12)
    throws("throws-5", server, [5] * 4)
    throws("throws-100", server, [100, 100])
    throws("throws-mixed", server, [1, 100, 2, 5, 3, 1])

    for word, face in ex.YAYAY_WORDS:
        assert rules.mod6(word) == face
    for word in sorted({w for w, _ in ex.YAYAY_WORDS} | {1, 2, 3, 4, 7, 11, 12, 2**31 - 1, 2**31, 2**32 - 7, 2**32 - 6}):
        f.add("yayay", f"word-{word}", kind="word", word=word, face=rules.mod6(word))
    for face in range(1, 7):
        # Words face-1, face+5, ... below 2^32.
        words = (2**32 - face) // 6 + 1
        assert words == (715827883 if face < 5 else 715827882)
        f.add("yayay", f"bias-{face}", kind="bias", face=face, words=words)
    for what, fields in (("die-2^32", dict(die=2**32, size=1)), ("size-0", dict(die=0, size=0)), ("size-101", dict(die=0, size=101)),
                         ("past-the-last", dict(die=2**32 - 2, size=3))):
        f.add("yayay", f"refuse-{what}", kind="refused", server=server, **fields)
    f.add("yayay", "refuse-server-31", kind="refused", server=server[:62], die=0, size=1)
    f.add("yayay", "refuse-server-33", kind="refused", server=server + "00", die=0, size=1)


def shuffle(f):
    def fraction(word):
        return f"{word}/4294967296", repr(word / 2**32)

    def stream(name, server, client, nonce, cursor=0, count=1):
        words = rules.float_words(server.encode(), client, nonce, cursor, count)
        blocks = range(cursor // 32, (cursor + 4 * count - 1) // 32 + 1)
        value = rules.dice_value(words[0])
        f.add("shuffle", name, kind="stream", server=server, client=client, nonce=nonce, cursor=cursor,
              blocks=[{"block": c, "message": rules.float_message(client, nonce, c).hex(),
                       "mac": rules.float_block(server.encode(), client, nonce, c).hex()} for c in blocks],
              words=words, fractions=[fraction(w)[0] for w in words], floats=[fraction(w)[1] for w in words],
              value=value, shown=rules.shown(value))
        return words

    for server, client, nonce, cursor, words, floats, dice in ex.FLOATS:
        name = f"spec-{client or 'empty'}-{nonce}-{cursor}" + ("" if server == "def" else "-" + server[:4])
        name = name.replace("καλή τύχη", "greek").replace(" ", "")
        got = stream(name, server, client, nonce, cursor, len(words))
        assert got == words, name
        assert floats is None or [fraction(w)[1] for w in got] == floats, name
        assert dice is None or rules.shown(rules.dice_value(got[0])) == dice, name
    for (nonce, c), want in ex.FLOAT_BLOCKS.items():
        assert rules.float_block(b"def", "abc", nonce, c).hex() == want
    for (client, nonce), want in ex.FLOAT_MESSAGES.items():
        assert rules.float_message(client, nonce, 0).hex() == want
    key = ex.FLOAT_SEAL[0]
    assert rules.shown(rules.dice_value(rules.float_words(bytes.fromhex(key), "aR3kRBVn", 3, 0, 1)[0])) == "50.45"

    name = "veridice vectors shuffle"
    server = counter(name, 0).hex()
    for cursor in (0, 1, 4, 28, 29, 31, 32, 33, 60, 63, 64, 4096):
        stream(f"cursor-{cursor}", server, "client", 1, cursor, 2)
    stream("words-52", server, "client", 7, 0, 52)
    stream("words-65", server, "client", 8, 0, 65)
    for nonce in (0, 1, 2**31, 2**32, 2**53 - 1):
        stream(f"nonce-{nonce}", server, "client", nonce)
    clients = [("colons", ":::"), ("digits", "1:2"), ("line-end", "a\r\n"), ("blanks", "  lucky  "), ("composed", "caf\u00e9"),
               ("decomposed", "cafe\u0301"), ("emoji", "\U0001fae9"), ("family", "\U0001f468\u200d\U0001f469\u200d\U0001f467"),
               ("zero-byte", "a\u0000b"), ("separator", "a\u2028b"), ("angle", "<a&b>"), ("length-1024", "c" * 1024)]
    for what, client in clients:
        stream(f"client-{what}", server, client, 1)
    for length in (1, 63, 64, 65, 128, 1024):
        stream(f"server-{length}", ("0123456789abcdef" * 64)[:length], "abc", 1)
    stream("server-upper", server.upper(), "client", 1)
    stream("server-greek", "τύχη", "abc", 1)
    stream("server-blanks", " def ", "abc", 1)

    for four, word, floating, value in ex.FLOAT_BYTES:
        assert int.from_bytes(bytes(four), "big") == word and fraction(word)[1] == floating and rules.dice_value(word) == value
        # The published way: a sum over powers of 256, exact in doubles.
        assert sum(b / 256 ** (i + 1) for i, b in enumerate(four)) == word / 2**32
        f.add("shuffle", f"bytes-{word}", kind="bytes", bytes=four, word=word, fraction=fraction(word)[0], float=floating,
              value=value, shown=rules.shown(value))
    for word, floating, value, text in ex.DICE_WORDS:
        assert (fraction(word)[1], rules.dice_value(word), rules.shown(value)) == (floating, value, text)
        f.add("shuffle", f"word-{word}", kind="bytes", bytes=list(word.to_bytes(4, "big")), word=word, fraction=fraction(word)[0],
              float=floating, value=value, shown=text)
    for n in (1, 2, 3, 6, 7, 36, 37, 52, 100, 10000, 10001, 65536, 2**24, 2**31, 2**32 - 1):
        for word in (0, 1, 429453, 429454, 2**31 - 1, 2**31, 2**32 - 2, 2**32 - 1):
            f.add("shuffle", f"index-{word}-{n}", kind="index", word=word, n=n, index=rules.index(word, n))
    # How many words give each value, from the ends of its range.
    starts = [-(-v * 2**32 // 10001) for v in range(10002)]
    counts = {}
    for v in range(10001):
        words = starts[v + 1] - starts[v]
        counts[words] = counts.get(words, 0) + 1
    assert counts == {429454: 7843, 429453: 2158}
    for words, values in counts.items():
        f.add("shuffle", f"counts-{words}", kind="counts", words=words, values=values)
    lost = [v for v in range(10001) if int((v / 100) * 100) != v]
    assert len(lost) == 573
    f.add("shuffle", "cents-lost", kind="lost", values=lost)
    for what, fields in (("server-empty", dict(server="")), ("server-1025", dict(server="x" * 1025)),
                         ("client-1025", dict(client="c" * 1025)), ("nonce-2^53", dict(nonce="9007199254740992")),
                         ("nonce-2^64-1", dict(nonce="18446744073709551615"))):
        f.add("shuffle", f"refuse-{what}", kind="refused", **{"server": "def", "client": "abc", "nonce": "1", **fields})


def hmacs(f):
    def add(name, key, message, want=None, wrong=b"", length=32):
        mac = hmac_sha256(key, message)
        if want is not None:
            assert mac.hex()[: 2 * length] == want, name
        f.add("hmac", name, key=key.hex(), message=message.hex(), mac=mac.hex()[: 2 * length], wrong=wrong.hex())

    # RFC 4231, section 4; case 5 is cut to 128 bits there.
    add("rfc4231-1", b"\x0b" * 20, b"Hi There", "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7")
    add("rfc4231-2", b"Jefe", b"what do ya want for nothing?", "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
    add("rfc4231-3", b"\xaa" * 20, b"\xdd" * 50, "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe")
    add("rfc4231-4", bytes(range(1, 26)), b"\xcd" * 50, "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b")
    add("rfc4231-5", b"\x0c" * 20, b"Test With Truncation", "a3b6167473100ee06e0c796c2955552b", length=16)
    add("rfc4231-6", b"\xaa" * 131, b"Test Using Larger Than Block-Size Key - Hash Key First",
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")
    add("rfc4231-7", b"\xaa" * 131, b"This is a test using a larger than block-size key and a larger than block-size data. "
        b"The key needs to be hashed before being used by the HMAC algorithm.",
        "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2")
    # A key byte from 80 up, taken for a character and encoded: gchq/CyberChef#437.
    add("high-byte", bytes(15) + b"\x80", b"test", "82eb64f8f0732e166df7ffa088393fcea946233c8df3f76d7dc1dde0a055ae4e",
        hmac_sha256(bytes(15) + "\x80".encode(), b"test"))
    # The digits of a key used in its place: robinmoisson/staticrypt#98.
    wrong = hmac_sha256((b"\x7b" * 32).hex().encode(), b"client:0")
    assert wrong.hex().startswith("a634a135") and wrong.hex().endswith("9bdd")
    add("key-as-text", b"\x7b" * 32, b"client:0", "0eb9d2718b76ff979ea2213b7d47af9a39ace8c3fd6cb176f6a7f93bc4cd35ab", wrong)
    # Key and message in the other order: brix/crypto-js#265.
    add("exchanged", b"key", b"message", None, hmac_sha256(b"message", b"key"))
    name = "veridice vectors hmac"
    for length in (0, 1, 31, 32, 63, 64, 65, 131, 200):
        add(f"key-{length}", seeds(name, length, length), b"message")
    for length in (0, 1, 55, 56, 63, 64, 65, 119, 120, 128, 1000):
        add(f"message-{length}", seeds(name, 500, 32), seeds(name, 600 + 100 * length, length))
    assert sha256(b"").hex() == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    for length in (0, 1, 55, 56, 63, 64, 65, 119, 120, 128, 1000):
        data = seeds(name, 900 + 100 * length, length)
        f.add("sha256", f"length-{length}", message=data.hex(), hash=sha256(data).hex())
    f.add("sha256", "fips-abc", message=b"abc".hex(), hash=sha256(b"abc").hex())
    assert sha256(b"abc").hex() == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    two = b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"
    f.add("sha256", "fips-two-blocks", message=two.hex(), hash=sha256(two).hex())
    assert sha256(two).hex() == "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"


def wrong_readings(f):
    server, clients = ex.A["server"], ex.A["clients"]
    key = bytes.fromhex(server)
    right = pairs(ex.A["rolls"])[:8]
    for reading, derive in rules.TAVLI_WRONG.items():
        wrong = [derive(key, clients, n) for n in range(1, 9)]
        assert wrong == pairs(ex.TAVLI_WRONG[reading]) and wrong != right, reading
        f.add("wrong-readings", f"tavli-{reading}", scheme="tavli/1", reading=reading, server=server, clients=clients,
              right=right, wrong=wrong)
    y = bytes.fromhex(ex.Y["server"])
    right = [int(d) for d in ex.Y["dice"].split()][:12]
    for reading, orders in rules.YAYAY_WRONG.items():
        wrong = [rules.yayay_die(y, i, *orders) for i in range(12)]
        assert wrong == [int(d) for d in ex.YAYAY_WRONG[reading].split()] and wrong != right, reading
        f.add("wrong-readings", f"yayay-{reading}", scheme="yayay/1", reading=reading, server=ex.Y["server"], clients=[],
              right=[[d] for d in right], wrong=[[d] for d in wrong])
    text, client = ex.FLOAT_SEAL[0], "aR3kRBVn"
    words = [rules.float_words(text.encode(), client, n, 0, 1)[0] for n in range(1, 9)]
    right = [rules.dice_value(w) for w in words]
    readings = {
        "key-is-bytes": [rules.dice_value(rules.float_words(bytes.fromhex(text), client, n, 0, 1)[0]) for n in range(1, 9)],
        "modulo": [w % 10001 for w in words],
        "times-10000": [rules.index(w, 10000) for w in words],
        "little-endian-word": [rules.dice_value(int.from_bytes(w.to_bytes(4, "big"), "little")) for w in words],
        "no-block-number": [rules.dice_value(int.from_bytes(hmac_sha256(text.encode(), f"{client}:{n}".encode())[:4], "big"))
                            for n in range(1, 9)],
        "blocks-from-1": [rules.dice_value(rules.float_words(text.encode(), client, n, 32, 1)[0]) for n in range(1, 9)],
    }
    for reading, wrong in readings.items():
        assert wrong != right, reading
        f.add("wrong-readings", f"shuffle-{reading}", scheme="shuffle/1", reading=reading, server=text, clients=[client],
              right=[[v] for v in right], wrong=[[v] for v in wrong])


def accumulated(f):
    """Many cases folded into one hash; README.md has the folding rules."""

    def fold(scheme, name, case):
        h, done = hashlib.sha256(), 0
        for cases in (100, 10_000, 1_000_000):
            while done < cases:
                h.update(case(counter(name, done)))
                done += 1
            f.add("accumulated", f"{scheme.partition('/')[0]}-{cases}", scheme=scheme, stream=name, cases=cases, sha256=h.copy().hexdigest())

    def tavli(b):
        roll = int.from_bytes(b[:4], "big") % 100_000 + 1
        return bytes(rules.tavli_dice(b, [b[:16].hex(), b[16:].hex()], roll))

    def yayay(b):
        return bytes([rules.yayay_die(b, int.from_bytes(b[:4], "big"))])

    def shuffle(b):
        nonce, cursor = int.from_bytes(b[:8], "big") >> 11, b[31] % 64
        word = rules.float_words(b.hex().encode(), b[:8].hex(), nonce, cursor, 1)[0]
        return word.to_bytes(4, "big") + rules.dice_value(word).to_bytes(2, "big")

    for case in (tavli, yayay, shuffle):
        fold(f"{case.__name__}/1", f"veridice accumulated {case.__name__}", case)


def main():
    f = Files()
    for part in (seal, hmacs, tavli, pair, unlucky, yayay, shuffle, wrong_readings, accumulated):
        part(f)
    links.add(f, check)
    records.add(f, check)
    veridice1.add_all(f)
    log.add_all(f)
    f.write()
    total = sum(map(len, f.lines.values()))
    print(f"{len(f.lines)} files, {total} lines", file=sys.stderr)


if __name__ == "__main__":
    main()

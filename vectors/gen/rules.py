"""The rules of docs/spec, written down a second time with hashlib and hmac alone.

Nothing here calls the Go code or the JavaScript engine, and neither was
translated from the other: the vectors are worth something because of that.
"""

import hashlib
import hmac
from itertools import permutations


def sha256(data):
    return hashlib.sha256(data).digest()


def hmac_sha256(key, message):
    return hmac.digest(key, message, "sha256")


def mod6(word):
    return word % 6 + 1


# tavli/1


def tavli_message(clients, number, block):
    return ":".join(clients) + "+" * block + ":" + str(number)


def tavli_pair(byte):
    v = byte % 36
    return [v // 6 + 1, v % 6 + 1]


def tavli(key, clients, number, mac=hmac_sha256):
    """One roll with everything it was made of."""
    blocks, rejected = [], []
    while True:
        message = tavli_message(clients, number, len(blocks))
        block = mac(key, message.encode())
        blocks.append({"message": message, "mac": block.hex()})
        for position, byte in enumerate(block):
            if byte < 252:
                return {
                    "blocks": blocks, "rejected": rejected, "byte": byte,
                    "position": position, "v": byte % 36, "dice": tavli_pair(byte),
                }
            rejected.append(byte)


def tavli_dice(key, clients, number):
    return tavli(key, clients, number)["dice"]


# Readings of tavli/1 that are wrong, each giving the dice of one roll.


def _first(block):
    return tavli_pair(next(b for b in block if b < 252))


def _bytewise(key, clients, number):
    block = hmac_sha256(key, tavli_message(clients, number, 0).encode())
    return [b % 6 + 1 for b in block if b < 252][:2]


TAVLI_WRONG = {
    "key-is-text": lambda k, c, n: tavli_dice(k.hex().encode(), c, n),
    "clients-exchanged": lambda k, c, n: tavli_dice(k, c[::-1], n),
    "numbers-from-0": lambda k, c, n: tavli_dice(k, c, n - 1),
    "no-colon-before-number": lambda k, c, n: _first(hmac_sha256(k, (":".join(c) + str(n)).encode())),
    "key-and-message-exchanged": lambda k, c, n: _first(hmac_sha256(tavli_message(c, n, 0).encode(), k)),
    "a-byte-for-each-die": _bytewise,
    "hash-of-key-and-message": lambda k, c, n: _first(sha256(k + tavli_message(c, n, 0).encode())),
}

# yayay/1


def yayay_input(key, number, order="big"):
    return key + number.to_bytes(4, order)


def yayay_die(key, number, number_order="big", word_order="big"):
    return mod6(int.from_bytes(sha256(yayay_input(key, number, number_order))[:4], word_order))


YAYAY_WRONG = {
    "little-endian-number": ("little", "big"),
    "little-endian-word": ("big", "little"),
    "little-endian-both": ("little", "little"),
}

# shuffle/1


def float_message(client, nonce, block):
    return f"{client}:{nonce}:{block}".encode()


def float_block(server, client, nonce, block):
    return hmac_sha256(server, float_message(client, nonce, block))


def float_words(server, client, nonce, cursor, count):
    """Words of the float stream from a byte cursor on."""
    first = cursor // 32
    last = (cursor + 4 * count - 1) // 32
    stream = b"".join(float_block(server, client, nonce, c) for c in range(first, last + 1))
    at = cursor - 32 * first
    return [int.from_bytes(stream[at + 4 * i : at + 4 * i + 4], "big") for i in range(count)]


def index(word, n):
    return word * n >> 32


def dice_value(word):
    return index(word, 10001)


def shown(value):
    return f"{value // 100}.{value % 100:02d}"


# The check: docs/spec/record.md, steps 1 to 9


def hardly(fit, total):
    return total >= 3 and 8 * fit <= total


def weak(seed):
    return len(seed) < 16 or len(set(seed)) < 9


def computed(scheme, key, clients, rolls):
    """The dice of each recorded roll, in the order recorded."""
    if scheme == "tavli/1":
        return [tavli_dice(key, clients, n) for n, _ in rolls]
    out, die = [], 0
    for _, dice in rolls:
        out.append([yayay_die(key, die + i) for i in range(len(dice))])
        die += len(dice)
    return out


def fits(scheme, rolls, right):
    """How many fit, of how many, as `few-fit` counts them."""
    if scheme == "tavli/1":
        return sum(dice == want for (_, dice), want in zip(rolls, right)), len(rolls)
    have = [d for _, dice in rolls for d in dice]
    want = [d for dice in right for d in dice]
    pairs = [have[i : i + 2] == want[i : i + 2] for i in range(0, len(have) - 1, 2)]
    return sum(pairs), len(pairs)


def diagnose(scheme, key, clients, seal, rolls, right):
    """Readings under which everything would fit; they never change a verdict."""
    found = []
    recorded = [dice for _, dice in rolls]
    if recorded != right and len(recorded) >= 4:
        if scheme == "yayay/1":
            flat = [d for dice in recorded for d in dice]
            for name, orders in YAYAY_WRONG.items():
                if flat == [yayay_die(key, i, *orders) for i in range(len(flat))]:
                    found.append([name])
                    break
        else:
            found += diagnose_tavli(key, clients, rolls, right)
    if seal is not None and seal != sha256(key) and seal == sha256(key.hex().encode()):
        found.append(["seal-over-text"])
    if weak(key):
        found.append(["weak-seed"])
    return found


def diagnose_tavli(key, clients, rolls, right):
    def all_fit(key, clients, shift=0):
        return all(dice == tavli_dice(key, clients, n + shift) for n, dice in rolls)

    if all_fit(key.hex().encode(), clients):
        return [["key-is-text"]]
    if 2 <= len(clients) <= 4:
        for order in permutations(range(len(clients))):
            if all_fit(key, [clients[i] for i in order]):
                return [["clients-reordered"] + [str(i + 1) for i in order]]
    if all_fit(key, clients, -1):
        return [["numbers-from-0"]]
    if all(dice in (want, want[::-1]) for (_, dice), want in zip(rolls, right)):
        return [["dice-in-other-order"]]
    for case, change in (("lower", str.lower), ("upper", str.upper)):
        if all_fit(key, [change(c) for c in clients]):
            return [["case-of-client-seed", case]]
    return []


def check(scheme, key, clients, seal, rolls, given=None, kept=False, noted=None, count=None, sum_fits=True, whole=True):
    """The report on a match whose parts could be read.

    key is None if the seed is not revealed; rolls are (number, dice); given is
    the reader's seal, kept says that his phone kept it; noted are rolls that he
    noted beside recorded ones; whole says that the record claims to hold every roll. A report that ends before step 5 has neither the
    number of rolls that fit nor findings.
    """
    report = {"verdict": "unknown", "code": "", "place": "", "rolls": len(rolls), "source": ""}

    def end(verdict, code, place=""):
        report.update(verdict=verdict, code=code, place=place)
        return report

    if key is None:
        return end("unknown", "seed-not-revealed")
    for s in (seal, given):
        if s == key:
            return end("unknown", "seal-as-seed")
        if s is not None and sha256(s) == key:
            return end("unknown", "seed-and-seal-exchanged")
    if seal is not None and given is not None and seal != given:
        return end("broken", "other-seal")
    if noted is not None and rolls:
        for i, dice in enumerate(noted):
            if whole if i >= len(rolls) else dice != rolls[i][1]:
                return end("broken", "other-rolls", f"roll {i + 1}")
    alone = noted is not None and not rolls
    if alone:
        rolls = [(i + 1, dice) for i, dice in enumerate(noted)]
        report["rolls"] = len(rolls)
    for due, (n, _) in enumerate(rolls, 1):
        if n != due:
            return end("broken", "wrong-number", f"roll {due}")
    right = computed(scheme, key, clients, rolls)
    report["fit"] = sum(dice == want for (_, dice), want in zip(rolls, right))
    cut_before = scheme == "tavli/1" and alone and not whole
    few = 2 * report["fit"] <= len(rolls) if cut_before else hardly(*fits(scheme, rolls, right))
    known = seal if seal is not None else given
    report["findings"] = diagnose(scheme, key, clients, known, rolls, right)
    if known is not None and known != sha256(key):
        if few:
            return end("broken" if seal is not None and seal == given else "unknown", "other-seed")
        return end("broken", "wrong-seal")
    wrong = [n for (n, dice), want in zip(rolls, right) if dice != want]
    if wrong:
        place = f"roll {wrong[0]}"
        if few:
            return end("broken" if given is not None and not cut_before else "unknown", "few-fit", place)
        return end("broken", "wrong-dice", place)
    listed = 0 if alone else len(rolls)
    if count is not None and count != listed:
        return end("broken", "wrong-count", f"roll {min(count, listed) + 1}")
    if not sum_fits:
        return end("unknown", "wrong-sum")
    if not rolls:
        return end("unknown", "no-rolls")
    if known is None:
        return end("unknown", "no-seal")
    if noted and len(noted) > len(rolls):
        return end("unknown", "ends-early", f"roll {len(rolls) + 1}")
    if noted and len(noted) < len(rolls):
        return end("unknown", "count-differs")
    report["source"] = ("kept" if kept else "given") if given is not None else "record"
    return end("proven", "")

"""The examples published in docs/spec. gen.py asserts every one of them, so that
the specification and the vectors cannot drift apart."""

A = dict(
    server="c149c301f8134a320da3e36748bb70c14850c75fc8ab0dc1e36460fa89070300",
    seal="76243eb20b5ad494780afead6d49b5f826775834b0b12ddafe12819ca4608a63",
    clients=["f24279610d6b8b1362d85c3ddec7f24e", "d60062c1d2fe5d3f376829416b34be90"],
    rolls="2-1 3-2 1-6 2-1 3-3 3-3 2-6 2-3 3-3 3-4 1-6 6-6",
    games=[7, 5],
)
SHORT = dict(
    server="a6b89e5b0ba9e784755dde1d8d3b9003",
    seal="c0f7862f090ffea11939ded5f3636480888127d88b808d7cfd82e38c7873d5ff",
    clients=["Lucky_7"],
    rolls="4-5 3-1 5-1",
)
LONG = dict(
    server="c65679235b999482dcf9ddccae8300ddc827b22b4d636110ccaa8a1c5aa5a6a6"
    "d10b7f72b9cd6485a6fb031f585141c99c20a82e981d3b4e2031b952e5353a60",
    seal="71ca81ddcd74140b5cc8ed09f7dfc8387762cfb69f2f8950b440d7cff70a0f16",
    clients=["a", "B-2", "_" * 128],
)
HOSTILE = dict(
    server="2358017a1aea6933ea34a45b4cf69015699b2a09a69b3d6156210bc45b8d69a7",
    seal="32be00ad90c5f09b7f0a4e22da11124b2d20818dfff89f865e2107b6f1820b3a",
    clients=["3d822ef5c3b81bd714d73a2aa91965e2", "22d9f50ff028aa01f5a4312ee6b25526"],
    rolls="1-3 2-4 5-4 4-1 6-3 3-2 5-6 6-4 6-1 6-6 1-5 5-5",
    games=[7, 5],
    text_seal="662427ccac8d5e5d07b419a6ac24673ced4f50493de6b70a2c88348dd2e0f0d1",
)

# example, roll, MAC or its beginning, rejected bytes, byte, position, dice, dice of a reader that keeps the first byte
TAVLI = [
    (A, 1, "de24033c9634a32120545c888114d8d55f637d986e68ab5952396d70a27cbca8", [], 222, 0, "2-1", None),
    (A, 87, "fdd76954d12ee5685e3ef72fef437882873552e18a198fb87cf47377448f082c", [253], 215, 1, "6-6", "1-2"),
    (A, 1417, "fcfe4f73723d18f9ceeb5cf52a48a9a45af88bc787850115d1a9f503a92a4705", [252, 254], 79, 2, "2-2", "1-1"),
    (SHORT, 1, "ee543d4819191682", [], 238, 0, "4-5", None),
    (SHORT, 2, "780c00bdec5e72f2", [], 120, 0, "3-1", None),
    (SHORT, 3, "84793403b75b6148", [], 132, 0, "5-1", None),
    (LONG, 7, "2453db6b52a0be710b13623545ac5dee3e8aa5bf8d6b050754f5dcc4016dd6d7", [], 36, 0, "1-1", None),
]

TAVLI_WRONG = {
    "key-is-text": "3-3 5-6 1-5 1-6 6-3 3-6 4-4 5-6",
    "clients-exchanged": "5-3 4-3 1-4 1-4 2-6 1-4 1-4 5-2",
    "numbers-from-0": "6-1 2-1 3-2 1-6 2-1 3-3 3-3 2-6",
    "no-colon-before-number": "4-5 2-5 2-4 1-6 4-4 5-5 4-4 4-6",
    "key-and-message-exchanged": "4-2 1-1 3-2 4-5 3-4 2-1 6-2 6-1",
    "a-byte-for-each-die": "1-1 2-2 6-2 1-4 3-5 3-3 6-2 3-4",
    "hash-of-key-and-message": "3-3 6-4 6-1 2-3 1-5 4-6 2-1 4-5",
}

# The three injected MACs of the specification: byte, position, dice, messages.
UNLUCKY = [
    (35, 2, "6-6", ["a:b:5", "a:b+:5"]),
    (251, 0, "6-6", ["a:b:5", "a:b+:5", "a:b++:5"]),
    (36, 31, "1-1", ["a:b:5"]),
]

Y = dict(
    server="a9d223da0511d4e74a62e5bd9e47f44415e7c233954ec494fa2f91145d42de90",
    seal="122df4f39ea20b9ed0b19014bf57dee834cdef790b8abd273c33047202a3082d",
    dice="6 1 2 1 3 2 4 1 4 1 3 5 6 5 3 6",
)
ZERO = dict(
    server="00" * 32,
    seal="66687aadf862bd776c8fc18b8e9f8e20089714856ee233b3902a591d0d5f2925",
)
MIXED = dict(
    server="3ccbede8757323fb62f038b8f53bfe35e06b6dcec081613f854bff489436249d",
    throws=[[3, 3, 1, 5, 5], [1], [6, 6, 6, 3, 4]],
)

# example, die, SHA-256 or its beginning, word, face
YAYAY = [
    (Y, 0, "46366061cbb6eb66a1413c225773c694af0620bc14d1f0b363892b43ee2e3ed7", 1177968737, 6),
    (Y, 1, "e5694718df1149852318753e21b4fa01ffc87b49da53633b34be6b3ee45d6c6a", 3848881944, 1),
    (ZERO, 0, "6db65fd5", 1840668629, 6),
    (ZERO, 255, "01c103e4", 29426660, 3),
    (ZERO, 256, "f368cf90", 4083732368, 3),
    (ZERO, 65536, "a6957508", 2794812680, 3),
]

YAYAY_WRONG = {
    "little-endian-number": "6 6 3 6 5 5 2 2 6 4 1 1",
    "little-endian-word": "3 4 2 1 3 2 4 4 1 4 3 5",
    "little-endian-both": "3 6 6 6 5 2 2 2 3 1 4 4",
}

YAYAY_WORDS = [
    (0, 1), (5, 6), (6, 1), (4294967291, 6), (4294967292, 1),
    (4294967293, 2), (4294967294, 3), (4294967295, 4),
]

# server, client, nonce, cursor, words, floats, dice
FLOATS = [
    ("def", "abc", 1, 0,
     [1849153629, 2854391775, 749644737, 2461013250, 3650864612, 1127847100, 2880185152, 1005848485],
     ["0.43053962965495884", "0.6645898742135614", "0.17454026662744582", "0.5729992990382016",
      "0.850033157505095", "0.26259736623615026", "0.6705953627824783", "0.23419235018081963"], "43.05"),
    ("def", "abc", 0, 0,
     [3573641002, 3664137897, 782859109, 3325527194, 800040410,
      2582366663, 2611690336, 1976479029, 4163790248, 2304027224], None, None),
    ("def", "abc", 0, 32, [4163790248], None, None),
    ("def", "abc", 0, 33, [778414217], None, None),
    ("0f6e8aba300b7f1217ee46606773cf6046b524f74505cf2124ffe181ad6b9dbf", "aR3kRBVn", 3, 0, [2562832180], None, "59.67"),
    ("def", "a:b", 1, 0, [2917698508], None, "67.93"),
    ("def", "καλή τύχη", 2, 0, [53797430], None, "1.25"),
    ("def", "  lucky  ", 3, 0, [1867691871], None, "43.48"),
    ("def", "", 4, 0, [1165102357], None, "27.12"),
    ("x" * 80, "abc", 1, 0, [4152822575], None, None),
    ("def", "abc", 9007199254740991, 0, [3303118274], None, None),
]
FLOAT_BLOCKS = {
    (1, 0): "6e37d85daa228fdf2caeabc192b01502d99bc5e4433994bcabac23403bf407a5",
    (0, 0): "d5016f2ada664ea92ea97b65c637849a2fafa5da99ebc9c79bab3b6075cead35",
    (0, 1): "f82e65a88954aa5834de4c1b3e1fee0c73654a8e34259c52608afe642cf129e4",
}
FLOAT_MESSAGES = {
    ("a:b", 1): "613a623a313a30",
    ("καλή τύχη", 2): "cebaceb1cebbceae20cf84cf8dcf87ceb73a323a30",
    ("  lucky  ", 3): "20206c75636b7920203a333a30",
    ("", 4): "3a343a30",
}
FLOAT_SEAL = ("0f6e8aba300b7f1217ee46606773cf6046b524f74505cf2124ffe181ad6b9dbf",
              "97139e593bce24783a3c4be064b07a07952e08f7f6f5d16a28abfc69c8453f99", "23d62b9a0c53")
FLOAT_BYTES = [
    ([163, 244, 224, 172], 2750734508, "0.6404552860185504", 6405),
    ([124, 126, 142, 155], 2088668827, "0.48630610737018287", 4863),
]
DICE_WORDS = [
    (0, "0.0", 0, "0.00"),
    (429453, "9.998981840908527e-05", 0, "0.00"),
    (429454, "9.999005123972893e-05", 1, "0.01"),
    (2147483647, "0.49999999976716936", 5000, "50.00"),
    (2147483648, "0.5", 5000, "50.00"),
    (4294537842, "0.9999000099487603", 9999, "99.99"),
    (4294537843, "0.9999000101815909", 10000, "100.00"),
    (4294967295, "0.9999999997671694", 10000, "100.00"),
]

package main

import (
	"slices"
	"strings"

	"veridice/internal/cli"
	"veridice/scheme"
)

var (
	policyFlag = cli.Flag{Name: "policy", Value: "FILE", Usage: "the public logs and witnesses you trust (tlog-policy), to check receipts; - is standard input", File: true}
	jsonFlag   = cli.Flag{Name: "json", Usage: "one JSON object a line, described in docs/json.md"}
)

// commands is the table from which dispatch, help and completion come.
var commands = []*cli.Command{
	{
		Verb: "seal", Arguments: "SEED", Run: runSeal,
		Summary: "prints the seal of a server seed",
		Flags:   []cli.Flag{{Name: "text", Usage: "the seed is text, as in shuffle/1; without this flag it is 16 to 64 bytes in hex"}},
		Details: `
Prints the SHA-256 of a server seed, 64 hex digits: what is shown to everybody
before the first roll. With - the seed is read from standard input, so that
it does not show in the list of processes.

examples:
  veridice seal c149c301f8134a320da3e36748bb70c14850c75fc8ab0dc1e36460fa89070300
  veridice seal --text 0f6e8aba300b7f1217ee46606773cf6046b524f74505cf2124ffe181ad6b9dbf`,
	},
	{
		Verb: "roll", Run: runRoll,
		Summary: "rolls from seeds",
		Flags: []cli.Flag{
			{Name: "scheme", Value: "NAME", Usage: "tavli, yayay or shuffle, with or without /1", Choices: schemes()},
			{Name: "server-seed", Value: "SEED", Usage: "hex for tavli and yayay, text for shuffle"},
			{Name: "client-seed", Value: "TEXT", Usage: "tavli: one for each seat, in order; shuffle: one", Repeated: true},
			{Name: "from", Value: "N", Usage: "tavli, yayay: number of the first roll, by default 1"},
			{Name: "count", Value: "N", Usage: "tavli, yayay: how many rolls, 1 to 100000, by default 1"},
			{Name: "dice", Value: "N", Usage: "yayay: dice in each throw, from the first one on, 1 to 100, by default 2"},
			{Name: "nonce", Value: "N", Usage: "shuffle: the nonce, 0 to 9007199254740991"},
		},
		Details: `
Prints one roll a line: its number and its dice. For shuffle it prints the value
of the game that Shuffle calls dice, 0.00 to 100.00.

examples:
  veridice roll --scheme tavli --count 3 \
    --server-seed c149c301f8134a320da3e36748bb70c14850c75fc8ab0dc1e36460fa89070300 \
    --client-seed f24279610d6b8b1362d85c3ddec7f24e --client-seed d60062c1d2fe5d3f376829416b34be90
  veridice roll --scheme yayay --dice 5 --from 2 \
    --server-seed 3ccbede8757323fb62f038b8f53bfe35e06b6dcec081613f854bff489436249d
  veridice roll --scheme shuffle --server-seed def --client-seed abc --nonce 1`,
	},
	{
		Verb: "verify", Arguments: "INPUT...", Run: runVerify,
		Summary: "checks a match and gives the verdict",
		Flags: []cli.Flag{
			jsonFlag,
			{Name: "q", Usage: "print nothing; the exit code is the verdict"},
			{Name: "seal", Value: "HEX", Usage: "the seal you noted before the first roll"},
			{Name: "opening", Value: "HEX", Usage: "veridice/1: the hash of the opening you noted; --seal means the same"},
			{Name: "head", Value: "FILE", Usage: "veridice/1: a receipt, or a head that your phone kept; - is standard input", File: true, Repeated: true},
			policyFlag,
			{Name: "rolls", Value: "FILE", Usage: "the rolls you noted, with or without numbers; - is standard input", File: true},
			cli.LangFlag,
		},
		Details: `
INPUT is a share link in quotation marks, a file with a record, a proof file or a
link, or - for standard input. The first line is the verdict:

  proven     there are rolls and a seal, and everything fits
  broken     something does not fit; it says where
  unknown    it could not be checked, and why; this says nothing about the dice

Exit code: 0 proven, 1 broken, 3 unknown. With several inputs: 1 if one is broken,
else 3 if one could not be checked, else 0.

examples:
  veridice verify 'https://tavli.example/el/check/#v=1&s=...'
  veridice verify --seal 76243eb20b5ad494780afead6d49b5f826775834b0b12ddafe12819ca4608a63 match.txt
  veridice verify --rolls my-notes.txt match.txt
  veridice verify --head receipt-12.txt match.txt
  veridice verify --policy club.policy match.proof
  pbpaste | veridice verify -`,
	},
	{
		Verb: "explain", Arguments: "[INPUT]", Run: runExplain,
		Summary: "shows how a roll or the outcome of a bet is made, down to the bytes",
		Flags: slices.Concat([]cli.Flag{
			jsonFlag,
			{Name: "roll", Value: "N", Usage: "which roll; by default the first that does not fit, else roll 1"},
			cli.LangFlag,
		}, betFlags),
		Details: `
INPUT is what verify takes. For a bet, give the flags of outcome instead. Prints
the message, the MAC or hash, its bytes with the rejected ones, the arithmetic and
the dice; then a command for openssl and a few lines of Python that give the same
dice without this program.

Exit code: 0 if the recorded roll is the computed one or none is recorded, 1 if
they differ, 3 if there is nothing to explain. The seal is not checked.

examples:
  veridice explain --roll 37 'https://tavli.example/el/check/#v=1&s=...'
  veridice explain match.txt
  veridice explain --site shuffle --game dice --server-seed def --client-seed abc --nonce 1`,
	},
	{
		Verb: "evidence", Arguments: "NOTE NOTE", Run: runEvidence,
		Summary: "says what two signed texts of a match prove against their signer",
		Flags: []cli.Flag{
			{Name: "key", Value: "HEX", Usage: "the Ed25519 key of the server or seat, as its opening shows it"},
			policyFlag,
			jsonFlag,
			cli.LangFlag,
		},
		Details: `
A NOTE is a file with a signed roll text, receipt or record of veridice/1, or - for
standard input. Beside a receipt it can be a proof file whose closing is in a log
that --policy trusts. Nobody who played fair signs two that contradict each other.
Prints what they prove, and the roll.

Exit code: 1 if they prove something, 3 if nothing.

example:
  veridice evidence --key 0e7dd59838443bd1e4429edc4be48a35208c55fa67d50596029434484ea945ad \
    receipt-12.txt match.txt`,
	},
	{
		Verb: "outcome", Arguments: "", Run: runOutcome,
		Summary: "computes the outcome of a bet from its seeds",
		Flags: slices.Concat(betFlags, []cli.Flag{
			{Name: "said", Value: "VALUE", Usage: "what came out according to the site: compares it"},
			{Name: "want", Value: "KEY=VALUE", Usage: "the same for one key of the outcome, such as multiplier=1.2", Repeated: true},
			{Name: "seal", Value: "HEX", Usage: "the hash of the server seed that the site showed before the bet"},
			{Name: "list", Usage: "lists sites, games, how well each rule is known, and parameters, optional ones in brackets"},
			jsonFlag,
			cli.LangFlag,
		}),
		Details: `
Prints what came out and how well the rule is known. A rule that its site does not
publish is refused, or labelled if others say what it is.

Exit code: 0 computed, and what the site said follows from the seeds; 1 it does
not follow; 2 wrong parameter; 3 the rule is not known.

examples:
  veridice outcome --list --site stake
  veridice outcome --site shuffle --game plinko --param rows=8 \
    --server-seed def --client-seed abc --nonce 0
  veridice outcome --site stake --game limbo --param formula=2^24 --said 17.41 \
    --server-seed 5c5c42b55822f994bd955a4416775190 \
    --client-seed 40cea334816e7a68ed62d208ce4a2572 --nonce 0`,
	},
	{
		Verb: "odds", Arguments: "[SCHEME|streak]", Run: runOdds,
		Summary: "counts exactly how likely outcomes and streaks are",
		Flags: []cli.Flag{
			betFlags[0], betFlags[1], betFlags[6],
			{Name: "at-least", Value: "MULTIPLIER", Usage: "limbo and crash games: how likely at least this multiplier is"},
			{Name: "faces", Value: "N", Usage: "of a die of veridice, 1 to 65536, by default 6"},
			{Name: "rolls", Value: "N", Usage: "streak: how many rolls of two dice, 1 to 10000"},
			{Name: "doubles", Value: "K", Usage: "streak: at least this many doubles in a row, somewhere"},
			{Name: "without", Value: "K", Usage: "streak: at least this many rolls in a row without a double, somewhere"},
			{Name: "count", Value: "K", Usage: "streak: this many doubles in all"},
			{Name: "pips", Value: "K", Usage: "streak: this many points in all, doubles moved twice"},
			{Name: "scheme", Value: "NAME", Usage: "streak: tavli, yayay or veridice, by default tavli", Choices: []string{"tavli", "yayay", "veridice"}},
			jsonFlag,
			cli.LangFlag,
		},
		Details: `
SCHEME is tavli, yayay, shuffle, stake or veridice. Prints how many of
all equally likely cases give each outcome: nothing is estimated. More than 64
outcomes are grouped by their count; --json has all of them. Exit code: 0, or 3
if a game's outcomes cannot be counted.

examples:
  veridice odds yayay
  veridice odds --site stake --game plinko --param rows=8 --param risk=low
  veridice odds --site stake --game crash --at-least 2
  veridice odds streak --rolls 60 --doubles 3`,
	},
	auditCommand,
	{
		Verb: "selftest", Run: runSelftest,
		Summary: "checks this program against its test vectors",
		Flags:   []cli.Flag{jsonFlag, cli.LangFlag},
		Details: `
Computes every test vector built into this program. Do not use a copy whose
self-test fails. Exit code: 0 passed, 1 failed.`,
	},
	{
		Verb: "version", Run: runVersion,
		Summary: "prints the version and the schemes it knows",
		Flags:   []cli.Flag{jsonFlag},
		Details: `Prints the version of this program, then the schemes that it knows.`,
	},
	{
		Verb: "completion", Arguments: strings.Join(cli.Shells(), "|"), Run: runCompletion,
		Summary: "prints a script that completes commands in your shell",
		Details: `
examples:
  veridice completion bash > /etc/bash_completion.d/veridice
  veridice completion zsh > "${fpath[1]}/_veridice"
  veridice completion fish > ~/.config/fish/completions/veridice.fish`,
	},
}

// schemes are the names without their versions, as flags take them.
func schemes() []string {
	var names []string
	for _, s := range scheme.All() {
		names = append(names, short(s.Name))
	}
	return names
}

// short is the name of a scheme without its version.
func short(name string) string {
	name, _, _ = strings.Cut(name, "/")
	return name
}

func runVersion(c *cli.Call) int {
	var names []string
	for _, s := range scheme.All() {
		names = append(names, s.Name)
	}
	names = append(names, scheme.Veridice1) // whose rolls need every party's links
	if c.Given("json") {
		return answerJSON(c, versionView{Version: version, Schemes: names})
	}
	c.Answer("veridice " + version + "\nschemes " + strings.Join(names, " "))
	return cli.Proven
}

func runCompletion(c *cli.Call) int {
	if len(c.Operands) != 1 {
		return c.Misuse("name one shell: " + strings.Join(cli.Shells(), ", "))
	}
	script := c.Completion(c.Operands[0])
	if script == "" {
		return c.Misuse("no completion for " + c.Operands[0] + ", only for " + strings.Join(cli.Shells(), ", "))
	}
	c.Answer(script)
	return cli.Proven
}

package verify

import "veridice/record"

// Codes of a check, besides those of package record; docs/spec/record.md.
const (
	WrongDice            record.Code = "wrong-dice"
	WrongSeal            record.Code = "wrong-seal"
	OtherSeal            record.Code = "other-seal"
	OtherRolls           record.Code = "other-rolls"
	WrongNumber          record.Code = "wrong-number"
	WrongCount           record.Code = "wrong-count"
	FewFit               record.Code = "few-fit"
	OtherSeed            record.Code = "other-seed"
	SealAsSeed           record.Code = "seal-as-seed"
	SeedAndSealExchanged record.Code = "seed-and-seal-exchanged"
	SeedNotRevealed      record.Code = "seed-not-revealed"
	NoRolls              record.Code = "no-rolls"
	NoSeal               record.Code = "no-seal"
	EndsEarly            record.Code = "ends-early"
	CountDiffers         record.Code = "count-differs"
	WrongSum             record.Code = "wrong-sum"

	// Of veridice/1 alone.
	SameAnchor     record.Code = "same-anchor"
	SameKey        record.Code = "same-key"
	OtherOpening   record.Code = "other-opening"
	BadHead        record.Code = "bad-head"
	WrongLink      record.Code = "wrong-link"
	NoLink         record.Code = "no-link"
	LinksCount     record.Code = "links-count"
	WrongHead      record.Code = "wrong-head"
	OtherHead      record.Code = "other-head"
	WrongSignature record.Code = "wrong-signature"
	NotSigned      record.Code = "not-signed"

	// Of proof files alone; docs/spec/proof.md.
	NoPolicy      record.Code = "no-policy"
	BadPolicy     record.Code = "bad-policy"
	NoReceipt     record.Code = "no-receipt"
	SealDiffers   record.Code = "seal-differs"
	BadReceipt    record.Code = "bad-receipt"
	NoQuorum      record.Code = "no-quorum"
	CloseDiffers  record.Code = "close-differs"
	UnsealDiffers record.Code = "unseal-differs"
	BadOrder      record.Code = "bad-order"
)

// Evidence: what two notes under one key prove against its owner.
const (
	TwoRolls    record.Code = "two-rolls"
	TwoHeads    record.Code = "two-heads"
	DroppedRoll record.Code = "dropped-roll"
)

// Diagnoses: readings under which everything would fit, and warnings.
const (
	KeyIsText          record.Code = "key-is-text"
	ClientsReordered   record.Code = "clients-reordered" // args: the fitting order, as seats
	NumbersFrom0       record.Code = "numbers-from-0"
	DiceInOtherOrder   record.Code = "dice-in-other-order"
	CaseOfClientSeed   record.Code = "case-of-client-seed" // args: lower or upper
	SealOverText       record.Code = "seal-over-text"
	LittleEndianNumber record.Code = "little-endian-number"
	LittleEndianWord   record.Code = "little-endian-word"
	LittleEndianBoth   record.Code = "little-endian-both"
	WeakSeed           record.Code = "weak-seed"
	ByteOrderMark      record.Code = "byte-order-mark"
	CarriageReturns    record.Code = "carriage-returns"
	UTF16              record.Code = "utf-16"
	NoLastNewline      record.Code = "no-last-newline"
	NoText             record.Code = "no-text"
)

// Limits: what a proven report does not prove.
const (
	SealShownBefore record.Code = "seal-shown-before" // that this seal was shown before the first roll
	ServerKnows     record.Code = "server-knows"      // that nobody knew the rolls in advance
	LastClientSeed  record.Code = "last-client-seed"  // that nobody chose the last client seed
	ServerChose     record.Code = "server-chose"      // that the server did not pick its seed
	WhoPlayed       record.Code = "who-played"        // which match it was, who sat there
	ShorterList     record.Code = "shorter-list"      // that no rolls followed

	NotLogged     record.Code = "not-logged"     // veridice/1: that the opening has a date and one value for all
	NotFinished   record.Code = "not-finished"   // that the match is over
	OnlyHead      record.Code = "only-head"      // the moves after the last roll, and the state
	SeatsUnsigned record.Code = "seats-unsigned" // that every seat saw this account; args: the seats
	Veto          record.Code = "veto"           // that a party did not stop the match

	OnlyLog     record.Code = "only-log"     // proof files: a date, and that others see the same log; no witness counts
	RolledLater record.Code = "rolled-later" // that the first roll fell after the date
	NotClosed   record.Code = "not-closed"   // that the match ended like this, and that the log says so
)

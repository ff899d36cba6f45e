package verify

import "veridice/record"

// Codes of a check, beside those of package record; docs/spec/record.md.
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
	CountDiffers         record.Code = "count-differs"
	WrongSum             record.Code = "wrong-sum"
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
)

// Package veridice makes dice that nobody can rig and anybody can check. It is a
// pipeline of pure functions, one package each, in this order:
//
//	seed     what each party brings: server seed, client seeds, the seal
//	scheme   seeds and a number become an endless stream of bytes
//	draw     the stream becomes uniform numbers
//	game     numbers become an outcome: two dice, five dice, a card
//	roll     the three together: seeds and a roll number become dice
//	record   all of it as one text
//	verify   the text becomes a report: proven, broken or could not check
//
// Beside them stand protocol, what server and phones must both know to play a match in
// which nobody can look ahead, and checkpoint, the receipts of the public log.
//
// This package has no code. Its example plays a match from seal to verdict.
package veridice

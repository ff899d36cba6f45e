package veridice_test

import (
	"fmt"

	"veridice/record"
	"veridice/roll"
	"veridice/scheme"
	"veridice/seed"
	"veridice/verify"
)

// One match, from the seal to the verdict. The random bytes are written out here;
// a server and two phones each read theirs from the operating system.
func Example() {
	server, _ := seed.NewServer([]byte("32 random bytes of the server..."))
	seal := server.Seal() // everybody notes it before anything else is said
	fmt.Println("seal", seal)

	clients := []seed.Client{"the-first-phone", "the-second-phone"} // each made after the seal was shown
	tavli, _ := scheme.Lookup(scheme.Tavli1)
	roller, _ := roll.New(tavli, scheme.Inputs{Server: server, Clients: clients})
	match := &record.Record{Scheme: tavli.Name, Match: "m-1", Seal: &seal, Clients: clients, State: record.Finished}
	for place := roll.First(2); place.Number <= 4; place = place.Next(2) {
		made, _ := roller.Roll(place)
		fmt.Println("roll", made.Number, made.Dice)
		match.Entries = append(match.Entries, record.Entry{Number: made.Number, Dice: made.Dice})
	}

	match.Server = server // the reveal: the match is over
	match.Complete()
	text, _ := match.MarshalText()

	report := verify.Text(text, verify.Options{Seal: &seal}) // by anybody who kept the seal
	fmt.Println(report.Verdict, report.Rolls, report.Source)
	// Output:
	// seal 0b6f8f691def837daae9f29c9ff5bb5ea3cfc47e89c3c64b3a242f7b54e678a6
	// roll 1 [1 6]
	// roll 2 [5 1]
	// roll 3 [6 3]
	// roll 4 [6 1]
	// proven 4 given
}

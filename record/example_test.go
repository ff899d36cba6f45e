package record_test

import (
	"fmt"

	"veridice/record"
)

func ExampleParse() {
	_, err := record.Parse([]byte("veridice record 1\nscheme tavli/1\nmatch m-1\nseal -\nclient Lucky_7\nroll 01 6 3\n"))
	fmt.Println(err)
	// Output:
	// record: line 6: column 6: roll number has a leading zero
}

func ExampleReadLink() {
	links, err := record.ReadLink("Was that fair? <https://tavli.example/el/check/#v=1&s=0xC149C301F8134A32" +
		"&p=a%2CLucky_7&r=2132\n> 16&g=3>.")
	fmt.Println(len(links), err)
	links, err = record.ReadLink("#v=1&s=c149c301f8134a320da3e36748bb70c1&p=a%2CLucky_7&r=2132\n> 16&g=3.")
	if err != nil {
		fmt.Println(err)
		return
	}
	text, err := links[0].Record.Link()
	fmt.Println(text, err)
	// Output:
	// 0 record: part s: position 18: fewer than 32 hex digits, 16
	// v=1&s=c149c301f8134a320da3e36748bb70c1&p=a,Lucky_7&r=213216&g=3 <nil>
}

func ExampleReadRolls() {
	fmt.Println(record.ReadRolls("1. 6-3\n2. 4 4", 2))
	fmt.Println(record.ReadRolls("6 3 4 4", 2))
	// Output:
	// [[6 3] [4 4]] <nil>
	// [] record: line 1: column 4: U+0020: the line goes on after the dice
}

func ExampleRecord_MarshalText() {
	links, err := record.ReadLink("#v=1&s=c149c301f8134a320da3e36748bb70c1&p=Lucky_7&r=2132&g=2")
	if err != nil {
		fmt.Println(err)
		return
	}
	text, err := links[0].Record.MarshalText()
	fmt.Printf("%s%v\n", text, err)
	// Output:
	// veridice record 1
	// scheme tavli/1
	// match -
	// seal -
	// client Lucky_7
	// game
	// roll 1 2 1
	// roll 2 3 2
	// seed c149c301f8134a320da3e36748bb70c1
	// rolls 2
	// state finished
	// sum d75c96ed61282a72ce1675640c306edc0ec716c4341100e65c9cf79e9030fa64
	// <nil>
}

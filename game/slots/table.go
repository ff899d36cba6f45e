package slots

// reels holds the symbols of the five reels, stop 0 first. docs/spec/games.md,
// section 4.16.
var reels = [5][]string{
	{
		"five", "queen", "ten", "three", "jack", "ace", "four", "ten", "queen", "two",
		"nine", "ten", "scatter", "queen", "jack", "wild", "queen", "ace", "two", "king",
		"one", "queen", "five", "king", "four", "ten", "one", "nine", "three", "ten",
	},
	{
		"queen", "jack", "three", "queen", "ace", "wild", "queen", "jack", "five", "nine",
		"queen", "three", "king", "one", "jack", "two", "ten", "one", "nine", "scatter",
		"ace", "four", "ten", "king", "two", "jack", "queen", "five", "jack", "four",
	},
	{
		"king", "nine", "five", "ten", "three", "king", "jack", "wild", "queen", "ten",
		"three", "nine", "jack", "one", "ace", "ten", "four", "ace", "king", "one",
		"nine", "ten", "two", "queen", "nine", "four", "king", "five", "nine", "scatter",
	},
	{
		"king", "nine", "five", "ace", "two", "jack", "one", "ten", "four", "jack",
		"three", "queen", "five", "jack", "ten", "four", "ace", "queen", "scatter", "ten",
		"king", "three", "jack", "four", "nine", "ace", "two", "nine", "ace", "wild",
	},
	{
		"three", "ten", "jack", "two", "king", "ten", "wild", "king", "nine", "one",
		"ten", "five", "ace", "jack", "scatter", "nine", "ace", "four", "queen", "ace",
		"four", "ten", "five", "queen", "three", "nine", "wild", "jack", "two", "queen",
		"king", "five", "jack", "ten", "three", "queen", "four", "nine", "one", "ace",
		"nine",
	},
}

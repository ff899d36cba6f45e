package locale

// A plural rule gives the CLDR category of a whole number. The table is ours and
// covers the languages shipped; a test compares it with Intl.PluralRules, since
// the data of golang.org/x/text are old.
type plural struct {
	categories []string
	of         func(n uint64) string
}

var plurals = map[string]plural{
	"en": oneOther,
	"el": oneOther,
	"de": oneOther,
	"id": {[]string{"other"}, func(uint64) string { return "other" }},
}

var oneOther = plural{[]string{"one", "other"}, func(n uint64) string {
	if n == 1 {
		return "one"
	}
	return "other"
}}

// separators stand between groups of three digits.
var separators = map[string]string{"en": ",", "el": ".", "de": ".", "id": "."}

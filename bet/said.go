package bet

import (
	"strconv"
	"strings"

	"veridice/decimal"
	"veridice/game"
)

// ReadLike reads what a person says came out, as a value of the same kind as the
// computed one: a list has its items between blanks or commas, a list of lists has
// a bar or a semicolon between them, and the case of words does not matter. It reports
// whether the text can be read so.
func ReadLike(computed game.Value, text string) (game.Value, bool) {
	text = strings.TrimSpace(text)
	switch computed.Kind {
	case game.Integer:
		n, err := strconv.ParseUint(text, 10, 64)
		return game.Int(n), err == nil
	case game.Decimal:
		_, ok := decimal.Parse(text)
		return game.Dec(text), ok
	case game.Boolean:
		return game.Bool(text == "true"), text == "true" || text == "false"
	case game.Text:
		return game.Str(spelled(computed.Text, text)), text != ""
	}
	if len(computed.List) == 0 || text == "" {
		return game.Value{}, false
	}
	separators := " ,\t\r\n"
	if computed.List[0].Kind == game.List {
		separators = "|;\n"
	}
	var list []game.Value
	for item := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(separators, r) }) {
		v, ok := ReadLike(computed.List[0], item)
		if !ok {
			return game.Value{}, false
		}
		list = append(list, v)
	}
	return game.Vals(list...), len(list) > 0
}

package verify_test

import (
	"fmt"

	"veridice/verify"
)

// The example of docs/spec/tavli.md, as its site shared it and with one die changed.
func ExampleText() {
	const link = "https://tavli.example/el/check/#v=1&s=c149c301f8134a320da3e36748bb70c14850c75fc8ab0dc1e36460fa89070300" +
		"&c=76243eb20b5ad494780afead6d49b5f826775834b0b12ddafe12819ca4608a63" +
		"&p=f24279610d6b8b1362d85c3ddec7f24e,d60062c1d2fe5d3f376829416b34be90&g=7,5&r="
	for _, rolls := range []string{"213216213333262333341666", "213116213333262333341666", "21321621333326233334166"} {
		report := verify.Text([]byte(link+rolls), verify.Options{})
		fmt.Printf("%s, %q, %q\n", report.Verdict, report.Code, report.Place)
	}
	// Output:
	// proven, "", ""
	// broken, "wrong-dice", "roll 2"
	// unknown, "odd-rolls", "part r"
}

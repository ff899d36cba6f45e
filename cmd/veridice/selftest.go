package main

import (
	"veridice/internal/cli"
	"veridice/internal/selftest"
	"veridice/vectors"
)

func runSelftest(c *cli.Call) int {
	result, err := selftest.Run(vectors.Lines, selftest.Full)
	if err != nil {
		return c.Fail(err.Error())
	}
	code := cli.Proven
	if len(result.Failed) > 0 {
		code = cli.Broken
	}
	if c.Given("json") {
		return max(code, answerJSON(c, selftestView{Version: version, Passed: len(result.Failed) == 0, Vectors: result.Vectors, Failed: append([]string{}, result.Failed...)}))
	}
	for _, name := range result.Failed {
		c.Answer(c.Words().Text("cli.selftest.failed", "vector", name))
	}
	if code == cli.Proven {
		c.Answer(c.Words().Text("cli.selftest.passed", "count", result.Vectors))
	} else {
		c.Hint(c.Words().Text("cli.selftest.hint"))
	}
	return code
}

type selftestView struct {
	Version string   `json:"version"`
	Passed  bool     `json:"passed"`
	Vectors int      `json:"vectors"`
	Failed  []string `json:"failed"`
}

package checkpoint_test

import (
	"testing"

	"veridice/verify"
)

// BenchmarkProof is the check of a whole proof file under a policy with four witnesses, of
// which three cosigned: the record, and the receipts of its beginning and its end.
// web/test/bench.mjs has the same files.
func BenchmarkProof(b *testing.B) {
	for _, name := range []string{"proof-whole", "proof-tavli"} {
		v := vectorNamed[proofVector](b, name)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if got := verify.Text([]byte(v.Text), v.options(b)); got.Verdict != verify.Proven {
					b.Fatal(got.Code)
				}
			}
			b.ReportMetric(float64(len(v.Text)), "bytes")
		})
	}
}

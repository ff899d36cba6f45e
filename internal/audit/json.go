package audit

import "encoding/json"

type reasonView struct {
	Code  string `json:"code"`
	About string `json:"about"`
	Count uint64 `json:"count"`
	First *Place `json:"first"`
	Words string `json:"words"`
}

type reportView struct {
	Verdict string       `json:"verdict"`
	Bets    uint64       `json:"bets"`
	Proven  uint64       `json:"proven"`
	Broken  uint64       `json:"broken"`
	Unknown uint64       `json:"unknown"`
	First   []Broken     `json:"first"`
	Reasons []reasonView `json:"reasons"`
	Seals   Seals        `json:"seals"`
	Set     SetReport    `json:"set"`
}

// MarshalJSON gives the object that docs/audit.md describes.
func (r *Report) MarshalJSON() ([]byte, error) {
	v := reportView{
		Verdict: string(r.Verdict()), Bets: r.Bets, Proven: r.Proven, Broken: r.Broken, Unknown: r.Unknown,
		First: append([]Broken{}, r.First...), Reasons: []reasonView{}, Seals: r.Seals, Set: r.Set,
	}
	for _, why := range r.Reasons {
		one := reasonView{why.Code, why.About, why.Count, nil, why.Words}
		if why.First.File != "" {
			first := why.First
			one.First = &first
		}
		v.Reasons = append(v.Reasons, one)
	}
	return json.Marshal(v)
}

package audit

import "encoding/json"

type brokenView struct {
	Place
	Site     string `json:"site"`
	Game     string `json:"game"`
	Code     string `json:"code"`
	Key      string `json:"key"`
	Expected string `json:"expected"`
	Got      string `json:"got"`
}

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
	First   []brokenView `json:"first"`
	Reasons []reasonView `json:"reasons"`
	Seals   Seals        `json:"seals"`
	Set     SetReport    `json:"set"`
}

// MarshalJSON gives the object that docs/audit.md describes.
func (r *Report) MarshalJSON() ([]byte, error) {
	v := reportView{
		Verdict: string(r.Verdict()), Bets: r.Bets, Proven: r.Proven, Broken: r.Broken, Unknown: r.Unknown,
		First: []brokenView{}, Reasons: []reasonView{}, Seals: r.Seals, Set: r.Set,
	}
	for _, b := range r.First {
		v.First = append(v.First, brokenView{b.Place, b.Site, b.Game, string(b.Code), b.Key, b.Expected, b.Got})
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

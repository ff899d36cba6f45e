package record

func (r *Record) body() []byte { panic("being written") }

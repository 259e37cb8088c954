package nowait

type system struct{}

func (*Writer) write([]byte) (int, error) { return 0, nil }

package nowait

import "syscall"

func write(syscall.Conn, []byte) (int, error) { return 0, nil }

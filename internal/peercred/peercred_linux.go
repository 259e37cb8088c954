package peercred

import "golang.org/x/sys/unix"

// ask asks for SO_PEERCRED (unix(7)).
func ask(fd int) (Credentials, error) {
	cred, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return Credentials{}, err
	}
	return Credentials{UID: int(cred.Uid), PID: int(cred.Pid)}, nil
}

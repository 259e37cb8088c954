package peercred

import "golang.org/x/sys/unix"

// ask asks for LOCAL_PEERCRED and LOCAL_PEERPID (unix(4)).
func ask(fd int) (Credentials, error) {
	cred, err := unix.GetsockoptXucred(fd, unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	if err != nil {
		return Credentials{}, err
	}
	pid, err := unix.GetsockoptInt(fd, unix.SOL_LOCAL, unix.LOCAL_PEERPID)
	return Credentials{UID: int(cred.Uid), PID: pid}, err
}

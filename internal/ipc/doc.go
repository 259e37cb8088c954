// Package ipc is the way in to a user's daemon, from both sides: the socket that the
// daemon listens on, and dialing it, starting it, stopping it and bridging an editor to it.
//
// Invariants:
//
//   - Whoever listens on a socket holds its lock and, for this host, that of its state directory, until
//     the process has ended. So there is one daemon for a socket and one for a state directory, however
//     many are started at once.
//   - Only the holder of the locks makes or removes the file of the socket, and ends the servers that
//     an earlier daemon left.
//   - The file of a lock says where its daemon may be, never that there is one: a daemon is what
//     accepts, or holds the lock.
//   - A socket or a configuration that is named is the daemon's, or nobody is connected.
//   - Both ends ask the kernel who is at the other one, and talk to processes of the same user only.
//     The directories of the socket and of the state are closed to everybody else.
package ipc

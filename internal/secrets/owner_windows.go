package secrets

import "io/fs"

// notOurs returns nil: on Windows a file has the permissions of its directory, which is this user's
// alone.
func notOurs(string, fs.FileInfo) *trouble { return nil }

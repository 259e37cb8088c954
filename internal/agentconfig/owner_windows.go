package agentconfig

import "io/fs"

// foreign reports false: on Windows a folder decides who may use the files in it, whoever wrote them.
func foreign(fs.FileInfo) bool { return false }

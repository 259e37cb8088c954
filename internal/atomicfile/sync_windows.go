package atomicfile

// syncFolder does nothing: Windows cannot flush a folder, and its journal keeps renames.
func syncFolder(string) {}

package daemon

// Bounds of what is held in memory of what others send: messages that are being read, results
// on their way, lists of servers, answers that an editor has not read. Nobody can use up what
// the others need.
const (
	daemonMemory = 1 << 30   // of all together
	serverMemory = 256 << 20 // of one server
	editorMemory = 128 << 20 // of one editor
)

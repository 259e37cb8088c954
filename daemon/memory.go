package daemon

// Bounds, in bytes, of the memory for what others send: messages being read, results on their way,
// lists of servers, answers that an editor has not read. Nobody can use up what the others need.
const (
	daemonMemory = 1 << 30   // for all together
	serverMemory = 256 << 20 // for one server
	editorMemory = 128 << 20 // for one editor
)

// Package rawjson reads, checks and changes raw JSON and leaves every byte that it does not
// change as it is: unknown members, the order of members and the spelling of numbers survive.
//
// Invariants:
//
//   - [Scan], [Measure] and [Check] take any bytes and look at every one of them, once. What they
//     accept is valid for every reader: there is no second opinion about it.
//   - All other functions expect valid JSON. Those that read find their way by strings and brackets
//     alone; given anything else they return nonsense or nothing, but they neither panic nor loop.
//   - Nothing that is given is changed, or referred to when the function has returned, except by
//     what it returns.
//   - Time and memory grow in proportion to the bytes, whatever they are. Go's stack does not grow
//     with the nesting.
package rawjson

// MaxDepth is how deep a value may be nested that comes from elsewhere and is passed
// on. An editor that reads only 1000 levels, like Neovim, can read it with everything
// that is put around it on the way.
const MaxDepth = 500

// IsObject reports whether b is an object.
func IsObject(b []byte) bool { return at(b, skipSpace(b, 0), '{') }

// IsAbsent reports whether a member that [Get] returned is missing or null. Both mean the same in
// LSP and MCP.
func IsAbsent(b []byte) bool { return b == nil || string(b) == "null" }

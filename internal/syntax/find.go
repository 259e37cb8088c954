package syntax

// A Step leads from a map or a list to a value in it.
type Step struct {
	Key   string
	Index int // in a list; −1 for a key
}

// Find returns the node that a path leads to; nil when there is none.
func Find(root *Node, path []Step) *Node {
	for _, s := range path {
		switch {
		case root == nil:
			return nil
		case s.Index >= 0:
			if root.Kind != List || s.Index >= len(root.Items) {
				return nil
			}
			root = root.Items[s.Index]
		default:
			root = root.Member(s.Key)
		}
	}
	return root
}

// Member returns the value of a key; nil when n is not a map that has it.
func (n *Node) Member(key string) *Node {
	if n == nil {
		return nil
	}
	for _, m := range n.Members {
		if m.Key == key {
			return m.Value
		}
	}
	return nil
}

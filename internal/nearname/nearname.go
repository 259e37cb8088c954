// Package nearname finds the name that somebody probably meant who wrote another one.
package nearname

import "strings"

// maxName is how many bytes a name may have for which others are looked at: it was typed by hand.
const maxName = 100

// Of returns the one of names that name probably stands for, the first where several are as near; "" for none. Capitals make
// no difference.
func Of(name string, names []string) string {
	if len(name) > maxName {
		return ""
	}
	best, least := "", min(far, (len(name)+1)/2)
	for _, n := range names {
		if d := edits(strings.ToLower(name), strings.ToLower(n)); d < least {
			best, least = n, d
		}
	}
	return best
}

// far is how many edits are too many.
const far = 3

// edits counts the bytes to insert, remove or replace and the neighbours to swap to turn a into b (the optimal string
// alignment distance). For names of very different length it only says that they are far apart.
func edits(a, b string) int {
	if d := len(a) - len(b); d >= far || d <= -far {
		return far
	}
	// Of the prefix of a so far, the one before and the one before that, to each prefix of b.
	row, before, earlier := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		earlier, before, row = before, row, earlier
		row[0] = i + 1
		for j := range len(b) {
			replaced := before[j]
			if a[i] != b[j] {
				replaced++
			}
			row[j+1] = min(replaced, before[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], earlier[j-1]+1)
			}
		}
	}
	return row[len(b)]
}

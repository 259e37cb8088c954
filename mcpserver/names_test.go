package mcpserver

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

func TestNames(t *testing.T) {
	long := strings.Repeat("x", 60)
	for _, tt := range []struct{ name, server, own, want string }{
		{"plain", "git", "log", "git__log"},
		{"all characters", "A-z_9", "B-y_0", "A-z_9__B-y_0"},
		{"a tool with the separator", "a", "b__c", "a__b__c"},
		{"a server with the separator", "a__b", "c", "a__b__c-2ursm2o730kha"},
		{"a tool that begins with an underscore", "a", "_b", "a___b"},
		{"a server that ends in an underscore", "a_", "b", "a___b-04ydh346qkmm6"},
		{"a dot", "git", "log.all", "git__log_all-"},
		{"another character", "gît", "日志", "g_t____-"},
		{"no name", "git", "", "git__-"},
		{"no server", "", "log", "__log-"},
		{"as long as may be", "a", long[:45], "a__" + long[:45]},
		{"one longer", "a", long[:46], "a__" + long[:31] + "-"},
		{"a long server", long, "log", long[:29] + "__log-"},
		{"both long", long, "y" + long, long[:16] + "__y" + long[:15] + "-"},
		{"like a hash", "a", "b-0123456789abc", "a__b-0123456789abc-"},
		{"a word after a hyphen", "a", "list-conversations", "a__list-conversations"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			want := tt.want
			if strings.HasSuffix(want, "-") {
				want += hashOf(tt.server, tt.own)
			}
			if got := agentName(tt.server, tt.own, 48); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
			if !mayBe(want, tt.server) || mayBe("b__c", tt.server) {
				t.Error("nobody can see whose it may be")
			}
		})
	}
}

// Names are as long as the user says, within reason.
func TestNameLimit(t *testing.T) {
	for limit, want := range map[int]int{0: 48, 10: 24, 60: 60} {
		if name := (naming{limit: limit}).name("git", strings.Repeat("x", 60)); len(name) != want {
			t.Errorf("with the limit %d: %s", limit, name)
		}
	}
}

var validName = regexp.MustCompile(`^[A-Za-z0-9_-]{2,48}$`)

// Names are unique among many that are made to be mistaken for one another.
func TestNamesUnique(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	word := func() string {
		b := make([]byte, 1+random.IntN(4))
		for i := range b {
			b[i] = "ab__-.0"[random.IntN(7)]
		}
		s := string(b)
		if random.IntN(8) == 0 {
			s = strings.Repeat("long", 15) + s
		}
		return s
	}
	pairs := map[string]string{}
	for len(pairs) < 30_000 {
		server, own := word()+word(), word()+word()
		name, pair := agentName(server, own, 48), fmt.Sprintf("%q %q", server, own)
		if other, taken := pairs[name]; taken && other != pair {
			t.Fatalf("%s and %s are both %s", other, pair, name)
		}
		pairs[name] = pair
		if !validName.MatchString(name) || !mayBe(name, server) {
			t.Fatalf("%s is not valid, or is said not to be of %q", name, server)
		}
		// A name that somebody gives a tool of another server, to be taken for this one.
		if i := strings.Index(name, "__"); i > 0 && (name[:i] != server || name[i+2:] != own) && agentName(name[:i], name[i+2:], 48) == name {
			t.Fatalf("%s and %q %q are both %s", pair, name[:i], name[i+2:], name)
		}
	}
}

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

var validName = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

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
	for len(pairs) < 100_000 {
		server, own := word()+word(), word()+word()
		name, pair := agentName(server, own, 48), fmt.Sprintf("%q %q", server, own)
		if other, taken := pairs[name]; taken && other != pair {
			t.Fatalf("%s and %s are both %s", other, pair, name)
		}
		pairs[name] = pair
		if !mayBe(name, server) {
			t.Fatalf("%s is said not to be of %q", name, server)
		}
		// A name that somebody gives a tool of another server, to be taken for this one.
		if i := strings.Index(name, "__"); i > 0 && (name[:i] != server || name[i+2:] != own) && agentName(name[:i], name[i+2:], 48) == name {
			t.Fatalf("%s and %q %q are both %s", pair, name[:i], name[i+2:], name)
		}
	}
}

func FuzzNames(f *testing.F) {
	f.Add("git", "log", 48)
	f.Add("a__b", "c", 24)
	f.Add("\xff", "", 64)
	f.Fuzz(func(t *testing.T, server, own string, limit int) {
		n := naming{limit: limit}
		name := n.name(server, own)
		switch {
		case !validName.MatchString(name):
			t.Errorf("%q is not valid", name)
		case limit > 0 && len(name) > max(limit, minNameLimit), limit == 0 && len(name) > defaultNameLimit:
			t.Errorf("%q is too long", name)
		case n.name(server, own) != name:
			t.Errorf("%q is not stable", name)
		case name == server+nameSeparator+own && endsInHash(name):
			t.Errorf("%q looks as if it had a hash", name)
		}
		if naming := (naming{single: server, limit: limit}); server != "" && naming.name(server, own) != own {
			t.Errorf("%q changes with one server", own)
		}
	})
}

package redact

import "testing"

func TestText(t *testing.T) {
	const h = Hidden
	for _, tt := range []struct{ name, text, want string }{
		{"nothing", "server \"a\" exited with code 3 in 1.5s", "server \"a\" exited with code 3 in 1.5s"},
		{"home", "/srv/me/.config/x and /srv/me", "~/.config/x and ~"},
		{"other homes", `/home/anna/x /Users/Bert/y C:\Users\cleo\z`, `~/x ~/y ~\z`},
		{"user of a URL", "https://me:pw@host/x", "https://" + h + "@host/x"},
		{"query of a URL", "https://host/x?key=1&b=2#c", "https://host/x?key=" + h + "&b=" + h + "#c"},
		{"header", "Authorization: Bearer abc.def", "Authorization: " + h + " " + h},
		{"bearer alone", "sent Bearer abc", "sent Bearer " + h},
		{"variable", "GITHUB_TOKEN=abc LANG=C", "GITHUB_TOKEN=" + h + " LANG=C"},
		{"quoted", `PASSWORD="a b" x`, `PASSWORD=` + h + ` x`},
		{"JSON", `{"apiKey": "abc", "n": 1}`, `{"apiKey": ` + h + `, "n": 1}`},
		{"JSON in a log", `{"msg":"{\"token\": \"abc\"}"}`, `{"msg":"{\"token\": ` + h + `}"}`},
		{"flag", "run --api-key abc --verbose", "run --api-key " + h + " --verbose"},
		{"flag without a value", "run --token --verbose", "run --token --verbose"},
		{"GitHub", "ghp_abcdefgh1234", h},
		{"OpenAI", "the key sk-proj-abcdefgh", "the key " + h},
		{"Amazon", "AKIAIOSFODNN7EXAMPLE", h},
		{"JWT", "eyJhbGciOiJI.eyJzdWIi.abc", h},
		{"key", "-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----\nx", h + "\nx"},
		{"random", "digest 0123456789abcdef0123456789abcdef.", "digest " + h + "."},
		{"a long word", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := Text(tt.text, "/srv/me"); got != tt.want {
				t.Errorf("it is %q, want %q", got, tt.want)
			}
		})
	}
}

func TestSecretName(t *testing.T) {
	for name, want := range map[string]bool{
		"GITHUB_TOKEN": true, "apiKey": true, "X-Api-Key": true, "DB_PASSWORD": true, "KEY": true, "SSH_KEY": true,
		"OPENAI_API_KEY_2": true, "sessionId": true, "Authorization": true, "credentials": true,
		"TOKEN_URL": false, "MAX_TOKENS": false, "AUTHOR": false, "KEY_FILE": false, "PATH": false, "KEYBOARD": false, "MONKEY": false, "": false,
	} {
		if got := SecretName(name); got != want {
			t.Errorf("%q: %v, want %v", name, got, want)
		}
	}
}

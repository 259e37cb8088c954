package authserver

// HostileURLs are authorization endpoints that no client may open, by what is wrong with
// them. They are for Knobs.Metadata["authorization_endpoint"].
func HostileURLs() map[string]string {
	return map[string]string{
		"javascript":      "javascript:alert(document.domain)//",
		"file":            "file:///etc/passwd",
		"data":            "data:text/html,<script>alert(1)</script>",
		"scheme":          "vscode://evil.extension/run",
		"not loopback":    "http://auth.example.com/authorize",
		"shell":           "http://$HOST/authorize?a=1&calc.exe;touch${IFS}/tmp/owned|`id`$(id)\"'",
		"line break":      "http://$HOST/authorize\r\nX-Injected: 1",
		"option":          "--help",
		"user info":       "http://admin:secret@$HOST/authorize",
		"fragment":        "http://$HOST/authorize#fragment",
		"private 10/8":    "http://10.0.0.1/authorize",
		"link local":      "http://169.254.169.254/latest/meta-data/",
		"unique local":    "http://[fd00::1]/authorize",
		"localhost dot":   "http://localhost./authorize",
		"localhost below": "http://evil.localhost.example.com/authorize",
		"mapped":          "http://[::ffff:10.0.0.1]/authorize",
		"relative":        "/authorize",
		"empty":           "",
	}
}

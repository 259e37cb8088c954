package agentconfig

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// Environment returns the value of a variable, "" when it is not set.
type Environment func(name string) string

// folder finds a folder. Its error says which variable to set.
type folder func(Environment) (string, error)

// home is a folder in the home directory.
func home(below ...string) folder {
	return func(env Environment) (string, error) {
		name := "HOME"
		if runtime.GOOS == "windows" {
			name = "USERPROFILE"
		}
		at := env(name)
		if !filepath.IsAbs(at) {
			return "", fmt.Errorf("the home directory is unknown; set %s to an absolute path", name)
		}
		return filepath.Join(append([]string{at}, below...)...), nil
	}
}

// variable is the folder that a variable names, else another one.
func variable(name string, other folder) folder {
	return func(env Environment) (string, error) {
		if at := env(name); filepath.IsAbs(at) {
			return filepath.Clean(at), nil
		}
		return other(env)
	}
}

// sub is a folder in another one.
func sub(other folder, below ...string) folder {
	return func(env Environment) (string, error) {
		at, err := other(env)
		if err != nil {
			return "", err
		}
		return filepath.Join(append([]string{at}, below...)...), nil
	}
}

// zedFolder has Zed's settings.
func zedFolder() folder {
	switch runtime.GOOS {
	case "darwin":
		return home(".config", "zed")
	case "windows":
		return sub(applicationData(), "Zed")
	}
	return sub(applicationData(), "zed")
}

// applicationData has the folders of programs that are built on Electron.
func applicationData() folder {
	switch runtime.GOOS {
	case "darwin":
		return home("Library", "Application Support")
	case "windows":
		return variable("APPDATA", home("AppData", "Roaming"))
	}
	return variable("XDG_CONFIG_HOME", home(".config"))
}

// Installed reports whether the agent is there: its program is in PATH, or the folder of its
// configuration exists.
func (a Agent) Installed(env Environment) bool {
	for _, program := range a.programs {
		if _, err := exec.LookPath(program); err == nil {
			return true
		}
	}
	mark := a.mark
	if mark == nil {
		mark = a.folder
	}
	if mark == nil {
		return false
	}
	at, err := mark(env)
	if err != nil {
		return false
	}
	info, err := os.Stat(at)
	return err == nil && info.IsDir()
}

// paths returns where the agent's configuration may be, the usual place last.
func (a Agent) paths(env Environment) ([]string, error) {
	dir, err := a.folder(env)
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, name := range a.files {
		paths = append(paths, filepath.Join(dir, name))
	}
	return paths, nil
}

//go:build !darwin && !windows

package agentconfig

// applicationData has the folders of programs that are built on Electron.
var applicationData = variable("XDG_CONFIG_HOME", home(".config"))

// zedFolder has Zed's settings.
var zedFolder = sub(applicationData, "zed")

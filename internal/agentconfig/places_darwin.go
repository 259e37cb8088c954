package agentconfig

// applicationData has the folders of programs that are built on Electron.
var applicationData = home("Library", "Application Support")

// zedFolder has Zed's settings.
var zedFolder = home(".config", "zed")

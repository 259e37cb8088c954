package agentconfig

// applicationData has the folders of programs that are built on Electron.
var applicationData = variable("APPDATA", home("AppData", "Roaming"))

// zedFolder has Zed's settings.
var zedFolder = sub(applicationData, "Zed")

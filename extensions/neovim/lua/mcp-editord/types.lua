---@meta
--- Made by scripts/doc.lua of options.lua: do not edit.

---@class mcp-editord.UserConfig
---@field command? string The program: a name in the PATH, or a path.
---@field socket? string Socket of the daemon, in place of the usual one.
---@field config? string Your mcp.json, in place of the usual one. It counts when this Neovim starts the daemon.
---@field autostart? boolean Attach when Neovim has started. Otherwise the first use does.
---@field start_servers? boolean Attaching starts the servers that may run. Otherwise the first call of each does.
---@field servers? table<string, any> More servers, as in mcp.json. They are trusted as your own.
---@field env? table<string, string> Environment variables for servers that this Neovim starts, added to its own.
---@field root_markers? string[] What a project has at its root. The nearest folder upwards from the working directory that has one of them is the workspace. What belongs to another user does not count, and the way upwards ends there.
---@field root? function Called with a working directory, returns the folder of its workspace, or nil for none, in place of `root_markers`.
---@field timeout? number Milliseconds that a call may take without a sign of life, in place of what mcp.json says.
---@field messages? 'debug'|'info'|'notice'|'warning'|'error'|'critical'|'alert'|'emergency'|'off' The lowest level of log messages of servers that is shown.
---@field result? mcp-editord.UserConfigResult
---@field sampling? mcp-editord.UserConfigSampling

---@class mcp-editord.UserConfigResult
---@field open? 'split'|'vsplit'|'tab'|'float' Where results are shown.
---@field height? number Height of a split or float: lines, or a part of the screen when below 1.
---@field image? function Called with (path, buf, line) to show an image in the buffer of a result, above that line (1-based). Without it images are shown where the terminal knows kitty's protocol.

---@class mcp-editord.UserConfigSampling
---@field handler? 'auto'|'openai'|'anthropic'|'codecompanion'|function|boolean Who answers for your model: see mcp-editord-sampling. `auto` takes CodeCompanion where it is in the runtimepath; `false` lets no server sample.
---@field edit? boolean Show the answer of the model, for you to send, edit or keep, unless the server is always allowed.
---@field timeout? number Milliseconds that the model may take.
---@field openai? mcp-editord.UserConfigSamplingOpenai
---@field anthropic? mcp-editord.UserConfigSamplingAnthropic

---@class mcp-editord.UserConfigSamplingOpenai
---@field url? string Any endpoint that speaks OpenAI's chat completions; Ollama's by default. llama.cpp: http://localhost:8080/v1
---@field model? string The model. Needed by most endpoints.
---@field api_key? string|function Name of the environment variable with the key, or a function that returns the key.

---@class mcp-editord.UserConfigSamplingAnthropic
---@field url? string Base of Anthropic's API.
---@field model? string The model. Needed.
---@field api_key? string|function Name of the environment variable with the key, or a function that returns the key.

---@class mcp-editord.Config
---@field command string
---@field socket? string
---@field config? string
---@field autostart boolean
---@field start_servers boolean
---@field servers table<string, any>
---@field env table<string, string>
---@field root_markers string[]
---@field root? function
---@field timeout? number
---@field messages 'debug'|'info'|'notice'|'warning'|'error'|'critical'|'alert'|'emergency'|'off'
---@field result mcp-editord.ConfigResult
---@field sampling mcp-editord.ConfigSampling

---@class mcp-editord.ConfigResult
---@field open 'split'|'vsplit'|'tab'|'float'
---@field height number
---@field image? function

---@class mcp-editord.ConfigSampling
---@field handler 'auto'|'openai'|'anthropic'|'codecompanion'|function|boolean
---@field edit boolean
---@field timeout number
---@field openai mcp-editord.ConfigSamplingOpenai
---@field anthropic mcp-editord.ConfigSamplingAnthropic

---@class mcp-editord.ConfigSamplingOpenai
---@field url string
---@field model? string
---@field api_key? string|function

---@class mcp-editord.ConfigSamplingAnthropic
---@field url string
---@field model? string
---@field api_key string|function

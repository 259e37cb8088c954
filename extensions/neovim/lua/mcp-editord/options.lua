--- The options that exist. scripts/doc.lua makes the table in the help and types.lua from them; config.lua checks what you
--- set against them.
local M = {}

---@class mcp-editord.Option
---@field name string with dots for a table in a table
---@field type string one of Lua's types, several joined by "|", or "list" or "map" of strings
---@field default any
---@field values? string[] what a string may be
---@field check? fun(value: any): boolean
---@field expected? string what it must be, where type and values do not say it
---@field secret? boolean a wrong value is not repeated in the message: it may be a key
---@field doc string

local function at_least(least)
  return function(value)
    return type(value) ~= 'number' or value >= least
  end
end

local function is_variable(value)
  return type(value) ~= 'string' or value:find('^[%a_][%w_]*$') ~= nil
end

---@type mcp-editord.Option[]
M.list = {
  {
    name = 'command',
    type = 'string',
    default = 'mcp-editord',
    doc = 'The program: a name in the PATH, or a path.',
  },
  {
    name = 'socket',
    type = 'string|nil',
    doc = 'Socket of the daemon, in place of the usual one.',
  },
  {
    name = 'config',
    type = 'string|nil',
    doc = 'Your mcp.json, in place of the usual one. It counts when this Neovim starts the daemon.',
  },
  {
    name = 'autostart',
    type = 'boolean',
    default = false,
    doc = 'Attach when Neovim has started. Otherwise the first use does.',
  },
  {
    name = 'start_servers',
    type = 'boolean',
    default = true,
    doc = 'Attaching starts the servers that may run. Otherwise the first call of each does.',
  },
  {
    name = 'servers',
    type = 'map',
    default = {},
    doc = 'More servers, as in mcp.json. They are trusted as your own.',
  },
  {
    name = 'env',
    type = 'map of strings',
    default = {},
    doc = 'Environment variables for servers that this Neovim starts, added to its own.',
  },
  {
    name = 'root_markers',
    type = 'list',
    default = { '.git', '.mcp.json', '.vscode/mcp.json', '.cursor/mcp.json' },
    doc = 'What a project has at its root. The nearest folder upwards from the working directory that has one of them is the workspace. What belongs to another user does not count, and the way upwards ends there.',
  },
  {
    name = 'root',
    type = 'function|nil',
    doc = 'Called with a working directory, returns the folder of its workspace, or nil for none, in place of `root_markers`.',
  },
  {
    name = 'timeout',
    type = 'number|nil',
    check = at_least(1),
    expected = 'a number of milliseconds, 1 or more',
    doc = 'Milliseconds that a call may take without a sign of life, in place of what mcp.json says.',
  },
  {
    name = 'messages',
    type = 'string',
    default = 'warning',
    values = { 'debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency', 'off' },
    doc = 'The lowest level of log messages of servers that is shown.',
  },
  {
    name = 'result.open',
    type = 'string',
    default = 'split',
    values = { 'split', 'vsplit', 'tab', 'float' },
    doc = 'Where results are shown.',
  },
  {
    name = 'result.height',
    type = 'number',
    default = 0.4,
    check = at_least(0.1),
    expected = 'a number: lines, or a part of the screen below 1',
    doc = 'Height of a split or float: lines, or a part of the screen when below 1.',
  },
  {
    name = 'result.image',
    type = 'function|nil',
    doc = "Called with (path, buf, line) to show an image in the buffer of a result, above that line (1-based). Without it images are shown where the terminal knows kitty's protocol.",
  },
  {
    name = 'sampling.handler',
    type = 'string|function|boolean',
    default = 'auto',
    values = { 'auto', 'openai', 'anthropic', 'codecompanion' },
    check = function(value)
      return value ~= true
    end,
    expected = 'a name of a handler, a function, or false',
    doc = 'Who answers for your model: see |mcp-editord-sampling|. `auto` takes CodeCompanion where it is in the runtimepath; `false` lets no server sample.',
  },
  {
    name = 'sampling.edit',
    type = 'boolean',
    default = true,
    doc = 'Show the answer of the model, for you to send, edit or keep, unless the server is always allowed.',
  },
  {
    name = 'sampling.timeout',
    type = 'number',
    default = 120000,
    check = at_least(1000),
    expected = 'a number of milliseconds, 1000 or more',
    doc = 'Milliseconds that the model may take.',
  },
  {
    name = 'sampling.openai.url',
    type = 'string',
    default = 'http://localhost:11434/v1',
    doc = "Any endpoint that speaks OpenAI's chat completions; Ollama's by default. llama.cpp: http://localhost:8080/v1",
  },
  {
    name = 'sampling.openai.model',
    type = 'string|nil',
    doc = 'The model. Needed by most endpoints.',
  },
  {
    name = 'sampling.openai.api_key',
    type = 'string|function|nil',
    check = is_variable,
    expected = 'the name of an environment variable, or a function',
    secret = true,
    doc = 'Name of the environment variable with the key, or a function that returns the key.',
  },
  {
    name = 'sampling.anthropic.url',
    type = 'string',
    default = 'https://api.anthropic.com',
    doc = "Base of Anthropic's API.",
  },
  {
    name = 'sampling.anthropic.model',
    type = 'string|nil',
    doc = 'The model. Needed.',
  },
  {
    name = 'sampling.anthropic.api_key',
    type = 'string|function',
    default = 'ANTHROPIC_API_KEY',
    check = is_variable,
    expected = 'the name of an environment variable, or a function',
    secret = true,
    doc = 'Name of the environment variable with the key, or a function that returns the key.',
  },
}

--- A value of each Lua type for people, in the words of the errors.
local words = {
  string = 'a string',
  number = 'a number',
  boolean = 'true or false',
  ['function'] = 'a function',
  map = 'a table with names as keys',
  ['map of strings'] = 'a table of strings with names as keys',
  list = 'a list of strings',
}

--- What a value of the option must be, for people.
---@param option mcp-editord.Option
---@return string
function M.expected(option)
  if option.expected then
    return option.expected
  end
  local parts = {}
  for kind in option.type:gmatch('[^|]+') do
    if kind == 'string' and option.values then
      parts[#parts + 1] = 'one of ' .. table.concat(option.values, ', ')
    elseif kind ~= 'nil' then
      parts[#parts + 1] = words[kind]
    end
  end
  return table.concat(parts, ' or ')
end

return M

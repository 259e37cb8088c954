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
    doc = 'The program to run: a name in the PATH, or a path.',
  },
  {
    name = 'socket',
    type = 'string|nil',
    doc = "The daemon's socket, if it is not the usual one.",
  },
  {
    name = 'config',
    type = 'string|nil',
    doc = 'Your mcp.json, if it is not the usual one. Takes effect when this Neovim starts the daemon.',
  },
  {
    name = 'autostart',
    type = 'boolean',
    default = false,
    doc = 'Attach as soon as Neovim has started, rather than on first use.',
  },
  {
    name = 'start_servers',
    type = 'boolean',
    default = true,
    doc = 'Start the servers that may run when attaching, rather than each on its first call.',
  },
  {
    name = 'servers',
    type = 'map',
    default = {},
    doc = 'Additional servers, written as in mcp.json. They are trusted like your own.',
  },
  {
    name = 'env',
    type = 'map of strings',
    default = {},
    doc = 'Environment variables for the servers that this Neovim starts, in addition to its own environment.',
  },
  {
    name = 'root_markers',
    type = 'list',
    default = { '.git', '.mcp.json', '.vscode/mcp.json', '.cursor/mcp.json' },
    doc = 'Files and folders that mark the root of a project. The workspace is the nearest folder, from the working directory up, that contains one. The search ignores markers that belong to another user, and stops at a folder that does.',
  },
  {
    name = 'root',
    type = 'function|nil',
    doc = 'Takes a working directory and returns its workspace folder, or nil for none. Replaces `root_markers`.',
  },
  {
    name = 'timeout',
    type = 'number|nil',
    check = at_least(1),
    expected = 'a number of milliseconds, 1 or more',
    doc = 'How long a call may go without a sign of life, in milliseconds. Overrides mcp.json.',
  },
  {
    name = 'messages',
    type = 'string',
    default = 'warning',
    values = { 'debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency', 'off' },
    doc = 'The lowest level of server log messages to show. When many come, one line says how many; |:Mcp-log| shows them. Messages wait while you type.',
  },
  {
    name = 'result.open',
    type = 'string',
    default = 'split',
    values = { 'split', 'vsplit', 'tab', 'float' },
    doc = 'Where to show results.',
  },
  {
    name = 'result.height',
    type = 'number',
    default = 0.4,
    check = at_least(0.1),
    expected = 'a number of lines, or below 1 a fraction of the screen',
    doc = 'The height of a split or float: a number of lines or, below 1, a fraction of the screen.',
  },
  {
    name = 'result.image',
    type = 'function|nil',
    doc = "Called with (path, buf, line) to draw an image in the result buffer above that line (1-based). Without it, images appear in terminals that support kitty's graphics protocol.",
  },
  {
    name = 'sampling.handler',
    type = 'string|function|boolean',
    default = 'auto',
    values = { 'auto', 'openai', 'anthropic', 'codecompanion', 'copilotchat' },
    check = function(value)
      return value ~= true
    end,
    expected = 'the name of a handler, a function, or false',
    doc = 'What answers for your model; see |mcp-editord-sampling|. `auto` uses CodeCompanion if it is installed and its adapter can be used, else CopilotChat; `false` lets no server ask your model.',
  },
  {
    name = 'sampling.edit',
    type = 'boolean',
    default = true,
    doc = "Show the model's answer before it goes to the server, so that you can send, edit or withhold it. Servers that you always allow skip this.",
  },
  {
    name = 'sampling.timeout',
    type = 'number',
    default = 120000,
    check = at_least(1000),
    expected = 'a number of milliseconds, 1000 or more',
    doc = 'How long the model may take, in milliseconds.',
  },
  {
    name = 'sampling.codecompanion.adapter',
    type = 'string|nil',
    doc = "The name of the HTTP adapter that answers. Not set, it is the adapter of CodeCompanion's chat.",
  },
  {
    name = 'sampling.openai.url',
    type = 'string',
    default = 'http://localhost:11434/v1',
    doc = "An endpoint that speaks OpenAI's chat completions. The default is Ollama; for llama.cpp, use http://localhost:8080/v1",
  },
  {
    name = 'sampling.openai.model',
    type = 'string|nil',
    doc = 'The model. Most endpoints require it.',
  },
  {
    name = 'sampling.openai.api_key',
    type = 'string|function|nil',
    check = is_variable,
    expected = 'the name of an environment variable, or a function',
    secret = true,
    doc = 'The environment variable that holds the key, or a function that returns the key.',
  },
  {
    name = 'sampling.anthropic.url',
    type = 'string',
    default = 'https://api.anthropic.com',
    doc = "The base URL of Anthropic's API.",
  },
  {
    name = 'sampling.anthropic.model',
    type = 'string|nil',
    doc = 'The model. Required.',
  },
  {
    name = 'sampling.anthropic.api_key',
    type = 'string|function',
    default = 'ANTHROPIC_API_KEY',
    check = is_variable,
    expected = 'the name of an environment variable, or a function',
    secret = true,
    doc = 'The environment variable that holds the key, or a function that returns the key.',
  },
}

--- What errors call each type.
local words = {
  string = 'a string',
  number = 'a number',
  boolean = 'true or false',
  ['function'] = 'a function',
  map = 'a table with names as keys',
  ['map of strings'] = 'a table of strings with names as keys',
  list = 'a list of strings',
}

--- Says what a value of the option must be.
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

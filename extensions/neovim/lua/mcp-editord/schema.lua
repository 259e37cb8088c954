--- The options, and all that is made of them: the check of what a user set, the table in
--- the help and the type in types.lua.
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
M.options = {
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

---@param kind string
---@param value any
---@return boolean
local function has_type(kind, value)
  if kind == 'list' then
    return vim.islist(value) and vim.iter(value):all(function(v)
      return type(v) == 'string'
    end)
  elseif kind == 'map' or kind == 'map of strings' then
    return type(value) == 'table'
      and vim.iter(pairs(value)):all(function(k, v)
        return type(k) == 'string' and (kind == 'map' or type(v) == 'string')
      end)
  end
  return type(value) == kind
end

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

---@param option mcp-editord.Option
---@param value any
---@return boolean
local function fits(option, value)
  if type(value) == 'string' and option.values and not vim.list_contains(option.values, value) then
    return false
  elseif option.check and not option.check(value) then
    return false
  end
  for kind in option.type:gmatch('[^|]+') do
    if has_type(kind, value) then
      return true
    end
  end
  return false
end

--- The defaults.
---@return table
function M.defaults()
  local out = {}
  for _, option in ipairs(M.options) do
    local path = vim.split(option.name, '.', { plain = true })
    local at = out
    for i = 1, #path - 1 do
      at[path[i]] = at[path[i]] or {}
      at = at[path[i]]
    end
    at[path[#path]] = vim.deepcopy(option.default)
  end
  return out
end

--- Puts what the user set over the defaults. What is wrong is left out and named.
---@param user any
---@return table config
---@return string[] problems
function M.apply(user)
  local config, problems = M.defaults(), {}
  local by_name, inner = {}, {} ---@type table<string, mcp-editord.Option>, table<string, boolean>
  for _, option in ipairs(M.options) do
    by_name[option.name] = option
    for parent in option.name:gmatch('()%.') do
      inner[option.name:sub(1, parent - 1)] = true
    end
  end

  local function walk(value, prefix, into)
    for key, v in pairs(value) do
      local name = prefix .. tostring(key)
      local option = by_name[name]
      if option and fits(option, v) then
        into[key] = v
      elseif option then
        local got = option.secret and '' or ', not ' .. vim.inspect(v)
        problems[#problems + 1] = name .. ' must be ' .. M.expected(option) .. got
      elseif inner[name] and type(v) == 'table' then
        walk(v, name .. '.', into[key])
      elseif inner[name] then
        problems[#problems + 1] = ('%s must be a table, not %s'):format(name, vim.inspect(v))
      else
        problems[#problems + 1] = ('%s is no option; see :help mcp-editord-options'):format(name)
      end
    end
  end
  if type(user) == 'table' then
    walk(user, '', config)
  elseif user ~= nil then
    problems[1] = ('it must be a table or a function that returns one, not %s'):format(vim.inspect(user))
  end
  table.sort(problems)
  return config, problems
end

return M

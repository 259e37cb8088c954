--- Completion of `:Mcp`. It does not wait for servers that are starting: it offers what the daemon knows, and leaves out what
--- a server does not answer in time.
local address = require('mcp-editord.address')
local catalog = require('mcp-editord.daemon.catalog')
local form = require('mcp-editord.form.schema')
local json = require('mcp-editord.json')
local servers = require('mcp-editord.daemon.servers')
local values_of = require('mcp-editord.form.complete')

local M = {}

--- How long completion waits for the daemon, in milliseconds.
local patience = 100

--- The largest number of candidates.
local max_candidates = 200

---@return mcp-editord.Connection?
local function connection()
  return values_of.now(patience, function()
    local c = require('mcp-editord.attach').get()
    if next(c.servers) == nil then
      servers.list(c)
    end
    return c
  end)
end

---@param c mcp-editord.Connection
---@param kind 'tools'|'prompts'
---@return string[]
local function entries(c, kind)
  local found = values_of.now(patience, function()
    return catalog.entries(c, kind)
  end)
  return vim.tbl_map(function(entry)
    return entry.server .. '.' .. entry.name
  end, found or {})
end

--- Returns the values that a field may have, as they are typed.
---@param field mcp-editord.Field
---@return string[]
local function values_for(field)
  if field.kind == 'boolean' then
    return { 'true', 'false' }
  elseif field.kind == 'list' or field.kind == 'map' then
    return field.kind == 'list' and values_for(form.element(field, field.name)) or {}
  elseif field.kind == 'union' or field.kind == 'mixed' and not field.choices then
    local out = {}
    for _, shape in ipairs(form.union(field)) do
      if shape.field.kind ~= field.kind then
        vim.list_extend(out, values_for(shape.field))
      end
    end
    return out
  end
  return vim.tbl_map(function(choice)
    return form.plain(choice.value)
  end, field.choices or {})
end

--- Returns a text as one word of a command line.
---@param said string
---@return string
local function escaped(said)
  return (said:gsub('[%s\\"\']', '\\%0'))
end

--- Completes the arguments of a tool or prompt: names that are not there yet, or values of the one that is being typed. Of a
--- list, it completes the last word.
---@param c mcp-editord.Connection
---@param kind 'tools'|'prompts'
---@param words string[] the id, and the arguments before
---@param typed string
---@return string[]
local function arguments(c, kind, words, typed)
  local entry = values_of.now(patience, function()
    return catalog.find(c, kind, words[1])
  end)
  if not entry then
    return {}
  end
  local fields = kind == 'tools' and form.fields(json.member(entry.text, 'inputSchema'))
    or form.prompt_fields(entry.definition)
  local given, out = {}, {}
  for i = 2, #words do
    local name, value = words[i]:match('^([^=]-):?=(.*)$')
    if name then
      given[name] = json.encode(value)
    end
  end
  local name, value = typed:match('^([^=]-)=(.*)$')
  for _, field in ipairs(fields) do
    if not name and not given[field.name] then
      out[#out + 1] = escaped(field.name) .. '='
    elseif name == field.name then
      local values, before = values_for(field), ''
      if kind == 'prompts' then
        values = values_of.argument(c, entry.server, { type = 'ref/prompt', name = entry.name }, name, value, given)
      elseif field.kind == 'list' or field.kind == 'choices' then
        before = value:match('^(.*,)') or ''
      end
      local there = ',' .. before
      for _, v in ipairs(values) do
        if not there:find(',' .. v .. ',', 1, true) then
          out[#out + 1] = ('%s=%s%s'):format(name, before, escaped(v))
        end
      end
    end
  end
  return out
end

---@param c mcp-editord.Connection
---@return string[]
local function resources(c)
  local names = {}
  for _, offered in
    ipairs(values_of.now(patience, function()
      return catalog.get(c)
    end) or {})
  do
    for _, resource in ipairs(offered.resources) do
      names[#names + 1] = address.name(offered.server, resource.uri)
    end
  end
  return names
end

--- The programs whose servers can be imported.
local programs = vim.split(
  'all amp claude claude-desktop codex continue copilot cursor gemini goose mcphub opencode vscode windsurf zed',
  ' '
)

---@param server mcp-editord.Server
---@return boolean
local function is_enabled(server)
  return server.state ~= 'disabled'
end

---@alias mcp-editord.Completer fun(c: mcp-editord.Connection, words: string[], typed: string): string[]

--- The completers of arguments. `words` are those before the one that is being typed.
---@type table<string, mcp-editord.Completer>
M.kinds = {
  server = function(c, words)
    return #words == 0 and servers.names(c) or {}
  end,
  enabled = function(c, words)
    return #words == 0 and servers.names(c, is_enabled) or {}
  end,
  disabled = function(c, words)
    return #words == 0 and servers.names(c, 'disabled') or {}
  end,
  add = function(_, words)
    return #words == 0 and vim.fn.sort(vim.tbl_keys(require('mcp-editord.commands.add').options)) or {}
  end,
  import = function(_, words)
    return #words == 0 and programs or {}
  end,
  waiting = function(c, words)
    local waits = function(server)
      return server.approval ~= nil or server.held ~= nil
    end
    return #words == 0 and servers.names(c, waits) or {}
  end,
  signin = function(c, words)
    return #words == 0 and servers.names(c, servers.wants_sign_in) or {}
  end,
  signout = function(c, words)
    return #words == 0 and servers.names(c, servers.is_signed_in) or {}
  end,
  tools = function(c, words)
    return #words == 0 and vim.list_extend(servers.names(c), entries(c, 'tools')) or {}
  end,
  tool = function(c, words, typed)
    return #words == 0 and entries(c, 'tools') or arguments(c, 'tools', words, typed)
  end,
  prompt = function(c, words, typed)
    return #words == 0 and entries(c, 'prompts') or arguments(c, 'prompts', words, typed)
  end,
  resource = function(c, words)
    return #words == 0 and resources(c) or {}
  end,
}

--- Returns what follows `:Mcp` in a command line: after its range, modifiers and !, and also when the name is abbreviated.
---@param line string
---@return string
local function after_command(line)
  local at = 1
  while true do
    local first, last = line:find('Mc?p?%f[%W]!?', at)
    if not first then
      return ''
    elseif not line:sub(first - 1, first - 1):find("[%a_'`]") then -- a mark may have the same letter
      return (line:sub(last + 1):gsub('^%s+', ''))
    end
    at = last + 1
  end
end

--- Orders what fits what was typed: first what begins with it, then names whose part after the server does, then what has
--- its letters in their order.
---@param candidates string[]
---@param typed string
---@param fuzzy boolean
---@return string[]
local function fitting(candidates, typed, fuzzy)
  local begin, bare = {}, {}
  for _, candidate in ipairs(candidates) do
    if vim.startswith(candidate, typed) then
      begin[#begin + 1] = candidate
    elseif fuzzy and candidate:find('.' .. typed, 1, true) then
      bare[#bare + 1] = candidate
    end
  end
  local out = vim.list_extend(begin, bare)
  return #out == 0 and fuzzy and typed ~= '' and vim.fn.matchfuzzy(candidates, typed) or out
end

--- Completes `:Mcp`.
---@param typed string the word that is being typed
---@param line string the whole command line
---@param position integer
---@return string[]
function M.command(typed, line, position)
  local targets = require('mcp-editord.commands.targets')
  local before = after_command(line:sub(1, position - #typed))
  local words, open = require('mcp-editord.commands.arguments').words(targets.strip(before) .. typed)
  if open then
    table.remove(words)
  end
  local subcommands = require('mcp-editord.commands').subcommands
  local candidates, fuzzy
  if vim.startswith(typed, '+') then
    candidates = vim.tbl_map(function(name)
      return '++to=' .. name
    end, targets.names())
  elseif #words == 0 then
    candidates = vim.tbl_keys(subcommands)
    table.sort(candidates)
  else
    local subcommand = subcommands[table.remove(words, 1)]
    local complete = subcommand and M.kinds[subcommand.complete]
    local c = complete and connection()
    fuzzy = #words == 0 and vim.list_contains({ 'tools', 'tool', 'prompt' }, subcommand and subcommand.complete)
    candidates = c and complete(c, words, typed) or {}
  end
  local out = {}
  for _, candidate in ipairs(fitting(candidates, typed, fuzzy)) do
    if not candidate:find('%c') and #out < max_candidates then
      out[#out + 1] = candidate
    end
  end
  return out
end

return M

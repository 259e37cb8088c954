--- Completion of `:Mcp` and of the fields of forms. It does not wait for servers that are starting: what the daemon knows
--- is there at once, and what a server has not answered within a moment is left out.
local async = require('mcp-editord.async')

local M = {}

--- Milliseconds that completion waits: for the daemon, and for the values that a server proposes.
local patience = { daemon = 100, server = 300 }

--- How many candidates are shown.
local max_candidates = 200

--- Runs an async function and waits for it; nil when it fails or takes too long.
---@generic T
---@param limit integer ms
---@param fn async fun(): T
---@return T?
local function now(limit, fn)
  local over, value = false, nil
  async.run(fn, function(ok, result)
    over, value = true, ok and result or nil
  end)
  vim.wait(limit, function()
    return over
  end, 10)
  return value
end

---@return mcp-editord.Connection?
local function connection()
  return now(patience.daemon, function()
    local c = require('mcp-editord.client').get()
    if next(c.servers) == nil then
      require('mcp-editord.servers').list(c)
    end
    return c
  end)
end

--- Splits the arguments of a command into words. Quotes of both kinds and backslashes keep white space in a word.
---@param line string
---@return string[] words
---@return boolean open whether the last word goes on
function M.words(line)
  local out, word, quote, i = {}, nil, nil, 1
  while i <= #line do
    local c = line:sub(i, i)
    if c == '\\' and quote ~= "'" and i < #line then
      i = i + 1
      word = (word or '') .. line:sub(i, i)
    elseif quote then
      if c == quote then
        quote = nil
      else
        word = word .. c
      end
    elseif c == '"' or c == "'" then
      quote, word = c, word or ''
    elseif c:find('%s') then
      if word then
        out[#out + 1], word = word, nil
      end
    else
      word = (word or '') .. c
    end
    i = i + 1
  end
  if word then
    out[#out + 1] = word
  end
  return out, word ~= nil
end

--- The values of a prompt's or template's argument that its server proposes (MCP 2025-11-25, Completion).
---@param c mcp-editord.Connection
---@param server string
---@param ref table
---@param name string
---@param typed string
---@param values table<string, string> the other arguments, JSON
---@return string[]
function M.argument(c, server, ref, name, typed, values)
  local others = vim.empty_dict()
  for key, value in pairs(values) do
    if key ~= name then
      others[key] = require('mcp-editord.form').show(value)
    end
  end
  local found = now(patience.server, function()
    return require('mcp-editord.call').request(c, server, 'completion/complete', {
      ref = ref,
      argument = { name = name, value = typed },
      context = { arguments = others },
    })
  end)
  local list = vim.tbl_get(found or {}, 'completion', 'values')
  return vim.tbl_filter(function(value)
    return type(value) == 'string' and not value:find('%c')
  end, type(list) == 'table' and list or {})
end

local current ---@type mcp-editord.Field? that a person types in

--- Makes `field` the one that [M.field] completes, while `fn` runs.
---@async
---@generic T
---@param field mcp-editord.Field
---@param fn async fun(): T
---@return T
function M.with(field, fn)
  current = field
  local ok, result = pcall(fn)
  current = nil
  if not ok then
    error(result, 0)
  end
  return result
end

--- Completes what is typed into a field: a `customlist` of input().
---@param typed string
---@return string[]
function M.field(typed)
  return current and current.complete and current.complete(typed) or {}
end

---@param c mcp-editord.Connection
---@param kind 'tools'|'prompts'
---@return string[]
local function entries(c, kind)
  local found = now(patience.daemon, function()
    return require('mcp-editord.catalog').entries(c, kind)
  end)
  return vim.tbl_map(function(entry)
    return entry.server .. '.' .. entry.name
  end, found or {})
end

--- The arguments of a tool or prompt: names that are not there yet, or the values of the one that is being typed.
---@param c mcp-editord.Connection
---@param kind 'tools'|'prompts'
---@param words string[] the id, and the arguments before
---@param typed string
---@return string[]
local function arguments(c, kind, words, typed)
  local form, json = require('mcp-editord.form'), require('mcp-editord.json')
  local entry = now(patience.daemon, function()
    return require('mcp-editord.catalog').find(c, kind, words[1])
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
      out[#out + 1] = field.name .. '='
    elseif name == field.name then
      local values = field.kind == 'boolean' and { 'true', 'false' } or {}
      for _, choice in ipairs(field.choices or {}) do
        values[#values + 1] = form.show(choice.value)
      end
      if kind == 'prompts' then
        values = M.argument(c, entry.server, { type = 'ref/prompt', name = entry.name }, name, value, given)
      end
      for _, v in ipairs(values) do
        out[#out + 1] = ('%s=%s'):format(name, (v:gsub('[%s\\"\']', '\\%0')))
      end
    end
  end
  return out
end

---@param c mcp-editord.Connection
---@return string[]
local function resources(c)
  local names = {}
  for _, catalog in
    ipairs(now(patience.daemon, function()
      return require('mcp-editord.catalog').get(c)
    end) or {})
  do
    for _, resource in ipairs(catalog.resources) do
      names[#names + 1] = require('mcp-editord.resource').name(catalog.server, resource.uri)
    end
  end
  return names
end

---@alias mcp-editord.Completer fun(c: mcp-editord.Connection, words: string[], typed: string): string[]

--- What completes the arguments of a subcommand: `words` are those before the one that is being typed.
---@type table<string, mcp-editord.Completer>
M.kinds = {
  server = function(c, words)
    return #words == 0 and require('mcp-editord.servers').names(c) or {}
  end,
  waiting = function(c, words)
    return #words == 0 and require('mcp-editord.servers').names(c, 'needsApproval') or {}
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

--- Completes `:Mcp`.
---@param typed string the word that is being typed
---@param line string the whole command line
---@param position integer
---@return string[]
function M.command(typed, line, position)
  local words, open = M.words(line:sub(1, position):gsub('^.-Mcp%s*', '', 1))
  if open then
    table.remove(words)
  end
  local subcommands = require('mcp-editord.command').subcommands
  local candidates
  if #words == 0 then
    candidates = vim.tbl_keys(subcommands)
    table.sort(candidates)
  else
    local subcommand = subcommands[table.remove(words, 1)]
    local complete = subcommand and M.kinds[subcommand.complete]
    local c = complete and connection()
    candidates = c and complete(c, words, typed) or {}
  end
  local out = {}
  for _, candidate in ipairs(candidates) do
    if vim.startswith(candidate, typed) and not candidate:find('%c') and #out < max_candidates then
      out[#out + 1] = candidate
    end
  end
  return out
end

return M

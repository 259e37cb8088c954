--- What you set in `vim.g.mcp_editord`, over the defaults of options.lua. Read once, on first use.
local options = require('mcp-editord.options')

local M = {}

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

---@return table
local function defaults()
  local out = {}
  for _, option in ipairs(options.list) do
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

--- Puts the user's values over the defaults. Leaves out wrong values and says what is wrong with them.
---@param user any
---@return table config
---@return string[] problems
local function apply(user)
  local config, problems = defaults(), {}
  local by_name, inner = {}, {} ---@type table<string, mcp-editord.Option>, table<string, boolean>
  for _, option in ipairs(options.list) do
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
        problems[#problems + 1] = ('"%s" must be %s%s'):format(name, options.expected(option), got)
      elseif inner[name] and type(v) == 'table' then
        walk(v, name .. '.', into[key])
      elseif inner[name] then
        problems[#problems + 1] = ('"%s" must be a table, not %s'):format(name, vim.inspect(v))
      else
        problems[#problems + 1] = ('"%s" is not an option; see :help mcp-editord-options'):format(name)
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

local config ---@type mcp-editord.Config?
local problems = {} ---@type string[]

--- Returns the options. Wrong values count as not set; see [M.problems].
---@return mcp-editord.Config
function M.get()
  if config then
    return config
  end
  local user = vim.g.mcp_editord
  local failure
  if type(user) == 'function' then
    local ok, result = pcall(user)
    user, failure = ok and result or nil, not ok and tostring(result) or nil
  end
  config, problems = apply(user)
  if failure then
    table.insert(problems, 1, 'the function failed: ' .. failure)
  end
  return config
end

--- Returns what is wrong with `vim.g.mcp_editord`, one sorted line each.
---@return string[]
function M.problems()
  M.get()
  return problems
end

--- Reads `vim.g.mcp_editord` again on next use. Connections stay as they are.
function M.reset()
  config, problems = nil, {}
end

return M

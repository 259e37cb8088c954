--- Completion of the fields of forms.
local async = require('mcp-editord.async')
local calls = require('mcp-editord.daemon.calls')
local form = require('mcp-editord.form.schema')

local M = {}

--- How long completion waits for the values that a server proposes, in milliseconds.
local patience = 300

--- Runs an async function and waits for it. Returns nil if it fails or takes too long.
---@generic T
---@param limit integer ms
---@param fn async fun(): T
---@return T?
function M.now(limit, fn)
  local over, value = false, nil
  async.run(fn, function(ok, result)
    over, value = true, ok and result or nil
  end)
  vim.wait(limit, function()
    return over
  end, 10)
  return value
end

--- Returns the values that a server proposes for an argument of a prompt or template (MCP 2025-11-25, Completion).
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
      others[key] = form.plain(value)
    end
  end
  local found = M.now(patience, function()
    return calls.request(c, server, 'completion/complete', {
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

--- Lets [M.field] complete `field` while `fn` runs.
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

return M

--- What a call has and what it lacks: what was typed, and what the place where the person is supplies.
local json = require('mcp-editord.json')
local schema = require('mcp-editord.form.schema')
local typed = require('mcp-editord.form.typed')

local M = {}

--- Returns what was typed, and beside it the values that the daemon proposes, by name, as JSON: by the configuration's `bind`,
--- and by names and types. Raises that there is no such argument as one that was typed, unless `force`: few servers say so.
---@async
---@param connection mcp-editord.Connection
---@param entry mcp-editord.Entry
---@param context mcp-editord.Context
---@param given? table<string, string> JSON by name
---@param force? boolean
---@return table<string, string>
function M.proposals(connection, entry, context, given, force)
  local typed_in = json.raw(schema.object({}, given or {}))
  local answer, body =
    connection:request('editord/prefill', { command = entry.command, arguments = typed_in, context = context })
  local stranger = not force and (answer.strangers or {})[1]
  if stranger then
    local meant = stranger.meant and ('did you mean "%s"? '):format(stranger.meant) or ''
    local id = entry.server .. '.' .. entry.name
    error(('"%s" has no argument "%s"; %swith a ! it is sent as it is'):format(id, stranger.name, meant), 0)
  end
  local values = {}
  for name, value in json.members(json.member(body, 'result', 'arguments')) do
    values[name] = value
  end
  return vim.tbl_extend('force', values, given or {})
end

--- Whether a tool says that it changes nothing (MCP 2025-11-25, Schema, ToolAnnotations).
---@param entry mcp-editord.Entry
---@return boolean
function M.is_read_only(entry)
  return vim.tbl_get(entry.definition, 'annotations', 'readOnlyHint') == true
end

--- Whether a tool says that it destroys something.
---@param entry mcp-editord.Entry
---@return boolean
function M.is_destructive(entry)
  return not M.is_read_only(entry) and vim.tbl_get(entry.definition, 'annotations', 'destructiveHint') == true
end

---@class mcp-editord.Supply
---@field values table<string, string> JSON by name
---@field fields mcp-editord.Field[] of the shape that they fill best
---@field missing string[] required names without a value
---@field supplied boolean some of the values were not typed
---@field fits boolean no value contradicts a constant of the shape

---@param shape mcp-editord.Shape
---@param given table<string, string>
---@param proposals table<string, string>
---@param selection string?
---@return mcp-editord.Supply
local function supply(shape, given, proposals, selection)
  local out = { values = vim.deepcopy(given), fields = shape.fields, missing = {}, supplied = false, fits = true }
  for _, field in ipairs(shape.fields) do
    local constant, value = schema.constant(field), proposals[field.name]
    local selected = selection and value and vim.json.decode(value) == selection
    if given[field.name] then
      out.fits = out.fits and not (constant and typed.problem(field, given[field.name]))
    elseif constant then
      out.values[field.name] = constant
    elseif value and (field.required or selected) then
      out.values[field.name], out.supplied = value, true
    elseif field.required then
      table.insert(out.missing, field.name)
    end
  end
  return out
end

--- Returns what a call has: the values that were typed, for what is missing those that are proposed, and the selection where
--- it is proposed and there is one. Of several shapes it takes the one that lacks least.
---@param shapes mcp-editord.Shape[]
---@param given table<string, string>
---@param proposals? table<string, string>
---@param selection? string the text of a range that was given
---@return mcp-editord.Supply
function M.join(shapes, given, proposals, selection)
  local best
  for _, shape in ipairs(shapes) do
    local one = supply(shape, given, proposals or {}, selection)
    local better = not best or one.fits and not best.fits
    if better or one.fits == best.fits and #one.missing < #best.missing then
      best = one
    end
  end
  return best
end

--- Raises what a call lacks that must not ask.
---@param entry mcp-editord.Entry
---@param names string[]
function M.fail(entry, names)
  local quoted = vim.tbl_map(function(name)
    return ('"%s"'):format(name)
  end, names)
  error(
    ('"%s.%s" needs %s; write KEY=VALUE, or leave out the ! to be asked'):format(
      entry.server,
      entry.name,
      table.concat(quoted, ', ')
    ),
    0
  )
end

return M

--- Calls tools, with a form before and a page after.
local calls = require('mcp-editord.daemon.calls')
local json = require('mcp-editord.json')

local M = {}

--- Calls a tool and shows what it answers.
---@async
---@param connection mcp-editord.Connection
---@param entry mcp-editord.Entry
---@param arguments mcp-editord.Raw
---@param context? mcp-editord.Context
function M.run(connection, entry, arguments, context)
  local began, from = vim.uv.hrtime(), vim.api.nvim_get_current_win()
  local raw = calls.text(
    connection,
    entry.server,
    'tools/call',
    { name = entry.name, arguments = arguments },
    { context = context }
  )
  local seconds = (vim.uv.hrtime() - began) / 1e9
  local id = entry.server .. '.' .. entry.name
  require('mcp-editord.results.show').in_slices(id, function(pause)
    local page, failed = require('mcp-editord.results.format').tool(entry.server, raw, pause)
    return page, ('%s  %s  %.1f s'):format(id, failed and 'FAILED' or 'ok', seconds)
  end, from)
end

--- Returns the values that the daemon proposes for a form, by name, as JSON.
---@async
---@param connection mcp-editord.Connection
---@param entry mcp-editord.Entry
---@param context mcp-editord.Context
---@return table<string, string>
local function prefill(connection, entry, context)
  local _, body = connection:request('editord/prefill', { command = entry.command, context = context })
  local values = {}
  for name, value in json.members(json.member(body, 'result', 'arguments')) do
    values[name] = value
  end
  return values
end

--- Lets the person fill in the arguments of a tool, and runs it.
---@async
---@param connection mcp-editord.Connection
---@param entry mcp-editord.Entry
---@param context mcp-editord.Context
---@param given? table<string, string> values that are known, JSON by name
function M.fill_in(connection, entry, context, given)
  local form = require('mcp-editord.form.schema')
  local fields = form.fields(json.member(entry.text, 'inputSchema'))
  local values = vim.tbl_extend('force', prefill(connection, entry, context), given or {})
  local id = entry.server .. '.' .. entry.name
  if require('mcp-editord.form.ask').own({ title = id, fields = fields, values = values, submit = 'Run' }) then
    M.run(connection, entry, json.raw(form.object(fields, values)), context)
  end
end

--- Lets the person pick a tool, fill in its arguments, and runs it.
---@async
---@param connection mcp-editord.Connection
---@param context mcp-editord.Context
---@param server? string
function M.pick(connection, context, server)
  local entry = require('mcp-editord.commands.pick').entry(connection, 'tools', server)
  if entry then
    M.fill_in(connection, entry, context)
  end
end

return M

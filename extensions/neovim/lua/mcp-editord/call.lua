--- Calling MCP methods of servers, and tools with all that a person wants of it: a form before, a page after.
local async = require('mcp-editord.async')
local json = require('mcp-editord.json')
local progress = require('mcp-editord.progress')

local M = {}

---@class mcp-editord.RequestOptions
---@field context? mcp-editord.Context where the person is: configured arguments are filled in from it
---@field timeout? integer ms without a sign of life, in place of the option
---@field on_cancel? fun(cancel: fun()) is given a function that cancels the request

--- Sends an MCP request to a server. Returns its result, and the JSON of it as the server sent it.
---@async
---@param connection mcp-editord.Connection
---@param server string
---@param method string MCP's name, such as tools/call
---@param params table
---@param opts? mcp-editord.RequestOptions
---@return table result
---@return string raw
function M.request(connection, server, method, params, opts)
  opts = opts or {}
  local token = progress.token()
  local err, result, body = async.await(function(resolve)
    local cancel = connection:send('mcp/' .. method, {
      server = server,
      params = params,
      context = opts.context,
      timeout = opts.timeout or require('mcp-editord.config').get().timeout,
      workDoneToken = token,
    }, function(...)
      progress.over(token)
      resolve(...)
    end)
    local what = params.name and ('%s: %s'):format(server, params.name) or ('%s: %s'):format(server, method)
    progress.begin({ what = what, token = token, cancel = cancel })
    if opts.on_cancel then
      opts.on_cancel(cancel)
    end
  end)
  if err then
    error(err, 0)
  end
  return result, json.member(body, 'result') --[[@as string]]
end

--- Calls a tool and shows what it answers.
---@async
---@param connection mcp-editord.Connection
---@param entry mcp-editord.Entry
---@param arguments mcp-editord.Raw
---@param context? mcp-editord.Context
function M.run(connection, entry, arguments, context)
  local began, from = vim.uv.hrtime(), vim.api.nvim_get_current_win()
  local result, raw = M.request(
    connection,
    entry.server,
    'tools/call',
    { name = entry.name, arguments = arguments },
    { context = context }
  )
  local seconds = (vim.uv.hrtime() - began) / 1e9
  local title = ('%s.%s  %s  %.1f s'):format(
    entry.server,
    entry.name,
    result.isError == true and 'FAILED' or 'ok',
    seconds
  )
  require('mcp-editord.view').show(title, require('mcp-editord.result').tool(entry.server, result, raw), from)
end

--- Values that the daemon proposes for a form, by name as JSON.
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
  local form = require('mcp-editord.form')
  local fields = form.fields(json.member(entry.text, 'inputSchema'))
  local values = vim.tbl_extend('force', prefill(connection, entry, context), given or {})
  local id = entry.server .. '.' .. entry.name
  if require('mcp-editord.ask').own({ title = id, fields = fields, values = values, submit = 'Run' }) then
    M.run(connection, entry, json.raw(form.object(fields, values)), context)
  end
end

--- Lets the person pick a tool, fill in its arguments, and runs it.
---@async
---@param connection mcp-editord.Connection
---@param context mcp-editord.Context
---@param server? string
function M.pick(connection, context, server)
  local entry = require('mcp-editord.pick').entry(connection, 'tools', server)
  if entry then
    M.fill_in(connection, entry, context)
  end
end

return M

--- How things are: a component for a statusline, and a page about the daemon.
local M = {}

--- A short text for a statusline: empty without a connection, else the number of servers that are ready, what waits for
--- the person, and the call that is under way.
---@return string
function M.line()
  local connection = require('mcp-editord.client').peek()
  if not connection then
    return ''
  elseif connection.state ~= 'ready' then
    return 'MCP …'
  end
  local ready, asks, failed = 0, 0, 0
  for _, server in pairs(connection.servers) do
    if server.state == 'ready' then
      ready = ready + 1
    elseif
      server.state == 'needsApproval' and not (server.error and server.error.kind == 'denied')
      or server.state == 'needsSignIn'
    then
      asks = asks + 1
    elseif server.state == 'failed' then
      failed = failed + 1
    end
  end
  local parts = { 'MCP ' .. ready }
  if failed > 0 then
    parts[#parts + 1] = failed .. '✗'
  end
  for _, question in ipairs(require('mcp-editord.waiting').questions()) do
    if question.request.method ~= 'editord/approve' then -- its server counts
      asks = asks + 1
    end
  end
  if asks > 0 then
    parts[#parts + 1] = asks .. '?'
  end
  local calls = require('mcp-editord.progress').all()
  if #calls > 0 then
    parts[#parts + 1] = require('mcp-editord.text').line(calls[#calls].what, 40)
  end
  return (table.concat(parts, ' '):gsub('%%', '%%%%'))
end

--- Shows the daemon.
---@async
---@param connection mcp-editord.Connection
function M.show(connection)
  local text = require('mcp-editord.text')
  local status = connection:request('editord/status', vim.empty_dict())
  local b = require('mcp-editord.result').builder('')
  for _, pair in ipairs({
    { 'version', status.version },
    { 'process', tostring(status.pid) },
    { 'socket', status.socket },
    { 'mcp.json', status.config },
    { 'log file', status.logFile },
    { 'runs for', ('%d s'):format(status.uptime) },
  }) do
    b:add({ ('%-10s %s'):format(pair[1], text.line(pair[2])) })
  end
  b:heading('editors')
  for _, editor in ipairs(status.editors) do
    b:add({
      text.line(
        ('%s%s %s  %s'):format(
          editor.you and '* ' or '  ',
          editor.name,
          editor.version,
          table.concat(editor.folders, ' ')
        )
      ),
    })
  end
  b:heading('servers')
  for _, server in ipairs(status.servers) do
    b:add({
      text.line(('%s  shared by %d'):format(require('mcp-editord.servers').label(server.server), #server.editors)),
    })
  end
  b:heading('counters')
  local names = vim.tbl_keys(status.counters)
  table.sort(names)
  for _, name in ipairs(names) do
    b:add({ ('%-22s %d'):format(name, status.counters[name]) })
  end
  require('mcp-editord.view').show('mcp-editord', b.page)
end

return M

--- The page about the daemon.
local format = require('mcp-editord.results.format')
local servers = require('mcp-editord.commands.servers')
local text = require('mcp-editord.text')

local M = {}

--- Shows the daemon.
---@async
---@param connection mcp-editord.Connection
function M.show(connection)
  local status = connection:request('editord/status', vim.empty_dict())
  local b = format.builder('')
  for _, pair in ipairs({
    { 'version', status.version },
    { 'process', tostring(status.pid) },
    { 'socket', status.socket },
    { 'mcp.json', status.config },
    { 'log file', status.logFile },
    { 'uptime', text.age(1000 * status.uptime) },
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
      text.line(('%s  shared by %d'):format(servers.label(server.server), #server.editors)),
    })
  end
  b:heading('counters')
  local names = vim.tbl_keys(status.counters)
  table.sort(names)
  for _, name in ipairs(names) do
    b:add({ ('%-22s %d'):format(name, status.counters[name]) })
  end
  require('mcp-editord.results.show').show('mcp-editord', b.page)
end

return M

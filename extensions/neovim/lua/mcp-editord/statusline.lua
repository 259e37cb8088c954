--- A component for a statusline.
local M = {}

--- Returns a short text: empty without a connection; otherwise the number of ready servers, what waits for the person, and
--- the running call.
---@return string
function M.line()
  local connection = require('mcp-editord.daemon.connections').peek()
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
  for _, question in ipairs(require('mcp-editord.ui.waiting').questions()) do
    if not question.of_server then
      asks = asks + 1
    end
  end
  if asks > 0 then
    parts[#parts + 1] = asks .. '?'
  end
  local calls = require('mcp-editord.daemon.calls').all()
  if #calls > 0 then
    parts[#parts + 1] = require('mcp-editord.text').line(calls[#calls].what, 40)
  end
  return (table.concat(parts, ' '):gsub('%%', '%%%%'))
end

return M

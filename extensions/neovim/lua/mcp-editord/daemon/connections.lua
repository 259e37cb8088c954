--- The connections to the daemon, one for each workspace. A connection opens on first use and lives as long as a window is in
--- its workspace.
local workspace = require('mcp-editord.workspace')

local M = {}

local connections = {} ---@type table<string, mcp-editord.Connection> by workspace; "" is none

--- Returns the connection of the current workspace, once it is ready. Raises why there is none.
---@async
---@param host mcp-editord.Host
---@return mcp-editord.Connection
function M.get(host)
  M.follow()
  local root = workspace.current()
  local connection = connections[root or '']
  if not connection then
    connection = require('mcp-editord.daemon.connection').new(root, host, function()
      for key, other in pairs(connections) do
        if other == connection then
          connections[key] = nil
        end
      end
    end)
    connections[root or ''] = connection
  end
  connection:ready()
  return connection
end

--- Returns the connection of the current workspace, in any state, or nil.
---@return mcp-editord.Connection?
function M.peek()
  return connections[workspace.last() or '']
end

--- Returns all connections.
---@return mcp-editord.Connection[]
function M.all()
  return vim.tbl_values(connections)
end

--- Follows the windows. When no window is left in a workspace, its connection moves to the current workspace if that has none,
--- so that its servers keep running; otherwise it ends.
function M.follow()
  if next(connections) == nil then
    return
  end
  local in_use = workspace.in_use()
  local current = workspace.current()
  local left = vim.tbl_filter(function(key)
    return not in_use[key]
  end, vim.tbl_keys(connections))
  for _, key in ipairs(left) do
    local connection = connections[key]
    if connections[current or ''] or connection.state ~= 'ready' then
      connection:stop()
    else
      connections[key], connections[current or ''] = nil, connection
      connection.root = current
      connection:tell_folders()
    end
  end
end

return M

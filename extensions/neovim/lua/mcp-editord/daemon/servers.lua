--- The servers of a workspace, as the daemon tells of them, and starting and stopping them.
local async = require('mcp-editord.async')
local calls = require('mcp-editord.daemon.calls')

local M = {}

--- Takes in which servers there are. How each is, editord/serverChanged has told before, and it may have told later
--- news than this answer has (editor protocol, "editord/…").
---@param connection mcp-editord.Connection
---@param answer mcp-editord.ServersResult
---@return mcp-editord.Server[] sorted by name
function M.take(connection, answer)
  local servers, list = {}, {}
  for i, server in ipairs(answer.servers) do
    list[i] = connection.servers[server.name] or server
    servers[server.name] = list[i]
  end
  connection.servers = servers
  connection:forget_catalog() -- it belongs to the servers that were known before
  table.sort(list, function(a, b)
    return a.name < b.name
  end)
  return list
end

--- The servers of the workspace, sorted by name.
---@async
---@param connection mcp-editord.Connection
---@return mcp-editord.Server[]
function M.list(connection)
  return M.take(connection, (connection:request('editord/servers', vim.empty_dict())))
end

--- The server of that name. Raises that there is none.
---@async
---@param connection mcp-editord.Connection
---@param name string
---@return mcp-editord.Server
function M.find(connection, name)
  for _, server in ipairs(M.list(connection)) do
    if server.name == name then
      return server
    end
  end
  error(('there is no server %s; :Mcp servers lists those there are'):format(name), 0)
end

--- Why a server is not ready, and what to do.
---@param server mcp-editord.Server
---@return string
function M.why(server)
  if server.state == 'needsApproval' then
    return ('%s is not allowed to run: :Mcp approve %s'):format(server.name, server.name)
  elseif server.error then
    return ('%s is %s: %s'):format(server.name, server.state, server.error.message)
  end
  return ('%s is %s'):format(server.name, server.state)
end

--- The names of the servers of the workspace, sorted; of those in one state, or of all.
---@param connection mcp-editord.Connection
---@param state? string
---@return string[]
function M.names(connection, state)
  local names = {}
  for name, server in pairs(connection.servers) do
    if not state or server.state == state then
      names[#names + 1] = name
    end
  end
  table.sort(names)
  return names
end

--- What waits for servers longer than so many ms is told.
local patience = 1000

--- Runs `wait`, which waits for servers. It is among the calls that are under way, and told of when it takes long.
---@async
---@generic T
---@param connection mcp-editord.Connection
---@param what string
---@param wait async fun(on_cancel: fun(cancel: fun())): T
---@return T
local function waiting_for(connection, what, wait)
  local token = calls.token()
  local timer = vim.defer_fn(function()
    connection.host.say(('still waiting for %s; :Mcp cancel ends the wait'):format(what))
  end, patience)
  local ok, value = pcall(wait, function(cancel)
    calls.add({ what = what, token = token, cancel = cancel })
  end)
  calls.remove(token)
  if not timer:is_closing() then
    timer:close()
  end
  if not ok then
    error(value, 0)
  end
  return value
end

--- Asks the daemon to do something to a server, and returns how the server is then.
---@async
---@param connection mcp-editord.Connection
---@param method 'editord/startServer'|'editord/stopServer'|'editord/restartServer'
---@param name string
---@return mcp-editord.Server
function M.act(connection, method, name)
  return waiting_for(connection, name, function(on_cancel)
    return (connection:request(method, { server = name }, on_cancel))
  end)
end

--- Makes sure that a server is ready. Raises why it is not.
---@async
---@param connection mcp-editord.Connection
---@param name string
function M.start(connection, name)
  local known = connection.servers[name]
  if known and known.state == 'ready' then
    return
  elseif known and known.error and known.error.kind == 'denied' then
    error(M.why(known), 0)
  end
  local server = M.act(connection, 'editord/startServer', name)
  if server.state ~= 'ready' then
    error(M.why(server), 0)
  end
end

--- Waits until one of the servers that are starting is no longer.
---@async
---@param connection mcp-editord.Connection
---@param starting string[] names
function M.await_change(connection, starting)
  local watcher
  local ok, err = pcall(waiting_for, connection, table.concat(starting, ', '), function(on_cancel)
    local left = async.await(function(resolve)
      watcher = function()
        for _, name in ipairs(starting) do
          if vim.tbl_get(connection.servers, name, 'state') ~= 'starting' then
            return resolve()
          end
        end
      end
      connection.watchers[watcher] = true
      on_cancel(function()
        resolve(async.left)
      end)
      watcher()
    end)
    if left then
      error(left, 0)
    end
  end)
  connection.watchers[watcher] = nil
  if not ok then
    error(err, 0)
  end
end

return M

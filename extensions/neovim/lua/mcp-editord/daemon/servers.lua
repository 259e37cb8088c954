--- The servers of a workspace, as the daemon describes them; starts and stops them.
local async = require('mcp-editord.async')
local calls = require('mcp-editord.daemon.calls')

local M = {}

--- Takes the list of servers from an answer, but the state of each from editord/serverChanged where that is known: it may be
--- newer than the answer (editor protocol, "editord/…").
---@param connection mcp-editord.Connection
---@param answer mcp-editord.ServersResult
---@return mcp-editord.Server[] sorted by name
function M.merge(connection, answer)
  local servers, list = {}, {}
  for i, server in ipairs(answer.servers) do
    list[i] = connection.servers[server.name] or server
    servers[server.name] = list[i]
  end
  connection.servers = servers
  connection:forget_catalog() -- it belongs to the former servers
  table.sort(list, function(a, b)
    return a.name < b.name
  end)
  return list
end

--- Returns the servers of the workspace, sorted by name.
---@async
---@param connection mcp-editord.Connection
---@return mcp-editord.Server[]
function M.list(connection)
  return M.merge(connection, (connection:request('editord/servers', vim.empty_dict())))
end

--- Returns the server of that name. Raises an error if there is none.
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
  error(('there is no server "%s"; :Mcp servers lists them'):format(name), 0)
end

--- Returns the error for a server that needs the person to sign in.
---@param name string
---@return mcp-editord.Error
function M.needs_sign_in(name)
  local message = ('"%s" needs you to sign in: :Mcp signin %s'):format(name, name)
  return { code = -32803, message = message, data = { kind = 'signInNeeded', server = name } }
end

--- Whether the person should sign in to a server: it needs that, or has refused what they are not permitted to do.
---@param server mcp-editord.Server
---@return boolean
function M.wants_sign_in(server)
  return server.state == 'needsSignIn' or #(vim.tbl_get(server, 'signedIn', 'wanted') or {}) > 0
end

---@param server mcp-editord.Server
---@return boolean
function M.is_signed_in(server)
  return server.signedIn ~= nil
end

--- Where a sign-in is kept, in words.
local places = {
  keyring = 'in the keyring',
  file = 'in a file that only you can read',
  memory = 'in memory, until the daemon ends',
}

--- Says where a sign-in is kept.
---@param signed_in mcp-editord.SignedIn
---@return string
function M.kept(signed_in)
  return places[signed_in.kept] or signed_in.kept
end

--- Says what state a server is in, and what to do about it.
---@param server mcp-editord.Server
---@return string
function M.describe(server)
  if server.state == 'needsSignIn' then
    return M.needs_sign_in(server.name).message
  elseif server.waitsFor then
    return ('"%s" waits for your answer: :Mcp answer'):format(server.name)
  elseif server.state == 'needsApproval' then
    return ('"%s" may not run; to decide: :Mcp approve %s'):format(server.name, server.name)
  elseif server.error and server.state == 'failed' then
    return ('"%s" failed: %s'):format(server.name, server.error.message)
  elseif server.error then
    return ('"%s" is %s: %s'):format(server.name, server.state, server.error.message)
  end
  return ('"%s" is %s'):format(server.name, server.state)
end

--- Says that tools of a server have changed and agents do not get them, and what to do about it.
---@param server mcp-editord.Server
---@return string? nil where none has
function M.held(server)
  if not server.held then
    return
  end
  local n = #server.held.tools
  local which = n == 1 and 'a tool that has changed' or ('%d tools that have changed'):format(n)
  return ('they do not get %s; to decide: :Mcp approve %s'):format(which, server.name)
end

--- Returns why a server is not ready, as an error.
---@param server mcp-editord.Server
---@return mcp-editord.Error|string
function M.why_not(server)
  return server.state == 'needsSignIn' and M.needs_sign_in(server.name) or M.describe(server)
end

--- How long a server that was allowed counts as starting before it does, in milliseconds: the daemon may tell of other states
--- on the way, and one that starts no servers by itself tells of none.
local grace = 2000

--- Notes that the person has just allowed a server to run, so that lists wait for it.
---@param connection mcp-editord.Connection
---@param name string
function M.allowed(connection, name)
  local mark = {}
  connection.allowed[name] = mark
  vim.defer_fn(function()
    if connection.allowed[name] == mark then
      connection.allowed[name] = nil
      connection:changed()
    end
  end, grace)
end

---@param connection mcp-editord.Connection
---@param server? mcp-editord.Server
---@return boolean
local function is_starting(connection, server)
  if not server then
    return false
  end
  return server.state == 'starting'
    or connection.allowed[server.name] ~= nil and vim.list_contains({ 'needsApproval', 'stopped' }, server.state)
end

--- Returns the sorted names of the servers in one state, of those for which a function holds, or of all.
---@param connection mcp-editord.Connection
---@param which? string|fun(server: mcp-editord.Server): boolean
---@return string[]
function M.names(connection, which)
  local names = {}
  for name, server in pairs(connection.servers) do
    local fits = not which or server.state == which or which == 'starting' and is_starting(connection, server)
    if fits or type(which) == 'function' and which(server) then
      names[#names + 1] = name
    end
  end
  table.sort(names)
  return names
end

--- Runs `wait`, which waits for servers.
---@async
---@generic T
---@param names string[] of the servers
---@param wait async fun(on_cancel: fun(cancel: fun())): T
---@return T
local function waiting_for(names, wait)
  local what = 'waiting for ' .. table.concat(names, ', ')
  return calls.during(what, what .. '; :Mcp cancel stops waiting', wait)
end

--- Starts, stops or restarts a server, or signs out of it. Returns the server as it is afterwards.
---@async
---@param connection mcp-editord.Connection
---@param method 'editord/startServer'|'editord/stopServer'|'editord/restartServer'|'editord/signOut'
---@param name string
---@return mcp-editord.Server
function M.act(connection, method, name)
  return waiting_for({ name }, function(on_cancel)
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
    error(M.describe(known), 0)
  end
  local server = M.act(connection, 'editord/startServer', name)
  if server.state ~= 'ready' then
    error(M.why_not(server), 0)
  end
end

--- Waits until one of the servers `starting` has left that state.
---@async
---@param connection mcp-editord.Connection
---@param starting string[] names
function M.await_change(connection, starting)
  local watcher
  local ok, err = pcall(waiting_for, starting, function(on_cancel)
    local left = async.await(function(resolve)
      watcher = function()
        for _, name in ipairs(starting) do
          if not is_starting(connection, connection.servers[name]) then
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

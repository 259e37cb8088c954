--- Looking at servers, and starting, stopping and allowing them.
local result = require('mcp-editord.result')
local text = require('mcp-editord.text')
local ui = require('mcp-editord.ui')

local M = {}

---@class mcp-editord.Server what the daemon tells of a server (editor protocol, "editord/…")
---@field name string
---@field state 'disabled'|'needsApproval'|'needsSignIn'|'starting'|'ready'|'restarting'|'stopped'|'failed'
---@field scope string
---@field transport string
---@field source string
---@field error? {kind: string, message: string, stderr?: string[]}
---@field approval? mcp-editord.Approval
---@field capabilities? table
---@field instructions? string
---@field protocolVersion? string
---@field serverInfo? table
---@field restarts integer
---@field pid? integer
---@field shadowed? string[]
---@field muted? boolean what it asks is refused at once

--- Takes in which servers there are. How each is, editord/serverChanged has told before, and it may have told later
--- news than this answer has (editor protocol, "editord/…").
---@param connection mcp-editord.Connection
---@param answer {servers: mcp-editord.Server[]} of editord/servers
---@return mcp-editord.Server[] sorted by name
function M.take(connection, answer)
  local servers, list = {}, {}
  for i, server in ipairs(answer.servers) do
    list[i] = connection.servers[server.name] or server
    servers[server.name] = list[i]
  end
  connection.servers = servers
  require('mcp-editord.catalog').forget(connection) -- it belongs to the servers that were known before
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

---@async
---@param connection mcp-editord.Connection
---@param name string
---@return mcp-editord.Server
local function find(connection, name)
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
local function why(server)
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
---@param what string
---@param wait async fun(on_cancel: fun(cancel: fun())): T
---@return T
local function waiting_for(what, wait)
  local progress = require('mcp-editord.progress')
  local token = progress.token()
  local timer = vim.defer_fn(function()
    ui.notify(('still waiting for %s; :Mcp cancel ends the wait'):format(what))
  end, patience)
  local ok, value = pcall(wait, function(cancel)
    progress.begin({ what = what, token = token, cancel = cancel })
  end)
  progress.over(token)
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
local function act(connection, method, name)
  return waiting_for(name, function(on_cancel)
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
    error(why(known), 0)
  end
  local server = act(connection, 'editord/startServer', name)
  if server.state ~= 'ready' then
    error(why(server), 0)
  end
end

--- Waits until one of the servers that are starting is no longer.
---@async
---@param connection mcp-editord.Connection
---@param starting string[] names
function M.await_change(connection, starting)
  local watcher
  local ok, err = pcall(waiting_for, table.concat(starting, ', '), function(on_cancel)
    local left = require('mcp-editord.async').await(function(resolve)
      watcher = function()
        for _, name in ipairs(starting) do
          if vim.tbl_get(connection.servers, name, 'state') ~= 'starting' then
            return resolve()
          end
        end
      end
      connection.watchers[watcher] = true
      on_cancel(function()
        resolve(ui.left)
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

--- Shows what would run and lets the person decide.
---@async
---@param connection mcp-editord.Connection
---@param name string
function M.approve(connection, name)
  local server = find(connection, name)
  if not server.approval then
    error(why(server) .. '; nothing has to be decided', 0)
  end
  local decision = require('mcp-editord.approval').ask(server.approval)
  if decision ~= 'later' then
    connection:request('editord/approveServer', { server = name, digest = server.approval.digest, decision = decision })
    ui.notify(decision == 'allow' and name .. ' may run' or name .. ' may not run')
  end
end

--- Shows lines of servers in a page.
---@param title string
---@param lines string[]
local function show_lines(title, lines)
  local safe = {}
  for _, line in ipairs(lines) do
    vim.list_extend(safe, text.lines(line))
  end
  require('mcp-editord.view').show(title, { lines = safe })
end

--- Shows what a server wrote to stderr, or logged.
---@async
---@param connection mcp-editord.Connection
---@param name string
function M.log(connection, name)
  local lines = connection:request('editord/serverLog', { server = name, lines = 2000 }).lines
  if #lines == 0 then
    lines = { name .. ' has not written anything.' }
  end
  show_lines('log of ' .. name, lines)
  vim.cmd.normal({ 'G', bang = true })
end

--- Shows the folders that servers are told.
---@async
---@param connection mcp-editord.Connection
---@param name? string of one server; else all that run
function M.roots(connection, name)
  local b = result.builder('')
  b:add({
    'workspace '
      .. (connection.root and text.line(connection.root) or '(none: the working directory is in no project)'),
  }, 'McpMuted')
  for _, server in ipairs(M.list(connection)) do
    if name and server.name == name or not name and server.state == 'ready' then
      b:heading(server.name)
      local roots = connection:request('mcp/roots/list', { server = server.name }).roots
      for _, root in ipairs(roots) do
        b:add({ text.line(root.uri) })
      end
      if #roots == 0 then
        b:add({ '(none)' }, 'McpMuted')
      end
    end
  end
  require('mcp-editord.view').show('roots', b.page)
end

--- Everything about a server, as a page. Pure.
---@param server mcp-editord.Server
---@return mcp-editord.Page
function M.page(server)
  local b = result.builder(server.name)
  local info = server.serverInfo or {}
  for _, pair in ipairs({
    { 'state', server.state },
    { 'program', info.name and ('%s %s'):format(info.title or info.name, info.version or '') },
    { 'protocol', server.protocolVersion },
    { 'transport', server.transport },
    { 'shared by', server.scope },
    { 'defined in', server.source },
    { 'process', server.pid and tostring(server.pid) },
    { 'restarts', tostring(server.restarts) },
    { 'questions', server.muted and 'are refused at once: it is muted' },
    { 'also in', server.shadowed and table.concat(server.shadowed, ', ') },
  }) do
    if pair[2] then
      b:add({ ('%-11s %s'):format(pair[1], text.line(pair[2])) })
    end
  end
  if server.error then
    b:heading('why it does not run')
    b:add(text.lines(server.error.message), 'McpErrorText')
    for _, line in ipairs(server.error.stderr or {}) do
      b:add({ text.line(line) })
    end
  end
  if server.instructions then
    b:heading('instructions of the server')
    b:add(text.lines(server.instructions))
  end
  return b.page
end

local signs = { ready = '●', failed = '✗', needsApproval = '?', needsSignIn = '?', disabled = '-' }

--- A server as one line of a list.
---@param server mcp-editord.Server
---@return string
function M.label(server)
  local line = ('%s %-16s %-13s %s'):format(signs[server.state] or '○', server.name, server.state, server.transport)
  if server.muted then
    line = line .. '  muted'
  end
  return server.error and line .. '  ' .. server.error.message or line
end

--- What can be done with a server in its state: labels and what they do.
---@param server mcp-editord.Server
---@return {label: string, run: async fun(connection: mcp-editord.Connection)}[]
local function actions(server)
  local name, out = server.name, {}
  local function add(label, run)
    out[#out + 1] = { label = label, run = run }
  end
  local function telling(method)
    return function(connection)
      M.tell(connection, method, name)
    end
  end
  add('Show', function()
    require('mcp-editord.view').show(name, M.page(server))
  end)
  if server.approval then
    add('Decide whether it may run', function(connection)
      M.approve(connection, name)
    end)
  end
  if server.state == 'ready' then
    add('Tools', function(connection)
      require('mcp-editord.call').pick(connection, require('mcp-editord.context').get(), name)
    end)
  end
  if server.state == 'stopped' or server.state == 'failed' then
    add('Start', telling('editord/startServer'))
  elseif server.state ~= 'disabled' and server.state ~= 'needsApproval' then
    add('Restart', telling('editord/restartServer'))
    add('Stop', telling('editord/stopServer'))
  end
  if server.muted or server.state == 'ready' then
    add(server.muted and 'Unmute' or 'Mute: refuse what it asks', function(connection)
      connection:request('editord/muteServer', { server = name, muted = not server.muted })
      ui.notify(('%s is %s'):format(name, server.muted and 'no longer muted' or 'muted'))
    end)
  end
  add('Log', function(connection)
    M.log(connection, name)
  end)
  return out
end

--- Lets the person pick a server, and what to do with it.
---@async
---@param connection mcp-editord.Connection
function M.pick(connection)
  local servers = M.list(connection)
  if #servers == 0 then
    error('there are no servers here; :help mcp-editord-servers says where they are defined', 0)
  end
  local action = require('mcp-editord.waiting').begun('the list of servers', function(turn)
    local server = ui.select(turn, servers, { prompt = 'MCP servers', kind = 'mcp-editord-server', format = M.label })
    return server
      and ui.select(turn, actions(server), {
        prompt = server.name,
        format = function(item)
          return item.label
        end,
      })
  end)
  if action then
    action.run(connection)
  end
end

--- Does something to a server, and says how it is then.
---@async
---@param connection mcp-editord.Connection
---@param method 'editord/startServer'|'editord/stopServer'|'editord/restartServer'
---@param name string
function M.tell(connection, method, name)
  ui.notify(why(act(connection, method, name)))
end

return M

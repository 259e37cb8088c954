--- Shows servers; starts, stops, approves and mutes them, and signs in to them.
local browser = require('mcp-editord.questions.browser')
local format = require('mcp-editord.results.format')
local messages = require('mcp-editord.ui.messages')
local servers = require('mcp-editord.daemon.servers')
local signin = require('mcp-editord.commands.signin')
local text = require('mcp-editord.text')
local ui = require('mcp-editord.ui')

local M = {}

--- Shows what a server would run, or which of its tools have changed, and lets the person decide.
---@async
---@param connection mcp-editord.Connection
---@param name string
function M.approve(connection, name)
  local server = servers.find(connection, name)
  local question = server.approval or server.held
  if not question then
    error(servers.describe(server) .. '; there is nothing to decide', 0)
  end
  local decision = require('mcp-editord.questions.approval').ask(question)
  if decision ~= 'later' then
    connection:request('editord/approveServer', { server = name, digest = question.digest, decision = decision })
    local words = require('mcp-editord.questions.kinds').words(question)
    messages.notify((decision == 'allow' and words.allowed or words.denied):format(name))
  end
end

--- Shows the roots that servers are told.
---@async
---@param connection mcp-editord.Connection
---@param name? string of one server; default: all that are ready
function M.roots(connection, name)
  local b = format.builder('')
  b:add({
    'workspace '
      .. (connection.root and text.line(connection.root) or '(none: the working directory is in no project)'),
  }, 'McpMuted')
  for _, server in ipairs(servers.list(connection)) do
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
  require('mcp-editord.results.show').show('roots', b.page)
end

--- Returns where a server is defined as |gf| opens it.
---@param source string a URI, or a word
---@return string
local function place(source)
  return vim.startswith(source, 'file:') and vim.uri_to_fname(source) or source
end

--- The states that have other words for people.
local words = { needsSignIn = 'needs sign-in' }

---@param server mcp-editord.Server
---@return string
local function state(server)
  return server.waitsFor and 'waits for you' or words[server.state] or server.state
end

--- Returns everything about a server as a page. Pure.
---@param server mcp-editord.Server
---@return mcp-editord.Page
function M.page(server)
  local b = format.builder(server.name)
  local info, signed_in = server.serverInfo or {}, server.signedIn or {}
  for _, pair in ipairs({
    { 'state', state(server) },
    { 'program', info.name and ('%s %s'):format(info.title or info.name, info.version or '') },
    { 'protocol', server.protocolVersion },
    { 'transport', server.transport },
    { 'shared by', server.scope },
    { 'defined in', place(server.source) },
    { 'process', server.pid and tostring(server.pid) },
    { 'restarts', tostring(server.restarts) },
    { 'for agents', servers.held(server) },
    { 'questions', server.muted and 'refused at once: it is muted' },
    { 'also in', server.shadowed and table.concat(vim.tbl_map(place, server.shadowed), ', ') },
    { 'sign-in', server.signIn and 'under way, at ' .. server.signIn.host },
    { 'signed in', signed_in.issuer and ('at %s'):format(browser.host(signed_in.issuer) or signed_in.issuer) },
    { 'scopes', signed_in.scopes and table.concat(signed_in.scopes, ' ') },
    { 'missing', signed_in.wanted and table.concat(signed_in.wanted, ' ') .. '; sign in again to get it' },
    { 'kept', server.signedIn and servers.kept(signed_in) },
  }) do
    if pair[2] then
      b:add({ ('%-11s %s'):format(pair[1], text.line(pair[2])) })
    end
  end
  if server.error then
    b:heading('why it does not run')
    b:add(text.lines(messages.advise(server.error.message)), 'McpErrorText')
    for _, line in ipairs(server.error.stderr or {}) do
      b:add({ text.line(line) })
    end
  end
  if server.problems then
    b:heading('problems')
    for _, problem in ipairs(server.problems) do
      b:add(text.lines(problem), 'McpErrorText')
    end
  end
  if server.instructions then
    b:heading("the server's instructions")
    b:add(text.lines(server.instructions))
  end
  return b.page
end

local signs = { ready = '●', failed = '✗', needsApproval = '?', needsSignIn = '?', disabled = '-' }

--- Returns a server as one line of a list.
---@param server mcp-editord.Server
---@return string
function M.label(server)
  local line = ('%s %-16s %-13s %s'):format(
    server.waitsFor and '?' or signs[server.state] or '○',
    server.name,
    state(server),
    server.transport
  )
  if server.muted then
    line = line .. '  muted'
  end
  if server.signIn then
    line = line .. '  signing in'
  end
  if server.held then
    line = line .. '  tools changed'
  end
  if server.problems then
    line = ('%s  %d %s'):format(line, #server.problems, #server.problems == 1 and 'problem' or 'problems')
  end
  return server.error and line .. '  ' .. messages.advise(server.error.message) or line
end

--- Returns what the person can do with a server in its state.
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
    require('mcp-editord.results.show').show(name, M.page(server))
  end)
  if server.approval then
    add('Decide whether it may run', function(connection)
      M.approve(connection, name)
    end)
  end
  if server.held then
    add('Decide whether agents get its changed tools', function(connection)
      M.approve(connection, name)
    end)
  end
  if servers.wants_sign_in(server) then
    local wanted = vim.tbl_get(server, 'signedIn', 'wanted')
    local label = wanted and ('Sign in again for more permissions (%s)'):format(table.concat(wanted, ' ')) or 'Sign in'
    add(label, function(connection)
      signin.run(connection, 'signin', name)
    end)
  end
  if server.state == 'ready' then
    add('Tools', function(connection)
      require('mcp-editord.commands.tools').pick(connection, require('mcp-editord.context').get(), { name })
    end)
  end
  if server.state == 'stopped' or server.state == 'failed' then
    add('Start', telling('editord/startServer'))
  elseif server.state ~= 'disabled' and server.state ~= 'needsApproval' then
    add('Restart', telling('editord/restartServer'))
    add('Stop', telling('editord/stopServer'))
  end
  if servers.is_signed_in(server) then
    add('Sign out', function(connection)
      signin.run(connection, 'signout', name)
    end)
  end
  if server.muted or server.state == 'ready' then
    add(server.muted and 'Unmute' or 'Mute: refuse its questions', function(connection)
      connection:request('editord/muteServer', { server = name, muted = not server.muted })
      messages.notify(('"%s" is %s'):format(name, server.muted and 'no longer muted' or 'muted'))
    end)
  end
  add('Log', function(connection)
    require('mcp-editord.results.log').show(connection, name)
  end)
  return out
end

--- Lets the person pick a server and what to do with it.
---@async
---@param connection mcp-editord.Connection
function M.pick(connection)
  local list = servers.list(connection)
  if #list == 0 then
    error('no server is defined here; :help mcp-editord-servers says where to define one', 0)
  end
  local action = require('mcp-editord.ui.waiting').show('the list of servers', function(turn)
    local server =
      ui.select(turn, list, { prompt = 'MCP servers', kind = 'mcp-editord-server', format = M.label, page = M.page })
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

--- Starts, stops or restarts a server, and shows its state.
---@async
---@param connection mcp-editord.Connection
---@param method 'editord/startServer'|'editord/stopServer'|'editord/restartServer'
---@param name string
function M.tell(connection, method, name)
  local server = servers.act(connection, method, name)
  if server.state == 'needsSignIn' then
    error(servers.why_not(server), 0)
  end
  messages.notify(servers.describe(server))
end

return M

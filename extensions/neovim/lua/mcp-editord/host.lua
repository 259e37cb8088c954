--- Hands each request and notification of the daemon to the module that deals with it (editor protocol, "mcp/… from the
--- daemon" and "editord/…"). The daemon layer knows this module only as a mcp-editord.Host. Nothing is registered globally.
local buffers = require('mcp-editord.resources.buffers')
local calls = require('mcp-editord.daemon.calls')
local documents = require('mcp-editord.documents')
local events = require('mcp-editord.daemon.events')
local failures = require('mcp-editord.ui.failures')
local logs = require('mcp-editord.results.log')
local messages = require('mcp-editord.ui.messages')
local signins = require('mcp-editord.ui.signins')

calls.watchers[require('mcp-editord.ui.running').changed] = true

---@type mcp-editord.Host
local M = {}

--- Returns the capabilities to declare. Servers decide by them what they offer.
---@return table
function M.capabilities()
  local capabilities = vim.lsp.protocol.make_client_capabilities()
  local mcp = {
    elicitation = { form = vim.empty_dict(), url = vim.empty_dict() },
    approval = vim.empty_dict(),
  }
  if #require('mcp-editord.questions.sampling').handlers() > 0 then
    mcp.sampling = vim.empty_dict()
  end
  capabilities.experimental = { mcp = mcp }
  -- The plugin calls tools by `mcp/tools/call` and does not need them as commands.
  capabilities.workspace.executeCommand = { dynamicRegistration = false }
  capabilities.workspace.codeLens = { refreshSupport = true } -- 0.10 and 0.11 do not declare it
  return capabilities
end

--- Returns what answers each request of the daemon.
---@param connection mcp-editord.Connection
---@return table<string, mcp-editord.RequestHandler>
function M.requests(connection)
  return {
    ['editord/approve'] = function(params, request)
      return require('mcp-editord.questions.approval').answer(params, request, connection)
    end,
    ['mcp/elicitation/create'] = function(params, request)
      return require('mcp-editord.questions.elicitation').answer(params, request, connection)
    end,
    ['mcp/sampling/createMessage'] = function(params, request)
      return require('mcp-editord.questions.sampling').answer(params, request, connection)
    end,
    ['window/showDocument'] = function(params, request)
      if params.external then
        return require('mcp-editord.questions.signin').show_document(params, request, connection)
      end
      return require('mcp-editord.documents.show').show(params, request)
    end,
    ['workspace/applyEdit'] = function(params)
      return require('mcp-editord.documents.edit').apply(params)
    end,
    ['workspace/codeLens/refresh'] = function()
      return documents.refresh(connection)
    end,
  }
end

local notifications = {} ---@type table<string, fun(connection: mcp-editord.Connection, params: table)>

notifications['editord/serverChanged'] = function(connection, server)
  connection.servers[server.name] = server
  connection:forget_catalog(server.name)
  buffers.server_changed(connection, server)
  signins.changed(connection)
  connection:changed()
  events.fire('McpServerChanged', { server = server.name, state = server.state })
end

notifications['editord/serverRemoved'] = function(connection, params)
  connection.servers[params.server] = nil
  connection:forget_catalog(params.server)
  buffers.removed(connection, params.server)
  logs.removed(connection, params.server)
  connection:changed()
  events.fire('McpServerChanged', { server = params.server, state = 'removed' })
end

notifications['editord/catalogChanged'] = function(connection, params)
  connection:forget_catalog(params.server)
  events.fire('McpCatalogChanged', { server = params.server, kinds = params.kinds })
end

notifications['mcp/notifications/resources/updated'] = function(connection, params)
  buffers.updated(connection, params.server, params.subscribed or { params.params.uri })
end

notifications['editord/subscriptionEnded'] = function(connection, params)
  buffers.subscription_ended(connection, params.server, params.uri, params.reason)
end

notifications['editord/serverLogged'] = function(connection, params)
  logs.append(connection, params)
end

--- The levels of RFC 5424 (MCP 2025-11-25, Logging, Log Levels), from the lowest.
local levels = { debug = 1, info = 2, notice = 3, warning = 4, error = 5, critical = 6, alert = 7, emergency = 8 }

notifications['mcp/notifications/message'] = function(_, params)
  local message = params.params
  local level, least = levels[message.level] or levels.error, levels[require('mcp-editord.config').get().messages]
  if not least or level < least then
    return
  end
  local data = type(message.data) == 'string' and message.data or require('mcp-editord.json').encode(message.data)
  local severity = level >= levels.error and vim.log.levels.ERROR
    or level >= levels.warning and vim.log.levels.WARN
    or vim.log.levels.INFO
  messages.logged(params.server, require('mcp-editord.text').flat(data), severity)
end

--- Handles a notification unless it is vim.lsp's.
---@param connection mcp-editord.Connection
---@param method string
---@param params table
---@return boolean taken
function M.notified(connection, method, params)
  if method == '$/progress' then
    calls.progressed(connection, params)
    return false -- vim.lsp shows it
  end
  local name = method:match('^mcp/(notifications/.*)')
  if name then
    events.fire('McpNotification', { server = params.server, method = name, params = params.params })
  end
  local handler = notifications[method]
  if handler then
    handler(connection, params)
  end
  return handler ~= nil or name ~= nil
end

--- Called when a connection is ready, for the first time or again.
---@param connection mcp-editord.Connection
---@param again boolean
function M.attached(connection, again)
  failures.attached(connection)
  signins.changed(connection)
  documents.attached(connection)
  if again then
    buffers.reattach(connection)
    logs.reattach(connection)
  end
end

--- The commands of the daemon about a server that are subcommands of :Mcp, which says and asks more.
local subcommands = {
  ['editord.startServer'] = 'start',
  ['editord.stopServer'] = 'stop',
  ['editord.restartServer'] = 'restart',
  ['editord.signIn'] = 'signin',
  ['editord.signOut'] = 'signout',
  ['editord.showServerLog'] = 'log',
  ['editord.showApproval'] = 'approve',
}

--- Runs a command of a lens or an action. A server is allowed only where its whole definition is on the screen; elsewhere the
--- question is asked.
---@param connection mcp-editord.Connection
---@param command lsp.Command
---@param buf integer
function M.command(connection, command, buf)
  local server = vim.tbl_get(command, 'arguments', 1, 'server')
  local function ask(subcommand)
    vim.cmd.Mcp({ args = { subcommand, (server:gsub('[%s\\"\']', '\\%0')) } })
  end
  messages.run(function()
    if command.command == '' then
      return -- it only says something
    elseif server and subcommands[command.command] then
      ask(subcommands[command.command])
    elseif
      command.command == 'editord.allowServer'
      and not require('mcp-editord.documents.view').sees_server(connection, buf, server)
    then
      ask('approve')
    else
      require('mcp-editord.documents.show').during(function()
        calls.command(connection, command, buf)
      end)
    end
  end)
end

M.say = messages.notify

---@param what string
function M.left_out(what)
  messages.relay('left out ' .. what, vim.log.levels.WARN)
end

--- Returns the handlers that replace vim.lsp's own.
---@return table<string, lsp.Handler>
function M.handlers()
  local severities = { vim.log.levels.ERROR, vim.log.levels.WARN, vim.log.levels.INFO, vim.log.levels.DEBUG }
  return {
    ['window/showMessage'] = function(_, params)
      messages.relay(params.message, severities[params.type])
      return vim.NIL
    end,
  }
end

return M

--- The connection of one workspace to the daemon. It attaches again by itself when the daemon ends.
local async = require('mcp-editord.async')
local events = require('mcp-editord.daemon.events')
local servers = require('mcp-editord.daemon.servers')

local M = {}

--- The longest wait before a lost connection is tried again, in seconds: 1, 2, 4 … 30.
local max_delay = 30

--- What a connection asks the layers above, and tells them. host.lua implements it.
---@class mcp-editord.Host
---@field capabilities fun(): table what initialize declares
---@field handlers fun(): table<string, lsp.Handler> in place of vim.lsp's own
---@field command fun(connection: mcp-editord.Connection, command: lsp.Command, buf: integer) runs a command of a lens or an action
---@field requests fun(connection: mcp-editord.Connection): table<string, mcp-editord.RequestHandler>
---@field notified fun(connection: mcp-editord.Connection, method: string, params: table): boolean whether it is taken
---@field attached fun(connection: mcp-editord.Connection, again: boolean) it is ready, for the first time or again
---@field say fun(message: string, level?: integer) tells the person, in one line
---@field left_out fun(what: string) tells the person what cannot be shown; it may come in a flood

---@class mcp-editord.Connection
---@field host mcp-editord.Host
---@field forgotten fun() it has ended for good
---@field root? string the workspace; nil is none
---@field extra mcp-editord.Folder[] folders added to it
---@field told mcp-editord.Folder[] the folders that the daemon knows
---@field state 'starting'|'ready'|'waiting'|'stopped'
---@field client? vim.lsp.Client
---@field rpc? vim.lsp.rpc.PublicClient
---@field rpc_id? integer of the client: what was subscribed with another one is subscribed no more
---@field servers table<string, mcp-editord.Server> as the daemon last told
---@field listed boolean they are all there
---@field catalog table<string, mcp-editord.ServerCatalog> by server, where it is known
---@field listing table<string, table> the request for it that counts
---@field allowed table<string, table> the servers that were allowed a moment ago
---@field watchers table<fun(), true> called when a server has changed
---@field waiters fun(err?: string)[] who waits for it to be ready
---@field delay integer seconds until the next attempt
---@field timer? uv.uv_timer_t of the next attempt
---@field lost? string why it was lost, until it is back
local Connection = {}
Connection.__index = Connection

---@param root? string
---@param host mcp-editord.Host
---@param forgotten fun()
---@return mcp-editord.Connection
function M.new(root, host, forgotten)
  return setmetatable({
    root = root,
    host = host,
    forgotten = forgotten,
    state = 'stopped',
    extra = {},
    told = {},
    servers = {},
    listed = false,
    catalog = {},
    listing = {},
    allowed = {},
    waiters = {},
    watchers = {},
    delay = 1,
  }, Connection)
end

--- Forgets the catalogue of a server, or all of them.
---@param server? string
function Connection:forget_catalog(server)
  if server then
    self.catalog[server], self.listing[server] = nil, nil
  else
    self.catalog, self.listing = {}, {}
  end
end

---@return mcp-editord.Folder[]
function Connection:folders()
  local out = self.root and { require('mcp-editord.workspace').folder(self.root) } or {}
  for _, folder in ipairs(self.extra) do
    if not (out[1] and out[1].uri == folder.uri) then
      out[#out + 1] = folder
    end
  end
  return out
end

--- Tells the daemon which folders have come and gone since it was last told.
function Connection:tell_folders()
  if self.state ~= 'ready' then
    return -- initialize tells them
  end
  local before, after = self.told, self:folders()
  local function missing(list, from)
    return vim.tbl_filter(function(folder)
      return not vim.iter(from):any(function(other)
        return other.uri == folder.uri
      end)
    end, list)
  end
  local event = { added = missing(after, before), removed = missing(before, after) }
  if #event.added + #event.removed > 0 then
    self.told, self.client.workspace_folders = after, after
    self.rpc.notify('workspace/didChangeWorkspaceFolders', { event = event })
  end
end

--- Calls the watchers: a server has changed.
function Connection:changed()
  for watcher in pairs(self.watchers) do
    watcher()
  end
end

--- Ends the wait of everybody who waits for the connection to be ready.
---@param err? string why it is not
function Connection:resolve_waiters(err)
  local waiters = self.waiters
  self.waiters = {}
  for _, resolve in ipairs(waiters) do
    resolve(err)
  end
end

--- Starts the LSP client. [Connection.ended] is called when it ends.
function Connection:start()
  if self.timer then
    self.timer:close()
    self.timer = nil
  end
  self.state = 'starting'
  local folders = self:folders()
  self.told = folders
  local err = require('mcp-editord.daemon.lsp').start({
    root = self.root,
    folders = folders,
    capabilities = self.host.capabilities(),
    handlers = self.host.handlers(),
    command = function(command, buf)
      self.host.command(self, command, buf)
    end,
    requests = self.host.requests(self),
    notified = function(method, params)
      return self.host.notified(self, method, params)
    end,
    left_out = self.host.left_out,
    on_rpc = function(rpc)
      self.rpc = rpc
    end,
    on_init = function(client)
      self.client, self.rpc_id = client, client.id
      self:attached()
    end,
    on_exit = function(reason)
      self:ended(reason)
    end,
  })
  if err then
    self.state = 'stopped'
    self:resolve_waiters(err)
  end
end

function Connection:attached()
  if self.state == 'stopped' then
    return self:leave()
  end
  local told = self.delay > 2 -- the person knows that it could not attach
  self.state, self.delay = 'ready', 1
  self.servers, self.listed = {}, false
  self:forget_catalog()
  self:tell_folders()
  local again = self.lost ~= nil
  self.lost = nil
  if told then -- else nothing was missed, and a failed call's message stays on the screen
    self.host.say('attached to the daemon again')
  end
  self:send('editord/servers', vim.empty_dict(), function(err, result)
    if err then
      return -- the daemon has ended again
    end
    servers.merge(self, result)
    self.listed = true
    events.fire('McpAttached', { root = self.root })
    self.host.attached(self, again)
    self:resolve_waiters()
  end)
end

--- Called when the client has ended or could not start.
---@param reason string
function Connection:ended(reason)
  local was_ready = self.client ~= nil
  self.client, self.rpc, self.servers, self.listed = nil, nil, {}, false
  self:forget_catalog()
  self:changed()
  if was_ready then
    events.fire('McpDetached', { root = self.root })
  end
  if self.state == 'stopped' or vim.v.exiting ~= vim.NIL then
    return
  end
  reason = reason ~= '' and reason or 'the daemon ended'
  if not was_ready and not self.lost then -- it never worked; the next use tries again
    self.state = 'stopped'
    self.forgotten()
    return self:resolve_waiters(reason)
  end
  if not was_ready and self.delay == 2 then
    self.host.say(('cannot attach to the daemon, and keeps trying: %s'):format(reason), vim.log.levels.WARN)
  end
  self.state, self.lost = 'waiting', reason
  if was_ready and #self.waiters > 0 then -- somebody noticed first, and waits
    return self:start()
  end
  self:resolve_waiters(reason)
  self.timer = vim.defer_fn(function()
    self.timer = nil
    self:start()
  end, self.delay * 1000)
  self.delay = math.min(self.delay * 2, max_delay)
end

--- Shuts the client down, which ends the process.
function Connection:leave()
  local rpc = self.rpc
  rpc.request('shutdown', nil, function()
    rpc.notify('exit')
  end)
end

function Connection:stop()
  self.state = 'stopped'
  if self.timer then
    self.timer:close()
    self.timer = nil
  end
  self.forgotten()
  if self.client then
    self:leave()
  elseif self.rpc then
    self.rpc.terminate()
  end
  self:resolve_waiters('you left the workspace')
end

--- Sends a request. `callback` gets the error, the result and the text of the message.
---@param method string
---@param params table
---@param callback fun(err?: mcp-editord.Error, result?: any, body?: string)
---@param as_text? boolean the result is its JSON; see rpc.start
---@param early? fun() called in a fast context, before `callback`; see rpc.start
---@return fun() cancel
function Connection:send(method, params, callback, as_text, early)
  local rpc = self.rpc
  local ok, id
  if rpc then
    ok, id = rpc.request(method, params, callback, nil, as_text, early)
  end
  if not ok then
    callback({ code = -32803, message = 'the daemon ended; try again', data = { kind = 'gone' } })
    return function() end
  end
  return function()
    rpc.notify('$/cancelRequest', { id = id })
  end
end

--- Shows progress of the plugin's own beside that of the daemon.
---@param token string
---@param value table of `$/progress`
function Connection:progress(token, value)
  if self.rpc then
    self.rpc.progress({ token = token, value = value })
  end
end

--- Waits until the connection is ready. Raises why it is not.
---@async
function Connection:ready()
  if self.state == 'ready' and not self.rpc.is_closing() then
    return
  end
  local err = async.await(function(resolve)
    table.insert(self.waiters, resolve)
    if self.state ~= 'starting' and self.state ~= 'ready' then
      self:start()
    end
  end)
  if err then
    error(err, 0)
  end
end

--- Sends a request to the daemon. Returns the result and the text of the message; raises the error. If the daemon ends
--- meanwhile, it asks once more: use it only for what may be asked twice, never to call a server.
---@async
---@param method string
---@param params table
---@param on_cancel? fun(cancel: fun()) receives a function that cancels it
---@return any result
---@return string body
function Connection:request(method, params, on_cancel)
  for attempt = 1, 2 do
    local err, result, body = async.await(function(resolve)
      local cancel = self:send(method, params, resolve)
      if on_cancel then
        on_cancel(cancel)
      end
    end)
    if not err then
      return result, body
    elseif attempt == 2 or vim.tbl_get(err, 'data', 'kind') ~= 'gone' then
      error(err, 0)
    end
    self:ready()
  end
end

return M

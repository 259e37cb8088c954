--- The connections to the daemon: one LSP client for each workspace. A connection is made on
--- first use, lives as long as a window is in its workspace, and comes back by itself when
--- the daemon ends.
local async = require('mcp-editord.async')

local M = {}

--- The version of the editor protocol that is spoken here. Another one has another meaning; what is only added to it has not.
local protocol_version = 1

--- Seconds before a lost connection is tried again: 1, 2, 4 … 30.
local max_delay = 30

---@class mcp-editord.Connection
---@field root? string the workspace; nil is none
---@field extra mcp-editord.Folder[] folders added to it
---@field told mcp-editord.Folder[] the folders that the daemon knows
---@field state 'starting'|'ready'|'waiting'|'stopped'
---@field client? vim.lsp.Client
---@field rpc? vim.lsp.rpc.PublicClient
---@field rpc_id? integer of the client: what was subscribed with another one is subscribed no more
---@field servers table<string, mcp-editord.Server> as the daemon last told
---@field catalog table<string, mcp-editord.ServerCatalog> by server, where it is known
---@field listing table<string, table> the request for it that counts
---@field watchers table<fun(), true> called when a server has changed
---@field waiters fun(err?: string)[] who waits for it to be ready
---@field delay integer seconds until the next attempt
---@field timer? uv.uv_timer_t of the next attempt
---@field lost? string why it was lost, until it is back
local Connection = {}
Connection.__index = Connection

local connections = {} ---@type table<string, mcp-editord.Connection>

local drawing = false -- the statusline will be drawn anew

---@param name string of a User autocommand
---@param data table
function M.event(name, data)
  vim.api.nvim_exec_autocmds('User', { pattern = name, modeline = false, data = data })
  if not drawing then -- once for all that happens within a moment
    drawing = true
    vim.defer_fn(function()
      drawing = false
      if vim.api.nvim_get_mode().mode == 'n' then -- else it would draw over a prompt
        vim.cmd.redrawstatus({ bang = true }) -- of all windows
      end
    end, 50)
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

--- Tells the daemon which folders have come and gone since it was told last.
function Connection:tell_folders()
  if self.state ~= 'ready' then
    return -- it is told when it is attached
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

--- Tells who watches that a server has changed.
function Connection:changed()
  for watcher in pairs(self.watchers) do
    watcher()
  end
end

---@param err? string
function Connection:settle(err)
  local waiters = self.waiters
  self.waiters = {}
  for _, resolve in ipairs(waiters) do
    resolve(err)
  end
end

---@return string[]? cmd
---@return string? err
local function command()
  local config = require('mcp-editord.config').get()
  if vim.fn.executable(config.command) == 0 then
    return nil, config.command .. ' cannot be run; install it, or set vim.g.mcp_editord.command'
  end
  local cmd = { config.command, 'attach' }
  for _, name in ipairs({ 'socket', 'config' }) do
    if config[name] then
      vim.list_extend(cmd, { '--' .. name, vim.fs.normalize(config[name]) })
    end
  end
  return cmd
end

--- Starts an LSP client that is attached to no buffer.
---@param config vim.lsp.ClientConfig
---@return integer? id
local function start_client(config)
  if vim.fn.has('nvim-0.11') == 0 then
    return vim.lsp.start_client(config) ---@diagnostic disable-line: deprecated
  end
  return vim.lsp.start(config, {
    attach = false,
    silent = true,
    reuse_client = function()
      return false
    end,
  })
end

--- Starts the LSP client of the connection. How it ends is told by on_exit.
function Connection:start()
  local cmd, err = command()
  if not cmd then
    self.state = 'stopped'
    return self:settle(err)
  end
  local config = require('mcp-editord.config').get()
  local handlers = require('mcp-editord.handlers')
  self.state = 'starting'
  if self.timer then
    self.timer:close()
    self.timer = nil
  end

  local refused ---@type string?
  local function connect(dispatchers)
    self.rpc = require('mcp-editord.rpc').start(cmd, dispatchers, {
      env = config.env,
      -- Where servers run without a folder, and what ${env:…} and the PATH of servers are: attach passes on its own.
      cwd = self.root and vim.fn.isdirectory(self.root) == 1 and self.root or nil,
      requests = handlers.requests(self),
      notified = function(method, params)
        return handlers.notified(self, method, params)
      end,
      on_exit = function(_, reason)
        self:ended(refused or reason)
      end,
    })
    local rpc, request = self.rpc, self.rpc.request
    -- vim.lsp takes a refused initialize for a bug of the server, and throws.
    return vim.tbl_extend('force', rpc, {
      request = function(method, params, done, over)
        return request(method, params, function(failure, result)
          if method == 'initialize' and failure then
            if vim.tbl_get(failure, 'data', 'kind') ~= 'gone' then
              refused = failure.message
            end
            rpc.terminate()
          else
            done(failure, result)
          end
        end, over)
      end,
    })
  end

  local folders = self:folders()
  self.told = folders
  local lsp = {
    name = 'mcp-editord',
    cmd = connect,
    root_dir = self.root,
    workspace_folders = #folders > 0 and folders or nil,
    capabilities = handlers.capabilities(),
    init_options = {
      servers = next(config.servers) and config.servers or nil,
      autoStart = config.start_servers,
    },
    handlers = handlers.lsp(),
    on_init = function(client)
      local version = vim.tbl_get(client.server_capabilities, 'experimental', 'mcp', 'version')
      if version ~= protocol_version then
        refused = ('%s speaks version %s of the editor protocol and this plugin %d; run `mcp-editord install neovim`'):format(
          config.command,
          tostring(version),
          protocol_version
        )
        self.rpc.terminate()
        return
      end
      self.client, self.rpc_id = client, client.id
      self:attached()
    end,
  }
  local ok, id = pcall(start_client, lsp)
  if not ok or not id then
    self:ended(ok and 'mcp-editord cannot be started' or tostring(id))
  end
end

function Connection:attached()
  if self.state == 'stopped' then
    return self:leave()
  end
  local told = self.delay > 2 -- that it cannot attach
  self.state, self.delay = 'ready', 1
  self.servers = {}
  require('mcp-editord.catalog').forget(self)
  self:tell_folders()
  local again = self.lost ~= nil
  self.lost = nil
  if told then -- else nothing was missed, and the message of a call that has failed stays to be read
    require('mcp-editord.ui').notify('attached to the daemon again')
  end
  self:send('editord/servers', vim.empty_dict(), function(err, result)
    if err then
      return -- it has ended again
    end
    require('mcp-editord.servers').take(self, result)
    M.event('McpAttached', { root = self.root })
    if again then
      require('mcp-editord.resource').reattach(self)
    end
    self:settle()
  end)
end

--- The client has ended, or never came to be.
---@param reason string
function Connection:ended(reason)
  local was_ready = self.client ~= nil
  self.client, self.rpc, self.servers = nil, nil, {}
  require('mcp-editord.catalog').forget(self)
  self:changed()
  if was_ready then
    M.event('McpDetached', { root = self.root })
  end
  if self.state == 'stopped' or vim.v.exiting ~= vim.NIL then
    return
  end
  reason = reason ~= '' and reason or 'mcp-editord has ended'
  if not was_ready and not self.lost then -- it never worked: the next use tries again
    self.state = 'stopped'
    connections[self.root or ''] = nil
    return self:settle(reason)
  end
  if not was_ready and self.delay == 2 then
    require('mcp-editord.ui').notify(('cannot attach, and goes on trying: %s'):format(reason), vim.log.levels.WARN)
  end
  self.state, self.lost = 'waiting', reason
  if was_ready and #self.waiters > 0 then -- somebody has noticed before, and waits for it to be back
    return self:start()
  end
  self:settle(reason)
  self.timer = vim.defer_fn(function()
    self.timer = nil
    self:start()
  end, self.delay * 1000)
  self.delay = math.min(self.delay * 2, max_delay)
end

--- Says goodbye; the process ends then.
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
  if connections[self.root or ''] == self then
    connections[self.root or ''] = nil
  end
  if self.client then
    self:leave()
  elseif self.rpc then
    self.rpc.terminate()
  end
  self:settle('the workspace was left')
end

--- Sends a request; `callback` gets the error, the result, and the message as text.
---@param method string
---@param params table
---@param callback fun(err?: mcp-editord.Error, result?: any, body?: string)
---@return fun() cancel
function Connection:send(method, params, callback)
  local rpc = self.rpc
  local ok, id
  if rpc then
    ok, id = rpc.request(method, params, callback)
  end
  if not ok then
    callback({ code = -32803, message = 'the daemon has ended; try again', data = { kind = 'gone' } })
    return function() end
  end
  return function()
    rpc.notify('$/cancelRequest', { id = id })
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

--- Asks the daemon something and returns the result and the message as text. Raises its error. What may be asked twice
--- is asked again when the daemon ends meanwhile; calls of servers are not sent by this.
---@async
---@param method string
---@param params table
---@param on_cancel? fun(cancel: fun()) is given a function that cancels it
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

--- The connection of the current workspace, ready. Raises why there is none.
---@async
---@return mcp-editord.Connection
function M.get()
  M.follow()
  local root = require('mcp-editord.workspace').current()
  local connection = connections[root or '']
  if not connection then
    if next(connections) == nil then
      require('mcp-editord.folders').watch()
    end
    connection = setmetatable(
      { root = root, extra = {}, told = {}, servers = {}, waiters = {}, watchers = {}, delay = 1 },
      Connection
    )
    require('mcp-editord.catalog').forget(connection)
    connections[root or ''] = connection
  end
  connection:ready()
  return connection
end

--- The connection of the current workspace if there is one, in whatever state.
---@return mcp-editord.Connection?
function M.peek()
  return connections[require('mcp-editord.workspace').last() or '']
end

--- All connections.
---@return mcp-editord.Connection[]
function M.all()
  return vim.tbl_values(connections)
end

--- Follows the windows: a connection whose workspace was left goes to the current one, if that
--- has none, so that its servers live on; else it ends.
function M.follow()
  if next(connections) == nil then
    return
  end
  local in_use = require('mcp-editord.workspace').in_use()
  local current = require('mcp-editord.workspace').current()
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

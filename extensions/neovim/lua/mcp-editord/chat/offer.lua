--- What a chat can have of the servers of the workspace, and when that has changed.
local async = require('mcp-editord.async')
local connections = require('mcp-editord.daemon.connections')
local servers = require('mcp-editord.daemon.servers')

local M = {}

--- Returns the sorted names of the servers that a chat can have: no server that waits for approval or was denied, and none
--- of the option `servers`, which only this Neovim's own connection knows.
---@param connection mcp-editord.Connection
---@return string[]
function M.servers(connection)
  local own = require('mcp-editord.config').get().servers
  return servers.names(connection, function(server)
    local denied = server.error ~= nil and server.error.kind == 'denied'
    return not denied and server.state ~= 'needsApproval' and own[server.name] == nil
  end)
end

--- Attaches to the daemon, so that questions to the person reach this Neovim.
function M.attach()
  async.run(require('mcp-editord.attach').get, function(ok, err)
    if not ok then
      require('mcp-editord.ui.messages').fail(err)
    end
  end)
end

--- Calls a function now and whenever servers, what they offer, or the workspace may have changed; once for all that happens
--- while it runs. Not while this Neovim is not attached: what was known stays.
---@param name string of who follows
---@param fn async fun(connection: mcp-editord.Connection)
function M.follow(name, fn)
  local running, again = false, false
  local function run()
    connections.follow() -- where the directory has changed, this connection may have moved with it
    local connection = connections.peek()
    if not connection or not connection.listed then
      return
    elseif running then
      again = true
      return
    end
    running = true
    async.run(function()
      fn(connection)
    end, function(ok, err)
      running = false
      if again then
        again = false
        vim.schedule(run)
      elseif not ok and vim.tbl_get(err, 'data', 'kind') ~= 'gone' then
        require('mcp-editord.ui.messages').fail(err)
      end
    end)
  end
  local later = vim.schedule_wrap(run)
  local group = vim.api.nvim_create_augroup('mcp-editord-' .. name, { clear = true })
  vim.api.nvim_create_autocmd('User', {
    group = group,
    pattern = { 'McpAttached', 'McpServerChanged', 'McpCatalogChanged' },
    callback = later,
  })
  vim.api.nvim_create_autocmd({ 'DirChanged', 'TabEnter' }, { group = group, callback = later })
  later()
end

return M

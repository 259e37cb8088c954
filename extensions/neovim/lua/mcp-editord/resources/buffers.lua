--- Resources as buffers named mcp://SERVER/URI. They are read-only, and are read again when the server says that they have
--- changed.
local address = require('mcp-editord.address')
local async = require('mcp-editord.async')
local calls = require('mcp-editord.daemon.calls')
local format = require('mcp-editord.results.format')
local messages = require('mcp-editord.ui.messages')
local pages = require('mcp-editord.ui.page')
local servers = require('mcp-editord.daemon.servers')
local text = require('mcp-editord.text')

local M = {}

local namespace = vim.api.nvim_create_namespace('mcp-editord-stale')

---@class mcp-editord.OpenResource
---@field server string
---@field uri string
---@field connection? mcp-editord.Connection once there is one
---@field process? string the process that it was read from; see process_of
---@field asked? string the process that was asked for updates
---@field subscribed? integer the rpc_id of the connection when it was subscribed to: a new daemon knows nothing of it
---@field ended? boolean updates have ended
---@field loading? boolean it is being read
---@field fills integer how often its buffer was filled; a new fill ends the one before

--- The largest resource that gets a filetype, in bytes.
local max_typed = 1024 * 1024

local open = {} ---@type table<integer, mcp-editord.OpenResource> by buffer

--- The filetypes of MIME types. For all others, the name of the resource decides.
local filetypes = {
  ['text/markdown'] = 'markdown',
  ['application/json'] = 'json',
  ['text/html'] = 'html',
  ['text/css'] = 'css',
  ['text/csv'] = 'csv',
  ['text/xml'] = 'xml',
  ['application/xml'] = 'xml',
  ['text/x-python'] = 'python',
  ['text/x-go'] = 'go',
  ['text/x-c'] = 'c',
  ['application/javascript'] = 'javascript',
  ['text/javascript'] = 'javascript',
  ['application/typescript'] = 'typescript',
  ['application/yaml'] = 'yaml',
  ['application/toml'] = 'toml',
  ['application/sql'] = 'sql',
  ['application/x-sh'] = 'sh',
}

--- Returns the filetype of a resource.
---@param uri string
---@param mime string?
---@return string
function M.filetype(uri, mime)
  local base = type(mime) == 'string' and mime:match('^[^;%s]*'):lower() or ''
  return filetypes[base] or vim.filetype.match({ filename = vim.fs.basename(uri:gsub('[?#].*$', '')) }) or 'text'
end

---@async
---@param buf integer
---@param resource mcp-editord.OpenResource
---@param raw string JSON of ReadResourceResult
local function fill(buf, resource, raw)
  local turn = resource.fills + 1
  resource.fills = turn
  local pause = async.slices(function()
    return open[buf] ~= resource or resource.fills ~= turn
  end)
  local page, mime = format.resource(resource.server, raw, pause)
  pages.fill_in_pieces(buf, page, pause)
  if not mime or #page.files > 0 then
    pages.map_links(buf, page)
  end
  if mime and pages.is_within(page, max_typed) then
    vim.bo[buf].filetype = M.filetype(resource.uri, mime)
  end
  for _, file in ipairs(page.files) do
    file.write(pause)
  end
end

--- Says beside the first line that the text is not updated.
---@param buf integer
local function mark_stale(buf)
  local note = 'not updated; :edit subscribes again'
  vim.api.nvim_buf_set_extmark(buf, namespace, 0, 0, { virt_text = { { note, 'McpWarning' } } })
end

--- Ends the updates of a buffer. Only the person renews them, by :edit.
---@param buf integer
---@param resource mcp-editord.OpenResource
---@param reason string
local function stop_updates(buf, resource, reason)
  resource.subscribed, resource.ended = nil, true
  mark_stale(buf)
  messages.relay(
    ('"%s" is not updated: %s; :edit subscribes again'):format(address.name(resource.server, resource.uri), reason),
    vim.log.levels.WARN
  )
end

--- Names the process and the definition behind a server. On another one, the daemon may have no subscription of this editor.
---@param server? mcp-editord.Server
---@return string
local function process_of(server)
  return ('%s %s'):format(server and server.digest or '', server and server.pid or '')
end

--- Subscribes to the resource of a buffer where the server supports that. If it fails, the text stays.
---@async
---@param buf integer
---@param resource mcp-editord.OpenResource
---@param process string
local function subscribe(buf, resource, process)
  local connection, server = resource.connection, resource.server
  local capabilities = connection.servers[server] and connection.servers[server].capabilities
  if vim.tbl_get(capabilities or {}, 'resources', 'subscribe') ~= true then
    return
  end
  local attached = connection.rpc_id
  local ok, err = pcall(function()
    connection:request('mcp/resources/subscribe', { server = server, params = { uri = resource.uri } })
  end)
  if open[buf] ~= resource or resource.ended then
    return
  elseif ok then
    resource.subscribed, resource.asked = attached, process
  else
    stop_updates(buf, resource, messages.error_line(err))
  end
end

---@async
---@param buf integer
---@param resource mcp-editord.OpenResource
local function read(buf, resource)
  local connection, server = resource.connection, resource.server
  servers.start(connection, server)
  local process = process_of(connection.servers[server])
  resource.process = process
  local raw = calls.text(connection, server, 'resources/read', { uri = resource.uri })
  if open[buf] ~= resource then
    return
  end
  fill(buf, resource, raw)
  vim.api.nvim_buf_clear_namespace(buf, namespace, 0, -1)
  if resource.ended then
    mark_stale(buf)
  elseif resource.asked ~= process or resource.subscribed ~= connection.rpc_id then
    subscribe(buf, resource, process)
  end
end

--- Reads the resource of a buffer, and subscribes to it, once for each process of its server.
---@async
---@param buf integer
---@param resource mcp-editord.OpenResource
local function load(buf, resource)
  resource.loading = true
  local ok, err = pcall(read, buf, resource)
  resource.loading = false
  if not ok then
    error(err, 0)
  end
end

--- Fills the buffer of a BufReadCmd.
---@param buf integer
---@param connect async fun(): mcp-editord.Connection
function M.read(buf, connect)
  vim.bo[buf].buftype = 'nofile'
  vim.bo[buf].swapfile = false
  vim.bo[buf].modeline = false
  vim.bo[buf].undolevels = -1
  pages.fill(buf, { lines = { 'Reading…' } })
  vim.api.nvim_create_autocmd('BufUnload', {
    buffer = buf,
    once = true,
    callback = function()
      M.close(buf)
    end,
  })
  local server, uri = address.parse(vim.api.nvim_buf_get_name(buf))
  local resource = { server = server, uri = uri, fills = 0 } ---@type mcp-editord.OpenResource
  open[buf] = resource
  async.run(function()
    if not server then
      error('this is not the address of a resource; write mcp://SERVER/URI', 0)
    end
    resource.connection = connect()
    load(buf, resource)
  end, function(ok, err)
    if not ok and err ~= async.left and open[buf] == resource then
      local line = text.line(messages.error_line(err), 1000)
      pages.fill(buf, { lines = { line }, marks = { { line = 0, group = 'McpErrorText' } } })
    end
  end)
end

--- Reads the resources of a session, which has only named their buffers, and removes the buffers of its results.
function M.restore()
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    local name = vim.api.nvim_buf_get_name(buf)
    local untouched = vim.bo[buf].buftype == '' and not vim.bo[buf].modified
    if untouched and vim.startswith(name, 'mcp-result://') then
      vim.api.nvim_buf_delete(buf, {})
    elseif untouched and vim.startswith(name, 'mcp://') and vim.api.nvim_buf_is_loaded(buf) then
      vim.api.nvim_buf_call(buf, vim.cmd.edit)
    end
  end
end

--- Unsubscribes from the resource of a buffer that is unloaded.
---@param buf integer
function M.close(buf)
  local resource = open[buf]
  open[buf] = nil
  if resource and resource.subscribed and resource.subscribed == resource.connection.rpc_id then
    local params = { server = resource.server, params = { uri = resource.uri } }
    resource.connection:send('mcp/resources/unsubscribe', params, function() end)
  end
end

--- Returns the buffers that are subscribed to one of `uris` through this connection.
---@param connection mcp-editord.Connection
---@param server string
---@param uris string[]
---@return table<integer, mcp-editord.OpenResource>
local function subscribed(connection, server, uris)
  local out = {}
  for buf, resource in pairs(open) do
    if
      resource.connection == connection
      and resource.server == server
      and resource.subscribed == connection.rpc_id
      and vim.list_contains(uris, resource.uri)
    then
      out[buf] = resource
    end
  end
  return out
end

---@param list table<integer, mcp-editord.OpenResource>
local function reload(list)
  for buf, resource in pairs(list) do
    messages.run(function()
      load(buf, resource)
    end)
  end
end

--- Called when a resource has changed. Reads it again.
---@param connection mcp-editord.Connection
---@param server string
---@param uris string[] the subscriptions that the update is for
function M.updated(connection, server, uris)
  reload(subscribed(connection, server, uris))
end

--- Called when no more updates of a resource come. Its text stays.
---@param connection mcp-editord.Connection
---@param server string
---@param uri string
---@param reason string
function M.subscription_ended(connection, server, uri, reason)
  for buf, resource in pairs(subscribed(connection, server, { uri })) do
    stop_updates(buf, resource, reason)
  end
end

--- Called when a server has changed. If it is ready as another process, its resources are read and subscribed to again.
---@param connection mcp-editord.Connection
---@param server mcp-editord.Server
function M.server_changed(connection, server)
  local list, process = {}, process_of(server)
  for buf, resource in pairs(open) do
    if
      server.state == 'ready'
      and resource.connection == connection
      and resource.server == server.name
      and resource.process
      and resource.process ~= process
      and not resource.loading
    then
      list[buf] = resource
    end
  end
  reload(list)
end

--- Called when a server is no longer defined. The texts of its resources stay.
---@param connection mcp-editord.Connection
---@param server string
function M.removed(connection, server)
  for _, resource in pairs(open) do
    if resource.connection == connection and resource.server == server then
      resource.subscribed = nil
    end
  end
end

--- Reads all open resources again: a new daemon knows of no subscription.
---@param connection mcp-editord.Connection
function M.reattach(connection)
  local list = {}
  for buf, resource in pairs(open) do
    if resource.connection == connection and not resource.loading then
      list[buf], resource.ended = resource, nil
    end
  end
  reload(list)
end

return M

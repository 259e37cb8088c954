--- Resources as buffers named mcp://SERVER/URI: read-only, and read again when the server says that they have changed.
local address = require('mcp-editord.address')
local async = require('mcp-editord.async')
local calls = require('mcp-editord.daemon.calls')
local connections = require('mcp-editord.daemon.connections')
local format = require('mcp-editord.results.format')
local json = require('mcp-editord.json')
local messages = require('mcp-editord.ui.messages')
local pages = require('mcp-editord.ui.page')
local servers = require('mcp-editord.daemon.servers')
local text = require('mcp-editord.text')

local M = {}

--- Types of files for what a MIME type says; the name of the resource says it for all others.
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

--- The filetype of a resource.
---@param uri string
---@param mime string?
---@return string
function M.filetype(uri, mime)
  local base = type(mime) == 'string' and mime:match('^[^;%s]*'):lower() or ''
  return filetypes[base] or vim.filetype.match({ filename = vim.fs.basename(uri:gsub('[?#].*$', '')) }) or 'text'
end

---@param buf integer
---@param server string
---@param uri string
---@param contents table[] of ReadResourceResult
---@param raw string JSON of the result
local function fill(buf, server, uri, contents, raw)
  local only = #contents == 1 and contents[1]
  if only and type(only.text) == 'string' then
    pages.fill(buf, { lines = text.lines((only.text:gsub('\n$', ''))) })
    vim.bo[buf].filetype = M.filetype(uri, only.mimeType)
    return
  end
  local b = format.builder(server)
  local texts = json.elements(json.member(raw, 'contents'))
  for _, content in ipairs(contents) do
    b:resource(content, texts() --[[@as string]])
  end
  pages.fill(buf, b.page)
  pages.map_links(buf, b.page)
end

--- Reads the resource of a buffer, and lets the server tell of its changes where it can.
---@async
---@param buf integer
---@param connection mcp-editord.Connection
local function load(buf, connection)
  local server, uri = address.parse(vim.api.nvim_buf_get_name(buf))
  if not server then
    error('a resource is named mcp://SERVER/URI', 0)
  end
  servers.start(connection, server)
  local answer, raw = calls.request(connection, server, 'resources/read', { uri = uri })
  if not vim.api.nvim_buf_is_loaded(buf) then
    return
  end
  fill(buf, server, uri, answer.contents or {}, raw)
  local capabilities = connection.servers[server].capabilities
  if
    vim.tbl_get(capabilities or {}, 'resources', 'subscribe') == true
    and vim.b[buf].mcp_subscribed ~= connection.rpc_id
  then
    connection:request('mcp/resources/subscribe', { server = server, params = { uri = uri } })
    vim.b[buf].mcp_subscribed = connection.rpc_id
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
  async.run(function()
    load(buf, connect())
  end, function(ok, err)
    if not ok and vim.api.nvim_buf_is_loaded(buf) then
      local line = text.line(messages.error_line(err), 1000)
      pages.fill(buf, { lines = { line }, marks = { { line = 0, group = 'McpErrorText' } } })
    end
  end)
end

--- The buffer is unloaded: its resource needs no watching any more.
---@param buf integer
function M.close(buf)
  local server, uri = address.parse(vim.api.nvim_buf_get_name(buf))
  for _, connection in ipairs(connections.all()) do
    if server and connection.rpc_id and vim.b[buf].mcp_subscribed == connection.rpc_id then
      connection:send('mcp/resources/unsubscribe', { server = server, params = { uri = uri } }, function() end)
    end
  end
end

--- Reads the buffers of resources again.
---@param connection mcp-editord.Connection
---@param wanted fun(server: string, uri: string): boolean
local function reload(connection, wanted)
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    local server, uri = address.parse(vim.api.nvim_buf_get_name(buf))
    if server and vim.api.nvim_buf_is_loaded(buf) and wanted(server, uri) then
      messages.run(function()
        load(buf, connection)
      end)
    end
  end
end

--- A server says that a resource has changed; it may be a part of one that is watched (MCP 2025-11-25, Resources,
--- Subscriptions).
---@param connection mcp-editord.Connection
---@param server string
---@param uri string
function M.updated(connection, server, uri)
  reload(connection, function(of, watched)
    return of == server and vim.startswith(uri, watched)
  end)
end

--- A server is no longer defined: its resources stay as they were read, and nobody watches them.
---@param server string
function M.removed(server)
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    if address.parse(vim.api.nvim_buf_get_name(buf)) == server then
      vim.b[buf].mcp_subscribed = nil
    end
  end
end

--- The connection is new: what is watched has to be told again.
---@param connection mcp-editord.Connection
function M.reattach(connection)
  reload(connection, function()
    return true
  end)
end

return M

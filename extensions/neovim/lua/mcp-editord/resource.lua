--- Resources as buffers named mcp://SERVER/URI: read-only, and read again when the server says that they have changed.
local result = require('mcp-editord.result')
local text = require('mcp-editord.text')
local ui = require('mcp-editord.ui')

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

--- The name of the buffer of a resource.
---@param server string
---@param uri string
---@return string
function M.name(server, uri)
  return ('mcp://%s/%s'):format(
    server:gsub('[^%w._~-]', function(c)
      return ('%%%02X'):format(c:byte())
    end),
    uri
  )
end

--- What the name of a buffer means.
---@param name string
---@return string? server
---@return string uri
function M.parse(name)
  local server, uri = name:match('^mcp://([^/]+)/(.+)$')
  if not server then
    return nil, ''
  end
  return (server:gsub('%%(%x%x)', function(hex)
    return string.char(tonumber(hex, 16))
  end)), uri
end

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
  local view = require('mcp-editord.view')
  local only = #contents == 1 and contents[1]
  if only and type(only.text) == 'string' then
    view.fill(buf, { lines = text.lines((only.text:gsub('\n$', ''))) })
    vim.bo[buf].filetype = M.filetype(uri, only.mimeType)
    return
  end
  local b = result.builder(server)
  local texts = require('mcp-editord.json').elements(require('mcp-editord.json').member(raw, 'contents'))
  for _, content in ipairs(contents) do
    b:resource(content, texts() --[[@as string]])
  end
  view.fill(buf, b.page)
  view.map_links(buf, b.page)
end

--- Reads the resource of a buffer, and lets the server tell of its changes where it can.
---@async
---@param buf integer
---@param connection mcp-editord.Connection
local function load(buf, connection)
  local server, uri = M.parse(vim.api.nvim_buf_get_name(buf))
  if not server then
    error('a resource is named mcp://SERVER/URI', 0)
  end
  require('mcp-editord.servers').start(connection, server)
  local answer, raw = require('mcp-editord.call').request(connection, server, 'resources/read', { uri = uri })
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
function M.read(buf)
  vim.bo[buf].buftype = 'nofile'
  vim.bo[buf].swapfile = false
  vim.bo[buf].modeline = false
  vim.bo[buf].undolevels = -1
  require('mcp-editord.view').fill(buf, { lines = { 'Reading…' } })
  vim.api.nvim_create_autocmd('BufUnload', {
    buffer = buf,
    once = true,
    callback = function()
      M.close(buf)
    end,
  })
  require('mcp-editord.async').run(function()
    load(buf, require('mcp-editord.client').get())
  end, function(ok, err)
    if not ok and vim.api.nvim_buf_is_loaded(buf) then
      local line = text.line(ui.error_line(err), 1000)
      require('mcp-editord.view').fill(buf, { lines = { line }, marks = { { line = 0, group = 'McpErrorText' } } })
    end
  end)
end

--- The buffer is unloaded: its resource needs no watching any more.
---@param buf integer
function M.close(buf)
  local server, uri = M.parse(vim.api.nvim_buf_get_name(buf))
  for _, connection in ipairs(require('mcp-editord.client').all()) do
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
    local server, uri = M.parse(vim.api.nvim_buf_get_name(buf))
    if server and vim.api.nvim_buf_is_loaded(buf) and wanted(server, uri) then
      require('mcp-editord.async').run(function()
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
    if M.parse(vim.api.nvim_buf_get_name(buf)) == server then
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

--- Opens a resource in a window.
---@param server string
---@param uri string
function M.open(server, uri)
  if uri:find('%c') then
    return ui.notify('the URI of this resource has control characters', vim.log.levels.ERROR)
  end
  local buf = vim.fn.bufadd(M.name(server, uri))
  vim.bo[buf].buflisted = true
  if vim.w.mcp_result then
    vim.cmd.split()
    vim.w.mcp_result = nil
    vim.wo.winbar = ''
  end
  vim.api.nvim_win_set_buf(0, buf)
end

--- Puts values into a URI template. Its simple expressions are enough for what servers have: {name} and {+name}
--- (RFC 6570, levels 1 and 2).
---@param template string
---@param values table<string, string>
---@return string
function M.expand(template, values)
  return (
    template:gsub('{(%+?)([%w_.%%]+)%*?}', function(reserved, name)
      local value = values[name] or ''
      return reserved == '+' and value or vim.uri_encode(value, 'rfc3986')
    end)
  )
end

---@async
---@param connection mcp-editord.Connection
---@param server string
---@param template table
local function fill_in(connection, server, template)
  local fields, values = {}, {}
  for name in template.uriTemplate:gmatch('{%+?([%w_.%%]+)%*?}') do
    fields[#fields + 1] = {
      name = name,
      title = '',
      description = '',
      required = true,
      kind = 'string',
      schema = { type = 'string' },
      complete = function(typed)
        return require('mcp-editord.complete').argument(
          connection,
          server,
          { type = 'ref/resource', uri = template.uriTemplate },
          name,
          typed,
          values
        )
      end,
    }
  end
  local title = template.uriTemplate
  if require('mcp-editord.ask').own({ title = title, fields = fields, values = values, submit = 'Open' }) then
    M.open(server, M.expand(template.uriTemplate, vim.tbl_map(require('mcp-editord.form').show, values)))
  end
end

--- The resources and templates of servers, as a list to pick from.
---@param catalogs mcp-editord.ServerCatalog[]
---@return table[]
local function items(catalogs)
  local out = {}
  for _, catalog in ipairs(catalogs) do
    for _, resource in ipairs(catalog.resources) do
      out[#out + 1] = { server = catalog.server, uri = resource.uri, name = resource.title or resource.name }
    end
    for _, template in ipairs(catalog.templates) do
      out[#out + 1] = {
        server = catalog.server,
        uri = template.uriTemplate,
        name = template.title or template.name,
        template = template,
      }
    end
  end
  return out
end

--- Lets the person pick a resource or a template, and opens it.
---@async
---@param connection mcp-editord.Connection
function M.pick(connection)
  local item = require('mcp-editord.pick').offered(connection, {
    what = 'resources',
    prompt = 'Resource',
    kind = 'mcp-editord-resource',
    items = items,
    format = function(item)
      return ('%s: %s  %s'):format(item.server, tostring(item.name), item.uri)
    end,
  })
  if item and item.template then
    fill_in(connection, item.server, item.template)
  elseif item then
    M.open(item.server, item.uri)
  end
end

return M

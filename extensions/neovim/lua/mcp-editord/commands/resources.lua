--- Lets the person pick a resource, and fill in its template if it has one.
local about = require('mcp-editord.commands.about')
local address = require('mcp-editord.address')
local form = require('mcp-editord.form.schema')
local pages = require('mcp-editord.ui.page')

local M = {}

--- Puts values into a URI template. Supports {name} and {+name} (RFC 6570, levels 1 and 2), which is all that servers use.
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

--- Opens a resource, or puts its text where the person wants it.
---@async
---@param connection mcp-editord.Connection
---@param server string
---@param uri string
function M.open(connection, server, uri)
  local targets = require('mcp-editord.commands.targets')
  if targets.wants_text() then
    require('mcp-editord.daemon.servers').start(connection, server)
    local raw = require('mcp-editord.daemon.calls').text(connection, server, 'resources/read', { uri = uri })
    local pause = require('mcp-editord.async').slices()
    if targets.put(require('mcp-editord.results.format').resource_text(raw, pause)) then
      return
    end
  end
  require('mcp-editord.results.show').go()
  pages.visit(address.name(server, uri))
end

--- Lets the person fill in a template. Returns the URI, or nil if they left.
---@async
---@param connection mcp-editord.Connection
---@param server string
---@param template table
---@param submit string
---@return string?
local function fill_in(connection, server, template, submit)
  local fields, values = {}, {}
  for name in template.uriTemplate:gmatch('{%+?([%w_.%%]+)%*?}') do
    local field = form.text_field(name, true)
    field.complete = function(typed)
      return require('mcp-editord.form.complete').argument(
        connection,
        server,
        { type = 'ref/resource', uri = template.uriTemplate },
        name,
        typed,
        values
      )
    end
    fields[#fields + 1] = field
  end
  local title = template.uriTemplate
  if require('mcp-editord.form.ask').own({ title = title, fields = fields, values = values, submit = submit }) then
    return M.expand(template.uriTemplate, vim.tbl_map(form.plain, values))
  end
end

--- Returns the resources and templates of servers as a list to pick from.
---@param catalogs mcp-editord.ServerCatalog[]
---@return table[]
local function items(catalogs)
  local out = {}
  for _, catalog in ipairs(catalogs) do
    for _, resource in ipairs(catalog.resources) do
      out[#out + 1] = {
        server = catalog.server,
        uri = resource.uri,
        name = resource.title or resource.name,
        definition = resource,
      }
    end
    for _, template in ipairs(catalog.templates) do
      out[#out + 1] = {
        server = catalog.server,
        uri = template.uriTemplate,
        name = template.title or template.name,
        definition = template,
        template = template,
      }
    end
  end
  return out
end

--- Lets the person pick a resource, or pick a template and fill it in. Returns its server and its URI, or nil if they left.
---@async
---@param connection mcp-editord.Connection
---@param submit string what the button below a template says
---@return string? server
---@return string? uri
function M.choose(connection, submit)
  local item = require('mcp-editord.commands.pick').offered(connection, {
    what = 'resources',
    prompt = 'Resource',
    kind = 'mcp-editord-resource',
    items = items,
    format = function(item)
      return ('%s: %s  %s'):format(item.server, tostring(item.name), item.uri)
    end,
    page = function(item)
      return about.resource(item.server, item.definition)
    end,
  })
  if item and item.template then
    return item.server, fill_in(connection, item.server, item.template, submit)
  elseif item then
    return item.server, item.uri
  end
end

--- Lets the person pick a resource or a template, and opens it.
---@async
---@param connection mcp-editord.Connection
function M.pick(connection)
  local server, uri = M.choose(connection, 'Open')
  if server and uri then
    M.open(connection, server, uri)
  end
end

return M

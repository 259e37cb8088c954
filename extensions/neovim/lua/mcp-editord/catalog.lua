--- What the servers offer, as the daemon lists it. It is kept until the daemon says that it
--- has changed.
local json = require('mcp-editord.json')

local M = {}

---@class mcp-editord.Entry a tool or a prompt
---@field server string
---@field name string
---@field command string the daemon's id of it
---@field definition table as the server sent it
---@field text string the same as JSON, in the server's order

---@class mcp-editord.ServerCatalog
---@field server string
---@field tools mcp-editord.Entry[]
---@field prompts mcp-editord.Entry[]
---@field resources table[]
---@field templates table[]

--- Reads one server of editord/catalog.
---@param text string
---@return mcp-editord.ServerCatalog
local function read(text)
  local server = vim.json.decode(json.member(text, 'server', 'name') --[[@as string]])
  local function entries(list, member)
    local out = {}
    for element in json.elements(json.member(text, list)) do
      local definition = json.member(element, member) --[[@as string]]
      local entry = vim.json.decode(element)
      out[#out + 1] = {
        server = server,
        name = entry[member].name,
        command = entry.command,
        definition = entry[member],
        text = definition,
      }
    end
    return out
  end
  local function values(list)
    return vim.json.decode(json.member(text, list) or '[]')
  end
  return {
    server = server,
    tools = entries('tools', 'tool'),
    prompts = entries('prompts', 'prompt'),
    resources = values('resources'),
    templates = values('resourceTemplates'),
  }
end

--- The catalogue of a connection: of the servers that are ready, once those that are starting are.
---@async
---@param connection mcp-editord.Connection
---@return mcp-editord.ServerCatalog[]
function M.get(connection)
  require('mcp-editord.servers').settle(connection)
  if not connection.catalog then
    local generation = {}
    connection.listing = generation
    local _, body = connection:request('editord/catalog', vim.empty_dict())
    local catalog = {}
    for text in json.elements(json.member(body, 'result', 'servers')) do
      catalog[#catalog + 1] = read(text)
    end
    if connection.listing ~= generation then
      return catalog -- it has changed meanwhile: the next one asks again
    end
    connection.catalog = catalog
  end
  return connection.catalog
end

--- The catalogue has changed.
---@param connection mcp-editord.Connection
function M.forget(connection)
  connection.catalog, connection.listing = nil, nil
end

--- The entries of one kind, of all servers or of one.
---@async
---@param connection mcp-editord.Connection
---@param kind 'tools'|'prompts'
---@param server? string
---@return mcp-editord.Entry[]
function M.entries(connection, kind, server)
  local out = {}
  for _, catalog in ipairs(M.get(connection)) do
    if not server or catalog.server == server then
      vim.list_extend(out, catalog[kind])
    end
  end
  return out
end

--- The entry that "server.name" means, nil when there is none.
---@async
---@param connection mcp-editord.Connection
---@param kind 'tools'|'prompts'
---@param id string
---@return mcp-editord.Entry?
function M.find(connection, kind, id)
  for _, entry in ipairs(M.entries(connection, kind)) do
    if entry.server .. '.' .. entry.name == id then
      return entry
    end
  end
end

--- The same; a server that may run and does not is started first. Raises why there is none.
---@async
---@param connection mcp-editord.Connection
---@param kind 'tools'|'prompts'
---@param id string
---@return mcp-editord.Entry
function M.need(connection, kind, id)
  local entry = M.find(connection, kind, id)
  if entry then
    return entry
  end
  local what = kind == 'tools' and 'tool' or 'prompt'
  for name, server in pairs(connection.servers) do
    if vim.startswith(id, name .. '.') then
      require('mcp-editord.servers').start(connection, name)
      entry = M.find(connection, kind, id)
      if entry then
        return entry
      end
      error(('%s has no %s %s'):format(server.name, what, id:sub(#name + 2)), 0)
    end
  end
  error(('there is no %s %s; :Mcp %s lists those there are'):format(what, id, kind), 0)
end

return M

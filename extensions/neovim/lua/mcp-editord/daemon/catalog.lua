--- What servers offer, as the daemon lists it. Keeps the catalogue of each server until the daemon says that it has changed.
--- Only a call that names a server waits for that server.
local json = require('mcp-editord.json')
local servers = require('mcp-editord.daemon.servers')

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

--- Decodes one server of editord/catalog.
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

--- Returns what a server offers, as the daemon knows it now. Raises the daemon's error.
---@async
---@param connection mcp-editord.Connection
---@param server string
---@return mcp-editord.ServerCatalog
local function list(connection, server)
  local known = connection.catalog[server]
  if known then
    return known
  end
  local generation, attached = {}, connection.rpc_id
  connection.listing[server] = generation
  local _, body = connection:request('editord/catalog', { server = server })
  if connection.rpc_id ~= attached then -- the daemon has ended meanwhile, with its servers
    return M.of(connection, server)
  end
  for text in json.elements(json.member(body, 'result', 'servers')) do
    known = read(text)
  end
  if connection.listing[server] == generation then -- else it has changed meanwhile, and the next caller asks again
    connection.catalog[server] = known
  end
  return known or { server = server, tools = {}, prompts = {}, resources = {}, templates = {} }
end

--- Returns what a server offers. Starts it if necessary and waits until it is ready.
---@async
---@param connection mcp-editord.Connection
---@param server string
---@return mcp-editord.ServerCatalog
function M.of(connection, server)
  servers.start(connection, server)
  return list(connection, server)
end

--- Returns what the ready servers offer, sorted by name, also of those that become ready meanwhile. A server whose catalogue
--- cannot be listed is left out, and the person is told.
---@async
---@param connection mcp-editord.Connection
---@return mcp-editord.ServerCatalog[]
function M.get(connection)
  local out, tried = {}, {}
  while true do
    local name = vim.iter(servers.names(connection, 'ready')):find(function(ready)
      return not tried[ready]
    end)
    if not name then
      break
    end
    tried[name] = true
    local ok, found = pcall(list, connection, name)
    if ok then
      out[#out + 1] = found
    elseif vim.tbl_get(found, 'data', 'kind') == 'gone' then
      error(found, 0)
    else
      connection.host.left_out(('what "%s" offers: %s'):format(name, found.message or found))
    end
  end
  table.sort(out, function(a, b)
    return a.server < b.server
  end)
  return out
end

--- Returns the tools or the prompts of the ready servers.
---@async
---@param connection mcp-editord.Connection
---@param kind 'tools'|'prompts'
---@return mcp-editord.Entry[]
function M.entries(connection, kind)
  local out = {}
  for _, catalog in ipairs(M.get(connection)) do
    vim.list_extend(out, catalog[kind])
  end
  return out
end

---@param catalog mcp-editord.ServerCatalog
---@param kind 'tools'|'prompts'
---@param id string
---@return mcp-editord.Entry?
local function entry_of(catalog, kind, id)
  return vim.iter(catalog[kind]):find(function(entry)
    return entry.server .. '.' .. entry.name == id
  end)
end

--- Returns the servers that "server.name" may mean: both parts may contain dots.
---@param connection mcp-editord.Connection
---@param id string
---@param state? string
---@return string[]
local function candidates(connection, id, state)
  return vim.tbl_filter(function(name)
    return vim.startswith(id, name .. '.')
  end, servers.names(connection, state))
end

--- Returns the entry that "server.name" means, or "name" where only one has it; nil if no ready server has it.
---@async
---@param connection mcp-editord.Connection
---@param kind 'tools'|'prompts'
---@param id string
---@return mcp-editord.Entry?
---@return string[] ids of those that "name" may mean
function M.find(connection, kind, id)
  for _, name in ipairs(candidates(connection, id, 'ready')) do
    local entry = entry_of(list(connection, name), kind, id)
    if entry then
      return entry, {}
    end
  end
  local found = vim.tbl_filter(function(entry)
    return entry.name == id
  end, M.entries(connection, kind))
  local ids = vim.tbl_map(function(entry)
    return entry.server .. '.' .. id
  end, found)
  return #found == 1 and found[1] or nil, ids
end

--- Does the same, but starts a stopped server first. Raises why there is no such entry.
---@async
---@param connection mcp-editord.Connection
---@param kind 'tools'|'prompts'
---@param id string
---@return mcp-editord.Entry
function M.need(connection, kind, id)
  local entry, ids = M.find(connection, kind, id)
  local what, command = 'tool', 'tools'
  if kind == 'prompts' then
    what, command = 'prompt', 'prompt'
  end
  local names = entry and {} or candidates(connection, id)
  while not entry and #ids + #names == 0 do -- a server that is starting may have it
    local starting = servers.names(connection, function(server)
      return server.state == 'starting' and not server.waitsFor
    end)
    if #starting == 0 then
      break
    end
    servers.await_change(connection, starting)
    entry, ids = M.find(connection, kind, id)
  end
  for _, name in ipairs(names) do
    entry = entry or entry_of(M.of(connection, name), kind, id)
  end
  if entry then
    return entry
  elseif #names > 0 then
    error(('"%s" has no %s "%s"; :Mcp %s lists them'):format(names[1], what, id:sub(#names[1] + 2), command), 0)
  elseif #ids > 0 then
    error(('several servers have a %s "%s"; write one of %s'):format(what, id, table.concat(ids, ', ')), 0)
  end
  error(('there is no %s "%s"; :Mcp %s lists them'):format(what, id, command), 0)
end

return M

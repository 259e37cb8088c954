--- Lets the person pick from what servers offer. A list shows what the ready servers offer, names those that are starting, and
--- lets the person wait for them.
local M = {}

---@class mcp-editord.Offer
---@field what string for people
---@field prompt string
---@field kind string of vim.ui.select
---@field items fun(catalogs: mcp-editord.ServerCatalog[]): any[]
---@field format fun(item: any): string

--- Lets the person pick from what the ready servers offer. If that is nothing, waits for the servers that are starting.
---@async
---@param connection mcp-editord.Connection
---@param offer mcp-editord.Offer
---@param server? string only this server, and wait for it
---@return any? item
function M.offered(connection, offer, server)
  local catalog, servers = require('mcp-editord.daemon.catalog'), require('mcp-editord.daemon.servers')
  while true do
    local items = offer.items(server and { catalog.of(connection, server) } or catalog.get(connection))
    local starting = server and {} or servers.names(connection, 'starting')
    local waits = { mcp_waits = true }
    if #items == 0 and #starting == 0 then
      error(('no ready server offers %s; :Mcp servers shows their states'):format(offer.what), 0)
    elseif #starting > 0 and #items > 0 then
      items[#items + 1] = waits
    end
    local item = #items > 0
      and require('mcp-editord.ui.waiting').show('the list of ' .. offer.what, function(turn)
        return require('mcp-editord.ui').select(turn, items, {
          prompt = offer.prompt,
          kind = offer.kind,
          format = function(item)
            return item == waits and ('Wait for %s, which is starting'):format(table.concat(starting, ', '))
              or offer.format(item)
          end,
        })
      end)
    if #items > 0 and item ~= waits then
      return item
    end
    servers.await_change(connection, starting)
  end
end

--- Lets the person pick a tool or a prompt.
---@async
---@param connection mcp-editord.Connection
---@param kind 'tools'|'prompts'
---@param server? string
---@return mcp-editord.Entry?
function M.entry(connection, kind, server)
  return M.offered(connection, {
    what = kind,
    prompt = kind == 'tools' and 'Tool' or 'Prompt',
    kind = kind == 'tools' and 'mcp-editord-tool' or 'mcp-editord-prompt',
    items = function(catalogs)
      local out = {}
      for _, catalog in ipairs(catalogs) do
        vim.list_extend(out, catalog[kind])
      end
      return out
    end,
    format = M.label,
  }, server)
end

--- Returns a tool or prompt as one line of a list.
---@param entry mcp-editord.Entry
---@return string
function M.label(entry)
  local description = entry.definition.description
  local id = entry.server .. '.' .. entry.name
  if type(description) ~= 'string' or description == '' then
    return id
  end
  return ('%s: %s'):format(id, description:match('[^\r\n]*'))
end

return M

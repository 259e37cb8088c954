--- Lets the person pick from what servers offer. A list shows what the ready servers offer, names those that are starting, and
--- lets the person wait for them.
local about = require('mcp-editord.commands.about')

local M = {}

---@class mcp-editord.Offer
---@field what string for people
---@field prompt string
---@field kind string of vim.ui.select
---@field items fun(catalogs: mcp-editord.ServerCatalog[]): any[]
---@field format fun(item: any): string
---@field page mcp-editord.PageOf

--- Shows the pages of all items above Neovim's own list, which has no preview, if there is room for all of them.
---@param turn mcp-editord.Turn
---@param items any[]
---@param offer mcp-editord.Offer
local function show_all(turn, items, offer)
  local ui = require('mcp-editord.ui')
  local all = { lines = {}, marks = {} }
  for _, item in ipairs(ui.is_builtin() and items or {}) do
    local page = offer.page(item)
    for _, mark in ipairs(page.marks) do
      table.insert(all.marks, { line = #all.lines + mark.line, group = mark.group })
    end
    vim.list_extend(all.lines, page.lines)
    table.insert(all.lines, '')
    if #all.lines > vim.o.lines then
      return
    end
  end
  if #all.lines > 0 then
    table.remove(all.lines)
    local complete, close = require('mcp-editord.ui.beside').show(turn, offer.prompt, all, #items + 2)
    if not complete then
      close()
    end
  end
end

--- Returns the items whose lines have all of the words, whatever their capitals.
---@param items any[]
---@param offer mcp-editord.Offer
---@param words string
---@return any[]
local function matching(items, offer, words)
  return vim.tbl_filter(function(item)
    local line = offer.format(item):lower()
    return vim.iter(vim.gsplit(words:lower(), '%s+', { trimempty = true })):all(function(word)
      return line:find(word, 1, true) ~= nil
    end)
  end, items)
end

--- Lets the person say which items they mean, where Neovim's own list of all would be several screens.
---@async
---@param turn mcp-editord.Turn
---@param items any[]
---@param offer mcp-editord.Offer
---@return any[]? nil if they left
local function narrowed(turn, items, offer)
  local ui = require('mcp-editord.ui')
  local function names(typed)
    return vim.tbl_map(function(item)
      return offer.format(item):match('^[^%s:]*')
    end, matching(items, offer, typed))
  end
  local found, before = {}, ''
  while ui.is_builtin() and #items > vim.o.lines - 2 and #found == 0 do
    local prompt = ('%s%d %s; a part of the name, or none'):format(before, #items, offer.what)
    local typed = require('mcp-editord.form.complete').with({ complete = names }, function()
      local field = "customlist,v:lua.require'mcp-editord.form.complete'.field"
      return ui.input(turn, { prompt = prompt, completion = field })
    end)
    if not typed then
      return nil
    end
    found, before = matching(items, offer, typed), ('none has "%s"; '):format(typed)
  end
  return #found > 0 and found or items
end

--- Lets the person pick from what the ready servers offer. If that is nothing, waits for the servers that are starting.
---@async
---@param connection mcp-editord.Connection
---@param offer mcp-editord.Offer
---@param server? string only this server, and wait for it
---@param words? string what the lines of the items must have
---@return any? item
function M.offered(connection, offer, server, words)
  local catalog, servers = require('mcp-editord.daemon.catalog'), require('mcp-editord.daemon.servers')
  require('mcp-editord.async').schedule() -- what was answered just before, such as Allow, counts first
  while true do
    local all = offer.items(server and { catalog.of(connection, server) } or catalog.get(connection))
    local described = matching(all, offer, words or '')
    local starting = server and {} or servers.names(connection, 'starting')
    local waits = { mcp_waits = true }
    if #all == 0 and #starting == 0 then
      error(('no ready server offers %s; :Mcp servers shows their states'):format(offer.what), 0)
    elseif #described == 0 and #starting == 0 then
      error(('none of the %d %s has "%s"'):format(#all, offer.what, words), 0)
    end
    local item = #described > 0
      and require('mcp-editord.ui.waiting').show('the list of ' .. offer.what, function(turn)
        local items = narrowed(turn, described, offer)
        if not items then
          return nil
        end
        show_all(turn, items, offer)
        if #starting > 0 then
          items = vim.list_extend({}, items)
          items[#items + 1] = waits
        end
        return require('mcp-editord.ui').select(turn, items, {
          prompt = offer.prompt,
          kind = offer.kind,
          format = function(item)
            return item == waits and ('Wait for %s, which is starting'):format(table.concat(starting, ', '))
              or offer.format(item)
          end,
          page = function(item)
            return item == waits and { lines = {} } or offer.page(item)
          end,
        })
      end)
    if #described > 0 and item ~= waits then
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
---@param words? string what the names or descriptions must have
---@return mcp-editord.Entry?
function M.entry(connection, kind, server, words)
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
    page = function(entry)
      return about.entry(kind, entry)
    end,
  }, server, words)
end

--- Returns a tool or prompt as one line of a list.
---@param entry mcp-editord.Entry
---@return string
function M.label(entry)
  local description = entry.definition.description
  local hints = table.concat(about.hints(entry.definition), ', ')
  local id = ('%s.%s'):format(entry.server, entry.name) .. (hints ~= '' and (' [%s]'):format(hints) or '')
  local first = type(description) == 'string' and vim.trim(description):match('[^\r\n]*') or ''
  return first ~= '' and ('%s: %s'):format(id, first) or id
end

return M

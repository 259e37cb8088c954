--- Looks for servers in the registry, and changes the files that define servers, through the daemon.
local calls = require('mcp-editord.daemon.calls')
local format = require('mcp-editord.results.format')
local messages = require('mcp-editord.ui.messages')
local text = require('mcp-editord.text')
local ui = require('mcp-editord.ui')
local waiting = require('mcp-editord.ui.waiting')

local M = {}

--- Returns a file as it is shown.
---@param uri string
---@return string
function M.shown(uri)
  return vim.fn.fnamemodify(vim.uri_to_fname(uri), ':~')
end

--- Lets the person pick one of `items`.
---@async
---@generic T: {label: string, page: mcp-editord.Page}
---@param what string
---@param prompt string
---@param items T[]
---@return T?
function M.pick(what, prompt, items)
  return waiting.show(what, function(turn)
    return ui.select(turn, items, {
      prompt = prompt,
      kind = 'mcp-editord-server',
      format = function(item)
        return item.label
      end,
      page = function(item)
        return item.page
      end,
    })
  end)
end

--- Reads the buffer of a file again, which the daemon has changed, unless the person has changed it too.
---@param uri string
function M.reread(uri)
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(buf) and not vim.bo[buf].modified and vim.uri_from_bufnr(buf) == uri then
      vim.cmd.checktime(buf)
    end
  end
end

--- Takes a server out of its file, or says there whether it may run.
---@async
---@param connection mcp-editord.Connection
---@param method 'editord/removeServer'|'editord/enableServer'
---@param params {server: string, enabled?: boolean}
---@param done string what was done
function M.change(connection, method, params, done)
  local place = connection:request(method, params)
  M.reread(place.uri)
  messages.notify(('"%s" %s %s'):format(params.server, done, M.shown(place.uri)))
end

--- Opens the file that defines a server, where it does that; without a name, the person's own configuration.
---@async
---@param connection mcp-editord.Connection
---@param name? string
function M.edit(connection, name)
  local place = connection:request('editord/configPlace', name and { server = name } or vim.empty_dict())
  M.reread(place.uri)
  if vim.uri_from_bufnr(0) ~= place.uri then
    vim.cmd.edit(vim.fn.fnameescape(vim.uri_to_fname(place.uri)))
  end
  if place.range then
    vim.lsp.util.show_document(place, 'utf-16', { focus = true })
  end
end

--- Returns what a registry says of a server, as an item of a list.
---@param found mcp-editord.FoundServer
---@return {label: string, page: mcp-editord.Page, name: string}
local function item_of(found)
  local described = vim.trim(found.description or '')
  local old = found.deprecated and 'deprecated, ' or ''
  local first = described:match('[^\r\n]*')
  local label = ('%s [%s%s]  %s'):format(found.name, old, table.concat(found.kinds, ', '), first)
  local b = format.builder(found.name)
  for _, fact in ipairs({ found.name .. ' ' .. found.version, found.title or '', found.repository or '' }) do
    b:add({ fact ~= '' and text.line(fact) or nil })
  end
  b:add({ found.deprecated and text.line('deprecated: ' .. found.deprecated) }, 'McpWarning')
  b:add(vim.list_extend({ '' }, text.lines(described)))
  return { label = label, page = b.page, name = found.name }
end

--- Lets the person pick a server from the registry. Nobody has checked what is in there.
---@async
---@param connection mcp-editord.Connection
---@param words string[]
---@return string? name
function M.search(connection, words)
  if #words == 0 then
    local typed = waiting.show('what to look for', function(turn)
      return ui.input(turn, { prompt = 'Look in the registry for' })
    end)
    words = vim.split(typed or '', '%s+', { trimempty = true })
    if #words == 0 then
      return
    end
  end
  local what, found, cursor = 'looking in the registry', {}, nil
  local more = { label = 'Show more', page = { lines = {} } }
  while true do
    local prompt = 'Servers in the registry'
    if #found == 0 then
      local result = calls.during(what, what .. '; :Mcp cancel', function(on_cancel)
        return connection:request('editord/searchServers', { words = words, cursor = cursor }, on_cancel)
      end)
      found, cursor = vim.tbl_map(item_of, result.servers), result.next
      if result.age then
        prompt = ('%s %s ago, which does not answer now'):format(prompt, text.age(result.age * 1000))
      end
      if #found == 0 and not cursor then
        error(('%s has no such server; try a part of its name'):format(result.registry), 0)
      end
    end
    local room = ui.is_builtin() and math.max(1, vim.o.lines - 4) or #found -- its list is one screen
    local items = vim.list_slice(found, 1, room)
    found = vim.list_slice(found, room + 1)
    if #found > 0 or cursor then
      items[#items + 1] = more
    end
    local chosen = items[1] == more and more or M.pick('the servers in the registry', prompt, items)
    if chosen ~= more then
      return chosen and chosen.name
    end
  end
end

return M

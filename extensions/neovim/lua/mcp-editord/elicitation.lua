--- What a server asks the person (MCP 2025-11-25, Elicitation). Declining and leaving are always there, and which
--- server asks is always seen.
local approval = require('mcp-editord.approval')
local form = require('mcp-editord.form')
local json = require('mcp-editord.json')
local text = require('mcp-editord.text')
local ui = require('mcp-editord.ui')

local M = {}

--- The host of an address of the web, nil when it is none.
---@param url string
---@return string?
local function host_of(url)
  local scheme, authority = url:match('^(%a+)://([^/?#]+)')
  if scheme and vim.list_contains({ 'http', 'https' }, scheme:lower()) then
    return (authority:gsub('^.*@', ''))
  end
end

--- Opens an address if the person wants it. Nothing is fetched before.
---@async
---@param turn mcp-editord.Turn
---@param server string
---@param message string
---@param url string
---@param note? {host: string, warning: string} what the daemon says of it
---@param others string[]
---@return string? choice
local function open_url(turn, server, message, url, note, others)
  local host = note and note.host or host_of(url)
  local page = { lines = text.lines(message), marks = {} }
  vim.list_extend(page.lines, { '', text.line(url, math.huge) })
  if note then
    vim.list_extend(page.lines, { '', 'Warning: ' .. text.line(note.warning) })
    table.insert(page.marks, { line = #page.lines - 1, group = 'McpWarning' })
  end
  local items = vim.deepcopy(others)
  if host then
    table.insert(items, 'Open in the browser')
  end
  local prompt = host and ('Open an address at %s for %s?'):format(text.line(host, 300), server)
    or ('%s wants to open what is no address'):format(server)
  local choice = approval.choose(turn, 'MCP server ' .. server, page, prompt, items)
  if choice == 'Open in the browser' then
    local _, err = vim.ui.open(url)
    if err then
      error(err, 0)
    end
  end
  return choice
end

--- What a form says before its fields.
---@param server string
---@param message string
---@param fields mcp-editord.Field[]
---@return mcp-editord.Page
local function introduction(server, message, fields)
  local page = { lines = text.lines(message), marks = {} }
  for _, field in ipairs(fields) do
    if field.description ~= '' then
      table.insert(page.lines, ('  %s: %s'):format(text.line(field.name, 60), text.line(field.description, 300)))
    end
  end
  for _, field in ipairs(fields) do
    if form.is_sensitive(field) then
      table.insert(
        page.lines,
        ('Warning: %s looks like a secret. Servers must not ask for secrets in this way; what you type goes to %s.'):format(
          text.line(field.name, 60),
          server
        )
      )
      table.insert(page.marks, { line = #page.lines - 1, group = 'McpWarning' })
    end
  end
  return page
end

--- Answers mcp/elicitation/create.
---@async
---@param params {server: string, params: table}
---@param request mcp-editord.Incoming
---@return table ElicitResult
function M.answer(params, request)
  local asked = params.params
  local server = text.line(params.server, 60)
  local message = type(asked.message) == 'string' and asked.message or ''
  return ui.turn(server, request, function(turn)
    if asked.mode == 'url' then
      local note = vim.tbl_get(asked, '_meta', 'mcp-editord/url')
      local choice = open_url(turn, server, message, tostring(asked.url), note, { 'Cancel', 'Decline' })
      local actions = { Decline = 'decline', ['Open in the browser'] = 'accept' }
      return { action = actions[choice] or 'cancel' }
    end
    local fields = form.fields(json.member(request.body, 'params', 'params', 'requestedSchema'))
    -- An input of the configuration: the daemon itself asks, and its value may be a password.
    local input = vim.tbl_get(asked, '_meta', 'mcp-editord/input')
    local values = {}
    for _, field in ipairs(fields) do
      if input == nil then
        values[field.name] = field.default
      end
    end
    local page = introduction(server, message, input == nil and fields or {})
    require('mcp-editord.view').question(turn, ('MCP server %s asks'):format(server), page, #fields + 4)
    if #fields == 0 or input == nil then
      local first = ui.select(
        turn,
        { 'Cancel', #fields == 0 and 'Accept' or 'Answer', 'Decline' },
        { prompt = ('%s asks: %s'):format(server, message) }
      )
      if first == 'Decline' then
        return { action = 'decline' }
      elseif first ~= 'Accept' and first ~= 'Answer' then
        return { action = 'cancel' }
      end
    end
    local action = 'Accept'
    if #fields > 0 then
      action = require('mcp-editord.ask').form(turn, {
        title = ('Answer %s'):format(server),
        fields = fields,
        values = values,
        submit = 'Accept',
        others = { 'Decline', 'Cancel' },
        all = true,
        secret = input ~= nil and input.password == true,
      }) or 'Cancel'
    end
    if action ~= 'Accept' then
      return { action = action:lower() }
    end
    return { action = 'accept', content = json.raw(form.object(fields, values)) }
  end)
end

--- Answers window/showDocument: an address to sign in, or a file of the daemon's.
---@async
---@param params {uri: string, external?: boolean}
---@param request mcp-editord.Incoming
function M.show_document(params, request)
  if not params.external then
    return { success = vim.lsp.util.show_document({ uri = params.uri, range = vim.NIL }, 'utf-8', { focus = true }) }
  end
  return ui.turn('mcp-editord', request, function(turn)
    local choice = open_url(turn, 'mcp-editord', 'A server needs you to sign in.', params.uri, nil, { 'Cancel' })
    return { success = choice == 'Open in the browser' }
  end)
end

return M

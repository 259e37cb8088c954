--- Asks the person what a server wants to know (MCP 2025-11-25, Elicitation). Each question names its server and offers to
--- decline and to cancel. Leaving it answers nothing.
local async = require('mcp-editord.async')
local beside = require('mcp-editord.ui.beside')
local browser = require('mcp-editord.questions.browser')
local caller = require('mcp-editord.questions.caller')
local choose = require('mcp-editord.questions.choose')
local form = require('mcp-editord.form.schema')
local json = require('mcp-editord.json')
local text = require('mcp-editord.text')
local refusals = require('mcp-editord.questions.refusals')
local ui = require('mcp-editord.ui')
local waiting = require('mcp-editord.ui.waiting')

local M = {}

--- Opens an address if the person agrees. Fetches nothing before.
---@async
---@param turn mcp-editord.Turn
---@param server string
---@param whom string as of questions.caller
---@param message string
---@param url string
---@param note? {host: string, warning: string} what the daemon says of it
---@param others string[]
---@return string? choice
local function open_url(turn, server, whom, message, url, note, others)
  local host = note and note.host or browser.host(url)
  local page = browser.page(message, url, note and note.warning)
  local items = vim.deepcopy(others)
  if host then
    table.insert(items, browser.choice)
  end
  local prompt = host and ('Open an address at %s for %s?'):format(text.line(host, 300), server)
    or ('%s wants to open something that is not an address'):format(server)
  local choice = choose.choose(turn, ('MCP server %s%s'):format(server, whom), page, prompt, items)
  if choice == browser.choice then
    local _, problem = browser.open(url)
    if problem then
      error(problem, 0)
    end
  end
  return choice
end

--- Returns the page that introduces a form.
---@param server string
---@param message string
---@param fields mcp-editord.Field[]
---@return mcp-editord.Page
local function introduction(server, message, fields)
  local page = require('mcp-editord.form.describe').all(message, fields)
  for _, field in ipairs(fields) do
    if form.is_sensitive(field) then
      table.insert(
        page.lines,
        ('Warning: "%s" looks like a secret. Servers must not ask for secrets this way; what you type goes to %s.'):format(
          text.line(field.name, 60),
          server
        )
      )
      table.insert(page.marks, { line = #page.lines - 1, group = 'McpWarning' })
    end
  end
  return page
end

--- The choice that answers nothing yet. It comes first, so that a bare Enter is harmless.
M.not_now = 'Not now'

--- How many forms of withdrawn questions are kept.
local max_kept = 20

local kept = {} ---@type {key: string, form: mcp-editord.Form}[] the oldest first

--- Waits for the answer to a form. A question is withdrawn when its server or the daemon ends; what was typed until then is
--- kept for when the same question comes again.
---@async
---@param key string what the server asks, whole
---@param fresh mcp-editord.Form
---@param ask fun(form: mcp-editord.Form): table
---@return table ElicitResult
local function keeping(key, fresh, ask)
  local f = fresh
  for i, one in ipairs(kept) do
    if one.key == key then
      f = table.remove(kept, i).form
      break
    end
  end
  local ok, result = pcall(ask, f)
  if ok then
    return result
  end
  if result == async.withdrawn and f.touched and not f.secret then
    table.insert(kept, { key = key, form = f })
    if #kept > max_kept then
      table.remove(kept, 1)
    end
  end
  error(result, 0)
end

--- Answers mcp/elicitation/create.
---@async
---@param params {server: string, params: table, caller?: mcp-editord.Caller}
---@param request mcp-editord.Incoming
---@param connection mcp-editord.Connection
---@return table ElicitResult
function M.answer(params, request, connection)
  local asked = params.params
  local server = text.line(params.server, 60)
  local message = type(asked.message) == 'string' and asked.message or ''
  local whom = caller.of(params)
  local what = ('%s asks%s: %s'):format(server, whom, message)
  if asked.mode == 'url' then
    return waiting.question(request, what, function(turn)
      local note = vim.tbl_get(asked, '_meta', 'mcp-editord/url')
      local choice = open_url(
        turn,
        server,
        whom,
        message,
        tostring(asked.url),
        note,
        refusals.with(params, { M.not_now, 'Decline', 'Cancel' })
      )
      if refusals.taken(connection, params, choice) then
        return { action = 'decline' }
      end
      local actions = { Decline = 'decline', Cancel = 'cancel', [browser.choice] = 'accept' }
      return actions[choice] and { action = actions[choice] }
    end)
  end
  -- For an input of the configuration the daemon itself asks; its value may be a password.
  local input = vim.tbl_get(asked, '_meta', 'mcp-editord/input')
  local schema = json.member(request.body, 'params', 'params', 'requestedSchema')
  ---@type mcp-editord.Form
  local fresh = {
    title = ('Answer %s'):format(server),
    fields = form.fields(schema),
    values = {},
    submit = 'Accept',
    others = { 'Decline', 'Cancel', M.not_now },
    all = true,
    quiet = true,
    secret = input ~= nil and input.password == true,
  }
  for _, field in ipairs(fresh.fields) do
    if input == nil then
      fresh.values[field.name] = field.default
    end
  end
  local answering = #fresh.fields > 0 and input ~= nil
  local page = introduction(server, message, input == nil and fresh.fields or {})
  return keeping(vim.json.encode({ params.server, message, schema or '' }), fresh, function(f)
    return waiting.question(request, what, function(turn)
      beside.show(turn, ('MCP server %s asks%s'):format(server, whom), page, #f.fields + 7)
      local action
      if not answering then
        local accept = #f.fields == 0 and 'Accept' or 'Answer'
        local choices = refusals.with(params, { M.not_now, accept, 'Decline', 'Cancel' })
        action = ui.select(turn, choices, {
          prompt = what,
          page = function()
            return page
          end,
        })
        if refusals.taken(connection, params, action) then
          return { action = 'decline' }
        end
        answering = action == 'Answer'
      end
      if answering then
        action = require('mcp-editord.form.ask').form(turn, f)
      end
      if action == 'Accept' then
        return { action = 'accept', content = json.raw(form.object(f.fields, f.values)) }
      elseif action == 'Decline' or action == 'Cancel' then
        return { action = action:lower() }
      end
    end)
  end)
end

return M

--- Lets a server ask the person's model (MCP 2025-11-25, Sampling): "there SHOULD always be a human in the loop with the
--- ability to deny sampling requests". The person sees what would be sent and what goes back.
local async = require('mcp-editord.async')
local choose = require('mcp-editord.questions.choose')
local edits = require('mcp-editord.ui.edit')
local message = require('mcp-editord.questions.sampling.message')
local messages = require('mcp-editord.ui.messages')
local text = require('mcp-editord.text')
local refusals = require('mcp-editord.questions.refusals')
local waiting = require('mcp-editord.ui.waiting')

local M = {}

--- What a handler gets: the params of sampling/createMessage, and the server that asks.
---@class mcp-editord.SamplingRequest
---@field server string
---@field messages {role: 'user'|'assistant', content: table|table[]}[]
---@field systemPrompt? string
---@field maxTokens integer
---@field temperature? number
---@field stopSequences? string[]
---@field modelPreferences? table

--- What a handler returns: a text, or the parts of a CreateMessageResult.
---@alias mcp-editord.SamplingAnswer string|{text: string, model?: string, stopReason?: string}
---@alias mcp-editord.SamplingHandler fun(request: mcp-editord.SamplingRequest, done: fun(err?: string, answer?: mcp-editord.SamplingAnswer)): fun()? returns what cancels it

local not_now = require('mcp-editord.questions.elicitation').not_now

--- MCP's error for a request that the person rejected (MCP 2025-11-25, Sampling, Error Handling).
local rejected = { code = -1, message = 'User rejected sampling request' }

--- The servers that are always allowed until Neovim ends, with their definitions: a changed definition asks again.
local always = {} ---@type table<string, true>

--- Returns the name of the handler, the person's function, or nil if there is none.
---@return string|mcp-editord.SamplingHandler|nil
function M.handler()
  local handler = require('mcp-editord.config').get().sampling.handler
  if handler ~= 'auto' then
    return handler or nil
  end
  -- This does not load it.
  if package.loaded.codecompanion or #vim.api.nvim_get_runtime_file('lua/codecompanion/init.lua', false) > 0 then
    return 'codecompanion'
  end
end

--- Returns what would be sent, as a page. Pure.
---@param params table of sampling/createMessage
---@param who string who would answer
---@return mcp-editord.Page
function M.page(params, who)
  local b = require('mcp-editord.results.format').builder('')
  b:add({ ('to %s, at most %s tokens'):format(who, tostring(params.maxTokens)) }, 'McpMuted')
  if params.temperature ~= nil then
    b:add({ 'temperature ' .. tostring(params.temperature) }, 'McpMuted')
  end
  for _, sequence in ipairs(type(params.stopSequences) == 'table' and params.stopSequences or {}) do
    b:add({ 'stops at ' .. text.line(vim.json.encode(sequence)) }, 'McpMuted')
  end
  if type(params.systemPrompt) == 'string' then
    b:heading('system')
    b:text(params.systemPrompt)
  end
  for _, one in ipairs(params.messages or {}) do
    b:heading(tostring(one.role))
    for _, content in ipairs(message.contents(one)) do
      if content.type == 'text' then
        b:add(text.lines(tostring(content.text)))
      else
        b:add(
          { ('[%s %s]'):format(text.line(tostring(content.type), 30), text.line(tostring(content.mimeType or ''), 60)) },
          'McpMuted'
        )
      end
    end
  end
  return b.page
end

--- Runs the handler.
---@async
---@param incoming mcp-editord.Incoming
---@param server string
---@param params table
---@return {text: string, model: string, stopReason: string}
local function generate(incoming, server, params)
  local handler = M.handler()
  local name = type(handler) == 'string' and handler or 'function'
  local run = type(handler) == 'string' and require('mcp-editord.questions.sampling.' .. handler).run or handler --[[@as mcp-editord.SamplingHandler]]
  local request = vim.tbl_extend('force', params, { server = server })
  local limit = require('mcp-editord.config').get().sampling.timeout
  local cancel, timer
  local err, answer = async.await(function(resolve)
    timer = vim.defer_fn(function()
      resolve(('"%s" did not answer within %d s'):format(name, limit / 1000))
    end, limit)
    incoming.on_withdraw = vim.schedule_wrap(function()
      resolve(async.withdrawn)
    end)
    local ok, result = pcall(run, request, vim.schedule_wrap(resolve))
    if ok then
      cancel = result
    else
      resolve(tostring(result))
    end
  end)
  incoming.on_withdraw = nil
  if not timer:is_closing() then
    timer:stop()
    timer:close()
  end
  if err then
    if cancel then
      cancel()
    end
    if err ~= async.withdrawn then
      messages.notify(('sampling for "%s" failed: %s'):format(server, tostring(err)), vim.log.levels.ERROR)
      error({ code = -32603, message = "the editor's model did not answer" }, 0)
    end
    error(err, 0)
  end
  local given = type(answer) == 'table' and answer or { text = answer }
  if type(given.text) ~= 'string' then
    error({ code = -32603, message = "the editor's model returned no text" }, 0)
  end
  return { text = given.text, model = given.model or name, stopReason = given.stopReason or 'endTurn' }
end

--- Shows the answer. Returns the text to send.
---@async
---@param request mcp-editord.Incoming
---@param server string
---@param answer string
---@return string
local function review(request, server, answer)
  local editing ---@type mcp-editord.Edit?
  local function edit(turn)
    if not editing or not editing.buf then
      editing = {
        name = 'mcp-answer://' .. server,
        lines = text.lines(answer),
        filetype = 'markdown',
        hint = ('answer for %s: write to accept it, close to leave it as it was'):format(server),
        read = function(typed)
          return typed
        end,
        keep = function(value)
          answer = value
        end,
      }
    end
    edits.ask(turn, editing)
  end
  local title = ("The model's answer for %s"):format(server)
  return waiting.question(request, title, function(turn)
    if editing and edits.has_changes(editing) then
      edit(turn)
    end
    while true do
      local choice = choose.choose(
        turn,
        title,
        { lines = text.lines(answer) },
        ('Send this to %s?'):format(server),
        { not_now, 'Send', 'Edit', 'Do not send' }
      )
      if choice == 'Send' then
        return answer
      elseif choice == 'Do not send' then
        error(rejected, 0)
      elseif choice ~= 'Edit' then
        return nil
      end
      edit(turn)
    end
  end)
end

--- Answers mcp/sampling/createMessage.
---@async
---@param params {server: string, params: table}
---@param request mcp-editord.Incoming
---@param connection mcp-editord.Connection
---@return table CreateMessageResult
function M.answer(params, request, connection)
  local server = text.line(params.server, 60)
  local handler = M.handler()
  if not handler then
    error({ code = -1, message = 'this editor has no model' }, 0)
  end
  local definition = params.server .. '\n' .. (vim.tbl_get(connection.servers, params.server, 'digest') or '')
  if not always[definition] then
    local title = ('MCP server %s asks your model'):format(server)
    local allowed = waiting.question(request, title, function(turn)
      local who = type(handler) == 'string' and handler or 'your function'
      local always_allow = ('Always allow %s until Neovim ends'):format(server)
      local choice = choose.choose(
        turn,
        title,
        M.page(params.params, who),
        ('Let %s ask your model?'):format(server),
        refusals.with(params, { not_now, 'Deny', 'Allow once', always_allow })
      )
      if choice == always_allow then
        always[definition] = true
      elseif choice == 'Deny' or refusals.taken(connection, params, choice) then
        return 'no'
      end
      return (choice == always_allow or choice == 'Allow once') and 'yes' or nil
    end)
    if allowed ~= 'yes' then
      error(rejected, 0)
    end
  end
  local answer = generate(request, params.server, params.params)
  if not always[definition] and require('mcp-editord.config').get().sampling.edit then
    answer.text = review(request, server, answer.text)
  end
  return {
    role = 'assistant',
    content = { type = 'text', text = answer.text },
    model = answer.model,
    stopReason = answer.stopReason,
  }
end

return M

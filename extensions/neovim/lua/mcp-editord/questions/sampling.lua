--- Lets a server ask the person's model (MCP 2025-11-25, Sampling): "there SHOULD always be a human in the loop with the
--- ability to deny sampling requests". The person sees what would be sent and what goes back.
local async = require('mcp-editord.async')
local caller = require('mcp-editord.questions.caller')
local calls = require('mcp-editord.daemon.calls')
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

--- How long the person may think until the request is made again, in milliseconds: tokens expire.
local fresh = 60000

--- What may be needed before a request can be shown, in milliseconds: a token, a list of models.
local max_prepare = 30000

--- The plugins that `auto` tries, in this order: their handlers, their modules and their usual names.
local plugins = {
  { name = 'codecompanion', module = 'codecompanion', plugin = 'codecompanion.nvim' },
  { name = 'copilotchat', module = 'CopilotChat', plugin = 'CopilotChat.nvim' },
}

--- Returns the handlers whose plugins are installed. Loads none of them.
---@return string[]
local function installed()
  local lazy = package.loaded['lazy.core.config'] -- it loads a plugin when somebody requires it
  local out = {}
  for _, one in ipairs(plugins) do
    if
      package.loaded[one.module]
      or #vim.api.nvim_get_runtime_file(('lua/%s/init.lua'):format(one.module), false) > 0
      or vim.tbl_get(lazy or {}, 'plugins', one.plugin)
    then
      out[#out + 1] = one.name
    end
  end
  return out
end

--- Returns the handlers to try, in order: names, or the person's function. It is empty if no server may ask.
---@return (string|mcp-editord.SamplingHandler)[]
function M.handlers()
  local handler = require('mcp-editord.config').get().sampling.handler
  if handler == 'auto' then
    return installed()
  end
  return handler and { handler } or {}
end

--- Runs `start` until it resolves, the time is over, the server takes its question back or the person cancels it with
--- `:Mcp cancel`.
---@async
---@param incoming? mcp-editord.Incoming
---@param what string what runs, for `:Mcp cancel`
---@param limit integer milliseconds
---@param late string what to say when the time is over
---@param start fun(resolve: fun(err: any, result: any)): fun()? returns what cancels it
---@return any err
---@return any result
local function bounded(incoming, what, limit, late, start)
  local cancel, timer
  local token = calls.token()
  local err, result = async.await(function(resolve)
    timer = vim.defer_fn(function()
      resolve(late)
    end, limit)
    local function leave()
      resolve(async.left)
    end
    calls.add({ what = what, token = token, cancel = leave })
    if incoming then
      incoming.on_withdraw = vim.schedule_wrap(function()
        resolve(async.withdrawn)
      end)
    end
    local ok, returned = pcall(start, resolve)
    if ok then
      cancel = returned
    else
      resolve(tostring(returned))
    end
  end)
  calls.remove(token)
  if incoming then
    incoming.on_withdraw = nil
  end
  if not timer:is_closing() then
    timer:stop()
    timer:close()
  end
  if err and cancel then
    cancel()
  end
  return err, result
end

--- Makes the request with the first handler that can. Nothing is sent to a model. A function has no plan: it gets the
--- request itself. Raises an error that says of each handler why it cannot.
---@async
---@param request mcp-editord.SamplingRequest
---@param incoming? mcp-editord.Incoming
---@return mcp-editord.SamplingPlan|mcp-editord.SamplingHandler
---@return string name of the handler
function M.prepare(request, incoming)
  local problems = {}
  for _, handler in ipairs(M.handlers()) do
    if type(handler) == 'function' then
      return handler, 'function'
    end
    local late = ('it was not ready within %d s'):format(max_prepare / 1000)
    local what = ('%s: sampling'):format(request.server)
    local err, plan = bounded(incoming, what, max_prepare, late, function(resolve)
      async.run(function()
        return require('mcp-editord.questions.sampling.' .. handler).prepare(request)
      end, function(ok, made)
        resolve(not ok and made or nil, ok and made)
      end)
    end)
    if not err then
      return plan, handler
    elseif err == async.withdrawn or err == async.left then
      error(err, 0)
    end
    problems[#problems + 1] = ('%s: %s'):format(handler, tostring(err))
  end
  error(#problems > 0 and table.concat(problems, '; ') or 'no handler is set', 0)
end

--- Shows why there is no answer, and raises what the server is told of it. To withdraw a question or to cancel it is no
--- failure.
---@param server string
---@param err any
---@param told string
local function failed(server, err, told)
  if err == async.withdrawn then
    error(err, 0)
  elseif err == async.left then
    error(rejected, 0)
  end
  messages.notify(('sampling for "%s" failed: %s'):format(server, tostring(err)), vim.log.levels.ERROR)
  error({ code = -32603, message = told }, 0)
end

--- Makes the request, or says why it cannot be made.
---@async
---@param request mcp-editord.SamplingRequest
---@param incoming mcp-editord.Incoming
---@return mcp-editord.SamplingPlan|mcp-editord.SamplingHandler plan
---@return string name
local function prepare(request, incoming)
  local ok, plan, name = pcall(M.prepare, request, incoming)
  if not ok then
    failed(request.server, plan, "the editor's model cannot be used")
  end
  return plan, name
end

--- Returns the lines of a text, with an escape for each character that would not show, carriage returns among them.
---@param value string
---@return string[]
local function exact(value)
  return vim.split(text.block(value), '\n', { plain = true })
end

--- Returns what would be sent, as a page. Pure.
---@param params table of sampling/createMessage
---@param plan? mcp-editord.SamplingPlan nil for the person's function
---@return mcp-editord.Page
function M.page(params, plan)
  local b = require('mcp-editord.results.format').builder('')
  b:add({ 'to ' .. text.line(plan and plan.who or 'your function', 200) }, 'McpMuted')
  if plan then
    b:add({ 'at ' .. text.line(plan.url, 300) }, 'McpMuted')
  end
  b:add({ ('at most %s tokens'):format(tostring(params.maxTokens)) }, 'McpMuted')
  if params.temperature ~= nil then
    b:add({ 'temperature ' .. tostring(params.temperature) }, 'McpMuted')
  end
  for _, sequence in ipairs(type(params.stopSequences) == 'table' and params.stopSequences or {}) do
    b:add({ 'stops at ' .. text.line(vim.json.encode(sequence)) }, 'McpMuted')
  end
  for _, extra in ipairs(plan and plan.extra or {}) do
    b:add({ 'also sends ' .. text.line(extra, 1000) }, 'McpMuted')
  end
  if type(params.systemPrompt) == 'string' then
    b:heading('system')
    b:add(exact(params.systemPrompt))
  end
  for _, one in ipairs(params.messages or {}) do
    b:heading(tostring(one.role))
    for _, content in ipairs(message.contents(one)) do
      if content.type == 'text' then
        b:add(exact(tostring(content.text)))
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

--- Sends a plan, or calls the person's function.
---@param plan mcp-editord.SamplingPlan|mcp-editord.SamplingHandler
---@param request mcp-editord.SamplingRequest
---@param done fun(err?: string, answer?: mcp-editord.SamplingAnswer)
---@return fun()? cancel
local function send(plan, request, done)
  if type(plan) == 'function' then
    return plan(request, done)
  end
  return require('mcp-editord.questions.sampling.http').post(
    plan,
    vim.schedule_wrap(function(err, answer, raw)
      if err then
        return done(err)
      end
      local ok, given = pcall(plan.read, answer, raw)
      if not ok or not given then
        return done(ok and 'the endpoint answered without text' or tostring(given))
      end
      given.model = given.model or plan.model
      done(nil, given)
    end)
  )
end

--- Asks the model.
---@async
---@param incoming mcp-editord.Incoming
---@param plan mcp-editord.SamplingPlan|mcp-editord.SamplingHandler
---@param name string of the handler
---@param request mcp-editord.SamplingRequest
---@return {text: string, model: string, stopReason: string}
local function generate(incoming, plan, name, request)
  local limit = require('mcp-editord.config').get().sampling.timeout
  local late = ('%s did not answer within %d s; see :help mcp-editord-option-sampling.timeout'):format(
    name,
    limit / 1000
  )
  local err, answer = bounded(incoming, ('%s: sampling'):format(request.server), limit, late, function(resolve)
    return send(plan, request, vim.schedule_wrap(resolve))
  end)
  if err then
    failed(request.server, err, "the editor's model did not answer")
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
---@param params {server: string, params: table, caller?: mcp-editord.Caller}
---@param request mcp-editord.Incoming
---@param connection mcp-editord.Connection
---@return table CreateMessageResult
function M.answer(params, request, connection)
  local server = text.line(params.server, 60)
  local asked = vim.tbl_extend('force', params.params, { server = params.server })
  local plan, name = prepare(asked, request)
  local made = vim.uv.now()
  local definition = params.server .. '\n' .. (vim.tbl_get(connection.servers, params.server, 'digest') or '')
  if not always[definition] then
    local title = ('MCP server %s asks your model%s'):format(server, caller.of(params))
    local allowed = waiting.question(request, title, function(turn)
      local always_allow = ('Always allow %s until Neovim ends'):format(server)
      local choice = choose.choose(
        turn,
        title,
        M.page(params.params, type(plan) == 'table' and plan or nil),
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
  if vim.uv.now() - made > fresh then
    local shown = plan
    plan, name = prepare(asked, request)
    if type(plan) == 'table' and not (vim.deep_equal(plan.body, shown.body) and plan.url == shown.url) then
      failed(server, 'what would be sent has changed since you allowed it', "the editor's model cannot be used")
    end
  end
  local answer = generate(request, plan, name, asked)
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

--- What waits for the person: questions from servers, and forms and lists that the person asked for and left.
---
--- A question never takes the keys of somebody who is doing something else: it is announced, and opens when the person asks
--- for it. What the person asked for opens at once, unless they have typed since. Leaving is not an answer: what was left
--- keeps waiting, with what was typed.
local async = require('mcp-editord.async')
local badge = require('mcp-editord.ui.badge')
local messages = require('mcp-editord.ui.messages')
local text = require('mcp-editord.text')
local ui = require('mcp-editord.ui')

local M = {}

---@class mcp-editord.Item
---@field what string one line for people
---@field question boolean from a server
---@field since? integer when it came, in milliseconds of vim.uv.now
---@field ask async fun(turn: mcp-editord.Turn): any? nil if it was left
---@field worth? fun(): boolean whether what was left is kept
---@field kept? fun(): string? what to say when it is; nil: nothing
---@field request? mcp-editord.Incoming the request behind a question
---@field of_server? boolean the state of its server says already that it waits
---@field resolve? fun(ok: boolean, value: any) ends the wait for it
---@field turn? mcp-editord.Turn while it is open
---@field over? boolean

--- How many questions may wait, and how many things that the person left; of these, the oldest is dropped.
local max_questions, max_own = 100, 20

local items = {} ---@type mcp-editord.Item[] the oldest first

local typed = 0 -- the number of keys so far
vim.on_key(function(_, keys)
  -- A mapping adds empty keys; mouse and focus events come by themselves.
  if keys and keys ~= '' and not keys:find('^\128\253') then
    typed = typed + 1
  end
end, vim.api.nvim_create_namespace('mcp-editord-keys'))

--- The value of `typed` when the person last gave input to what runs in a coroutine.
local last_wish = setmetatable({}, { __mode = 'k' }) ---@type table<thread, integer>

--- Notes that the person has just asked for what the current coroutine does.
---@async
function M.wanted()
  last_wish[coroutine.running()] = typed
end

--- Notes that the current coroutine goes on with what the person asked for in another one.
---@async
---@param co thread
function M.wanted_in(co)
  last_wish[coroutine.running()] = last_wish[co]
end

--- Returns the questions, the oldest first.
---@return mcp-editord.Item[]
function M.questions()
  return vim.tbl_filter(function(item)
    return item.question
  end, items)
end

--- Returns what the person asked for and has not finished, the oldest first. Leaves out what is open and has nothing to keep.
---@return mcp-editord.Item[]
function M.kept()
  return vim.tbl_filter(function(item)
    return not item.question and (not item.turn or item.worth ~= nil and item.worth())
  end, items)
end

local function refresh()
  badge.show(vim.tbl_filter(function(item)
    return not item.turn
  end, M.questions()))
end

---@param item mcp-editord.Item
---@param ok boolean
---@param value any
local function finish(item, ok, value)
  for i, other in ipairs(items) do
    if other == item then
      table.remove(items, i)
      item.over = true
      if item.request then
        item.request.on_withdraw = nil
      end
      refresh()
      return item.resolve(ok, value)
    end
  end
end

--- Opens what waits, and leaves whatever else is open.
---@param item mcp-editord.Item
function M.open(item)
  if item.over then
    return
  end
  local turn = ui.new(item)
  item.turn = turn
  async.run(function()
    return ui.run(turn, function()
      refresh()
      return item.ask(turn)
    end)
  end, function(ok, value)
    if item.turn ~= turn then
      return -- it was opened again meanwhile
    end
    item.turn = nil
    if ok and value ~= nil or not ok and value ~= async.left then
      return finish(item, ok, value)
    elseif not item.question then
      if not item.worth or not item.worth() then
        return finish(item, true, nil)
      end
      local said = ('%s is kept; :Mcp resume continues it'):format(item.what)
      if item.kept then
        said = item.kept()
      end
      if said then
        messages.notify(said)
      end
    end
    refresh()
  end)
end

--- Opens the question that has waited longest. Returns whether there is one.
---@return boolean
function M.open_oldest()
  local oldest = M.questions()[1]
  if oldest then
    M.open(oldest)
  end
  return oldest ~= nil
end

--- Withdraws what waits: whoever waits for it gets `async.withdrawn`. May be called in a fast context.
---@param item mcp-editord.Item
function M.withdraw(item)
  if item.turn then
    ui.interrupt(item.turn, async.withdrawn)
    return
  end
  vim.schedule(function()
    if item.turn then
      ui.interrupt(item.turn, async.withdrawn)
    else
      finish(item, false, async.withdrawn)
    end
  end)
end

--- Waits until the person has dealt with `item`.
---@async
---@param item mcp-editord.Item
---@param open boolean at once
---@return any
local function wait(item, open)
  local co = coroutine.running()
  local ok, value = async.await(function(resolve)
    item.resolve, item.since = resolve, vim.uv.now()
    table.insert(items, item)
    if open then
      M.open(item)
    else
      refresh()
    end
  end)
  last_wish[co] = typed
  if not ok then
    error(value, 0)
  end
  return value
end

--- Asks the person a question of a server. Returns what `ask` returns, once that is not nil. Raises `async.withdrawn`.
---@async
---@generic T
---@param request mcp-editord.Incoming
---@param what string
---@param ask async fun(turn: mcp-editord.Turn): T?
---@param of_server? boolean the state of the server says already that it waits
---@return T
function M.question(request, what, ask, of_server)
  if request.withdrawn then
    error(async.withdrawn, 0)
  elseif #M.questions() >= max_questions then
    error('too many questions are waiting', 0)
  end
  local item = { what = text.line(what, 200), question = true, ask = ask, request = request, of_server = of_server }
  request.on_withdraw = function()
    M.withdraw(item)
  end
  badge.announce(item.what)
  return wait(item, false)
end

--- Shows the person what they asked for. Returns what `ask` returns, or nil if they left it with nothing worth keeping.
---@async
---@generic T
---@param what string
---@param ask async fun(turn: mcp-editord.Turn): T?
---@param worth? fun(): boolean
---@return T?
function M.show(what, ask, worth)
  return M.show_item({ what = text.line(what, 200), question = false, ask = ask, worth = worth })
end

--- Whether the person has typed since they last gave input to what runs in the current coroutine.
---@async
---@return boolean
function M.is_busy()
  local since = last_wish[coroutine.running()]
  return since ~= nil and since ~= typed
end

--- The same as [M.show], for an item that the caller opens again or withdraws.
---@async
---@param item mcp-editord.Item
---@return any?
function M.show_item(item)
  local own = M.kept()
  if #own >= max_own then
    finish(own[1], true, nil)
  end
  local open = not M.is_busy()
  if not open then
    messages.notify(('%s waits because you are typing; :Mcp resume opens it'):format(item.what))
  end
  return wait(item, open)
end

--- Lets the person pick one of `list`, and opens it.
---@async
---@param list mcp-editord.Item[]
---@param prompt string
function M.pick(list, prompt)
  local item = M.show(prompt, function(turn)
    return ui.select(turn, list, {
      prompt = prompt,
      format = function(item)
        local what = text.line(item.what, math.max(20, vim.o.columns - 30)) -- so that the age is seen
        return ('%s  · %s ago'):format(what, text.age(vim.uv.now() - item.since))
      end,
    })
  end)
  if item then
    M.open(item)
  end
end

return M

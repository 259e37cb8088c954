--- The only place that asks people something, by vim.ui, so that their own picker is used.
---
--- Questions come one after the other: whoever wants to ask takes a turn. A question of a server
--- does not take the keys from under the fingers of somebody who types: its turn comes in normal
--- mode. When a question is withdrawn, what is open for it is closed.
local async = require('mcp-editord.async')
local text = require('mcp-editord.text')

local M = {}

--- What a question raises that was withdrawn, and one that the person left. Nothing has to be said about them.
M.withdrawn = { code = -32800, message = 'the question was withdrawn' }
M.dismissed = { code = -32800, message = 'the question was left' }

--- How many turns may wait.
local max_waiting = 100

---@class mcp-editord.Turn
---@field by_user boolean
---@field what string what it is about, for people
---@field start fun() its turn has come
---@field inside boolean in a function of vim.ui that has not returned
---@field before table<integer, true> the windows that were there before
---@field resume? fun(ok: boolean, value?: any) ends the wait for the person
---@field over? table why it ended early
---@field cleanup fun()[]

local current ---@type mcp-editord.Turn?
local waiting = {} ---@type mcp-editord.Turn[]
local watch ---@type integer? autocommand that waits for normal mode

local messages = {} ---@type string[] the last ones, whole

--- How many messages are kept, and the longest, in characters.
local max_messages, max_message = 200, 4000

--- Shows one line. It is cut to what fits, because a message that does not has to be confirmed by a key; `:Mcp messages`
--- has the whole.
---@param message string
---@param level? integer of vim.log.levels
function M.notify(message, level)
  local whole = text.line(message, max_message)
  messages[#messages + 1] = whole
  if #messages > max_messages then
    table.remove(messages, 1)
  end
  local prefix = 'MCP: '
  vim.notify(prefix .. text.line(whole, math.max(40, vim.v.echospace - #prefix)), level or vim.log.levels.INFO)
end

--- The last messages, the latest last.
---@return string[]
function M.messages()
  return vim.deepcopy(messages)
end

--- An error as one line for people.
---@param err any
---@return string
function M.error_line(err)
  if type(err) ~= 'table' then
    return tostring(err)
  elseif type(err.data) == 'table' and err.data.kind then
    return err.message
  end
  return ('the server answered with error %s: %s'):format(err.code, err.message)
end

--- Shows that something failed; a question that was left needs no words.
---@param err any
function M.fail(err)
  if err ~= M.withdrawn and err ~= M.dismissed then
    M.notify(M.error_line(err), vim.log.levels.ERROR)
  end
end

--- Whether a question may open: the person is not typing, nor in the middle of a command.
local function is_calm()
  local mode = vim.api.nvim_get_mode()
  return mode.mode == 'n' and not mode.blocking
end

local function next_turn()
  if current or #waiting == 0 then
    return
  end
  local turn = waiting[1]
  if not turn.by_user and not is_calm() then
    if not watch then
      M.notify(turn.what .. ' has a question; it opens when you are back in normal mode')
      watch = vim.api.nvim_create_autocmd('ModeChanged', {
        pattern = '*:n',
        callback = function()
          vim.api.nvim_del_autocmd(watch)
          watch = nil
          vim.schedule(next_turn)
        end,
      })
    end
    return
  end
  current = table.remove(waiting, 1)
  turn.start()
end

--- Ends `turn` early. Also called in a fast context.
---@param turn mcp-editord.Turn
---@param why table
local function interrupt(turn, why)
  turn.over = why
  if turn.inside then
    -- The built-in prompts of vim.ui wait inside. The key ends them; on 0.10 nothing else can.
    vim.api.nvim_input('<Esc>')
  end
  vim.schedule(function()
    if turn.resume then
      turn.resume(false)
    elseif current ~= turn then
      for i, other in ipairs(waiting) do
        if other == turn then
          table.remove(waiting, i)
          turn.start()
          break
        end
      end
    end
  end)
end

--- Runs `fn` when it is its turn to ask. What it raises is raised here.
---@async
---@generic T
---@param what string whose question it is, for people
---@param request? mcp-editord.Incoming the daemon's request; nil when the person began it
---@param fn async fun(turn: mcp-editord.Turn): T
---@return T
function M.turn(what, request, fn)
  local turn = { by_user = request == nil, what = what, inside = false, before = {}, cleanup = {} } ---@type mcp-editord.Turn
  if turn.by_user and current and current.by_user then
    interrupt(current, M.dismissed) -- a picker that was left and did not say so
  end
  if #waiting >= max_waiting then
    error('too many questions are waiting', 0)
  end
  if request then
    if request.withdrawn then
      error(M.withdrawn, 0)
    end
    request.on_withdraw = function()
      interrupt(turn, M.withdrawn)
    end
  end
  if turn.by_user and current and current.resume and not current.inside then -- a picker of a plugin is open
    M.notify('the question of ' .. current.what .. ' comes first')
  end
  async.await(function(resolve)
    turn.start = resolve
    table.insert(waiting, turn)
    next_turn()
  end)
  local ok, result
  if turn.over then
    ok, result = false, turn.over
  else
    for _, win in ipairs(vim.api.nvim_list_wins()) do
      turn.before[win] = true
    end
    ok, result = pcall(fn, turn)
  end
  for _, done in ipairs(turn.cleanup) do
    pcall(done)
  end
  if request then
    request.on_withdraw = nil
  end
  if current == turn then
    current = nil
    vim.schedule(next_turn)
  end
  if not ok then
    error(turn.over or result, 0)
  end
  return result
end

--- Closes the windows of a picker that is still open.
---@param turn mcp-editord.Turn
local function close_pickers(turn)
  for _, win in ipairs(vim.api.nvim_list_wins()) do
    local opened = not turn.before[win] and vim.api.nvim_win_is_valid(win)
    if opened and vim.api.nvim_win_get_config(win).relative ~= '' then
      pcall(vim.api.nvim_win_close, win, true)
    end
  end
end

--- Waits for the person. `start` gets the function that takes the answer.
---@async
---@param turn mcp-editord.Turn
---@param start fun(answered: fun(value: any))
---@return any
function M.wait(turn, start)
  assert(current == turn, 'a question without its turn')
  local ok, value = async.await(function(resolve)
    turn.resume = resolve
    turn.inside = true
    local fine, err = pcall(start, function(value)
      resolve(true, value)
    end)
    turn.inside = false
    if not fine then
      resolve(true, nil)
      if not tostring(err):find('Keyboard interrupt') then
        M.notify(tostring(err), vim.log.levels.ERROR)
      end
    end
  end)
  turn.resume = nil
  if turn.over then
    close_pickers(turn)
    error(turn.over, 0)
  end
  assert(ok)
  -- The callback may come from within the picker: let it close first.
  async.schedule()
  if turn.over then
    error(turn.over, 0)
  end
  vim.cmd.redraw() -- clears a built-in prompt away, so that no message has to be confirmed after it
  return value
end

--- Lets the person pick one of `items`; nil when none was picked.
---@async
---@generic T
---@param turn mcp-editord.Turn
---@param items T[]
---@param opts {prompt: string, format?: fun(item: T): string, kind?: string}
---@return T?
function M.select(turn, items, opts)
  vim.cmd.redraw() -- what was shown for the question stands there when a built-in prompt waits
  return M.wait(turn, function(answered)
    vim.ui.select(items, {
      prompt = text.line(opts.prompt, 200),
      kind = opts.kind or 'mcp-editord',
      format_item = function(item)
        -- One row each in the built-in list, which puts a number before it.
        return text.line(opts.format and opts.format(item) or tostring(item), math.max(40, vim.o.columns - 6))
      end,
    }, answered)
  end)
end

--- Lets the person type a line; nil when it was left.
---@async
---@param turn mcp-editord.Turn
---@param opts {prompt: string, default?: string, completion?: string}
---@return string?
function M.input(turn, opts)
  vim.cmd.redraw()
  return M.wait(turn, function(answered)
    vim.ui.input(
      { prompt = text.line(opts.prompt, 200) .. ': ', default = opts.default, completion = opts.completion },
      answered
    )
  end)
end

--- Lets the person type something that is not shown; nil when nothing was typed. vim.ui has no such thing.
---@async
---@param turn mcp-editord.Turn
---@param prompt string
---@return string?
function M.secret(turn, prompt)
  vim.cmd.redraw()
  return M.wait(turn, function(answered)
    local value = vim.fn.inputsecret(text.line(prompt, 200) .. ': ')
    answered(value ~= '' and value or nil)
  end)
end

--- Lets the person edit a text in a buffer of its own; nil when that was closed.
---@async
---@param turn mcp-editord.Turn
---@param e mcp-editord.Edit
---@return any? value what `e.read` made of the text
function M.edit(turn, e)
  return M.wait(turn, function(answered)
    local buf = require('mcp-editord.view').edit(e, answered)
    table.insert(turn.cleanup, function()
      vim.api.nvim_buf_delete(buf, { force = true })
    end)
  end)
end

--- Leaves the question that is open. Tells whether there was one.
---@return boolean
function M.leave()
  if current then
    interrupt(current, M.dismissed)
    return true
  end
  return false
end

--- What the open question is about, for people.
---@return string?
function M.open()
  return current and current.what
end

return M

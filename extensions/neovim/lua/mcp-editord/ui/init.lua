--- Asks the person something, always by vim.ui, so that their own picker is used. Nothing else in the plugin asks.
---
--- One thing is open at a time; that is its turn. A new turn ends the one before, as if the person had left it. When a
--- question is withdrawn, whatever is open for it closes.
local async = require('mcp-editord.async')
local messages = require('mcp-editord.ui.messages')
local preview = require('mcp-editord.ui.preview')
local text = require('mcp-editord.text')

local M = {}

---@class mcp-editord.Turn
---@field item mcp-editord.Item
---@field inside boolean in a function of vim.ui that has not returned
---@field before table<integer, true> the windows that were there before
---@field start? fun() its turn has come
---@field resume? fun(ok: boolean, value?: any) ends the wait for the person
---@field over? table why it ended early
---@field cleanup fun()[]

local current ---@type mcp-editord.Turn?
local queue = {} ---@type mcp-editord.Turn[] that wait for the end of the current one

local function next_turn()
  if not current and #queue > 0 then
    current = table.remove(queue, 1)
    current.start()
  end
end

--- Whether the built-in prompts of vim.ui, which block, run what is scheduled and take its keys. 0.10 takes only input.
local takes_keys = vim.fn.has('nvim-0.11') == 1

--- Ends `turn` early. May be called in a fast context.
---@param turn mcp-editord.Turn
---@param why table
function M.interrupt(turn, why)
  turn.over = turn.over or why
  if turn.inside and not takes_keys then
    vim.api.nvim_input('<Esc>') -- a macro that the person records has this key
  end
  vim.schedule(function()
    if turn.inside and takes_keys then
      vim.api.nvim_feedkeys('\27', 'n', false)
    end
    if turn.resume then
      turn.resume(false)
    end
  end)
end

---@param item mcp-editord.Item
---@return mcp-editord.Turn
function M.new(item)
  return { item = item, inside = false, before = {}, cleanup = {} }
end

--- Runs `fn` in `turn`, after leaving what is open. Raises what `fn` raises.
---@async
---@generic T
---@param turn mcp-editord.Turn
---@param fn async fun(turn: mcp-editord.Turn): T
---@return T
function M.run(turn, fn)
  for _, other in ipairs(vim.list_extend({ current }, queue)) do
    M.interrupt(other, async.left)
  end
  async.await(function(resolve)
    turn.start = resolve
    table.insert(queue, turn)
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
  current = nil
  vim.schedule(next_turn)
  if not ok then
    error(turn.over or result, 0)
  end
  return result
end

--- Closes the windows of a picker that is still open.
---@param turn mcp-editord.Turn
local function close_pickers(turn)
  for _, win in ipairs(vim.api.nvim_list_wins()) do
    local opened = not turn.before[win] and vim.api.nvim_win_is_valid(win) and not vim.w[win].mcp_badge
    if opened and vim.api.nvim_win_get_config(win).relative ~= '' then
      pcall(vim.api.nvim_win_close, win, true)
    end
  end
end

--- Waits for the person. `start` gets a function to call with the answer.
---@async
---@param turn mcp-editord.Turn
---@param start fun(answered: fun(value: any))
---@return any
function M.wait(turn, start)
  assert(current == turn, 'a question without its turn')
  if turn.over then
    error(turn.over, 0)
  end
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
        messages.notify(tostring(err), vim.log.levels.ERROR)
      end
    end
  end)
  turn.resume = nil
  if turn.over then
    close_pickers(turn)
    error(turn.over, 0)
  end
  assert(ok)
  -- The picker may call back before it closes: let it close first.
  async.schedule()
  if turn.over and turn.over ~= async.left then -- who opens the next thing at once has answered all the same
    error(turn.over, 0)
  end
  vim.cmd.redraw() -- clears a built-in prompt, so that the next message needs no Enter
  return value
end

---@class mcp-editord.SelectOptions
---@field prompt string
---@field format? fun(item: any): string
---@field kind? string
---@field page? mcp-editord.PageOf describes an item in the preview of the person's picker
---@field previewed? fun() called when their picker shows a page

--- Lets the person pick one of `items`. Returns nil if they pick none.
---@async
---@generic T
---@param turn mcp-editord.Turn
---@param items T[]
---@param opts mcp-editord.SelectOptions
---@return T?
function M.select(turn, items, opts)
  vim.cmd.redraw() -- so that the page of the question is visible while a built-in prompt blocks
  local select = {
    prompt = text.line(opts.prompt, 200),
    kind = opts.kind or 'mcp-editord',
    format_item = function(item)
      -- One row each in the built-in list, which adds a number.
      return text.line(opts.format and opts.format(item) or tostring(item), math.max(40, vim.o.columns - 6))
    end,
  }
  if not opts.page then
    return M.wait(turn, function(answered)
      vim.ui.select(items, select, answered)
    end)
  end
  return preview.during(items, function(item)
    if opts.previewed then
      opts.previewed()
    end
    return opts.page(item)
  end, function(described)
    return M.wait(turn, function(answered)
      vim.ui.select(items, vim.tbl_extend('error', select, described), answered)
    end)
  end)
end

--- Whether vim.ui.select is Neovim's own, which asks at the bottom of the screen.
---@return boolean
function M.is_builtin()
  return debug.getinfo(vim.ui.select, 'S').source:find('vim/ui%.lua$') ~= nil
end

--- Lets the person type a line. Returns nil if they leave it. Neovim's own prompt calls `keep` with the line whenever it
--- changes; other prompts do not. With `forget`, no history keeps the line.
---@async
---@param turn mcp-editord.Turn
---@param opts {prompt: string, default?: string, completion?: string, keep?: fun(typed: string), forget?: boolean}
---@return string?
function M.input(turn, opts)
  vim.cmd.redraw()
  local last = vim.fn.histnr('input')
  local ok, typed = pcall(M.wait, turn, function(answered)
    local watch = opts.keep
      and vim.api.nvim_create_autocmd('CmdlineChanged', {
        pattern = '@',
        callback = function()
          opts.keep(vim.fn.getcmdline())
        end,
      })
    vim.ui.input(
      { prompt = text.line(opts.prompt, 200) .. ': ', default = opts.default, completion = opts.completion },
      answered
    )
    if watch then
      vim.api.nvim_del_autocmd(watch)
    end
  end)
  while opts.forget and vim.fn.histnr('input') > last and vim.fn.histdel('input', -1) == 1 do
  end
  if not ok then
    error(typed, 0)
  end
  return typed
end

--- Lets the person type something that is not shown. Returns nil if they type nothing. vim.ui has no such prompt.
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

--- Leaves what is open. Returns whether anything was.
---@return boolean
function M.leave()
  if current then
    M.interrupt(current, async.left)
    return true
  end
  return false
end

--- Returns what is open, as one line.
---@return string?
function M.current()
  return current and current.item.what
end

return M

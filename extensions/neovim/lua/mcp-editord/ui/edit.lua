--- Lets the person edit texts, each in a buffer of its own.
local async = require('mcp-editord.async')
local messages = require('mcp-editord.ui.messages')
local pages = require('mcp-editord.ui.page')
local ui = require('mcp-editord.ui')
local waiting = require('mcp-editord.ui.waiting')

local M = {}

local namespace = vim.api.nvim_create_namespace('mcp-editord-edit')

---@class mcp-editord.Edit
---@field name string of the buffer
---@field lines string[]
---@field filetype string
---@field hint string shown above the text
---@field read fun(typed: string): any?, string? returns the value of the text, or what is wrong with it
---@field look? fun(before: string): string[] returns what is known of the place at the end of a part of the text; K shows it
---@field keep fun(value: any) called with the value whenever the text is written
---@field buf? integer once it was opened
---@field item? mcp-editord.Item the form or question that it belongs to
---@field answered? fun(value: any?) set while somebody waits; gets the value, or nil if the window was closed

--- Whether the text was changed and not written.
---@param e mcp-editord.Edit
---@return boolean
function M.has_changes(e)
  return e.buf ~= nil and vim.api.nvim_buf_is_loaded(e.buf) and vim.bo[e.buf].modified
end

--- Deletes the buffer unless it has unwritten changes.
---@param e mcp-editord.Edit
function M.close(e)
  if e.buf and vim.api.nvim_buf_is_valid(e.buf) and not M.has_changes(e) then
    vim.api.nvim_buf_delete(e.buf, { force = true })
    e.buf = nil
  end
end

---@param e mcp-editord.Edit
local function write(e)
  local value, problem = e.read(table.concat(vim.api.nvim_buf_get_lines(e.buf, 0, -1, false), '\n'))
  if problem then
    vim.diagnostic.set(namespace, e.buf, { { lnum = 0, col = 0, message = problem, source = 'mcp-editord' } })
    return messages.notify(('not accepted: %s; correct it and write again'):format(problem), vim.log.levels.WARN)
  elseif e.item.over then
    return messages.notify('not accepted: nobody asks for it any more; your text stays here', vim.log.levels.WARN)
  end
  vim.diagnostic.reset(namespace, e.buf)
  vim.bo[e.buf].modified = false
  e.keep(value)
  if e.answered then
    e.answered(value)
  else
    vim.schedule(function()
      M.close(e)
      waiting.open(e.item)
    end)
  end
end

--- Shows what is known of the place under the cursor: in a line with a name, of what it names.
---@param e mcp-editord.Edit
local function look(e)
  local cursor = vim.api.nvim_win_get_cursor(0)
  local lines = vim.api.nvim_buf_get_lines(e.buf, 0, cursor[1], false)
  local line = lines[#lines]
  local named = line:match('^%s*"[^"]*"%s*:()') or 1
  lines[#lines] = line:sub(1, math.max(cursor[2] + 1, named - 1))
  local _, win = vim.lsp.util.open_floating_preview(
    e.look(table.concat(lines, '\n')),
    '',
    { focusable = false, border = 'rounded', max_width = 80, wrap = true }
  )
  pages.plain_window(win)
end

--- Whether an autocommand writes, as those that save by themselves do, and not the person. The text then stays unwritten.
---@return boolean
local function is_automatic()
  return vim.iter(vim.gsplit(vim.fn.expand('<stack>'), '..', { plain = true })):any(function(caller)
    local event = caller:match('^%a+') or ''
    return event ~= 'BufWriteCmd' and vim.fn.exists('##' .. event) == 1
  end)
end

---@param e mcp-editord.Edit
local function make(e)
  local buf = vim.api.nvim_create_buf(false, false)
  e.buf = buf
  vim.bo[buf].buftype = 'acwrite'
  vim.bo[buf].bufhidden = 'hide' -- closing its window loses nothing, and :qall warns of unwritten changes
  vim.bo[buf].swapfile = false
  vim.bo[buf].modeline = false
  vim.api.nvim_buf_set_name(buf, ('%s#%d'):format(e.name, buf))
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, e.lines)
  vim.bo[buf].modified = false
  vim.bo[buf].filetype = e.filetype
  if e.look then
    vim.keymap.set('n', 'K', function()
      look(e)
    end, { buffer = buf, desc = 'describe what is under the cursor' })
  end
  vim.api.nvim_create_autocmd('BufWriteCmd', {
    buffer = buf,
    callback = function()
      if not is_automatic() then
        write(e)
      end
    end,
  })
  vim.api.nvim_create_autocmd({ 'BufHidden', 'BufUnload' }, {
    buffer = buf,
    callback = vim.schedule_wrap(function()
      if e.buf == buf and e.answered and vim.fn.bufwinid(buf) == -1 then
        e.answered(nil)
      end
    end),
  })
end

--- Opens the buffer, or shows it again. Writing a valid text answers with its value; closing the window answers nil.
---@param e mcp-editord.Edit
local function open(e)
  if not (e.buf and vim.api.nvim_buf_is_loaded(e.buf)) then
    make(e)
  end
  local win = vim.fn.bufwinid(e.buf)
  if win ~= -1 then
    vim.api.nvim_set_current_win(win)
    return
  end
  win = vim.api.nvim_open_win(e.buf, true, { split = 'below', win = -1, height = pages.height() })
  pages.plain_window(win)
  pages.set_title(win, e.hint)
  vim.cmd.redraw() -- after a built-in prompt nothing else draws before the next key
end

--- Lets the person edit a text. Returns its value, or nil if the window was closed. A text with unwritten changes stays in
--- its buffer, even when the turn ends; writing it then opens its form or question again.
---@async
---@param turn mcp-editord.Turn
---@param e mcp-editord.Edit
---@return any? value what `e.read` made of the text
function M.ask(turn, e)
  table.insert(turn.cleanup, function()
    e.answered = nil
    M.close(e)
  end)
  local value = ui.wait(turn, function(answered)
    e.answered, e.item = answered, turn.item
    open(e)
  end)
  e.answered = nil
  if value == nil and M.has_changes(e) then
    error(async.left, 0)
  end
  M.close(e)
  return value
end

return M

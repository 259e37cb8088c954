--- Shows what a question is about while the person chooses.
local pages = require('mcp-editord.ui.page')
local text = require('mcp-editord.text')
local ui = require('mcp-editord.ui')

local M = {}

--- Shows a page above the prompt until the turn is over.
---@param turn mcp-editord.Turn
---@param title string
---@param page mcp-editord.Page
---@param prompt_lines integer how many lines a built-in prompt takes
---@return boolean complete whether all of it is visible
---@return fun() close closes it earlier
function M.show(turn, title, page, prompt_lines)
  local longest = vim.fn.strdisplaywidth(title) + 4
  for _, line in ipairs(page.lines) do
    longest = math.max(longest, vim.fn.strdisplaywidth(line))
  end
  local width = math.min(longest, vim.o.columns - 4, 100)
  local room = math.max(1, vim.o.lines - prompt_lines - 6)
  local buf = pages.buffer(page)
  local win = vim.api.nvim_open_win(buf, false, {
    relative = 'editor',
    row = 0,
    col = math.floor((vim.o.columns - width - 2) / 2),
    width = width,
    height = room,
    border = 'rounded',
    title = ' ' .. text.line(title, width - 4) .. ' ',
    style = 'minimal',
    zindex = 45, -- below pickers
  })
  pages.plain_window(win)
  local rows = vim.api.nvim_win_text_height(win, {}).all
  vim.api.nvim_win_set_height(win, math.min(rows, room))
  turn.before[win] = true -- so that it does not count as a picker's
  local function close()
    if vim.api.nvim_win_is_valid(win) then
      vim.api.nvim_win_close(win, true)
    end
  end
  table.insert(turn.cleanup, close)
  return rows <= room, close
end

--- Shows a page in a tab page of its own.
---@param name string of the buffer
---@param page mcp-editord.Page
---@return integer buf
---@return integer win
function M.document(name, page)
  local buf = pages.buffer(page)
  vim.api.nvim_buf_set_name(buf, ('%s#%d'):format(name, buf))
  vim.cmd(('tab sbuffer %d'):format(buf))
  local win = vim.api.nvim_get_current_win()
  pages.plain_window(win)
  vim.wo[win].smoothscroll = true -- so that a line longer than the screen can be read
  vim.keymap.set('n', 'q', '<Cmd>close<CR>', { buffer = buf, nowait = true, desc = 'close' })
  return buf, win
end

local read = 'Read all of it'

--- Shows a page with a question below it, and lets the person choose. If the page does not fit on the screen, they can read
--- it in a window of its own first. Returns nil if they leave the question.
---@async
---@param turn mcp-editord.Turn
---@param title string
---@param page mcp-editord.Page
---@param prompt string
---@param items string[]
---@return string?
function M.choose(turn, title, page, prompt, items)
  while true do
    local complete, close = M.show(turn, title, page, #items + 2)
    local offered = complete and items or vim.list_extend(vim.deepcopy(items), { read })
    local choice = ui.select(turn, offered, { prompt = prompt })
    if choice ~= read then
      return choice
    end
    close()
    ui.wait(turn, function(answered)
      local buf = require('mcp-editord.results.show').show(title .. '  (close it to answer)', page)
      vim.api.nvim_create_autocmd('BufWipeout', { buffer = buf, once = true, callback = vim.schedule_wrap(answered) })
      table.insert(turn.cleanup, function() -- the question was withdrawn
        vim.api.nvim_buf_delete(buf, { force = true })
      end)
    end)
  end
end

return M

--- Shows what a prompt is about in a window beside it, which takes neither focus nor keys.
local badge = require('mcp-editord.ui.badge')
local pages = require('mcp-editord.ui.page')
local text = require('mcp-editord.text')

local M = {}

--- Shows a page until the turn is over: at the top of the screen, or right above a prompt of one line.
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
  local low = prompt_lines == 1
  local buf = pages.buffer(page)
  local win = vim.api.nvim_open_win(buf, false, {
    relative = 'editor',
    anchor = low and 'SW' or 'NW',
    row = low and vim.o.lines - vim.o.cmdheight or 0,
    col = low and 0 or math.floor((vim.o.columns - width - 2) / 2),
    width = width,
    height = room,
    border = 'rounded',
    title = ' ' .. text.line(title, width - 4) .. ' ',
    style = 'minimal',
    focusable = false,
    zindex = 45, -- below pickers
  })
  pages.plain_window(win)
  local rows = vim.api.nvim_win_text_height(win, {}).all
  vim.api.nvim_win_set_height(win, math.min(rows, room))
  if rows > room then
    vim.api.nvim_win_set_config(win, { footer = ' … ' })
  end
  turn.before[win] = true -- so that it does not count as a picker's
  vim.w[win].mcp_low = low
  badge.draw() -- it keeps out of the way
  local function close()
    if vim.api.nvim_win_is_valid(win) then
      vim.api.nvim_win_close(win, true)
    end
  end
  table.insert(turn.cleanup, close)
  return rows <= room, close
end

return M

--- Shows results in one window of the tab page.
local pages = require('mcp-editord.ui.page')
local text = require('mcp-editord.text')

local M = {}

--- Returns the result window of this tab page.
---@return integer?
local function result_window()
  for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    if vim.w[win].mcp_result then
      return win
    end
  end
end

---@param buf integer
---@param enter boolean
---@return integer win
local function open_window(buf, enter)
  local where = require('mcp-editord.config').get().result.open
  local win = result_window()
  if win then
    vim.api.nvim_win_set_buf(win, buf)
    if enter then
      vim.api.nvim_set_current_win(win)
    end
    return win
  elseif where == 'float' then
    local width = math.min(vim.o.columns - 4, 120)
    win = vim.api.nvim_open_win(buf, enter, {
      relative = 'editor',
      row = math.floor((vim.o.lines - pages.height()) / 2) - 1,
      col = math.floor((vim.o.columns - width) / 2),
      width = width,
      height = pages.height(),
      border = 'rounded',
    })
  elseif where == 'tab' and enter then
    vim.cmd.tabnew()
    win = vim.api.nvim_get_current_win()
    vim.api.nvim_win_set_buf(win, buf)
  else
    win = vim.api.nvim_open_win(buf, enter, {
      split = where == 'vsplit' and 'right' or 'below',
      win = -1,
      height = where ~= 'vsplit' and pages.height() or nil,
    })
  end
  vim.w[win].mcp_result = true
  return win
end

--- Shows a page in the result window.
---@param title string
---@param page mcp-editord.Page
---@param from? integer the window in which the person asked for it; if they have left it, or are typing, the focus stays
---@return integer buf
function M.show(title, page, from)
  local buf = pages.buffer(page)
  vim.api.nvim_buf_set_name(buf, ('mcp-result://%d/%s'):format(buf, text.line(title:match('^%S*'), 60)))
  local here = not from or from == vim.api.nvim_get_current_win() or vim.w.mcp_result
  local win = open_window(buf, here and vim.api.nvim_get_mode().mode == 'n')
  vim.bo[buf].filetype = 'mcp-result'
  pages.plain_window(win)
  pages.set_title(win, title)
  if not pcall(vim.treesitter.start, buf, 'markdown') then
    vim.bo[buf].syntax = 'markdown'
  end
  vim.api.nvim_win_call(win, function()
    for _, fold in ipairs(page.folds or {}) do
      vim.cmd(('%d,%dfold'):format(fold[1] + 1, fold[2] + 1))
    end
  end)
  pages.map_links(buf, page)
  vim.keymap.set('n', 'q', '<Cmd>close<CR>', { buffer = buf, nowait = true, desc = 'close the result' })
  for _, image in ipairs(page.images or {}) do
    require('mcp-editord.results.image').show(image.path, buf, image.line)
  end
  return buf
end

return M

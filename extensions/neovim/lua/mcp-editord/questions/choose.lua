--- Shows what a question is about while the person chooses.
local beside = require('mcp-editord.ui.beside')
local pages = require('mcp-editord.ui.page')
local ui = require('mcp-editord.ui')

local M = {}

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
---@param careful? boolean those after the first are offered once all of the page was shown
---@return string?
function M.choose(turn, title, page, prompt, items, careful)
  local shown = not careful
  while true do
    local complete, close = beside.show(turn, title, page, #items + 2)
    shown = shown or complete
    local offered = shown and vim.deepcopy(items) or { items[1] }
    if not complete then
      table.insert(offered, read)
    end
    local choice = ui.select(turn, offered, {
      prompt = prompt,
      page = function()
        return page
      end,
    })
    if choice ~= read then
      return choice
    end
    close()
    shown = true
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

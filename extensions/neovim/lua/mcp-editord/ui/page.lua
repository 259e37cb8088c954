--- Pages: text in buffers and windows. Text from servers is data: its buffers are not modifiable, read no modelines, have no
--- filetype that would run something, and execute nothing.
local messages = require('mcp-editord.ui.messages')
local text = require('mcp-editord.text')

local M = {}

local namespace = vim.api.nvim_create_namespace('mcp-editord')

--- The longest line that a buffer gets, in bytes. Longer lines draw slowly.
local max_line = 100000

---@class mcp-editord.Mark
---@field line integer 0-based
---@field group string highlight group of the line

---@class mcp-editord.Link what <CR> does on a line
---@field open fun()
---@field save? fun()

---@class mcp-editord.Page
---@field lines string[] safe to show
---@field marks? mcp-editord.Mark[]
---@field links? table<integer, mcp-editord.Link> by line, 0-based
---@field folds? integer[][] first and last line, 0-based
---@field images? {line: integer, path: string}[] shown above these lines, 0-based

---@param buf integer
---@param page mcp-editord.Page
---@param first integer the line from which on it replaces what is there, 0-based
local function put(buf, page, first)
  local lines = vim.tbl_map(function(line)
    return #line > max_line and line:sub(1, max_line) .. '…' or line
  end, page.lines)
  vim.bo[buf].modifiable = true
  vim.api.nvim_buf_clear_namespace(buf, namespace, first, -1)
  vim.api.nvim_buf_set_lines(buf, first, -1, false, lines)
  vim.bo[buf].modifiable = false
  vim.bo[buf].modified = false
  for _, mark in ipairs(page.marks or {}) do
    vim.api.nvim_buf_set_extmark(buf, namespace, first + mark.line, 0, { line_hl_group = mark.group })
  end
  for line in pairs(page.links or {}) do
    vim.api.nvim_buf_set_extmark(buf, namespace, first + line, 0, { line_hl_group = 'McpLink' })
  end
end

--- Puts a page into a buffer, which stays not modifiable.
---@param buf integer
---@param page mcp-editord.Page
function M.fill(buf, page)
  put(buf, page, 0)
end

--- Adds a page to the end of a buffer, and keeps the last `max` lines.
---@param buf integer
---@param page mcp-editord.Page without links
---@param max integer
function M.append(buf, page, max)
  put(buf, page, vim.api.nvim_buf_line_count(buf))
  local over = vim.api.nvim_buf_line_count(buf) - max
  if over > 0 then
    vim.bo[buf].modifiable = true
    vim.api.nvim_buf_clear_namespace(buf, namespace, 0, over) -- else the marks move to the line that is first then
    vim.api.nvim_buf_set_lines(buf, 0, over, false, {})
    vim.bo[buf].modifiable = false
    vim.bo[buf].modified = false
  end
end

--- Makes a buffer for text from servers.
---@param page mcp-editord.Page
---@return integer buf
function M.buffer(page)
  local buf = vim.api.nvim_create_buf(false, true)
  vim.bo[buf].bufhidden = 'wipe'
  vim.bo[buf].modeline = false
  vim.bo[buf].undolevels = -1
  M.fill(buf, page)
  return buf
end

--- Sets the options of a window for text from servers, whatever the person's own are.
---@param win integer
function M.plain_window(win)
  for name, value in pairs({
    wrap = true,
    linebreak = true,
    conceallevel = 0,
    spell = false,
    list = false,
    number = false,
    relativenumber = false,
    foldmethod = 'manual',
    foldenable = true,
    signcolumn = 'no',
    winfixbuf = false,
  }) do
    vim.api.nvim_set_option_value(name, value, { scope = 'local', win = win })
  end
end

--- Returns the height of a new window, in lines.
---@return integer
function M.height()
  local wanted = require('mcp-editord.config').get().result.height
  return math.max(3, math.floor(wanted < 1 and vim.o.lines * wanted or wanted))
end

--- Shows a title above the text of a window.
---@param win integer
---@param title string
function M.set_title(win, title)
  local value = ' ' .. text.line(title, 300):gsub('%%', '%%%%')
  vim.api.nvim_set_option_value('winbar', value, { scope = 'local', win = win })
end

--- Maps the keys that open and save what a line stands for.
---@param buf integer
---@param page mcp-editord.Page
function M.map_links(buf, page)
  for key, what in pairs({ ['<CR>'] = 'open', s = 'save' }) do
    vim.keymap.set('n', key, function()
      local link = (page.links or {})[vim.api.nvim_win_get_cursor(0)[1] - 1]
      if link and link[what] then
        link[what]()
      end
    end, { buffer = buf, nowait = true, desc = what .. ' what this line stands for' })
  end
end

--- Opens the buffer of a resource. In the result window, it splits first.
---@param address string mcp://SERVER/URI
function M.visit(address)
  if address:find('%c') then
    return messages.notify('cannot open this resource: its URI has control characters', vim.log.levels.ERROR)
  end
  local buf = vim.fn.bufadd(address)
  vim.bo[buf].buflisted = true
  if vim.w.mcp_result then
    vim.cmd.split()
    vim.w.mcp_result = nil
    vim.wo.winbar = ''
  end
  vim.api.nvim_win_set_buf(0, buf)
end

return M

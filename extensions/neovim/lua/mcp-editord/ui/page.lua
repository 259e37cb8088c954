--- Pages: text in buffers and windows. Text from servers is data: its buffers are not modifiable, read no modelines, have no
--- filetype that would run something, and execute nothing.
local async = require('mcp-editord.async')
local messages = require('mcp-editord.ui.messages')
local text = require('mcp-editord.text')

local M = {}

local namespace = vim.api.nvim_create_namespace('mcp-editord')

--- The longest line that a buffer gets, in bytes. Longer lines draw slowly.
M.max_line = 100000

--- How much of a page a buffer gets at a time, in bytes.
local piece = 128 * 1024

---@class mcp-editord.Mark
---@field line integer 0-based
---@field last? integer the last line, if it is not the same
---@field group string highlight group of the lines

---@class mcp-editord.Link what <CR> does on a line
---@field open fun()
---@field save? fun()

---@class mcp-editord.Page
---@field lines string[] safe to show
---@field marks? mcp-editord.Mark[]
---@field links? table<integer, mcp-editord.Link> by line, 0-based
---@field folds? integer[][] first and last line, 0-based
---@field images? {line: integer, path: string}[] shown above these lines, 0-based
---@field files? mcp-editord.File[] with texts that are too long; they have to be written
---@field bytes? integer of the result that it is of, as it came

---@param line string
---@return string
local function cut(line)
  if #line <= M.max_line then
    return line
  end
  return line:sub(1, M.max_line):gsub('[\192-\255][\128-\191]*$', '') .. '…'
end

---@param buf integer
---@param first integer 0-based
---@param last integer -1 is the end
---@param lines string[]
local function set_lines(buf, first, last, lines)
  vim.bo[buf].modifiable = true
  vim.api.nvim_buf_set_lines(buf, first, last, false, lines)
  vim.bo[buf].modifiable = false
  vim.bo[buf].modified = false
end

---@param buf integer
---@param page mcp-editord.Page
---@param first integer the line of its beginning, 0-based
local function mark(buf, page, first)
  for _, m in ipairs(page.marks or {}) do
    local opts = { line_hl_group = m.group, end_row = m.last and first + m.last }
    vim.api.nvim_buf_set_extmark(buf, namespace, first + m.line, 0, opts)
  end
  for line in pairs(page.links or {}) do
    vim.api.nvim_buf_set_extmark(buf, namespace, first + line, 0, { line_hl_group = 'McpLink' })
  end
end

---@param buf integer
---@param page mcp-editord.Page
---@param first integer the line from which on it replaces what is there, 0-based
local function put(buf, page, first)
  vim.api.nvim_buf_clear_namespace(buf, namespace, first, -1)
  set_lines(buf, first, -1, vim.tbl_map(cut, page.lines))
  mark(buf, page, first)
end

--- Puts a page into a buffer, which stays not modifiable.
---@param buf integer
---@param page mcp-editord.Page
function M.fill(buf, page)
  put(buf, page, 0)
end

--- Puts a page into a buffer in pieces, each in the place of what was there. Raises async.left if the buffer goes meanwhile.
---@async
---@param buf integer
---@param page mcp-editord.Page
---@param pause mcp-editord.Pause
---@param begun? fun() called once the first piece is there
function M.fill_in_pieces(buf, page, pause, begun)
  local at, lines, bytes = 0, {}, 0
  vim.api.nvim_buf_clear_namespace(buf, namespace, 0, -1)
  for i, line in ipairs(page.lines) do
    lines[#lines + 1] = cut(line)
    bytes = bytes + #lines[#lines]
    if bytes > piece or i == #page.lines then
      set_lines(buf, at, i == #page.lines and -1 or at + #lines, lines)
      if begun and at == 0 then
        begun()
      end
      at, lines, bytes = i, {}, 0
      pause()
      if not vim.api.nvim_buf_is_loaded(buf) then
        error(async.left, 0)
      end
    end
  end
  mark(buf, page, 0)
end

--- Whether a page has at most `max` bytes. Highlighting a larger one would block Neovim.
---@param page mcp-editord.Page
---@param max integer
---@return boolean
function M.is_within(page, max)
  local bytes = 0
  for _, line in ipairs(page.lines) do
    bytes = bytes + #line + 1
    if bytes > max then
      return false
    end
  end
  return true
end

--- Adds a page to the end of a buffer, and keeps the last `max` lines.
---@param buf integer
---@param page mcp-editord.Page without links
---@param max integer
function M.append(buf, page, max)
  put(buf, page, vim.api.nvim_buf_line_count(buf))
  local over = vim.api.nvim_buf_line_count(buf) - max
  if over > 0 then
    vim.api.nvim_buf_clear_namespace(buf, namespace, 0, over) -- else the marks move to the line that is first then
    set_lines(buf, 0, over, {})
  end
end

--- Makes a buffer for text from servers.
---@param page? mcp-editord.Page
---@return integer buf
function M.buffer(page)
  local buf = vim.api.nvim_create_buf(false, true)
  vim.bo[buf].bufhidden = 'wipe'
  vim.bo[buf].modeline = false
  vim.bo[buf].undolevels = -1
  vim.bo[buf].modifiable = false
  if page then
    M.fill(buf, page)
  end
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

--- Whether a window is the result window, and shows a result.
---@param win integer
---@return boolean
function M.shows_result(win)
  return vim.w[win].mcp_result == true and vim.b[vim.api.nvim_win_get_buf(win)].mcp_result == true
end

--- Shows a buffer in the current window. In the result window, it splits first.
---@param buf integer
local function enter(buf)
  vim.bo[buf].buflisted = true
  if M.shows_result(0) then
    vim.cmd.split()
    vim.w.mcp_result = nil
    vim.wo.winbar = ''
  end
  vim.api.nvim_win_set_buf(0, buf)
end

--- Opens the buffer of a resource. In the result window, it splits first.
---@param address string mcp://SERVER/URI
function M.visit(address)
  if address:find('%c') then
    return messages.notify('cannot open this resource: its URI has control characters', vim.log.levels.ERROR)
  end
  enter(vim.fn.bufadd(address))
end

--- Opens a file with text from servers. In the result window, it splits first.
---@param path string
function M.open_file(path)
  local buf = vim.fn.bufadd(path)
  vim.bo[buf].modeline = false
  vim.bo[buf].swapfile = false
  vim.bo[buf].undolevels = -1
  enter(buf)
end

--- Closes the current window. One that was not opened for a result, and the last one, show the alternate file instead, or
--- nothing.
function M.close()
  if vim.w.mcp_result ~= nil and pcall(vim.api.nvim_win_close, 0, false) then
    return
  end
  local other = vim.fn.bufnr('#')
  if other > 0 and other ~= vim.api.nvim_get_current_buf() and vim.bo[other].buflisted then
    vim.api.nvim_win_set_buf(0, other)
  else
    vim.cmd.enew()
  end
end

return M

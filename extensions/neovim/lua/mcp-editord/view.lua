--- Puts text into buffers and windows. Text from servers is data there: the buffers cannot be changed, have
--- no modelines and no filetype that would run something, and nothing in them is executed.
local text = require('mcp-editord.text')

local M = {}

local namespace = vim.api.nvim_create_namespace('mcp-editord')

--- The longest line that is put into a buffer, in bytes; longer ones are slow to draw.
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
function M.fill(buf, page)
  vim.bo[buf].modifiable = true
  local lines = vim.tbl_map(function(line)
    return #line > max_line and line:sub(1, max_line) .. '…' or line
  end, page.lines)
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  vim.bo[buf].modifiable = false
  vim.bo[buf].modified = false
  vim.api.nvim_buf_clear_namespace(buf, namespace, 0, -1)
  for _, mark in ipairs(page.marks or {}) do
    vim.api.nvim_buf_set_extmark(buf, namespace, mark.line, 0, { line_hl_group = mark.group })
  end
  for line in pairs(page.links or {}) do
    vim.api.nvim_buf_set_extmark(buf, namespace, line, 0, { line_hl_group = 'McpLink' })
  end
end

--- A buffer for text of servers.
---@param page mcp-editord.Page
---@return integer buf
local function scratch(page)
  local buf = vim.api.nvim_create_buf(false, true)
  vim.bo[buf].bufhidden = 'wipe'
  vim.bo[buf].modeline = false
  vim.bo[buf].undolevels = -1
  M.fill(buf, page)
  return buf
end

---@param win integer
local function plain_window(win)
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

--- Lines that a window of results has.
---@return integer
local function height()
  local wanted = require('mcp-editord.config').get().result.height
  return math.max(3, math.floor(wanted < 1 and vim.o.lines * wanted or wanted))
end

--- The window in this tab that shows a result already.
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
      row = math.floor((vim.o.lines - height()) / 2) - 1,
      col = math.floor((vim.o.columns - width) / 2),
      width = width,
      height = height(),
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
      height = where ~= 'vsplit' and height() or nil,
    })
  end
  vim.w[win].mcp_result = true
  return win
end

--- Makes the lines of a page that stand for something open and save it.
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

--- Shows a page in the window of results.
---@param title string
---@param page mcp-editord.Page
---@param from? integer the window in which it was asked for: a person who has left it, or types, is not taken from there
---@return integer buf
function M.show(title, page, from)
  local buf = scratch(page)
  vim.api.nvim_buf_set_name(buf, ('mcp-result://%d/%s'):format(buf, text.line(title:match('^%S*'), 60)))
  local here = not from or from == vim.api.nvim_get_current_win() or vim.w.mcp_result
  local win = open_window(buf, here and vim.api.nvim_get_mode().mode == 'n')
  vim.bo[buf].filetype = 'mcp-result'
  plain_window(win)
  vim.api.nvim_set_option_value(
    'winbar',
    ' ' .. text.line(title, 200):gsub('%%', '%%%%'),
    { scope = 'local', win = win }
  )
  if not pcall(vim.treesitter.start, buf, 'markdown') then
    vim.bo[buf].syntax = 'markdown'
  end
  vim.api.nvim_win_call(win, function()
    for _, fold in ipairs(page.folds or {}) do
      vim.cmd(('%d,%dfold'):format(fold[1] + 1, fold[2] + 1))
    end
  end)
  M.map_links(buf, page)
  vim.keymap.set('n', 'q', '<Cmd>close<CR>', { buffer = buf, nowait = true, desc = 'close the result' })
  for _, image in ipairs(page.images or {}) do
    require('mcp-editord.image').show(image.path, buf, image.line)
  end
  return buf
end

--- Shows a page in a tab page of its own.
---@param name string of the buffer
---@param page mcp-editord.Page
---@return integer buf
---@return integer win
function M.document(name, page)
  local buf = scratch(page)
  vim.api.nvim_buf_set_name(buf, ('%s#%d'):format(name, buf))
  vim.cmd(('tab sbuffer %d'):format(buf))
  local win = vim.api.nvim_get_current_win()
  plain_window(win)
  vim.wo[win].smoothscroll = true -- a line that is longer than the screen can be read, too
  vim.keymap.set('n', 'q', '<Cmd>close<CR>', { buffer = buf, nowait = true, desc = 'close' })
  return buf, win
end

--- Shows what a question is about, above the prompt, until the turn is over.
---@param turn mcp-editord.Turn
---@param title string
---@param page mcp-editord.Page
---@param prompt_lines integer how many lines a built-in prompt takes
---@return boolean complete whether all of it is seen
---@return fun() close closes it earlier
function M.question(turn, title, page, prompt_lines)
  local longest = vim.fn.strdisplaywidth(title) + 4
  for _, line in ipairs(page.lines) do
    longest = math.max(longest, vim.fn.strdisplaywidth(line))
  end
  local width = math.min(longest, vim.o.columns - 4, 100)
  local room = math.max(1, vim.o.lines - prompt_lines - 6)
  local buf = scratch(page)
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
  plain_window(win)
  local rows = vim.api.nvim_win_text_height(win, {}).all
  vim.api.nvim_win_set_height(win, math.min(rows, room))
  turn.before[win] = true -- it is not a picker's
  local function close()
    if vim.api.nvim_win_is_valid(win) then
      vim.api.nvim_win_close(win, true)
    end
  end
  table.insert(turn.cleanup, close)
  return rows <= room, close
end

---@class mcp-editord.Edit
---@field name string of the buffer
---@field lines string[]
---@field filetype string
---@field hint string shown above the text
---@field read fun(typed: string): any?, string? the value of the text, or what is wrong with it
---@field keep fun(value: any) gets the value whenever the text is written
---@field buf? integer once it was opened
---@field item? mcp-editord.Item what it belongs to
---@field answered? fun(value: any?) while somebody waits for it: the value, nil when it was closed

--- Whether the text was changed and not written.
---@param e mcp-editord.Edit
---@return boolean
function M.has_changes(e)
  return e.buf ~= nil and vim.api.nvim_buf_is_loaded(e.buf) and vim.bo[e.buf].modified
end

--- Takes the buffer away, unless it has what nobody has taken.
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
  local notify = require('mcp-editord.ui').notify
  if problem then
    vim.diagnostic.set(namespace, e.buf, { { lnum = 0, col = 0, message = problem, source = 'mcp-editord' } })
    return notify('not taken: ' .. problem, vim.log.levels.WARN)
  elseif e.item.over then
    return notify('not taken: it is no longer asked for; your text stays here', vim.log.levels.WARN)
  end
  vim.diagnostic.reset(namespace, e.buf)
  vim.bo[e.buf].modified = false
  e.keep(value)
  if e.answered then
    e.answered(value)
  else
    vim.schedule(function()
      M.close(e)
      require('mcp-editord.waiting').take(e.item)
    end)
  end
end

---@param e mcp-editord.Edit
local function make(e)
  local buf = vim.api.nvim_create_buf(false, false)
  e.buf = buf
  vim.bo[buf].buftype = 'acwrite'
  vim.bo[buf].bufhidden = 'hide' -- closing its window loses nothing, and :qall says that it was not written
  vim.bo[buf].swapfile = false
  vim.bo[buf].modeline = false
  vim.api.nvim_buf_set_name(buf, ('%s#%d'):format(e.name, buf))
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, e.lines)
  vim.bo[buf].modified = false
  vim.bo[buf].filetype = e.filetype
  vim.api.nvim_create_autocmd('BufWriteCmd', {
    buffer = buf,
    callback = function()
      write(e)
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

--- Opens a buffer for the person to edit, or opens it again. Writing it hands its value over, once that is right; closing it
--- hands over nil.
---@param e mcp-editord.Edit
function M.edit(e)
  if not (e.buf and vim.api.nvim_buf_is_loaded(e.buf)) then
    make(e)
  end
  local win = vim.fn.bufwinid(e.buf)
  if win ~= -1 then
    vim.api.nvim_set_current_win(win)
    return
  end
  win = vim.api.nvim_open_win(e.buf, true, { split = 'below', win = -1, height = height() })
  plain_window(win)
  vim.api.nvim_set_option_value(
    'winbar',
    ' ' .. text.line(e.hint, 300):gsub('%%', '%%%%'),
    { scope = 'local', win = win }
  )
  vim.cmd.redraw() -- after a built-in prompt nothing else draws before the next key
end

return M

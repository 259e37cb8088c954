--- Shows results in one window of the tab page. A new one takes the window, and the one before is kept.
local async = require('mcp-editord.async')
local calls = require('mcp-editord.daemon.calls')
local kept = require('mcp-editord.results.kept')
local messages = require('mcp-editord.ui.messages')
local pages = require('mcp-editord.ui.page')
local text = require('mcp-editord.text')

local M = {}

--- The largest page that is highlighted as Markdown, in bytes: Neovim 0.10 parses it at once.
local max_highlighted = 64 * 1024

--- Returns the result window of this tab page, if it still shows a result and may show another.
---@return integer?
local function result_window()
  return vim.iter(vim.api.nvim_tabpage_list_wins(0)):find(function(win)
    return pages.shows_result(win) and not vim.wo[win].winfixbuf
  end)
end

---@class mcp-editord.Place where a result opens
---@field name? 'buffer'|'split'|'vsplit'|'tab'|'float' default: the option
---@field mods? vim.api.keyset.cmd.mods of the command, such as `vertical`; they replace `name`

local places = setmetatable({}, { __mode = 'k' }) ---@type table<thread, mcp-editord.Place>

--- Says where the result of what runs in this coroutine opens, in place of the option and of the result window.
---@param place mcp-editord.Place
function M.place(place)
  places[coroutine.running()] = place
end

--- Says that what runs in this coroutine opens where what runs in another one would.
---@param co thread
function M.place_as(co)
  places[coroutine.running()] = places[co]
end

---@param name string
---@return vim.api.keyset.cmd.mods
local function mods_of(name)
  if name == 'tab' then
    return { tab = vim.api.nvim_tabpage_get_number(0) }
  end
  return { split = 'botright', vertical = name == 'vsplit' }
end

--- Splits the current window.
---@param mods vim.api.keyset.cmd.mods
---@return integer win
local function split(mods)
  vim.cmd.split({ mods = mods })
  if not mods.vertical and not mods.tab then
    vim.api.nvim_win_set_height(0, pages.height())
  end
  return vim.api.nvim_get_current_win()
end

---@param buf integer
---@param enter boolean
---@param noautocmd? boolean
---@return integer win
local function float(buf, enter, noautocmd)
  local width = math.min(vim.o.columns - 4, 120)
  return vim.api.nvim_open_win(buf, enter, {
    relative = 'editor',
    row = math.floor((vim.o.lines - pages.height()) / 2) - 1,
    col = math.floor((vim.o.columns - width) / 2),
    width = width,
    height = pages.height(),
    border = 'rounded',
    noautocmd = noautocmd,
  })
end

---@param buf integer
---@param place mcp-editord.Place
---@param enter boolean
---@return integer win
local function new_window(buf, place, enter)
  if place.name == 'float' then
    return float(buf, enter)
  end
  local before = vim.api.nvim_get_current_win()
  local name = place.name == 'tab' and not enter and 'split' or place.name -- a tab page would take the screen away
  local win = split(place.mods or mods_of(name))
  vim.api.nvim_win_set_buf(win, buf)
  if not enter then
    vim.api.nvim_set_current_win(before)
  end
  return win
end

--- Goes to a new window where the person named one, for what is not a result. Returns whether they named a place.
---@return boolean
function M.go()
  local place = places[coroutine.running()]
  if place and place.name ~= 'buffer' then
    split(place.mods or mods_of(place.name))
    vim.w.mcp_result = nil
    vim.wo.winbar = ''
  end
  return place ~= nil
end

---@param buf integer
---@param enter boolean
---@return integer win
local function place_window(buf, enter)
  local place = places[coroutine.running()] or {}
  local win = result_window()
  if place.name == 'buffer' and enter then
    vim.api.nvim_win_set_buf(0, buf)
    return vim.api.nvim_get_current_win()
  elseif not (place.name or place.mods) and win then
    vim.api.nvim_win_set_buf(win, buf)
    if enter then
      vim.api.nvim_set_current_win(win)
    end
    return win
  elseif win then
    vim.w[win].mcp_result = false -- the new one takes over
  end
  local option = { name = require('mcp-editord.config').get().result.open }
  return new_window(buf, (place.name or place.mods) and place or option, enter)
end

--- Opens a window for a result. The call cannot be repeated for it, so it floats where no other window can be had: the screen is
--- full, a window keeps its buffer ('winfixbuf'), or an autocommand of the person fails.
---@param buf integer
---@param enter boolean
---@return integer win
local function open_window(buf, enter)
  local before, current = vim.api.nvim_list_wins(), vim.api.nvim_get_current_win()
  local ok, win = pcall(place_window, buf, enter)
  if not ok then
    local line = tostring(win):gsub('^.-%.lua:%d+: ', ''):match('^[^\n]*')
    local why = line:gsub('^Vim[^:]*:E%d+: ', '')
    for _, other in ipairs(vim.api.nvim_list_wins()) do
      if not vim.list_contains(before, other) and vim.api.nvim_win_get_buf(other) ~= buf then
        pcall(vim.api.nvim_win_close, other, true)
      end
    end
    if vim.api.nvim_win_is_valid(current) then
      vim.api.nvim_set_current_win(current)
    end
    win = float(buf, enter, true)
    messages.notify(('%s; the result floats, because no other window can be opened'):format(why), vim.log.levels.WARN)
  end
  vim.w[win].mcp_result = true
  return win
end

--- Waits until windows may open: the command-line window (|cmdwin|) allows no other.
---@async
local function until_windows_open()
  while vim.fn.getcmdwintype() ~= '' do
    messages.notify('the result opens when you leave the command-line window')
    async.await(function(resolve)
      vim.api.nvim_create_autocmd('CmdwinLeave', { once = true, callback = vim.schedule_wrap(resolve) })
    end)
  end
end

--- Shows a buffer in the result window, with its title and keys.
---@param buf integer
---@param title string
---@param page mcp-editord.Page
---@param from? integer
---@return integer win
local function open(buf, title, page, from)
  local here = not from or from == vim.api.nvim_get_current_win() or pages.shows_result(0)
  vim.b[buf].mcp_result = true
  title = page.bytes and kept.add(buf, title, page.bytes) or title
  local win = open_window(buf, here and vim.api.nvim_get_mode().mode == 'n')
  vim.bo[buf].filetype = 'mcp-result'
  local function dress()
    pages.plain_window(win)
    pages.set_title(win, title)
  end
  dress()
  vim.api.nvim_create_autocmd('BufWinEnter', {
    buffer = buf,
    callback = function()
      win = vim.api.nvim_get_current_win()
      dress()
    end,
  })
  if pages.is_within(page, max_highlighted) and not pcall(vim.treesitter.start, buf, 'markdown') then
    vim.bo[buf].syntax = 'markdown'
  end
  pages.map_links(buf, page)
  vim.keymap.set('n', 'q', pages.close, { buffer = buf, nowait = true, desc = 'close the result' })
  return win
end

--- Adds what needs the whole text: folds and images.
---@param buf integer
---@param win integer
---@param page mcp-editord.Page
local function finish(buf, win, page)
  if vim.api.nvim_win_is_valid(win) and vim.api.nvim_win_get_buf(win) == buf then
    vim.api.nvim_win_call(win, function()
      for _, fold in ipairs(page.folds or {}) do
        vim.cmd(('%d,%dfold'):format(fold[1] + 1, fold[2] + 1))
      end
    end)
  end
  for _, image in ipairs(page.images or {}) do
    require('mcp-editord.results.image').show(image.path, buf, image.line)
  end
end

---@param title string
---@return integer buf
local function make(title)
  local buf = pages.buffer()
  vim.api.nvim_buf_set_name(buf, ('mcp-result://%d/%s'):format(buf, text.line(title:match('^%S*'), 60)))
  return buf
end

--- Writes the files of a page.
---@async
---@param page mcp-editord.Page
---@param pause mcp-editord.Pause
local function write_files(page, pause)
  for _, file in ipairs(page.files or {}) do
    file.write(pause)
  end
end

--- Shows a page in the result window.
---@param title string
---@param page mcp-editord.Page
---@return integer buf
function M.show(title, page)
  local buf = make(title)
  pages.fill(buf, page)
  finish(buf, open(buf, title, page), page)
  if page.files and #page.files > 0 then
    messages.run(function()
      write_files(page, async.slices())
    end)
  end
  return buf
end

--- Makes a page of a result and shows it, in slices of time: a long one does not keep keys from Neovim. It counts as a running
--- call, so that :Mcp cancel ends it; so does deleting its buffer.
---@async
---@param what string for the list of running calls
---@param build async fun(pause: mcp-editord.Pause): mcp-editord.Page, string the page and its title
---@param from? integer the window in which the person asked for it; if they have left it, or are typing, the focus stays
function M.in_slices(what, build, from)
  local token, buf, cancelled = calls.token(), nil, false ---@type string, integer?, boolean
  calls.add({
    what = what,
    token = token,
    cancel = function()
      cancelled = true
    end,
  })
  local ok, err = pcall(function()
    local pause = async.slices(function()
      return cancelled or buf ~= nil and not vim.api.nvim_buf_is_loaded(buf)
    end)
    local page, title = build(pause)
    until_windows_open()
    local win
    buf = make(title)
    pages.fill_in_pieces(buf, page, pause, function()
      win = open(buf, title, page, from)
    end)
    finish(buf, win, page)
    write_files(page, pause)
  end)
  calls.remove(token)
  if cancelled then
    messages.notify(('cancelled; "%s" is not shown to its end'):format(what))
  elseif not ok then
    error(err, 0)
  end
end

--- Lets the person pick one of the results that are kept, and shows it.
---@async
function M.pick()
  local list = kept.list()
  if #list == 0 then
    error('there is no result yet', 0)
  end
  local result = require('mcp-editord.ui.waiting').show('the list of results', function(turn)
    return require('mcp-editord.ui').select(turn, list, {
      prompt = 'Result',
      format = function(result)
        return ('%s  %s ago'):format(result.title, text.age(vim.uv.now() - result.at))
      end,
    })
  end)
  if result and vim.api.nvim_buf_is_loaded(result.buf) then
    vim.w[open_window(result.buf, true)].mcp_result = true
  end
end

return M

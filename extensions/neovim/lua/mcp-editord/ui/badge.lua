--- Tells the person that questions wait: by one line when a question comes, and by a badge in the corner, which is visible in
--- every mode and takes neither focus nor keys.
local messages = require('mcp-editord.ui.messages')
local text = require('mcp-editord.text')
local ui = require('mcp-editord.ui')

local M = {}

--- The shortest time between two messages about questions, in milliseconds; the badge shows the rest.
local pause = 2000

local shown = {} ---@type mcp-editord.Item[]
local win, buf ---@type integer?, integer?
local last ---@type integer? when the last message was shown
local later ---@type string? a message that waits for the end of a command line
local watched = false

--- Redraws the screen, except during functions such as inputlist(), whose prompt it would draw over.
local function redraw()
  if vim.fn.getcmdtype():find('[:/?]') then
    vim.cmd.redraw()
  end
end

--- Whether the help of a prompt of one line is at the bottom, where the badge would stand over it.
---@return boolean
local function is_low()
  return vim.iter(vim.api.nvim_tabpage_list_wins(0)):any(function(other)
    return vim.w[other].mcp_low == true
  end)
end

--- Draws the badge where nothing is below it that the person reads for what is open.
function M.draw()
  if vim.v.exiting ~= vim.NIL then
    return
  end
  local old = win
  win = nil -- before it closes, so that WinClosed draws again only what others close
  if old and vim.api.nvim_win_is_valid(old) then
    pcall(vim.api.nvim_win_close, old, true)
  end
  if #shown == 0 then
    return redraw()
  end
  local hint = ' :Mcp answer '
  local what = #shown == 1 and shown[1].what or ('%d questions'):format(#shown)
  local room = math.max(8, math.min(50, vim.o.columns - vim.fn.strdisplaywidth(hint) - 4))
  local line = (' ? %s '):format(text.line(what, room))
  local width = math.min(vim.fn.strdisplaywidth(line .. hint), vim.o.columns)
  if not buf or not vim.api.nvim_buf_is_valid(buf) then
    buf = vim.api.nvim_create_buf(false, true)
  end
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, { line .. hint })
  local tabline = vim.o.showtabline == 2 or vim.o.showtabline == 1 and #vim.api.nvim_list_tabpages() > 1
  local top = not ui.current() or is_low() -- an open question has the top, and its title names the server
  win = vim.api.nvim_open_win(buf, false, {
    relative = 'editor',
    anchor = top and 'NE' or 'SE',
    row = top and (tabline and 1 or 0) or vim.o.lines - vim.o.cmdheight - 1,
    col = vim.o.columns,
    width = width,
    height = 1,
    style = 'minimal',
    focusable = false,
    noautocmd = true,
    zindex = 60, -- above pickers
  })
  vim.w[win].mcp_badge = true
  vim.wo[win].winhighlight = 'Normal:McpBadge,NormalFloat:McpBadge'
  redraw()
end

--- Draws the badge again when needed: a floating window belongs to one tab page, and `:only` closes it.
local function watch()
  watched = true
  local group = vim.api.nvim_create_augroup('mcp-editord-badge', {})
  vim.api.nvim_create_autocmd({ 'TabEnter', 'VimResized', 'WinClosed' }, {
    group = group,
    callback = function(event)
      if #shown > 0 and (event.event ~= 'WinClosed' or event.match == tostring(win)) then
        vim.schedule(M.draw)
      end
    end,
  })
  vim.api.nvim_create_autocmd('ModeChanged', {
    group = group,
    callback = function()
      if later then
        vim.schedule(function()
          local message = later
          later = nil
          if message and #shown > 0 then
            M.announce(message)
          end
        end)
      end
    end,
  })
end

--- Shows the badge for these questions, or hides it if there are none.
---@param questions mcp-editord.Item[]
function M.show(questions)
  shown = questions
  if #questions > 0 and not watched then
    watch()
  end
  M.draw()
  vim.cmd.redrawstatus({ bang = true })
end

--- Shows one line: a question has come.
---@param what string
function M.announce(what)
  local mode = vim.api.nvim_get_mode()
  if mode.blocking or mode.mode:find('^[cr]') then
    later = what -- a message would be drawn over the command line
    return
  end
  local now = vim.uv.now()
  if not last or now - last >= pause then
    last = now
    messages.notify(what, nil, '  (:Mcp answer)')
  end
end

return M

--- Where a result goes: `++to=TARGET` of `:Mcp`, and `to` of the Lua API. The place is taken when the call begins, and follows
--- the text while it runs.
local async = require('mcp-editord.async')
local format = require('mcp-editord.results.format')
local messages = require('mcp-editord.ui.messages')
local show = require('mcp-editord.results.show')

local M = {}

local namespace = vim.api.nvim_create_namespace('mcp-editord-target')

---@class mcp-editord.Aim where one result goes
---@field to string as it was typed
---@field target mcp-editord.Target
---@field argument? string what follows the colon
---@field force boolean a `!` before the colon: overwrite
---@field title string the command, for the list of quickfix lists
---@field buf integer
---@field root? string the folder that relative paths start from
---@field place? integer extmark of what is replaced, or of where text is inserted
---@field line? integer extmark of the line of the cursor
---@field linewise? boolean whole lines are replaced

---@class mcp-editord.Target
---@field name string
---@field argument? string what follows its name and a colon, for the help; in brackets if it may be missing
---@field doc string for the help
---@field window? boolean it is a window, which shows the result as a page
---@field aim? fun(aim: mcp-editord.Aim, context?: mcp-editord.Context, range?: {first: integer, last: integer}) takes the place
---@field put? async fun(aim: mcp-editord.Aim, text: string, structured?: any): string? takes the text; returns what to say

--- Returns the byte of a position in UTF-16.
---@param buf integer
---@param position {line: integer, character: integer}
---@return integer
local function byte_of(buf, position)
  local line = vim.api.nvim_buf_get_lines(buf, position.line, position.line + 1, false)[1] or ''
  if vim.fn.has('nvim-0.11') == 1 then
    return vim.str_byteindex(line, 'utf-16', position.character, false)
  end
  return vim.str_byteindex(line, position.character, true) ---@diagnostic disable-line
end

--- Returns the place of an extmark. Raises an error if its text is gone.
---@param aim mcp-editord.Aim
---@param id integer
---@return integer row
---@return integer column
---@return vim.api.keyset.extmark_details details
local function place_of(aim, id)
  if not vim.api.nvim_buf_is_loaded(aim.buf) then
    error('its buffer is gone', 0)
  elseif not vim.bo[aim.buf].modifiable then
    error('the buffer cannot be changed', 0)
  end
  local at = vim.api.nvim_buf_get_extmark_by_id(aim.buf, namespace, id, { details = true })
  if not at[1] or at[3].invalid then
    error('the text that was there is gone', 0)
  end
  return at[1], at[2], at[3]
end

--- Changes the buffer in one undo block of its own.
---@param aim mcp-editord.Aim
---@param change fun()
local function changing(aim, change)
  vim.bo[aim.buf].undolevels = vim.bo[aim.buf].undolevels -- ends the block before
  change()
end

--- Returns the lines of a text, and whether it ends with a line.
---@param text string
---@return string[]
---@return boolean
local function lines_of(text)
  local lines = vim.split(text:gsub('\r\n', '\n'), '\n', { plain = true })
  local whole = #lines > 1 and lines[#lines] == ''
  if whole then
    table.remove(lines)
  end
  return lines, whole
end

---@param lines string[]
---@return string
local function counted(lines)
  return #lines == 1 and '1 line' or ('%d lines'):format(#lines)
end

---@type mcp-editord.Target[]
M.list = {
  { name = 'buffer', doc = 'a buffer in the current window', window = true },
  { name = 'split', doc = 'a window below', window = true },
  { name = 'vsplit', doc = 'a window on the right', window = true },
  { name = 'tab', doc = 'a new tab page', window = true },
  { name = 'float', doc = 'a floating window', window = true },
  {
    name = 'cursor',
    doc = 'at the cursor; text of whole lines goes below its line',
    aim = function(aim)
      local at = vim.api.nvim_win_get_cursor(0)
      local row, below = at[1] - 1, { end_row = at[1], end_col = 0, invalidate = true, strict = false }
      aim.line = vim.api.nvim_buf_set_extmark(aim.buf, namespace, row, 0, below)
      aim.place = vim.api.nvim_buf_set_extmark(aim.buf, namespace, row, at[2], { right_gravity = false })
    end,
    put = function(aim, text)
      place_of(aim, aim.line)
      local row, column = place_of(aim, aim.place)
      local lines, whole = lines_of(text)
      changing(aim, function()
        if whole then
          vim.api.nvim_buf_set_lines(aim.buf, row + 1, row + 1, false, lines)
        else
          vim.api.nvim_buf_set_text(aim.buf, row, column, row, column, lines)
        end
      end)
    end,
  },
  {
    name = 'replace',
    doc = 'in place of the range or of what was selected',
    aim = function(aim, context, range)
      if not (context and range) then
        error('++to=replace needs a range; select the text, or write :%Mcp for all of it', 0)
      elseif vim.fn.visualmode() == '\22' and range.first == vim.fn.line("'<") and range.last == vim.fn.line("'>") then
        error('++to=replace cannot replace a rectangle; select lines or characters', 0)
      end
      local from, to = context.range.start, context.range['end']
      aim.linewise = to.line == range.last -- the place after the last line
      local last = aim.linewise and range.last - 1 or to.line
      local length = #(vim.api.nvim_buf_get_lines(aim.buf, last, last + 1, false)[1] or '')
      aim.place = vim.api.nvim_buf_set_extmark(aim.buf, namespace, from.line, byte_of(aim.buf, from), {
        end_row = last,
        end_col = aim.linewise and length or byte_of(aim.buf, to),
        invalidate = true,
        right_gravity = false,
        end_right_gravity = true,
      })
    end,
    put = function(aim, text)
      local row, column, details = place_of(aim, aim.place)
      local lines, whole = lines_of(text)
      changing(aim, function()
        if aim.linewise then
          vim.api.nvim_buf_set_lines(aim.buf, row, details.end_row + 1, false, lines)
        else
          if whole then
            lines[#lines + 1] = ''
          end
          vim.api.nvim_buf_set_text(aim.buf, row, column, details.end_row, details.end_col, lines)
        end
      end)
    end,
  },
  {
    name = 'register',
    argument = '[X]',
    doc = 'a register, by default the unnamed one',
    aim = function(aim)
      aim.argument = aim.argument or '"'
      if not aim.argument:find('^[%w"%-*+_/]$') then
        error(('"%s" is not a register that can be set; write one such as ++to=register:a'):format(aim.argument), 0)
      end
    end,
    put = function(aim, text)
      local lines, whole = lines_of(text)
      local said = vim.tbl_map(function(line)
        return (line:gsub('%z', '\n')) -- Vim script's NUL in a list of lines
      end, lines)
      vim.fn.setreg(aim.argument, said, whole and 'l' or 'c')
      return ('%s in register %s'):format(counted(lines), aim.argument)
    end,
  },
  {
    name = 'quickfix',
    doc = 'the quickfix list: its matches that name a file and a line',
    put = function(aim, text, structured)
      local items = require('mcp-editord.results.matches').find(text, structured, aim.root)
      if #items == 0 then
        error('the result names no line of a file', 0)
      end
      vim.fn.setqflist({}, ' ', { title = aim.title, items = items })
      return ('%d in the quickfix list; :copen shows them'):format(#items)
    end,
  },
  {
    name = 'file',
    argument = 'PATH',
    doc = 'a new file; `file!:PATH` replaces one',
    aim = function(aim)
      if not aim.argument or aim.argument == '' then
        error('name the file, as in ++to=file:notes.md', 0)
      end
      aim.argument = vim.fn.fnamemodify(vim.fs.normalize(aim.argument), ':p')
    end,
    put = function(aim, text)
      require('mcp-editord.results.blob').write(aim.argument, text, aim.force, 438) -- 0666 less the umask
      return ('wrote "%s"'):format(aim.argument)
    end,
  },
}

--- Returns what may follow `++to=`, for completion.
---@return string[]
function M.names()
  return vim.tbl_map(function(target)
    return target.argument == 'PATH' and 'file:' or target.name
  end, M.list)
end

--- Takes `++to=TARGET` out of the arguments of `:Mcp`, where it stands before the first KEY=VALUE.
---@param line string
---@return string line without it
---@return string? to
function M.strip(line)
  local at = 1
  while true do
    local first, last = line:find('%S+', at)
    if not first then
      return line, nil
    end
    local word = line:sub(first, last)
    if vim.startswith(word, '++to=') then
      while line:sub(last, last) == '\\' do -- white space after a backslash belongs to the word
        last = select(2, line:find('^.%S*', last + 1)) or last + 1
      end
      word = line:sub(first + #'++to=', last):gsub('\\(.)', '%1')
      return line:sub(1, first - 1) .. line:sub(last + 1):gsub('^%s+', ''), word
    elseif word:find('=', 1, true) then
      return line, nil
    end
    at = last + 1
  end
end

--- Takes aim: reads where a result is to go, and takes the place. Raises what is wrong with it.
---@param to string
---@param title string
---@param context? mcp-editord.Context
---@param range? {first: integer, last: integer}
---@return mcp-editord.Aim
function M.aim(to, title, context, range)
  local name, force, argument = to:match('^(%l+)(!?):?(.*)$')
  local target = vim.iter(M.list):find(function(t)
    return t.name == name
  end)
  if not target or argument ~= '' and not target.argument or force ~= '' and name ~= 'file' then
    error(('"%s" is not a target; write one of %s'):format(to, table.concat(M.names(), ', ')), 0)
  end
  local aim = {
    to = to,
    target = target,
    argument = argument ~= '' and argument or nil,
    force = force ~= '',
    title = title,
    buf = vim.api.nvim_get_current_buf(),
    root = vim.fn.getcwd(),
  }
  if target.window then
    show.place({ name = target.name })
  elseif target.aim then
    target.aim(aim, context, range)
  end
  return aim
end

local aims = setmetatable({}, { __mode = 'k' }) ---@type table<thread, mcp-editord.Aim>

---@param aim mcp-editord.Aim
local function forget(aim)
  if vim.api.nvim_buf_is_valid(aim.buf) then
    for _, id in pairs({ aim.place, aim.line }) do
      vim.api.nvim_buf_del_extmark(aim.buf, namespace, id)
    end
  end
end

--- Returns the modifiers of a command that say where a window opens, or nil.
---@param mods? table
---@return vim.api.keyset.cmd.mods?
local function window_mods(mods)
  mods = mods or {}
  local tab = (mods.tab or -1) >= 0 and mods.tab or nil
  local out = { vertical = mods.vertical, horizontal = mods.horizontal, split = mods.split, tab = tab }
  return (out.vertical or out.horizontal or out.tab or (out.split or '') ~= '') and out or nil
end

---@class mcp-editord.AimOptions
---@field to? string
---@field title string
---@field context? mcp-editord.Context
---@field range? {first: integer, last: integer}
---@field mods? table of the command

--- Runs `fn` with the place that the person named for its result.
---@async
---@generic T
---@param opts mcp-editord.AimOptions
---@param fn async fun(): T
---@return T
function M.aimed(opts, fn)
  local mods = window_mods(opts.mods)
  if mods then
    show.place({ mods = mods })
  end
  local aim = opts.to and M.aim(opts.to, opts.title, opts.context, opts.range)
  if not aim then
    return fn()
  end
  aims[coroutine.running()] = aim
  local ok, value = pcall(fn)
  forget(aim)
  if not ok then
    error(value, 0)
  end
  return value
end

--- Whether the result of what runs in this coroutine is not to be shown as a page.
---@return boolean
function M.wants_text()
  local aim = aims[coroutine.running()]
  return aim ~= nil and not aim.target.window
end

--- Puts a result where the person wants it. Returns false if it has to be shown: nobody has aimed, or it cannot be put there,
--- which it says.
---@async
---@param text string? of the result, as it came
---@param structured? string JSON of the structured content
---@return boolean
function M.put(text, structured)
  if not M.wants_text() then
    return false
  end
  local aim = aims[coroutine.running()]
  local ok, said = pcall(function()
    return aim.target.put(aim, text or error('the result has no text', 0), structured)
  end)
  if not ok then
    local why = messages.error_line(said)
    messages.notify(('shown instead of ++to=%s: %s'):format(aim.to, why), vim.log.levels.WARN)
  elseif said then
    messages.notify(said)
  end
  return ok
end

--- Puts a CallToolResult where the person wants it, as put does. An error of the tool has to be shown.
---@async
---@param raw string JSON of the result
---@return boolean
function M.put_tool(raw)
  if not M.wants_text() then
    return false
  end
  local text, structured, failed = format.tool_text(raw, async.slices())
  return not failed and M.put(text, structured)
end

return M

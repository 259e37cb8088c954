--- Where the person is: the context of the editor protocol, which fills in arguments.
local M = {}

--- The longest selection to send, in bytes.
local max_selection = 1024 * 1024

--- Returns the last Visual selection if it spans these lines and not the whole of them, else the whole lines. Of a
--- rectangle, the text is its part of each line, and the places are those of its corners.
---@param buf integer
---@param first integer 1-based
---@param last integer 1-based, inclusive
---@return string text
---@return integer[] from line and byte, 0-based
---@return integer[] to the same, exclusive
local function selection(buf, first, last)
  local from, to, mode = vim.fn.getpos("'<"), vim.fn.getpos("'>"), vim.fn.visualmode()
  if (mode == 'v' or mode == '\22') and from[2] == first and to[2] == last then
    local lines = vim.fn.getregion(from, to, { type = mode })
    local line = vim.api.nvim_buf_get_lines(buf, last - 1, last, false)[1]
    local left, right = from[3], to[3]
    if mode == '\22' then
      left, right = math.min(left, right), math.max(left, right)
    end
    right = right - 1
    if vim.o.selection ~= 'exclusive' then
      right = right + #vim.fn.strcharpart(line:sub(right + 1), 0, 1, true) -- with what is drawn over it
    end
    return table.concat(lines, '\n'), { first - 1, left - 1 }, { last - 1, math.min(right, #line) }
  end
  local lines = vim.api.nvim_buf_get_lines(buf, first - 1, last, false)
  return table.concat(lines, '\n'), { first - 1, 0 }, { last, 0 }
end

--- LSP counts the characters of a line in UTF-16 (LSP 3.18, Position).
---@param buf integer
---@param at integer[] line and byte, 0-based
local function position(buf, at)
  local line = vim.api.nvim_buf_get_lines(buf, at[1], at[1] + 1, false)[1] or ''
  local byte = math.min(at[2], #line)
  local _, utf16
  if vim.fn.has('nvim-0.11') == 1 then
    utf16 = vim.str_utfindex(line, 'utf-16', byte)
  else
    _, utf16 = vim.str_utfindex(line, byte) ---@diagnostic disable-line
  end
  return { line = at[1], character = utf16 }
end

--- Returns the context of the current window.
---@param range? {first: integer, last: integer} lines that are selected, 1-based
---@return mcp-editord.Context
function M.get(range)
  local buf = vim.api.nvim_get_current_buf()
  local context = {} ---@type mcp-editord.Context
  local name = vim.api.nvim_buf_get_name(buf)
  if name ~= '' and vim.bo[buf].buftype == '' then
    context.textDocument = { uri = vim.uri_from_bufnr(buf) }
  end
  if vim.bo[buf].filetype ~= '' then
    context.languageId = vim.bo[buf].filetype
  end
  if range then
    local text, from, to = selection(buf, range.first, range.last)
    context.range = { start = position(buf, from), ['end'] = position(buf, to) }
    context.selectedText = text:sub(1, max_selection)
  else
    local cursor = vim.api.nvim_win_get_cursor(0)
    local at = position(buf, { cursor[1] - 1, cursor[2] })
    context.range = { start = at, ['end'] = at }
  end
  return next(context) and context or vim.empty_dict()
end

return M

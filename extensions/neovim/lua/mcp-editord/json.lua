--- JSON, exact to the digit. Neovim 0.10 rounds whole numbers of 15 digits and more when it encodes, and its decoder
--- forgets the order of members and the digits of large numbers. So this module encodes values itself, and reads what a
--- server sent from its text. It expects valid JSON: the caller has decoded the text before.
local M = {}

--- A value that is sent exactly as it is written.
---@class mcp-editord.Raw
---@field text string valid JSON
local Raw = {}

--- Turns JSON text into a value to send. Digits and order stay as they are.
---@param text string valid JSON
---@return mcp-editord.Raw
function M.raw(text)
  return setmetatable({ text = text }, Raw)
end

---@param value number
---@return string
local function number(value)
  if value ~= value or value == math.huge or value == -math.huge then
    error('JSON has no number for ' .. tostring(value), 0)
  elseif value % 1 == 0 and math.abs(value) < 2 ^ 53 then
    return ('%.0f'):format(value)
  end
  for digits = 14, 17 do
    local text = ('%.' .. digits .. 'g'):format(value)
    if tonumber(text) == value then
      return text
    end
  end
  return ('%.17g'):format(value)
end

--- Returns the names of the members, sorted, so that equal values have equal texts.
---@param value table
---@return string[]
local function names(value)
  local keys = {}
  for key in pairs(value) do
    keys[#keys + 1] = tostring(key)
  end
  table.sort(keys)
  return keys
end

---@param value any
---@return string
function M.encode(value)
  local kind = type(value)
  if kind == 'number' then
    return number(value)
  elseif kind == 'string' then
    return vim.json.encode(require('mcp-editord.text').utf8(value))
  elseif kind ~= 'table' then
    return vim.json.encode(value) -- booleans, null; anything else is an error there
  elseif getmetatable(value) == Raw then
    return value.text
  elseif next(value) == nil then
    return vim.json.encode(value) -- {} of vim.empty_dict(), else []
  end
  local parts = {}
  if vim.islist(value) then
    for i, element in ipairs(value) do
      parts[i] = M.encode(element)
    end
    return '[' .. table.concat(parts, ',') .. ']'
  end
  for i, name in ipairs(names(value)) do
    parts[i] = M.encode(name) .. ':' .. M.encode(value[name])
  end
  return '{' .. table.concat(parts, ',') .. '}'
end

--- Called often in long work; may give way to the loop. See async.slices.
---@alias mcp-editord.Pause fun()

--- How many steps are taken between two pauses.
local steps = 256

--- Whether the character at `i` is escaped: an odd number of backslashes is before it.
---@param text string
---@param i integer
---@return boolean
local function is_escaped(text, i)
  local first = i
  while text:byte(first - 1) == 0x5c do
    first = first - 1
  end
  return (i - first) % 2 == 1
end

--- Returns the last byte of the string that begins at `i`.
---@param text string
---@param i integer
---@param pause? mcp-editord.Pause
---@return integer
local function string_end(text, i, pause)
  local step = 0
  repeat
    i = assert(text:find('"', i + 1, true), 'a JSON string has no end')
    step = step + 1
    if pause and step % steps == 0 then
      pause()
    end
  until not is_escaped(text, i)
  return i
end

--- Returns the last byte of the value that begins at `i`.
---@param text string
---@param i integer
---@param pause? mcp-editord.Pause
---@return integer
local function value_end(text, i, pause)
  local first = text:sub(i, i)
  if first == '"' then
    return string_end(text, i, pause)
  elseif first ~= '{' and first ~= '[' then
    return (text:find('[,%]}%s]', i) or #text + 1) - 1
  end
  local depth, step = 0, 0
  while true do
    i = assert(text:find('["%[%]{}]', i), 'a JSON value has no end')
    local c = text:byte(i)
    if c == 0x22 then
      i = string_end(text, i, pause)
    else
      depth = depth + ((c == 0x7b or c == 0x5b) and 1 or -1)
      if depth == 0 then
        return i
      end
    end
    i, step = i + 1, step + 1
    if pause and step % steps == 0 then
      pause()
    end
  end
end

--- Iterates over the members of an object, in the order of the text: names and texts. Yields nothing if `text` is nil or
--- not an object.
---@param text string?
---@param pause? mcp-editord.Pause
---@return fun(): string?, string?
function M.members(text, pause)
  local i = text and text:match('^%s*{%s*()"')
  return function()
    if not i then
      return nil
    end
    local key_end = string_end(text, i)
    local name = vim.json.decode(text:sub(i, key_end))
    local start = text:match('^%s*:%s*()', key_end + 1)
    local stop = value_end(text, start, pause)
    i = text:match('^%s*,%s*()"', stop + 1)
    return name, text:sub(start, stop)
  end
end

--- Returns the texts of an object's members by name, and none if `text` is nil or not an object.
---@param text string?
---@param pause? mcp-editord.Pause
---@return table<string, string>
function M.object(text, pause)
  local out = {}
  for name, value in M.members(text, pause) do
    out[name] = value
  end
  return out
end

--- Returns the text of a nested member, or nil if it is missing.
---@param text string?
---@param ... string names
---@return string?
function M.member(text, ...)
  for _, wanted in ipairs({ ... }) do
    local found
    for name, value in M.members(text) do
      if name == wanted then
        found = value
        break
      end
    end
    text = found
  end
  return text
end

--- Iterates over the texts of an array's elements. Yields nothing if `text` is nil or not an array.
---@param text string?
---@param pause? mcp-editord.Pause
---@return fun(): string?
function M.elements(text, pause)
  local i = text and text:match('^%s*%[%s*()[^%s%]]')
  return function()
    if not i then
      return nil
    end
    local start, stop = i, value_end(text, i, pause)
    i = text:match('^%s*,%s*()', stop + 1)
    return text:sub(start, stop)
  end
end

--- The length of a part of a long text, and the longest line that is not cut in two, in bytes.
local part_length, uncut = 64 * 1024, 1024 * 1024

--- Twelve characters that are no backslash, which is the length of the longest escape; after them a character begins.
local boundary = ('[^\\]'):rep(12) .. '()[%z\1-\127\192-\255]'

--- Returns where a part of the string that begins at `i` may end: at the end of a line, if there is one within reach.
---@param text string
---@param i integer
---@return integer last byte of the part
local function part_end(text, i)
  local at, reach = i + part_length, i + uncut
  while at < math.min(#text, reach) do
    at = text:find('\\n', at, true) or #text
    if at < reach and not is_escaped(text, at) then
      return math.min(at + 1, #text - 1)
    end
    at = at + 1
  end
  return (text:match(boundary, math.min(at, reach)) or #text) - 1
end

--- Iterates over the value of a JSON string in parts. A part is the end of the value, ends with a line, or belongs to a line
--- of more than 1 MiB.
---@param text string
---@return fun(): string?
function M.string_parts(text)
  local i = 2
  return function()
    if i >= #text then
      return nil
    end
    local last = part_end(text, i)
    local part = vim.json.decode('"' .. text:sub(i, last) .. '"')
    i = last + 1
    return part
  end
end

--- Returns `text` without white space between its parts.
---@param text string
---@return string
function M.compact(text)
  local out, i = {}, 1
  while true do
    i = text:find('%S', i)
    if not i then
      return table.concat(out)
    end
    local structure = text:find('^[%[%]{}:,]', i)
    local stop = structure and i or value_end(text, i)
    out[#out + 1] = text:sub(i, stop)
    i = stop + 1
  end
end

--- The deepest level of indentation.
local max_indent = 40

local indents = {} ---@type table<integer, string> by depth
for depth = 0, max_indent do
  indents[depth] = '\n' .. ('  '):rep(depth)
end

--- How many lines are a part.
local part_lines = 1000

--- Iterates over `text`, indented over several lines, in parts. Members and digits stay as they are. A part is the end, or
--- ends with the indentation of a line.
---@param text string
---@param pause? mcp-editord.Pause
---@return fun(): string?
function M.pretty_parts(text, pause)
  local depth, i = 0, 1
  return function()
    local out, breaks = {}, 0
    local function break_line()
      breaks = breaks + 1
      out[#out + 1] = indents[math.max(0, math.min(depth, max_indent))]
    end
    while i and breaks < part_lines do
      i = text:find('%S', i)
      if not i then
        break
      end
      local c = text:sub(i, i)
      local stop = i
      if c == '{' or c == '[' then
        local empty = text:match('^%s*()[%]}]', i + 1)
        if empty then
          stop = empty
          out[#out + 1] = c == '{' and '{}' or '[]'
        else
          depth = depth + 1
          out[#out + 1] = c
          break_line()
        end
      elseif c == '}' or c == ']' then
        depth = depth - 1
        break_line()
        out[#out + 1] = c
      elseif c == ',' then
        out[#out + 1] = c
        break_line()
      elseif c == ':' then
        out[#out + 1] = ': '
      else
        stop = value_end(text, i, pause)
        out[#out + 1] = text:sub(i, stop)
      end
      i = stop + 1
    end
    return #out > 0 and table.concat(out) or nil
  end
end

--- Returns `text` indented over several lines, as pretty_parts does.
---@param text string
---@return string
function M.pretty(text)
  local out = {}
  for part in M.pretty_parts(text) do
    out[#out + 1] = part
  end
  return table.concat(out)
end

return M

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

--- Returns the last byte of the string that begins at `i`.
---@param text string
---@param i integer
---@return integer
local function string_end(text, i)
  i = i + 1
  while true do
    local at = assert(text:find('["\\]', i), 'a JSON string has no end')
    if text:byte(at) == 0x22 then
      return at
    end
    i = at + 2
  end
end

--- Returns the last byte of the value that begins at `i`.
---@param text string
---@param i integer
---@return integer
local function value_end(text, i)
  local first = text:sub(i, i)
  if first == '"' then
    return string_end(text, i)
  elseif first ~= '{' and first ~= '[' then
    return (text:find('[,%]}%s]', i) or #text + 1) - 1
  end
  local depth = 0
  while true do
    i = assert(text:find('["%[%]{}]', i), 'a JSON value has no end')
    local c = text:sub(i, i)
    if c == '"' then
      i = string_end(text, i)
    else
      depth = depth + ((c == '{' or c == '[') and 1 or -1)
      if depth == 0 then
        return i
      end
    end
    i = i + 1
  end
end

--- Iterates over the members of an object, in the order of the text: names and texts. Yields nothing if `text` is nil or
--- not an object.
---@param text string?
---@return fun(): string?, string?
function M.members(text)
  local i = text and text:match('^%s*{%s*()"')
  return function()
    if not i then
      return nil
    end
    local key_end = string_end(text, i)
    local name = vim.json.decode(text:sub(i, key_end))
    local start = text:match('^%s*:%s*()', key_end + 1)
    local stop = value_end(text, start)
    i = text:match('^%s*,%s*()"', stop + 1)
    return name, text:sub(start, stop)
  end
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
---@return fun(): string?
function M.elements(text)
  local i = text and text:match('^%s*%[%s*()[^%s%]]')
  return function()
    if not i then
      return nil
    end
    local start, stop = i, value_end(text, i)
    i = text:match('^%s*,%s*()', stop + 1)
    return text:sub(start, stop)
  end
end

--- The deepest level of indentation.
local max_indent = 40

--- Returns `text` indented over several lines. Members and digits stay as they are.
---@param text string
---@return string
function M.pretty(text)
  local out, depth, i = {}, 0, 1
  local function break_line()
    out[#out + 1] = '\n' .. ('  '):rep(math.min(depth, max_indent))
  end
  while true do
    i = text:find('%S', i)
    if not i then
      return table.concat(out)
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
      stop = value_end(text, i)
      out[#out + 1] = text:sub(i, stop)
    end
    i = stop + 1
  end
end

return M

--- Splits a command line into words, and reads the arguments of a tool or prompt from them.
local expand = require('mcp-editord.commands.expand')
local typed = require('mcp-editord.form.typed')

local M = {}

--- Splits a line into words. Quotes of both kinds and backslashes keep white space in a word.
---@param line string
---@return string[] words
---@return boolean open whether the last word continues
---@return string[] masks of each word: "x" for a character after a backslash or in single quotes, "." for any other
function M.words(line)
  local out, masks, word, mask, quote, i = {}, {}, nil, nil, nil, 1
  local function add(c, sign)
    word, mask = (word or '') .. c, (mask or '') .. sign
  end
  while i <= #line do
    local c = line:sub(i, i)
    if c == '\\' and quote ~= "'" and i < #line then
      i = i + 1
      add(line:sub(i, i), 'x')
    elseif quote then
      if c == quote then
        quote = nil
      else
        add(c, quote == "'" and 'x' or '.')
      end
    elseif c == '"' or c == "'" then
      quote = c
      add('', '')
    elseif c:find('%s') then
      if word then
        out[#out + 1], masks[#masks + 1] = word, mask
        word, mask = nil, nil
      end
    else
      add(c, '.')
    end
    i = i + 1
  end
  if word then
    out[#out + 1], masks[#masks + 1] = word, mask
  end
  return out, word ~= nil, masks
end

--- Reads what was typed for a field. What its place holders stand for is data: a comma in it separates nothing.
---@param field mcp-editord.Field
---@param value string
---@param expanded mcp-editord.Expanded
---@return string? JSON
---@return string? problem
local function read(field, value, expanded)
  local whole = expand.fill(value, expanded)
  if whole ~= value and vim.list_contains({ 'string', 'list', 'map' }, field.kind) then
    local held = typed.read(field, value)
    local filled = held and expand.fill_json(held, expanded)
    if filled and not typed.problem(field, filled) then
      return filled
    end
  end
  return typed.read(field, whole)
end

--- Reads words such as KEY=VALUE and KEY:=JSON. Raises what is wrong with them.
---@param fields mcp-editord.Field[]
---@param words string[]
---@param expanded mcp-editord.Expanded
---@return table<string, string> JSON by name
function M.read(fields, words, expanded)
  local values, given = {}, {}
  for _, word in ipairs(words) do
    local name, is_json, told = word:match('^([^=]-)(:?)=(.*)$')
    if not name or name == '' then
      error(('"%s" is not an argument; write KEY=VALUE or KEY:=JSON'):format(expand.fill(word, expanded)), 0)
    elseif given[name] then
      error(('"%s" is given twice; give it once'):format(name), 0)
    end
    local field = vim.iter(fields):find(function(f)
      return f.name == name
    end) or require('mcp-editord.form.schema').text_field(name, true)
    local value, problem
    if is_json == ':' then
      value, problem = told, not pcall(vim.json.decode, told) and 'must be valid JSON' or nil
    else
      value, problem = read(field, told, expanded)
    end
    if problem then
      error(('"%s" %s'):format(name, problem), 0)
    end
    values[name], given[name] = value, true
  end
  return values
end

return M

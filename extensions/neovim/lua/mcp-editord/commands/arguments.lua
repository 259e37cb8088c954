--- Splits a command line into words, and reads the arguments of a tool or prompt from them.
local form = require('mcp-editord.form.schema')

local M = {}

--- Splits a line into words. Quotes of both kinds and backslashes keep white space in a word.
---@param line string
---@return string[] words
---@return boolean open whether the last word continues
function M.words(line)
  local out, word, quote, i = {}, nil, nil, 1
  while i <= #line do
    local c = line:sub(i, i)
    if c == '\\' and quote ~= "'" and i < #line then
      i = i + 1
      word = (word or '') .. line:sub(i, i)
    elseif quote then
      if c == quote then
        quote = nil
      else
        word = word .. c
      end
    elseif c == '"' or c == "'" then
      quote, word = c, word or ''
    elseif c:find('%s') then
      if word then
        out[#out + 1], word = word, nil
      end
    else
      word = (word or '') .. c
    end
    i = i + 1
  end
  if word then
    out[#out + 1] = word
  end
  return out, word ~= nil
end

--- Reads words such as KEY=VALUE and KEY:=JSON. Raises what is wrong with them.
---@param fields mcp-editord.Field[]
---@param words string[]
---@return table<string, string> JSON by name
function M.read(fields, words)
  local values = {}
  for _, word in ipairs(words) do
    local name, is_json, typed = word:match('^([^=]-)(:?)=(.*)$')
    if not name or name == '' then
      error(('"%s" is not an argument; write KEY=VALUE or KEY:=JSON'):format(word), 0)
    elseif values[name] then
      error(('"%s" is given twice; give it once'):format(name), 0)
    end
    local field = vim.iter(fields):find(function(f)
      return f.name == name
    end) or { name = name, kind = 'string', schema = {} }
    local value, problem
    if is_json == ':' then
      value, problem = typed, not pcall(vim.json.decode, typed) and 'must be valid JSON' or nil
    else
      value, problem = form.parse(field, typed)
    end
    if problem then
      error(('"%s" %s'):format(name, problem), 0)
    end
    values[name] = value
  end
  return values
end

return M

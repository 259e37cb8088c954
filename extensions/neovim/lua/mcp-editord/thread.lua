--- Decodes long JSON in a thread, to answer questions about it: Neovim's decoder cannot be interrupted. Short JSON is decoded
--- at once.
local async = require('mcp-editord.async')

local M = {}

--- The longest JSON that is decoded at once, in bytes.
M.long = 256 * 1024

--- Answers a question. Runs in a thread, where there are no upvalues.
---@param question 'is_json'|'compact'|'repeats'
---@param a string
---@param b? string
---@return boolean ok whether `a` and `b` can be decoded
---@return string? answer nil is no; the error if they cannot be decoded
local function answer(question, a, b)
  local function same(x, y)
    if type(x) ~= 'table' or type(y) ~= 'table' then
      return x == y
    end
    for key, value in pairs(x) do
      if not same(value, y[key]) then
        return false
      end
    end
    for key in pairs(y) do
      if x[key] == nil then
        return false
      end
    end
    return true
  end
  local ok, found = pcall(function()
    local value = vim.json.decode(a)
    if question == 'is_json' then
      return ''
    end
    if type(value) ~= 'string' or not value:find('^%s*[%[{]') or question == 'compact' and value:find('\n.*\n') then
      return nil
    end
    local inner, decoded = pcall(vim.json.decode, value)
    if not inner then
      return nil
    end
    return question == 'compact' and value or same(decoded, vim.json.decode(b)) and '' or nil
  end)
  if #a > 0x40000 then
    collectgarbage() -- the state of the thread stays
  end
  return ok, found and tostring(found) or nil
end

---@param pause? async fun() without it, the answer comes at once
---@param question 'is_json'|'compact'|'repeats'
---@param a string
---@param b? string
---@return string?
local function ask(pause, question, a, b)
  local ok, found
  if not pause or #a + #(b or '') <= M.long then
    ok, found = answer(question, a, b)
  else
    ok, found = async.await(function(resolve)
      vim.uv.new_work(answer, vim.schedule_wrap(resolve)):queue(question, a, b)
    end)
    pause()
  end
  if not ok then
    error({ code = -32603, message = 'Neovim cannot read this message: ' .. found, data = { kind = 'unreadable' } }, 0)
  end
  return found
end

--- Raises an error if `text` is not JSON that Neovim can decode.
---@param text string
---@param pause? async fun()
function M.check(text, pause)
  ask(pause, 'is_json', text)
end

--- Returns the value of a JSON string that is itself JSON on one line, as servers without structured content send it, or nil.
---@param text string
---@param pause? async fun()
---@return string?
function M.compact(text, pause)
  return ask(pause, 'compact', text)
end

--- Whether the value of a JSON string is itself JSON, of the same value as `other`.
---@param text string
---@param other string JSON
---@param pause? async fun()
---@return boolean
function M.repeats(text, other, pause)
  return ask(pause, 'repeats', text, other) ~= nil
end

return M

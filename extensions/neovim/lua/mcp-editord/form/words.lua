--- Splits what is typed for a list or a map into words. A word in double quotes is a JSON string.
local M = {}

---@class mcp-editord.Word
---@field text string
---@field quoted boolean

--- Returns the JSON string that begins at `i`, decoded, and the place after it.
---@param typed string
---@param i integer of the quote
---@return string?
---@return integer? after
local function quoted(typed, i)
  local at = i + 1
  while true do
    at = typed:find('["\\]', at)
    if not at then
      return nil
    elseif typed:sub(at, at) == '"' then
      local ok, value = pcall(vim.json.decode, typed:sub(i, at))
      return ok and type(value) == 'string' and value or nil, at + 1
    end
    at = at + 2
  end
end

local open_quote = 'has a quote that does not end, or text after one; write "a, b" for a word with a comma'

--- Reads a word up to a separator. One that begins with a quote is a JSON string.
---@param typed string
---@param i integer where it begins
---@param stops string the inside of a Lua character class
---@return mcp-editord.Word?
---@return integer|string after, or what is wrong
function M.next(typed, i, stops)
  i = typed:find('[^ \t\r]', i) or #typed + 1
  if typed:sub(i, i) == '"' then
    local value, after = quoted(typed, i)
    local stop = after and typed:match('^[ \t\r]*()', after)
    if not value or stop <= #typed and not typed:find('^[' .. stops .. ']', stop) then
      return nil, open_quote
    end
    return { text = value, quoted = true }, stop
  end
  local stop = typed:find('[' .. stops .. ']', i) or #typed + 1
  return { text = vim.trim(typed:sub(i, stop - 1)), quoted = false }, stop
end

--- Splits what is typed into words, at commas and ends of lines. Leaves out empty words that have no quotes.
---@param typed string
---@return mcp-editord.Word[]?
---@return string? problem
function M.split(typed)
  local out, i = {}, 1
  while i <= #typed do
    local one, after = M.next(typed, i, ',\n')
    if not one then
      return nil, after --[[@as string]]
    elseif one.quoted or one.text ~= '' then
      out[#out + 1] = one
    end
    i = after + 1
  end
  return out
end

return M

--- The messages of a sampling request.
local M = {}

--- Returns the contents of a message as a list.
---@param message table
---@return table[]
function M.contents(message)
  local content = message.content
  return type(content) == 'table' and (vim.islist(content) and content or { content }) or {}
end

--- Returns the text of a message. Raises an error if it has other content.
---@param message table
---@return string
function M.text(message)
  local parts = {}
  for _, content in ipairs(M.contents(message)) do
    if content.type ~= 'text' then
      error(('cannot send content of type "%s" through this plugin'):format(tostring(content.type)), 0)
    end
    parts[#parts + 1] = content.text
  end
  return table.concat(parts, '\n')
end

return M

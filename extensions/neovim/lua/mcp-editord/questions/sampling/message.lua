--- The messages of a sampling request.
local M = {}

--- The contents of a message, which may be one or a list.
---@param message table
---@return table[]
function M.contents(message)
  local content = message.content
  return type(content) == 'table' and (vim.islist(content) and content or { content }) or {}
end

--- The text of a message, for plugins that take nothing else.
---@param message table
---@return string
function M.text(message)
  local parts = {}
  for _, content in ipairs(M.contents(message)) do
    if content.type ~= 'text' then
      error(('a content of type %s cannot be sent by this plugin'):format(tostring(content.type)), 0)
    end
    parts[#parts + 1] = content.text
  end
  return table.concat(parts, '\n')
end

return M

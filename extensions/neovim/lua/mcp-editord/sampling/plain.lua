--- Requests as text, for plugins that take nothing else.
local M = {}

--- The text of a message.
---@param message table
---@return string
function M.text(message)
  local parts = {}
  for _, content in ipairs(require('mcp-editord.sampling').contents(message)) do
    if content.type ~= 'text' then
      error(('a content of type %s cannot be sent by this plugin'):format(tostring(content.type)), 0)
    end
    parts[#parts + 1] = content.text
  end
  return table.concat(parts, '\n')
end

return M

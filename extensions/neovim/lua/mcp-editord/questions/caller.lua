--- Names the program whose call led to a question that it cannot answer itself, such as an agent.
local text = require('mcp-editord.text')

local M = {}

--- Says for whom a server asks, to be added to that it asks: "" when it asks for this editor, or nobody knows.
---@param params {caller?: mcp-editord.Caller}
---@return string
function M.of(params)
  local caller = params.caller
  if type(caller) ~= 'table' then
    return ''
  end
  local name = text.line(tostring(caller.name), 60)
  if caller.tool == nil then
    return (', for %s'):format(name)
  end
  return (', for %s (tool %s)'):format(name, text.line(tostring(caller.tool), 60))
end

return M

--- The log of a server: what it wrote to standard error, or logged.
local text = require('mcp-editord.text')

local M = {}

--- Shows lines of servers in a page.
---@param title string
---@param lines string[]
local function show_lines(title, lines)
  local safe = {}
  for _, line in ipairs(lines) do
    vim.list_extend(safe, text.lines(line))
  end
  require('mcp-editord.results.show').show(title, { lines = safe })
end

--- Shows what a server wrote to stderr, or logged.
---@async
---@param connection mcp-editord.Connection
---@param name string
function M.show(connection, name)
  local lines = connection:request('editord/serverLog', { server = name, lines = 2000 }).lines
  if #lines == 0 then
    lines = { name .. ' has not written anything.' }
  end
  show_lines('log of ' .. name, lines)
  vim.cmd.normal({ 'G', bang = true })
end

return M

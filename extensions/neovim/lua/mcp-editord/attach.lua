--- Attaches this Neovim to the daemon. Commands, the API and resource buffers get their connection here.
local config = require('mcp-editord.config')
local connections = require('mcp-editord.daemon.connections')

local M = {}

local watching = false
local told ---@type string[]? the problems that the person has been told

--- Tells the person once what is wrong with the options.
local function tell_problems()
  local problems = config.problems()
  if problems == told then
    return
  end
  told = problems
  if #problems > 0 then
    local more = #problems > 1 and (' (and %d more; see :checkhealth mcp-editord)'):format(#problems - 1) or ''
    require('mcp-editord.ui.messages').notify('vim.g.mcp_editord: ' .. problems[1] .. more, vim.log.levels.ERROR)
  end
end

--- Returns the connection of the current workspace, once it is ready. Raises why there is none.
---@async
---@return mcp-editord.Connection
function M.get()
  tell_problems()
  if not watching then
    watching = true
    require('mcp-editord.daemon.folders').watch()
  end
  return connections.get(require('mcp-editord.host'))
end

return M

--- What the user set in `vim.g.mcp_editord`, over the defaults. It is read once, on the
--- first use of the plugin.
local M = {}

local config ---@type mcp-editord.Config?
local problems = {} ---@type string[]

--- The options. That there are problems is told once; what is wrong counts as not set.
---@return mcp-editord.Config
function M.get()
  if config then
    return config
  end
  local user = vim.g.mcp_editord
  local failure
  if type(user) == 'function' then
    local ok, result = pcall(user)
    user, failure = ok and result or nil, not ok and tostring(result) or nil
  end
  config, problems = require('mcp-editord.schema').apply(user)
  if failure then
    table.insert(problems, 1, 'the function failed: ' .. failure)
  end
  if #problems > 0 then
    local more = #problems > 1 and (' (and %d more: see :checkhealth mcp-editord)'):format(#problems - 1) or ''
    require('mcp-editord.ui').notify('vim.g.mcp_editord: ' .. problems[1] .. more, vim.log.levels.ERROR)
  end
  return config
end

--- What is wrong with what the user set.
---@return string[]
function M.problems()
  M.get()
  return problems
end

--- Reads `vim.g.mcp_editord` again at the next use. Clients that are attached stay as they are.
function M.reset()
  config, problems = nil, {}
end

return M

--- The plugin's User autocommands.
local M = {}

local drawing = false -- a redraw of the statuslines is scheduled

--- Fires a User autocommand and redraws the statuslines.
---@param name string such as McpAttached
---@param data table
function M.fire(name, data)
  vim.api.nvim_exec_autocmds('User', { pattern = name, modeline = false, data = data })
  if not drawing then -- once for everything within a moment
    drawing = true
    vim.defer_fn(function()
      drawing = false
      if vim.api.nvim_get_mode().mode == 'n' then -- in other modes it would draw over a prompt
        vim.cmd.redrawstatus({ bang = true }) -- of all windows
      end
    end, 50)
  end
end

return M

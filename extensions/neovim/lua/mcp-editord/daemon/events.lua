--- The events that the plugin offers: User autocommands.
local M = {}

local drawing = false -- the statusline will be drawn anew

--- Fires a User autocommand, and has the statuslines drawn again.
---@param name string such as McpAttached
---@param data table
function M.fire(name, data)
  vim.api.nvim_exec_autocmds('User', { pattern = name, modeline = false, data = data })
  if not drawing then -- once for all that happens within a moment
    drawing = true
    vim.defer_fn(function()
      drawing = false
      if vim.api.nvim_get_mode().mode == 'n' then -- else it would draw over a prompt
        vim.cmd.redrawstatus({ bang = true }) -- of all windows
      end
    end, 50)
  end
end

return M

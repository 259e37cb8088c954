--- The program on this machine, and how each of its subcommands finds the daemon of this Neovim.
local M = {}

--- Returns the command line of a subcommand that talks to the daemon.
---@param subcommand 'attach'|'mcp'
---@return string[]? cmd
---@return string? err
function M.command(subcommand)
  local config = require('mcp-editord.config').get()
  if vim.fn.executable(config.command) == 0 then
    return nil, ('"%s" cannot be run; install it, or set vim.g.mcp_editord.command'):format(config.command)
  end
  local cmd = { config.command, subcommand }
  for _, name in ipairs({ 'socket', 'config' }) do
    if config[name] then
      vim.list_extend(cmd, { '--' .. name, vim.fs.normalize(config[name]) })
    end
  end
  return cmd
end

return M

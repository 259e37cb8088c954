--- The way from a chat to the servers: `mcp-editord mcp`. There the chat is an agent like any other, so the rules for agents
--- hold for what its model calls, tools that have changed are held, and the audit names it.
local M = {}

--- Returns the command line for this Neovim's workspace.
---@param server? string this server alone, with its own names for tools; default: all, as "server__tool"
---@return string[]? cmd
---@return string? err
function M.command(server)
  local cmd, err = require('mcp-editord.daemon.program').command('mcp')
  if not cmd then
    return nil, err
  end
  local connection, root = require('mcp-editord.daemon.connections').peek(), require('mcp-editord.workspace').current()
  local folders = connection and connection:folders()
    or root and { require('mcp-editord.workspace').folder(root) }
    or {}
  for _, folder in ipairs(folders) do
    vim.list_extend(cmd, { '--folder', vim.uri_to_fname(folder.uri) })
  end
  if server then
    vim.list_extend(cmd, { '--server', server })
  end
  return cmd
end

--- Returns the environment to add to Neovim's own. It is that of Neovim's connection: with another one, a server that takes
--- variables from it would run twice.
---@return table<string, string>
function M.env()
  return require('mcp-editord.config').get().env
end

return M

--- Writes into files that are open, without blocking the editor.
local async = require('mcp-editord.async')

local M = {}

--- Writes all of `bytes` behind what was written before.
---@async
---@param fd integer
---@param bytes string
---@return string? err
function M.all(fd, bytes)
  local at, err = 0, nil
  while at < #bytes and not err do
    local written ---@type integer?
    err, written = async.await(function(resolve)
      vim.uv.fs_write(fd, at == 0 and bytes or bytes:sub(at + 1), -1, resolve) -- may take a part, as when the disk is nearly full
    end)
    at = at + (written or 0)
  end
  async.schedule()
  return err
end

return M

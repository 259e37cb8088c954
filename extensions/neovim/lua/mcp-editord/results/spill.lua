--- Files with the texts that are too long for a page. They are in the temporary directory of this Neovim, which goes when it
--- ends, and only this person can read them.
local async = require('mcp-editord.async')
local messages = require('mcp-editord.ui.messages')
local pages = require('mcp-editord.ui.page')
local write = require('mcp-editord.results.write')

local M = {}

---@class mcp-editord.File: mcp-editord.Link
---@field path string
---@field write async fun(pause: mcp-editord.Pause) writes it; raises why it cannot

--- Makes a link to a file with a long text. It has to be written.
---@param parts fun(): fun(): string? returns an iterator over the text, in parts
---@return mcp-editord.File
function M.file(parts)
  local file = { path = vim.fn.tempname() .. '.txt' }
  local written = false

  function file.write(pause)
    local fd = assert(vim.uv.fs_open(file.path, 'wx', 384)) -- 0600
    local ok, err = pcall(function()
      for part in parts() do
        local failed = write.all(fd, part)
        if failed then
          error(failed, 0)
        end
        pause()
      end
    end)
    vim.uv.fs_close(fd)
    if not ok then
      vim.uv.fs_unlink(file.path)
      error(err == async.left and err or ('cannot write "%s": %s'):format(file.path, tostring(err)), 0)
    end
    written, parts = true, nil
  end

  function file.open()
    if written then
      return pages.open_file(file.path)
    end
    messages.notify(('"%s" is not written yet; try again in a moment'):format(file.path))
  end
  return file
end

return M

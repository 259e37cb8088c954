--- Which folder is the workspace: the working directory says it, not the buffer, as in a
--- terminal. What is opened from elsewhere (a library, a note) changes nothing.
local M = {}

---@class mcp-editord.Folder an LSP WorkspaceFolder
---@field uri string
---@field name string

---@param dir string
---@return mcp-editord.Folder
function M.folder(dir)
  return { uri = vim.uri_from_fname(dir), name = vim.fs.basename(dir) }
end

--- The workspace of a working directory: the nearest folder upwards with a marker of a
--- project, else the directory itself. The home directory and the root of the disk are no
--- workspace, unless they have a marker.
---@param cwd string
---@return string?
function M.root(cwd)
  local config = require('mcp-editord.config').get()
  cwd = vim.fs.normalize(cwd)
  if config.root then
    local root = config.root(cwd)
    return root and vim.fs.normalize(root) or nil
  end
  local root = vim.fs.root(cwd, config.root_markers)
  if root then
    return root
  end
  local home = vim.fs.normalize('~')
  if cwd == home or cwd == vim.fs.dirname(cwd) then
    return nil
  end
  return cwd
end

--- The workspace of the current window.
---@return string?
function M.current()
  return M.root(vim.fn.getcwd())
end

--- The workspaces of all windows, by folder; "" stands for none.
---@return table<string, true>
function M.in_use()
  local out, seen = {}, {}
  for tab = 1, vim.fn.tabpagenr('$') do
    for win = 1, vim.fn.tabpagewinnr(tab, '$') do
      local cwd = vim.fn.getcwd(win, tab)
      if not seen[cwd] then
        seen[cwd] = true
        out[M.root(cwd) or ''] = true
      end
    end
  end
  return out
end

return M

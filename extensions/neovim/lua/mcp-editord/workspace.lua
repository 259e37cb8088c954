--- Finds the workspace. As in a terminal, the working directory decides, not the buffer: opening a file from elsewhere (a
--- library, a note) changes nothing.
local M = {}

---@class mcp-editord.Folder an LSP WorkspaceFolder
---@field uri string
---@field name string

---@param dir string
---@return mcp-editord.Folder
function M.folder(dir)
  return { uri = vim.uri_from_fname(dir), name = vim.fs.basename(dir) }
end

--- Whether a path belongs to the person. Paths of other users do not mark a project: a folder of theirs above this one could
--- choose which servers run. The owner of a link counts, not that of its target. On Windows every path counts.
---@param path string
---@return boolean
local function is_own(path)
  if not vim.uv.getuid then
    return vim.uv.fs_lstat(path) ~= nil
  end
  return vim.tbl_get(vim.uv.fs_lstat(path) or {}, 'uid') == vim.uv.getuid()
end

--- Whether a folder contains a marker. Each part of the marker's path must belong to the person.
---@param dir string
---@param marker string such as .git or .vscode/mcp.json
---@return boolean
local function has(dir, marker)
  local path = dir
  for part in marker:gmatch('[^/]+') do
    path = vim.fs.joinpath(path, part)
    if not is_own(path) then
      return false
    end
  end
  return true
end

--- Returns the nearest folder, from `dir` up, that contains a marker. Stops at a folder of another user.
---@param dir string
---@param markers string[]
---@return string?
local function climb(dir, markers)
  while is_own(dir) do
    for _, marker in ipairs(markers) do
      if has(dir, marker) then
        return dir
      end
    end
    local parent = vim.fs.dirname(dir)
    if parent == dir then
      return nil
    end
    dir = parent
  end
end

--- Returns the workspace of a working directory: the nearest folder up that contains a marker, else the directory itself. The
--- home directory and the root of the disk are no workspace unless they contain a marker.
---@param cwd string
---@return string?
local function find(cwd)
  local config = require('mcp-editord.config').get()
  cwd = vim.fs.normalize(cwd)
  if config.root then
    local root = config.root(cwd)
    return root and vim.fs.normalize(root) or nil
  end
  local root = climb(cwd, config.root_markers)
  if root then
    return root
  end
  local home = vim.fs.normalize('~')
  if cwd == home or cwd == vim.fs.dirname(cwd) then
    return nil
  end
  return cwd
end

local found = {} ---@type table<string, string|false> the workspace of each working directory, as it was found last

---@param cwd string
---@return string?
local function root(cwd)
  found[cwd] = find(cwd) or false
  return found[cwd] or nil
end

--- Returns the workspace of the current window.
---@return string?
function M.current()
  return root(vim.fn.getcwd())
end

--- Returns the workspace that was found last, without looking at the disk: a statusline is drawn too often for that.
---@return string?
function M.last()
  local cwd = vim.fn.getcwd()
  if found[cwd] == nil then
    return root(cwd)
  end
  return found[cwd] or nil
end

--- Returns the workspaces of all windows, by folder; "" stands for none.
---@return table<string, true>
function M.in_use()
  local out, seen = {}, {}
  for tab = 1, vim.fn.tabpagenr('$') do
    for win = 1, vim.fn.tabpagewinnr(tab, '$') do
      local cwd = vim.fn.getcwd(win, tab)
      if not seen[cwd] then
        seen[cwd] = true
        out[root(cwd) or ''] = true
      end
    end
  end
  return out
end

return M

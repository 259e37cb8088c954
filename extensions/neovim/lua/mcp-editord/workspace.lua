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

--- Whether something is the person's own. What anybody else has made does not say where a project is: a folder of another
--- user, upwards from here, would choose what servers run. A link is whose link it is. Windows has no such owners.
---@param path string
---@return boolean
local function is_own(path)
  if not vim.uv.getuid then
    return vim.uv.fs_lstat(path) ~= nil
  end
  return vim.tbl_get(vim.uv.fs_lstat(path) or {}, 'uid') == vim.uv.getuid()
end

--- Whether a folder has a marker, each part of whose path is the person's own.
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

--- The nearest folder upwards with a marker. The way ends at a folder that is not the person's own.
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

--- The workspace of a working directory: the nearest folder upwards with a marker of a
--- project, else the directory itself. The home directory and the root of the disk are no
--- workspace, unless they have a marker.
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

--- The workspace of the current window.
---@return string?
function M.current()
  return root(vim.fn.getcwd())
end

--- The same as it was found last: for a statusline, which is drawn more often than the disk should be looked at.
---@return string?
function M.last()
  local cwd = vim.fn.getcwd()
  if found[cwd] == nil then
    return root(cwd)
  end
  return found[cwd] or nil
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
        out[root(cwd) or ''] = true
      end
    end
  end
  return out
end

return M

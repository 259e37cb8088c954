--- Says which buffers are documents of the daemon: call documents, and the files that define servers.
local M = {}

--- How the paths of files that define servers end.
local files = { '/.mcp.json', '/.vscode/mcp.json', '/.cursor/mcp.json', '/mcp-editord/mcp.json' }

--- Returns the file of a buffer, with slashes, or nil.
---@param buf integer
---@return string?
local function file_of(buf)
  local name = vim.api.nvim_buf_get_name(buf)
  if name ~= '' and vim.bo[buf].buftype == '' and not name:find('^%a[%w+.-]+://') then
    return vim.fs.normalize(name)
  end
end

--- Whether a buffer is a call document in a file.
---@param buf integer
---@return boolean
function M.is_calls(buf)
  return vim.bo[buf].filetype == 'mcp' and file_of(buf) ~= nil
end

--- Whether a path is that of the person's own mcp.json, in a place that they have named.
---@param file string
---@return boolean
local function is_named(file)
  for _, named in pairs({ require('mcp-editord.config').get().config or false, vim.env.MCP_EDITORD_CONFIG or false }) do
    if named and vim.fs.normalize(vim.fn.fnamemodify(named, ':p')) == file then
      return true
    end
  end
  return false
end

--- Whether a buffer is a document of the daemon.
---@param buf integer
---@return boolean
function M.is_document(buf)
  local file = file_of(buf)
  if not file or vim.bo[buf].filetype == 'mcp' then
    return file ~= nil
  end
  return vim.iter(files):any(function(ending)
    return vim.endswith(file, ending)
  end) or is_named(file)
end

return M

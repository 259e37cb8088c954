--- Keeps the daemon's folders in step with Neovim's: the working directories, and the folders that the person adds to other
--- language servers.
local M = {}

---@param uri string
---@return fun(folder: mcp-editord.Folder): boolean
local function is_not(uri)
  return function(folder)
    return folder.uri ~= uri
  end
end

---@param dir string
---@return mcp-editord.Folder
local function folder_of(dir)
  local path = vim.fs.normalize(vim.fn.fnamemodify(dir, ':p')):gsub('(.)/$', '%1')
  return require('mcp-editord.workspace').folder(path)
end

--- Adds a folder to the workspace.
---@param dir string
function M.add(dir)
  local folder, connection = folder_of(dir), require('mcp-editord.daemon.connections').peek()
  if connection then
    connection.extra = vim.tbl_filter(is_not(folder.uri), connection.extra)
    table.insert(connection.extra, folder)
    connection:tell_folders()
  end
end

--- Removes a folder that was added.
---@param dir string
function M.remove(dir)
  local folder, connection = folder_of(dir), require('mcp-editord.daemon.connections').peek()
  if connection then
    connection.extra = vim.tbl_filter(is_not(folder.uri), connection.extra)
    connection:tell_folders()
  end
end

--- Repeats what the person told another language server, for example by vim.lsp.buf.add_workspace_folder().
---@param client_id integer
---@param params {event: {added: mcp-editord.Folder[], removed: mcp-editord.Folder[]}}
local function mirror(client_id, params)
  local client = vim.lsp.get_client_by_id(client_id)
  if not client or client.name == 'mcp-editord' then
    return
  end
  for _, folder in ipairs(params.event.removed) do
    M.remove(vim.uri_to_fname(folder.uri))
  end
  for _, folder in ipairs(params.event.added) do
    M.add(vim.uri_to_fname(folder.uri))
  end
end

--- Starts to watch. Called once, before the first connection.
function M.watch()
  local group = vim.api.nvim_create_augroup('mcp-editord', { clear = true })
  vim.api.nvim_create_autocmd({ 'DirChanged', 'TabClosed', 'TabEnter' }, {
    group = group,
    callback = function()
      vim.schedule(require('mcp-editord.daemon.connections').follow)
    end,
  })
  vim.api.nvim_create_autocmd('LspNotify', {
    group = group,
    callback = function(event)
      if event.data.method == 'workspace/didChangeWorkspaceFolders' then
        mirror(event.data.client_id, event.data.params)
      end
    end,
  })
end

return M

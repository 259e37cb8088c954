--- Attaches the client of a workspace to the documents of the daemon, and to no other buffers: vim.lsp then completes and
--- describes them, shows what is wrong with them, and runs their actions and lenses.
local lenses = require('mcp-editord.documents.lenses')
local messages = require('mcp-editord.ui.messages')
local which = require('mcp-editord.documents.which')

local M = {}

---@class mcp-editord.Document
---@field connection? mcp-editord.Connection once there is one
---@field connecting? boolean

local documents = {} ---@type table<integer, mcp-editord.Document> by buffer

--- Attaches the client of its connection to a buffer.
---@param buf integer
local function join(buf)
  local client = documents[buf].connection.client
  if not client or not vim.lsp.buf_attach_client(buf, client.id) then
    return
  end
  if vim.lsp.completion and client.server_capabilities.completionProvider then -- not in 0.10
    vim.lsp.completion.enable(true, client.id, buf)
  end
  lenses.attached(buf, client)
end

--- Gets a connection for a document that has none, or whose workspace was left.
---@param buf integer
---@param connect async fun(): mcp-editord.Connection
local function connect_document(buf, connect)
  local document = documents[buf]
  local connection = document and document.connection
  if not document or document.connecting or connection and connection.state ~= 'stopped' then
    return
  end
  document.connecting = true
  messages.run(function()
    local ok, found = pcall(connect)
    document.connecting = nil
    if not ok then
      error(found, 0)
    elseif documents[buf] == document then
      document.connection = found
      join(buf)
    end
  end)
end

local watching = false

--- Has documents in windows follow when their workspace is left.
---@param connect async fun(): mcp-editord.Connection
local function watch(connect)
  watching = true
  vim.api.nvim_create_autocmd('User', {
    group = vim.api.nvim_create_augroup('mcp-editord-documents', {}),
    pattern = 'McpDetached',
    callback = vim.schedule_wrap(function()
      for _, win in ipairs(vim.api.nvim_list_wins()) do
        if vim.api.nvim_win_is_valid(win) then
          vim.api.nvim_win_call(win, function()
            connect_document(vim.api.nvim_win_get_buf(win), connect)
          end)
        end
      end
    end),
  })
end

--- Attaches to a buffer, if it is a document of the daemon, and keeps it attached. Does nothing if it has done so.
---@param buf integer
---@param connect async fun(): mcp-editord.Connection returns the connection of the current workspace
function M.open(buf, connect)
  if documents[buf] or not which.is_document(buf) then
    return
  end
  if not watching then
    watch(connect)
  end
  documents[buf] = {}
  local group = vim.api.nvim_create_augroup('mcp-editord-document-' .. buf, {})
  vim.api.nvim_create_autocmd('BufEnter', {
    group = group,
    buffer = buf,
    callback = function()
      connect_document(buf, connect)
    end,
  })
  vim.api.nvim_create_autocmd('BufUnload', {
    group = group,
    buffer = buf,
    callback = function()
      documents[buf] = nil
      vim.api.nvim_del_augroup_by_id(group)
    end,
  })
  connect_document(buf, connect)
end

--- Returns the documents of a connection.
---@param connection mcp-editord.Connection
---@return integer[]
local function of(connection)
  return vim.tbl_filter(function(buf)
    return documents[buf].connection == connection
  end, vim.tbl_keys(documents))
end

--- Called when a connection has a client, which is attached to no document.
---@param connection mcp-editord.Connection
function M.attached(connection)
  for _, buf in ipairs(of(connection)) do
    join(buf)
  end
end

--- Answers workspace/codeLens/refresh.
---@param connection mcp-editord.Connection
function M.refresh(connection)
  lenses.refresh(connection.client, of(connection))
  return vim.NIL
end

--- Returns the connection of a buffer that is a call document, once it is attached. Raises why there is none.
---@param buf integer
---@return mcp-editord.Connection
function M.calls(buf)
  local document = documents[buf]
  if not document or not which.is_calls(buf) then
    error('this is no call document; :Mcp new makes one, and its name ends in .mcp', 0)
  elseif not document.connection or document.connection.state ~= 'ready' then
    error('not attached to the daemon; see :checkhealth mcp-editord', 0)
  end
  return document.connection
end

return M

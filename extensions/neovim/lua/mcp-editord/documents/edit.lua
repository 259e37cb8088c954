--- Puts the daemon's edits into buffers: the result of a call below it. An edit is an undo block of its own, and moves neither
--- the cursor nor what the windows show.
local events = require('mcp-editord.daemon.events')
local which = require('mcp-editord.documents.which')

local M = {}

--- Ends the undo block, which typing in Insert mode goes on with otherwise.
---@param buf integer
local function break_undo(buf)
  vim.bo[buf].undolevels = vim.bo[buf].undolevels
end

--- Returns the loaded buffer of a URI.
---@param uri string
---@return integer?
local function buffer_of(uri)
  local path = vim.uri_to_fname(uri)
  return vim.iter(vim.api.nvim_list_bufs()):find(function(buf)
    return vim.api.nvim_buf_is_loaded(buf) and vim.api.nvim_buf_get_name(buf) == path
  end)
end

--- Says why an edit cannot be made, or nil.
---@param buf integer?
---@param version integer?
---@return string?
local function obstacle(buf, version)
  if not buf then
    return 'the document is closed'
  elseif not which.is_document(buf) then
    return 'this is no document of mcp-editord'
  elseif not vim.bo[buf].modifiable then
    return 'the buffer cannot be changed'
  elseif version and version ~= vim.lsp.util.buf_versions[buf] then
    return 'the document has changed'
  end
end

--- Returns the changes of a WorkspaceEdit, in either of its forms.
---@param edit table
---@return {uri: string, version?: integer, edits: lsp.TextEdit[]}[]
local function changes_of(edit)
  local out = {}
  for _, change in ipairs(edit.documentChanges or {}) do
    local version = change.textDocument.version
    out[#out + 1] = {
      uri = change.textDocument.uri,
      version = version ~= vim.NIL and version or nil,
      edits = change.edits,
    }
  end
  for uri, edits in pairs(not edit.documentChanges and edit.changes or {}) do
    out[#out + 1] = { uri = uri, edits = edits }
  end
  return out
end

--- Answers workspace/applyEdit. Makes all changes or none.
---@param params table ApplyWorkspaceEditParams
---@return table ApplyWorkspaceEditResult
function M.apply(params)
  local changes = changes_of(params.edit)
  for i, change in ipairs(changes) do
    change.buf = buffer_of(change.uri)
    local why = obstacle(change.buf, change.version)
    if why then
      return { applied = false, failureReason = why, failedChange = i - 1 }
    end
  end
  for _, change in ipairs(changes) do
    break_undo(change.buf)
    vim.lsp.util.apply_text_edits(change.edits, change.buf, 'utf-16')
    break_undo(change.buf)
    events.fire('McpDocumentChanged', { buf = change.buf })
  end
  return { applied = true }
end

return M

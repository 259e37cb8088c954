--- Shows code lenses, in each Neovim as it can. 0.12 keeps them up to date by itself.
local M = {}

local group = vim.api.nvim_create_augroup('mcp-editord-lenses', {})

--- Asks for the lenses of a buffer. vim.lsp.codelens.refresh would ask all clients.
---@param buf integer
---@param client vim.lsp.Client
local function refresh(buf, client)
  local params = { textDocument = vim.lsp.util.make_text_document_params(buf) }
  require('mcp-editord.daemon.lsp').request(client, 'textDocument/codeLens', params, vim.lsp.codelens.on_codelens, buf)
end

--- Called when a client is attached to a buffer.
---@param buf integer
---@param client vim.lsp.Client
function M.attached(buf, client)
  if not vim.tbl_get(client.server_capabilities, 'codeLensProvider') then
    return
  elseif vim.lsp.codelens.enable then
    return vim.lsp.codelens.enable(true, { bufnr = buf })
  end
  vim.api.nvim_clear_autocmds({ group = group, buffer = buf })
  vim.api.nvim_create_autocmd({ 'BufEnter', 'CursorHold', 'InsertLeave', 'TextChanged' }, {
    group = group,
    buffer = buf,
    callback = function()
      if client.is_stopped(client) then
        return true
      end
      refresh(buf, client)
    end,
  })
  refresh(buf, client)
end

--- Answers workspace/codeLens/refresh.
---@param client vim.lsp.Client
---@param bufs integer[]
function M.refresh(client, bufs)
  if vim.lsp.codelens.enable then
    vim.lsp.handlers['workspace/codeLens/refresh'](
      nil,
      nil,
      { client_id = client.id, method = 'workspace/codeLens/refresh' }
    )
    return
  end
  for _, buf in ipairs(bufs) do
    refresh(buf, client)
  end
end

return M

--- The LSP client of a connection. It is started without a buffer.
local M = {}

--- The version of the editor protocol that this plugin speaks. Additions to the protocol keep the number; a new number means
--- an incompatible protocol.
local protocol_version = 1

---@class mcp-editord.LspOptions
---@field root? string the workspace
---@field folders mcp-editord.Folder[]
---@field capabilities table
---@field handlers table<string, lsp.Handler> in place of vim.lsp's own
---@field command fun(command: lsp.Command, buf: integer) runs a command of a lens or an action
---@field requests table<string, mcp-editord.RequestHandler>
---@field notified fun(method: string, params: table): boolean whether a notification is taken
---@field left_out fun(what: string) something could not be delivered
---@field on_rpc fun(rpc: vim.lsp.rpc.PublicClient) the process runs
---@field on_init fun(client: vim.lsp.Client) the daemon has answered initialize
---@field on_exit fun(reason: string) it has ended, or was never there; reason may be empty

---@param config vim.lsp.ClientConfig
---@return integer? id
local function start_client(config)
  if vim.fn.has('nvim-0.11') == 0 then
    return vim.lsp.start_client(config) ---@diagnostic disable-line: deprecated
  end
  return vim.lsp.start(config, {
    attach = false,
    silent = true,
    reuse_client = function()
      return false
    end,
  })
end

--- Sends a request about a buffer, after what has changed in it. `handler` gets the error and the result, as vim.lsp's do.
---@param client vim.lsp.Client
---@param method string
---@param params table
---@param handler? lsp.Handler
---@param buf integer
---@return fun() cancel
function M.request(client, method, params, handler, buf)
  local old = vim.fn.has('nvim-0.11') == 0
  local ok, id
  if old then
    ok, id = client.request(method, params, handler, buf) ---@diagnostic disable-line
  else
    ok, id = client:request(method, params, handler, buf)
  end
  return function()
    if ok and old then
      client.cancel_request(id) ---@diagnostic disable-line
    elseif ok then
      client:cancel_request(id)
    end
  end
end

--- Starts `mcp-editord attach` with an LSP client on it. Returns an error if the program is missing; the callbacks in `opts`
--- tell everything that happens later.
---@param opts mcp-editord.LspOptions
---@return string? err
function M.start(opts)
  local config = require('mcp-editord.config').get()
  local cmd, err = require('mcp-editord.daemon.program').command('attach')
  if not cmd then
    return err
  end
  local refused ---@type string?
  local rpc ---@type vim.lsp.rpc.PublicClient
  local function connect(dispatchers)
    rpc = require('mcp-editord.daemon.rpc').start(cmd, dispatchers, {
      env = config.env,
      -- attach passes on its own directory and environment: servers without a folder run there, and ${env:…} reads it.
      cwd = opts.root and vim.fn.isdirectory(opts.root) == 1 and opts.root or nil,
      requests = opts.requests,
      notified = opts.notified,
      left_out = opts.left_out,
      on_exit = function(_, reason)
        opts.on_exit(refused or reason)
      end,
    })
    opts.on_rpc(rpc)
    local request = rpc.request
    -- vim.lsp throws when initialize is refused: it takes that for a bug in the server.
    return vim.tbl_extend('force', rpc, {
      request = function(method, params, done, over)
        return request(method, params, function(failure, result)
          if method == 'initialize' and failure then
            if vim.tbl_get(failure, 'data', 'kind') ~= 'gone' then
              refused = failure.message
            end
            rpc.terminate()
          else
            done(failure, result)
          end
        end, over)
      end,
    })
  end

  local ok, id = pcall(start_client, {
    name = 'mcp-editord',
    cmd = connect,
    root_dir = opts.root,
    workspace_folders = #opts.folders > 0 and opts.folders or nil,
    capabilities = opts.capabilities,
    init_options = {
      servers = next(config.servers) and config.servers or nil,
      autoStart = config.start_servers,
    },
    handlers = opts.handlers,
    -- Changes of documents are never on their way: an edit for an older text is refused when the daemon has the new one.
    flags = { debounce_text_changes = 0 },
    -- The daemon's own, so that errors are shown as the plugin shows them, and what runs can be cancelled. Tools and prompts
    -- stay with whoever calls exec_cmd for them, and gets the result.
    commands = setmetatable({}, {
      __index = function(_, name)
        if name:find('^mcp%.tool%.') or name:find('^mcp%.prompt%.') then
          return nil
        end
        return function(command, context)
          opts.command(command, context.bufnr)
        end
      end,
    }),
    on_init = function(client)
      local version = vim.tbl_get(client.server_capabilities, 'experimental', 'mcp', 'version')
      if version ~= protocol_version then
        refused = ('"%s" speaks version %s of the editor protocol, this plugin version %d; run `mcp-editord install neovim`'):format(
          config.command,
          tostring(version),
          protocol_version
        )
        rpc.terminate()
        return
      end
      opts.on_init(client)
    end,
  })
  if not ok or not id then
    opts.on_exit(ok and 'mcp-editord did not start; see :checkhealth mcp-editord' or tostring(id))
  end
end

return M

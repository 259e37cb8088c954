--- `:checkhealth mcp-editord`.
local M = {}

--- Runs a command and returns its standard output, nil when it fails.
---@param cmd string[]
---@return string?
local function output(cmd)
  local ok, out = pcall(function()
    return vim.system(cmd, { text = true, timeout = 5000 }):wait()
  end)
  return ok and out.code == 0 and vim.trim(out.stdout) or nil
end

function M.check()
  local health = vim.health
  local config = require('mcp-editord.config').get()

  health.start('mcp-editord: Neovim')
  if vim.fn.has('nvim-0.10') == 0 then
    health.error('Neovim is older than 0.10', 'install Neovim 0.10 or later')
  elseif not jit then
    health.error('Neovim was built without LuaJIT', 'install a build with LuaJIT')
  else
    health.ok('Neovim ' .. tostring(vim.version()))
  end
  local problems = require('mcp-editord.config').problems()
  for _, problem in ipairs(problems) do
    health.error('vim.g.mcp_editord: ' .. problem)
  end
  if #problems == 0 then
    health.ok('vim.g.mcp_editord is valid')
  end

  health.start('mcp-editord: the program')
  local path = vim.fn.exepath(config.command)
  if path == '' then
    health.error(
      ('"%s" cannot be run'):format(config.command),
      { 'install mcp-editord', 'or set vim.g.mcp_editord.command', 'or add its folder to the PATH of Neovim' }
    )
    return
  end
  local version = output({ path, 'version' })
  if version then
    health.ok(('%s, version %s'):format(path, version))
  else
    health.error(('`%s version` failed'):format(path), 'check that it is mcp-editord')
  end

  health.start('mcp-editord: the daemon')
  local connection = require('mcp-editord.daemon.connections').peek()
  if not connection or connection.state ~= 'ready' then
    health.info('this workspace is not attached; :Mcp status attaches it')
  else
    health.ok(connection.root and 'attached; the workspace is ' .. connection.root or 'attached, without a workspace')
    for name, server in vim.spairs(connection.servers) do
      local line = require('mcp-editord.daemon.servers').describe(server)
      if server.state == 'failed' then
        health.error(line, ':Mcp log ' .. name)
      elseif server.state == 'needsApproval' then
        health.warn(line)
      else
        health.ok(line)
      end
    end
  end

  health.start('mcp-editord: sampling')
  local handler = require('mcp-editord.questions.sampling').handler()
  if not handler then
    health.info('servers cannot ask your model: no handler is set; see :help mcp-editord-sampling')
    return
  end
  health.ok('requests are answered by ' .. (type(handler) == 'string' and handler or 'your function'))
  local options = config.sampling[handler]
  if options then
    if vim.fn.executable('curl') == 0 then
      health.error('"curl" is not in the PATH', 'install curl')
    end
    if options.api_key and not require('mcp-editord.questions.sampling.http').key(options.api_key) then
      health.error('no key is set', ('set the environment variable that sampling.%s.api_key names'):format(handler))
    end
    if not options.model then
      health.warn(('sampling.%s.model is not set'):format(handler))
    end
  end
end

return M

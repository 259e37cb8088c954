--- `:checkhealth mcp-editord`.
local M = {}

--- How long to wait for the daemon, for servers that are starting and for what sampling needs, in milliseconds.
local patience = 10000

--- Runs a command and returns its standard output, nil when it fails.
---@param cmd string[]
---@return string?
local function output(cmd)
  local ok, out = pcall(function()
    return vim.system(cmd, { text = true, timeout = 5000 }):wait()
  end)
  return ok and out.code == 0 and vim.trim(out.stdout) or nil
end

--- Runs an async function and waits for it.
---@param fn fun(): any
---@return boolean ok
---@return any result or why there is none
local function wait(fn)
  local over, ok, result
  require('mcp-editord.async').run(fn, function(...)
    over = true
    ok, result = ...
  end)
  vim.wait(patience, function()
    return over
  end, 20)
  if not over then
    return false, ('no answer within %d s'):format(patience / 1000)
  end
  return ok, not ok and type(result) == 'table' and result.message or result
end

--- Text of a server or of a file, for one line of the report.
---@param value any
---@return string
local function line(value)
  return require('mcp-editord.text').line(tostring(value), 1000)
end

local function check_neovim()
  vim.health.start('mcp-editord: Neovim')
  if vim.fn.has('nvim-0.10') == 0 then
    vim.health.error('Neovim is older than 0.10', 'install Neovim 0.10 or later')
  elseif not jit then
    vim.health.error('Neovim was built without LuaJIT', 'install a build with LuaJIT')
  else
    vim.health.ok('Neovim ' .. tostring(vim.version()))
  end
  local problems = require('mcp-editord.config').problems()
  for _, problem in ipairs(problems) do
    vim.health.error('vim.g.mcp_editord: ' .. problem)
  end
  if #problems == 0 then
    vim.health.ok('vim.g.mcp_editord is valid')
  end
end

--- Returns the version of the program, or false if it cannot be run.
---@return string|false
local function check_program()
  vim.health.start('mcp-editord: the program')
  local command = require('mcp-editord.config').get().command
  local path = vim.fn.exepath(command)
  if path == '' then
    vim.health.error(
      ('"%s" cannot be run'):format(command),
      { 'install mcp-editord', 'or set vim.g.mcp_editord.command', 'or add its folder to the PATH of Neovim' }
    )
    return false
  end
  local version = output({ path, 'version' })
  if version then
    vim.health.ok(('%s, version %s'):format(path, version))
  else
    vim.health.error(('`%s version` failed'):format(path), 'check that it is mcp-editord')
  end
  return version or false
end

--- Reports whether the daemon is attached to call documents.
---@param client vim.lsp.Client
local function check_documents(client)
  local filetype = vim.filetype.match({ filename = 'calls.mcp' })
  if filetype ~= 'mcp' then
    vim.health.warn(
      ('files *.mcp have the filetype "%s", and so are no call documents'):format(line(filetype or '')),
      'remove what sets it, or run `:set filetype=mcp` in them'
    )
  elseif not client.server_capabilities.completionProvider then
    vim.health.warn(
      'the daemon that runs knows no call documents',
      'run `mcp-editord stop`; the next use starts the daemon again'
    )
  else
    local count = vim.tbl_count(client.attached_buffers or {})
    vim.health.ok(('call documents and files of servers are attached; %d are open'):format(count))
  end
end

--- Reports what the daemon says of the configuration files: it publishes that as diagnostics.
---@param client vim.lsp.Client
local function check_files(client)
  local namespace = vim.lsp.diagnostic.get_namespace(client.id)
  for _, problem in ipairs(vim.diagnostic.get(nil, { namespace = namespace })) do
    local file = vim.api.nvim_buf_get_name(problem.bufnr)
    local told = ('%s:%d: %s'):format(file, problem.lnum + 1, line(problem.message))
    if problem.severity == vim.diagnostic.severity.ERROR then
      vim.health.error(told)
    else
      vim.health.warn(told)
    end
  end
end

---@param name string of the server
---@param signed_in mcp-editord.SignedIn
local function check_sign_in(name, signed_in)
  local where = require('mcp-editord.questions.browser').host(signed_in.issuer) or signed_in.issuer
  local kept = require('mcp-editord.daemon.servers').kept(signed_in)
  local told = line(('"%s": you are signed in at %s; that is kept %s'):format(name, where, kept))
  if signed_in.kept == 'memory' then
    vim.health.warn(
      told,
      'where there is no keyring, `"credentials": "file"` in your mcp.json keeps it in a file that only you can read'
    )
  else
    vim.health.ok(told)
  end
end

---@param connection mcp-editord.Connection
local function check_servers(connection)
  local describe = require('mcp-editord.daemon.servers').describe
  wait(function()
    require('mcp-editord.daemon.servers').list(connection)
  end)
  vim.wait(patience, function()
    return not vim.iter(pairs(connection.servers)):any(function(_, server)
      return server.state == 'starting'
    end)
  end, 20)
  for name, server in vim.spairs(connection.servers) do
    local told = line(describe(server))
    if server.state == 'failed' or server.state == 'restarting' and server.error then
      vim.health.error(told, ':Mcp log ' .. name)
    elseif vim.list_contains({ 'needsApproval', 'needsSignIn', 'starting' }, server.state) then
      vim.health.warn(told)
    else
      vim.health.ok(told)
    end
    if server.signedIn then
      check_sign_in(name, server.signedIn)
    end
    local held = require('mcp-editord.daemon.servers').held(server)
    if held then
      vim.health.warn(('agents and "%s": %s'):format(name, held))
    end
    for _, problem in ipairs(server.problems or {}) do
      vim.health.warn(('"%s": %s'):format(name, line(problem)))
    end
  end
end

---@param program string the version of the program
local function check_daemon(program)
  vim.health.start('mcp-editord: the daemon')
  local attached, connection = wait(function()
    return require('mcp-editord.attach').get()
  end)
  if not attached then
    vim.health.error('cannot attach: ' .. line(connection), ':Mcp messages')
    return
  end
  vim.health.ok(connection.root and 'attached; the workspace is ' .. connection.root or 'attached, without a workspace')
  local ok, status = wait(function()
    return (connection:request('editord/status', vim.empty_dict()))
  end)
  if not ok then
    vim.health.error('the daemon does not answer: ' .. line(status))
    return
  end
  if program:find(status.version, 1, true) then
    vim.health.ok('version ' .. line(status.version))
  else
    vim.health.warn(
      ('the daemon that runs is version %s, the program %s'):format(line(status.version), program),
      'run `mcp-editord stop`; the next use starts the daemon again'
    )
  end
  for _, pair in ipairs({ { 'socket', status.socket }, { 'log', status.logFile }, { 'your servers', status.config } }) do
    vim.health.info(('%s: %s'):format(pair[1], line(pair[2])))
  end
  for _, name in ipairs({ '.mcp.json', '.vscode/mcp.json', '.cursor/mcp.json' }) do
    local file = connection.root and vim.fs.joinpath(connection.root, name)
    if file and vim.uv.fs_stat(file) then
      vim.health.info("the project's servers: " .. file)
    end
  end
  check_documents(connection.client)
  check_files(connection.client)
  check_servers(connection)
end

--- A request that is never sent.
local sample =
  { server = '', maxTokens = 1, messages = { { role = 'user', content = { type = 'text', text = 'Hello' } } } }

local function check_sampling()
  vim.health.start('mcp-editord: sampling')
  local sampling = require('mcp-editord.questions.sampling')
  if #sampling.handlers() == 0 then
    vim.health.info('servers cannot ask your model: no handler is set; see :help mcp-editord-sampling')
    return
  end
  local ok, plan = wait(function()
    return (sampling.prepare(sample))
  end)
  if not ok then
    vim.health.error(line(plan), 'see :help mcp-editord-sampling')
  elseif type(plan) == 'function' then
    vim.health.ok('requests go to your function')
  else
    vim.health.ok(('requests go to %s, at %s'):format(line(plan.who), line(plan.url)))
    if not plan.model then
      vim.health.warn('sampling.openai.model is not set; most endpoints require it')
    end
    if vim.fn.executable('curl') == 0 then
      vim.health.error('"curl" is not in the PATH', 'install curl')
    end
  end
end

--- What the chats that have been loaded get of the servers.
local function check_chats()
  vim.health.start('mcp-editord: chats')
  local advice = '; see :help mcp-editord-chats'
  local companion, avante = package.loaded['codecompanion'] ~= nil, package.loaded['avante'] ~= nil
  if not companion and not avante then
    vim.health.info('neither CodeCompanion nor avante is loaded')
  end
  if companion then
    local names = require('mcp-editord.codecompanion').servers()
    if not names then
      vim.health.info('CodeCompanion does not get the servers' .. advice)
    elseif #names == 0 then
      vim.health.ok('CodeCompanion gets the servers when a chat opens')
    else
      vim.health.ok('CodeCompanion gets ' .. line(table.concat(names, ', ')))
    end
  end
  if avante then
    local count = require('mcp-editord.avante').count()
    if not count then
      vim.health.info('avante does not get the servers' .. advice)
    elseif count == 0 then
      vim.health.ok('avante gets the tools with its first request')
    else
      vim.health.ok(('avante gets %d tools'):format(count))
    end
  end
end

function M.check()
  check_neovim()
  local program = check_program()
  if program then
    check_daemon(program)
  end
  check_sampling()
  check_chats()
end

return M

--- A second Neovim with a home of its own: configuration, daemon, project, and a screen to look at.
local Rpc = require('support.rpc')
local Screen = require('support.screen')
local json = require('mcp-editord.json')

local Editor = {}
Editor.__index = Editor

local homes, editors = {}, {} -- of the test that runs

local plugin = vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p:h:h:h')

---@param path string
---@param content string|table
local function write(path, content)
  vim.fn.mkdir(vim.fs.dirname(path), 'p')
  local file = assert(io.open(path, 'w'))
  file:write(type(content) == 'table' and json.encode(content) or content)
  file:close()
end

--- A machine's user: what several editors share.
---@param opts? {config?: table, files?: table<string, string|table>}
function Editor.home(opts)
  opts = opts or {}
  local dir = assert(vim.uv.fs_mkdtemp('/tmp/mcpnv-XXXXXX'))
  local home = { dir = dir, project = dir .. '/project', socket = dir .. '/run/s' }
  -- Two Neovims that start together quarrel about who makes these.
  for _, name in ipairs({ 'home', 'config/nvim', 'state/nvim', 'data/nvim', 'cache/nvim', 'project/.git' }) do
    vim.fn.mkdir(('%s/%s'):format(dir, name), 'p')
  end
  vim.fn.mkdir(dir .. '/run', 'p', tonumber('700', 8))
  home.env = {
    PATH = vim.env.PATH,
    HOME = dir .. '/home',
    XDG_CONFIG_HOME = dir .. '/config',
    XDG_STATE_HOME = dir .. '/state',
    XDG_DATA_HOME = dir .. '/data',
    XDG_CACHE_HOME = dir .. '/cache',
    XDG_RUNTIME_DIR = dir .. '/run', -- of Neovim itself
    DBUS_SESSION_BUS_ADDRESS = 'unix:path=' .. dir .. '/run/bus', -- nobody's keyring
    MCP_EDITORD_SOCKET = home.socket,
    GORACE = 'atexit_sleep_ms=10 log_path=' .. dir .. '/race',
    LANG = 'C.UTF-8',
    TERM = 'xterm-256color',
  }
  write(dir .. '/config/mcp-editord/mcp.json', opts.config or { servers = { workspace = vim.empty_dict() } })
  for name, content in pairs(opts.files or {}) do
    write(home.project .. '/' .. name, content)
  end
  homes[#homes + 1] = home
  return home
end

--- Runs mcp-editord as this user.
---@param home table
---@param ... string
function Editor.cli(home, ...)
  return vim
    .system({ vim.env.MCP_EDITORD, ... }, { env = home.env, cwd = home.project, text = true })
    :wait(Rpc.patience)
end

---@class EditorOptions
---@field home? table
---@field config? table of mcp.json, for a home of its own
---@field files? table<string, string|table> in the project
---@field options? string Lua: the value of vim.g.mcp_editord, a table without `command`
---@field lua? string run at start
---@field env? table<string, string>
---@field width? integer
---@field height? integer
---@field terminal? boolean the screen says that it is one
---@field cwd? string

--- Starts a Neovim in the project.
---@param opts? EditorOptions
function Editor.start(opts)
  opts = opts or {}
  local home = opts.home or Editor.home(opts)
  local self = setmetatable({ home = home, log = {} }, Editor)
  self.screen = Screen.new(opts.width or 100, opts.height or 30)
  local init = vim.fn.tempname() .. '.lua'
  write(
    init,
    ([[
    vim.opt.runtimepath:prepend(%q)
    vim.opt.shortmess:append('I')
    vim.opt.swapfile = false
    vim.g.mcp_editord = vim.tbl_extend('keep', %s, { command = %q })
    -- Messages are kept for the test, and shown.
    Said = {}
    local notify = vim.notify
    vim.notify = function(message, level, ...)
      table.insert(Said, message)
      notify(message, level, ...)
    end
    %s
  ]]):format(plugin, opts.options or '{}', vim.env.MCP_EDITORD, opts.lua or '')
  )
  local env = {}
  for name, value in pairs(vim.tbl_extend('force', home.env, opts.env or {})) do
    env[#env + 1] = name .. '=' .. value
  end
  self.rpc = Rpc.start(vim.v.progpath, {
    args = { '--embed', '-u', init, '-i', 'NONE', '-n' },
    env = env,
    cwd = opts.cwd or home.project,
    on_notification = function(method, args)
      if method == 'redraw' then
        self.screen:redraw(args)
      end
    end,
  })
  local ui = { ext_linegrid = true, rgb = true, stdout_tty = opts.terminal or false }
  self.rpc:request('nvim_ui_attach', self.screen.width, self.screen.height, ui)
  editors[#editors + 1] = self
  return self
end

--- Waits until `holds` returns something, and returns that.
---@param what string
---@param holds fun(): any
function Editor:await(what, holds)
  local value
  local deadline = vim.uv.hrtime() + Rpc.patience * 1e6
  -- Not one long wait: `holds` waits too, and waits within a wait do not end in time.
  repeat
    value = holds()
    if not value then
      vim.wait(20)
    end
  until value or self.rpc.code or vim.uv.hrtime() > deadline
  if not value then
    error(('still not so: %s'):format(what), 3)
  end
  return value
end

--- Waits until the screen shows all of the texts, and returns it.
---@param ... string
---@return string
function Editor:see(...)
  local texts = { ... }
  local shown
  self:await(('on the screen: %s'):format(table.concat(texts, ' | ')), function()
    shown = self.screen:text()
    for _, text in ipairs(texts) do
      if not shown:find(text, 1, true) then
        return false
      end
    end
    return true
  end)
  return shown
end

--- Waits until the screen does not show the text.
---@param text string
function Editor:gone(text)
  self:await(('no longer on the screen: %s'):format(text), function()
    return not self.screen:text():find(text, 1, true)
  end)
end

--- Types.
---@param keys string in the notation of Neovim
function Editor:keys(keys)
  self.rpc:request('nvim_input', keys)
end

--- Types a command line and Enter.
---@param line string
function Editor:command(line)
  self:keys(':' .. line:gsub('<', '<lt>') .. '<CR>')
end

--- Types the number of an item of the built-in picker.
---@param item string
function Editor:pick(item)
  local shown = self:see(': ' .. item)
  self:keys(shown:match('(%d+): ' .. vim.pesc(item)) .. '<CR>')
end

--- Waits until the badge says that something waits, and takes it up.
---@param ... string texts that are on the screen then
---@return string screen
function Editor:take_up(...)
  self:await('the badge', function()
    local shown = self.screen:text()
    return shown:find('%? [^\n]* :Mcp answer') and not shown:find('Type number', 1, true)
  end)
  self:command('Mcp answer')
  return self:see(...)
end

--- Waits until these are what a command line is completed with. Completion leaves out what does not come in time.
---@param line string
---@param want string[]
function Editor:completes(line, want)
  self:await(('"%s" is completed with %s'):format(line, vim.inspect(want)), function()
    return vim.deep_equal(self:lua("return vim.fn.getcompletion(..., 'cmdline')", line), want)
  end)
end

--- Holds back the answers to a method of the daemon. `Release()` there gives the last one.
---@param method string
function Editor:hold(method)
  self:lua(
    [[
      local method = ...
      local connection = require('mcp-editord.daemon.connections').peek()
      local send = connection.send
      connection.send = function(self, sent, params, callback, as_text)
        if sent ~= method then
          return send(self, sent, params, callback, as_text)
        end
        return send(self, sent, params, function(...)
          local answer = { n = select('#', ...), ... }
          Release = function()
            callback(unpack(answer, 1, answer.n))
          end
        end, as_text)
      end
    ]],
    method
  )
end

--- Runs Lua there and returns what it returns.
---@param code string
---@param ... any
function Editor:lua(code, ...)
  return self.rpc:request('nvim_exec_lua', code, { ... })
end

--- Waits until Lua there returns something true, and returns that.
---@param code string
---@param ... any
function Editor:await_lua(code, ...)
  local args = { ... }
  return self:await(code, function()
    local value = self:lua(code, unpack(args))
    return value ~= vim.NIL and value
  end)
end

--- Waits for a message that has the text.
---@param text string
function Editor:said(text)
  return self:await('a message with ' .. text, function()
    for _, message in ipairs(self:lua("return require('mcp-editord.ui.messages').list()")) do
      if message:find(text, 1, true) then
        return message
      end
    end
  end)
end

--- Runs an async function of the plugin and returns its result or raises its error.
---@param code string the body of the function
---@param ... any
function Editor:async(code, ...)
  self:lua(
    ([[
    local args = { ... }
    Async = {}
    require('mcp-editord.async').run(function()
      return (function(...) %s end)(unpack(args))
    end, function(ok, result)
      Async = { over = true, ok = ok, result = ok and result or type(result) == 'table' and result.message or result }
    end)
  ]]):format(code),
    ...
  )
  local answer = self:await_lua('return Async.over and Async')
  if not answer.ok then
    error(answer.result, 0)
  end
  return answer.result
end

--- The lines of the current buffer.
---@return string
function Editor:buffer()
  return table.concat(self.rpc:request('nvim_buf_get_lines', 0, 0, -1, false), '\n')
end

local leaving = {} ---@type {home: table, process: vim.SystemObj}[] daemons that are told to end

--- Ends the editors of a test, and tells its daemons to end. Returns what there is to know about a failure.
---@param failed boolean
---@return string
function Editor.finish(failed)
  local out = {}
  local function add(title, text)
    if failed and text and text ~= '' then
      out[#out + 1] = ('--- %s\n%s'):format(title, text)
    end
  end
  for i, editor in ipairs(editors) do
    add('screen ' .. i, editor.screen:text())
    add('standard error ' .. i, editor.rpc.errors)
    editor.rpc:close()
  end
  for _, home in ipairs(homes) do
    for _, agent in ipairs(home.agents or {}) do
      agent:close() -- it would attach to a new daemon
    end
    local log = home.dir .. '/state/mcp-editord/daemon.log'
    add('daemon', vim.uv.fs_stat(log) and table.concat(vim.fn.readfile(log, '', -15), '\n'))
    leaving[#leaving + 1] =
      { home = home, process = vim.system({ vim.env.MCP_EDITORD, 'stop' }, { env = home.env, text = true }) }
  end
  homes, editors = {}, {}
  return table.concat(out, '\n')
end

--- Waits for the ends of all daemons. Returns what went wrong with them.
---@return string[]
function Editor.leave()
  local out = {}
  for _, left in ipairs(leaving) do
    local stopped = left.process:wait(Rpc.patience)
    if stopped.code ~= 0 then
      out[#out + 1] = 'mcp-editord stop: ' .. stopped.stderr
    end
    local status = Editor.cli(left.home, 'status')
    if status.code ~= 3 then -- a test that ended while its editor was attaching
      out[#out + 1] = 'a daemon is left behind: ' .. status.stdout .. status.stderr
      Editor.cli(left.home, 'stop')
    end
    for _, path in ipairs(vim.fn.glob(left.home.dir .. '/race.*', true, true)) do
      out[#out + 1] = table.concat(vim.fn.readfile(path), '\n')
    end
    vim.fn.delete(left.home.dir, 'rf')
  end
  leaving = {}
  return out
end

return Editor

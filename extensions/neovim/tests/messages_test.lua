local Editor = require('support.editor')
local check = require('support.check')
local fit = require('mcp-editord.ui.fit')
local servers = require('support.servers')

--- Starts an editor with a server that is ready.
local function start(opts)
  local config = { servers = { fake = servers.fake() } }
  local e = Editor.start(vim.tbl_extend('force', { config = config, width = 80, height = 24 }, opts or {}))
  e:async("require('mcp-editord').start('fake')")
  e:lua([[
    function Log(server, level, first, last)
      for i = first, last or first do
        require('mcp-editord.host').notified(
          require('mcp-editord.daemon.connections').peek(),
          'mcp/notifications/message',
          { server = server, params = { level = level, data = 'boom ' .. i } }
        )
      end
    end
  ]])
  return e
end

---@return string[] what was shown
local function said(e)
  return e:lua('return Said')
end

local function await_said(e, count)
  return e:await_lua(('return #Said >= %d and Said'):format(count))
end

return {
  {
    'a text fits into the room: paths are cut first, then the end',
    function()
      for _, case in ipairs({
        { { 'short' }, 5, 'short' },
        { { 'no "/opt/a/b/prog" there' }, 23, 'no "/opt/a/b/prog" there', 24 },
        { { 'no "/opt/a/b/prog" there' }, 23, 'no "…/b/prog" there' },
        { { 'no "/opt/a b/c/prog" there' }, 20, 'no "…/c/prog" there' },
        { { 'no /opt/a/b/prog: not there' }, 21, 'no …/prog: not there' },
        { { 'no ~/a/b/prog, C:\\a\\b\\x' }, 20, 'no …/b/prog, …/b/x' },
        { { 'in file:///opt/a/b/mcp.json: bad' }, 24, 'in …/b/mcp.json: bad' },
        { { 'see https://host/a/b/c' }, 20, 'see https://host/a/…' },
        { { 'a / b // c /d' }, 20, 'a / b // c /d' },
        { { 'in /opt/a/b/prog:12:3: bad' }, 18, 'in …/prog:12:3: b…' },
        { { 'the long one', 'short one', 'no' }, 9, 'short one' },
        { { 'the long one', 'short one' }, 4, 'sho…' },
        { { '四角文字' }, 6, '四角…' },
        { { 'x' }, 0, '' },
      }) do
        local room = case[4] or case[2]
        local got = fit.fit(case[1], room)
        check.equal(got, case[3], case[1][1])
        assert(fit.width(got) <= room)
      end
    end,
  },
  {
    'promise 10: of a flood of log messages one is shown, and then how many they are',
    function()
      local e = start()
      e:lua([[
        Log('fake', 'error', 1, 5000)
        Log('other', 'warning', 1, 3)
        Log('other', 'error', 4)
        Log('quiet', 'info', 1, 10)
      ]])
      e:await_lua("return vim.iter(Said):any(function(line) return line:find('other: 3 more') end)")
      check.equal(said(e), {
        'MCP: fake: boom 1',
        'MCP: other: boom 1',
        'MCP: fake: 4999 more errors; :Mcp log fake',
        'MCP: other: 3 more messages; :Mcp log other',
      })
      check.equal(e:lua("return require('mcp-editord.ui.messages').list()"), {
        'fake: boom 1',
        'other: boom 1',
        'fake: 4999 more errors; :Mcp log fake',
        'other: 3 more messages; :Mcp log other',
      })
      check.lacks(e.screen:text(), 'Press ENTER')
    end,
  },
  {
    'a log message that comes alone after another is shown as it is',
    function()
      local e = start()
      e:lua("Log('fake', 'warning', 1, 2)")
      check.equal(await_said(e, 2), { 'MCP: fake: boom 1', 'MCP: fake: boom 2' })
    end,
  },
  {
    'of a flood of other messages the last is shown, and the others are counted',
    function()
      local e = start()
      e:lua([[
        for i = 1, 5000 do
          require('mcp-editord.host').left_out('boom ' .. i)
        end
      ]])
      check.equal(
        await_said(e, 2),
        { 'MCP: left out boom 1', 'MCP: left out boom 5000  (and 4998 more; see :Mcp messages)' }
      )
      check.equal(#e:lua("return require('mcp-editord.ui.messages').list()"), 200)
    end,
  },
  {
    'messages wait for what the person types, and ask for no key',
    function()
      for _, size in ipairs({ { 80, 24 }, { 40, 10 } }) do
        local e = start({ width = size[1], height = size[2] })
        e:lua('local defer = vim.defer_fn; vim.defer_fn = function(fn, ms) return defer(fn, math.ceil(ms / 20)) end')
        local shown = 0
        --- Messages come while the editor is so; they are shown after `leave`.
        local function wait_during(what, leave, mode)
          e:await_lua(('return vim.api.nvim_get_mode().mode == %q'):format(mode))
          local before = #said(e)
          shown = shown + 1
          e:lua(([[Log('server%d', 'warning', 1, 3)]]):format(shown))
          e:lua('Ticks = 0; vim.defer_fn(function() Ticks = 1 end, 300)') -- longer than it waits to look again
          e:await_lua('return Ticks == 1')
          check.equal(#said(e), before, what)
          local screen = e.screen:text()
          check.lacks(screen, 'MCP:', what)
          e:keys(leave)
          local all = await_said(e, before + 1)
          check.contains(all[before + 1], ('server%d: 3 new'):format(shown), what)
          check.lacks(e.screen:text(), 'Press ENTER', what)
          e:command('echo')
        end
        e:keys(':half')
        wait_during('command line', '<Esc>', 'c')
        e:keys('i')
        wait_during('Insert mode', '<Esc>', 'i')
        e:keys('v')
        wait_during('Visual mode', '<Esc>', 'v')
        e:keys('d')
        wait_during('after an operator', '<Esc>', 'no')
        e:keys(':half')
        e:await_lua("return vim.fn.mode() == 'c'")
        e:lua([[
          require('mcp-editord.ui.messages').notify('one')
          require('mcp-editord.ui.messages').notify('two')
        ]])
        check.equal(e:lua('return vim.fn.getcmdline()'), 'half')
        e:keys('<Esc>')
        check.equal({ unpack(await_said(e, 6), 5) }, { 'MCP: one', 'MCP: two' })
      end
    end,
  },
  {
    'of many messages that wait five are shown, and the others are counted',
    function()
      local e = start()
      e:lua('local defer = vim.defer_fn; vim.defer_fn = function(fn, ms) return defer(fn, math.ceil(ms / 20)) end')
      e:keys('i')
      e:await_lua("return vim.api.nvim_get_mode().mode == 'i'")
      e:lua([[
        for i = 1, 50 do
          require('mcp-editord.ui.messages').notify('message ' .. i)
        end
      ]])
      e:keys('<Esc>')
      local all = await_said(e, 5)
      check.equal({ all[1], all[5] }, { 'MCP: message 1', 'MCP: message 5  (and 45 more; see :Mcp messages)' })
      check.equal(#e:lua("return require('mcp-editord.ui.messages').list()"), 50)
    end,
  },
  {
    'many messages of a moment ask for no key',
    function()
      for _, width in ipairs({ 80, 40 }) do
        local e = start({ width = width, height = 10 })
        e:lua([[
          for i = 1, 5 do
            require('mcp-editord.ui.messages').notify(('四角 message %d '):format(i):rep(20), vim.log.levels.ERROR)
          end
        ]])
        e:see('message 5')
        check.lacks(e.screen:text(), 'Press ENTER')
        check.equal(e:lua('return vim.api.nvim_get_mode()'), { mode = 'n', blocking = false })
      end
    end,
  },
  {
    'servers that fail at the start are told of once',
    function()
      local config = {
        servers = {
          broken = { command = '/opt/some/very/long/path/to/a/missing/program' },
          fine = servers.fake(),
          worse = servers.fake({ steps = { start = { { ['do'] = 'exit', code = 3 } } } }),
        },
      }
      local e = Editor.start({ config = config, width = 160, height = 24 })
      e:async("require('mcp-editord').start('fine')")
      local line = await_said(e, 1)[1]
      check.contains(line, 'MCP: 2 servers failed: broken (')
      check.contains(line, '), worse (')
      check.contains(line, '; :Mcp servers')
      check.contains(e:said('2 servers failed'), '/opt/some/very/long/path/to/a/missing/program')
      check.lacks(e.screen:text(), 'Press ENTER')
      -- A retry is no new start.
      e:lua([[
        local host, connection = require('mcp-editord.host'), require('mcp-editord.daemon.connections').peek()
        local server = vim.deepcopy(connection.servers.worse)
        for _, state in ipairs({ 'restarting', 'starting', 'failed' }) do
          host.notified(connection, 'editord/serverChanged', vim.tbl_extend('force', server, { state = state }))
        end
        Ticks = 0; vim.defer_fn(function() Ticks = 1 end, 600)
      ]])
      e:await_lua('return Ticks == 1')
      check.equal(#said(e), 1)
    end,
  },
  {
    'a server that fails is told of once, however often Neovim starts',
    function()
      local home = Editor.home({ config = { servers = { broken = { command = '/no/such/program' } } } })
      local e = Editor.start({ home = home, width = 160, options = '{ autostart = true }' })
      check.contains(await_said(e, 1)[1], 'server "broken" failed')
      e:await('it counts as told', function()
        return vim.uv.fs_stat(home.dir .. '/state/mcp-editord/told.json')
      end)
      local later = Editor.start({ home = home, width = 160, options = '{ autostart = true }' })
      later:await_lua([[
        local connection = require('mcp-editord.daemon.connections').peek()
        local broken = connection and connection.servers.broken
        if broken and broken.error and broken.error.told then
          vim.defer_fn(function() Ticks = 1 end, 600) -- it has looked by then
          return true
        end
      ]])
      later:await_lua('return Ticks == 1')
      check.equal(#said(later), 0)
      later:command('Mcp servers')
      later:see('broken', '/no/such/program')
    end,
  },
  {
    'a server that fails at the start says why, also on a small screen',
    function()
      for _, case in ipairs({
        { 100, 'MCP: server "broken" failed: the command "…/missing/program" is not there; :Mcp servers' },
        { 80, 'MCP: broken: "…/missing/program" is not there; :Mcp servers' },
        { 40, 'MCP: broken: "…/program" is…' },
      }) do
        local config = { servers = { broken = { command = '/opt/some/very/long/path/to/a/missing/program' } } }
        local e = Editor.start({ config = config, width = case[1], height = 10, options = '{ autostart = true }' })
        check.contains(await_said(e, 1)[1], case[2])
        check.lacks(e.screen:text(), 'Press ENTER')
      end
    end,
  },
}

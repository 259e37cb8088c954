local Editor = require('support.editor')
local check = require('support.check')
local servers = require('support.servers')

--- Starts an editor in which the test answers editord/serverLog, in the order of `answers`.
local function start(answers, env)
  local e = Editor.start({ config = { servers = { fake = servers.fake() } }, height = 24, env = env })
  e:async("require('mcp-editord').start('fake')")
  e:lua(
    [[
    local connection = require('mcp-editord.daemon.connections').peek()
    local send, answers = connection.send, ...
    Asked = {}
    connection.send = function(self, method, params, callback)
      if method ~= 'editord/serverLog' then
        return send(self, method, params, callback)
      end
      table.insert(Asked, params)
      callback(nil, table.remove(answers, 1) or { lines = {}, cursor = 'end' })
      return function() end
    end
    function Tell(lines, cursor, missed)
      require('mcp-editord.host').notified(connection, 'editord/serverLogged', {
        server = 'fake', lines = lines, cursor = cursor, missed = missed,
      })
    end
    function TellEntries(entries, cursor)
      require('mcp-editord.host').notified(connection, 'editord/serverLogged', {
        server = 'fake', lines = {}, entries = entries, cursor = cursor,
      })
    end
  ]],
    answers
  )
  return e
end

--- The daemon is another one, which has the same connection.
local function reattach(e)
  e:lua("require('mcp-editord.host').attached(require('mcp-editord.daemon.connections').peek(), true)")
end

local wanted = { server = 'fake', lines = 2000, follow = true, entries = true }

return {
  {
    'a log is followed, also on the next daemon',
    function()
      local e = Editor.start({ config = { servers = { fake = servers.fake() } }, height = 24 })
      local function write(text)
        e:async("return require('mcp-editord').call('fake', 'stderr', { text = ... })", text .. '\n')
      end
      write('one')
      e:command('Mcp log fake')
      e:see('one')
      write('two')
      e:see('two')
      local daemon =
        e:async("return require('mcp-editord.attach').get():request('editord/status', vim.empty_dict()).pid")
      vim.uv.kill(daemon, 'sigkill')
      e:await_lua("return require('mcp-editord.daemon.connections').peek().state ~= 'ready'")
      write('three')
      e:see('three')
      for _, line in ipairs({ 'one', 'two', 'three' }) do
        local _, count = ('\n' .. e:buffer()):gsub('\n[^\n]*' .. line, '')
        check.equal(count, 1, line)
      end
      e:keys('q')
      write('four')
      e:command('Mcp log fake')
      e:see('four')
    end,
  },
  {
    'new lines of a log come below, and nothing is read again',
    function()
      local e = start({ { lines = { 'one', 'two' }, cursor = 'c1' } })
      e:command('Mcp log fake')
      e:see('log of fake', 'one', 'two')
      e:lua("Tell({ 'three \27[31m', 'four' }, 'c2')")
      e:see('four')
      check.equal(e:buffer(), 'one\ntwo\nthree \\u{1b}[31m\nfour')
      check.equal(e:lua("return vim.fn.line('.')"), 4)
      e:keys('gg') -- who reads stays there
      e:lua("Tell({ 'five' }, 'c3', 7)")
      e:see('[7 lines are missing here]', 'five')
      check.equal(e:lua("return vim.fn.line('.')"), 1)
      e:command('Mcp log fake')
      e:await_lua("return vim.fn.line('.') == 6")
      check.equal(e:lua('return Asked'), { wanted })
      check.equal(e:lua('return vim.bo.modifiable'), false)
    end,
  },
  {
    'a log that is empty at first has the lines that come',
    function()
      local e = start({ { lines = {}, cursor = 'c0' } })
      e:command('Mcp log fake')
      e:see('"fake" has not written anything.')
      e:lua("Tell({ 'one' }, 'c1')")
      e:see('one')
      check.equal(e:buffer(), 'one')
    end,
  },
  {
    'a log goes on after the daemon was another one, where it was',
    function()
      local e = start({ { lines = { 'one' }, cursor = 'c1' }, { lines = { 'four' }, cursor = 'c4', missed = 2 } })
      e:command('Mcp log fake')
      e:see('one')
      e:lua("Tell({ 'two' }, 'c2')")
      reattach(e)
      e:see('[2 lines are missing here]', 'four')
      check.equal(
        e:lua('return Asked[2]'),
        { server = 'fake', lines = 10000, after = 'c2', follow = true, entries = true }
      )
      e:lua("Tell({ 'five' }, 'c5')")
      e:see('five')
    end,
  },
  {
    'a log is followed no more when its buffer is gone',
    function()
      local e = start({ { lines = { 'one' }, cursor = 'c1' } })
      e:command('Mcp log fake')
      e:see('one')
      e:keys('q')
      e:await_lua('return #Asked == 2')
      check.equal(e:lua('return Asked[2]'), { server = 'fake', lines = 1, follow = false })
      e:lua("Tell({ 'two' }, 'c2')")
      reattach(e)
      check.equal(e:lua('return #Asked'), 2)
      check.equal(e:lua('return Said'), {})
    end,
  },
  {
    'a server that is defined again has its log followed again',
    function()
      local e = start({ { lines = { 'one' }, cursor = 'c1' }, { lines = { 'other' }, cursor = 'd1' } })
      e:command('Mcp log fake')
      e:see('one')
      e:lua([[
        local connection = require('mcp-editord.daemon.connections').peek()
        require('mcp-editord.host').notified(connection, 'editord/serverRemoved', { server = 'fake' })
      ]])
      check.equal(e:buffer(), 'one')
      e:command('Mcp log fake')
      e:see('other')
      check.equal(e:lua('return Asked'), { wanted, wanted })
      e:lua("Tell({ 'more' }, 'd2')")
      e:see('more')
    end,
  },
  {
    'a log that is followed for long keeps its last lines',
    function()
      local e = start({ { lines = { 'one' }, cursor = 'c1' } })
      e:command('Mcp log fake')
      e:see('one')
      e:lua([[
        local lines = {}
        for i = 1, 9999 do
          lines[i] = 'line ' .. i
        end
        Tell(lines, 'c2')
        Tell({ 'last' }, 'c3')
      ]])
      e:see('last')
      check.equal(e:lua("return { vim.fn.line('$'), vim.fn.getline(1), vim.fn.line('.') }"), { 10000, 'line 1', 10000 })
    end,
  },
  {
    'lines have their own time and level, and look like it',
    function()
      local function entry(more)
        return vim.tbl_extend('keep', more, { time = '2026-01-31T23:00:05.007Z', source = 'mcp' })
      end
      local e = start({
        {
          lines = {},
          cursor = 'c1',
          missed = 2,
          entries = {
            entry({ source = 'daemon', text = 'starting' }),
            entry({ source = 'stderr', text = 'hello' }),
            entry({ level = 'error', logger = 'db\n', text = 'failed\27[31m' }),
            entry({ level = 'error', logger = 'db\n', more = true, text = '\tat one\nat two' }),
          },
        },
      }, { TZ = 'CET-1CEST,M3.5.0,M10.5.0/3' })
      e:command('Mcp log fake')
      e:see('[error] db')
      e:lua('TellEntries(...)', {
        entry({ level = 'warning', text = 'slow', time = '2026-07-01T23:30:00.000Z' }),
        entry({ level = 'debug', text = 'x' }),
        entry({ level = 'notice', text = 'y' }),
      }, 'c2')
      e:see('slow')
      check.equal(
        e:buffer(),
        table.concat({
          '[2 lines are missing here]',
          '2026-02-01 00:00:05.007 [daemon] starting',
          '2026-02-01 00:00:05.007 [stderr] hello',
          '2026-02-01 00:00:05.007 [error] db\\n: failed\\u{1b}[31m',
          '    \tat one\\nat two',
          '2026-07-02 01:30:00.000 [warning] slow',
          '2026-02-01 00:00:05.007 [debug] x',
          '2026-02-01 00:00:05.007 [notice] y',
        }, '\n')
      )
      local groups = e:lua([[
        local out = {}
        local space = vim.api.nvim_get_namespaces()['mcp-editord']
        for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, space, 0, -1, { details = true })) do
          out[#out + 1] = mark[2] .. ' ' .. mark[4].line_hl_group
        end
        return out
      ]])
      check.equal(groups, { '0 McpMuted', '1 McpMuted', '3 McpError', '4 McpError', '5 McpWarning', '6 McpMuted' })
    end,
  },
  {
    'the lines that a long log forgets leave no colour behind',
    function()
      local e = start({ { lines = { 'one' }, cursor = 'c1' } })
      e:command('Mcp log fake')
      e:see('one')
      e:lua([[
        local entries = {}
        for i = 1, 10050 do
          entries[i] = { time = '2026-01-31T23:00:05.007Z', source = 'mcp', level = i < 10 and 'error' or 'info', text = tostring(i) }
        end
        TellEntries(entries, 'c2')
      ]])
      e:see('10050')
      local space = "vim.api.nvim_get_namespaces()['mcp-editord']"
      check.equal(e:lua(('return #vim.api.nvim_buf_get_extmarks(0, %s, 0, -1, {})'):format(space)), 0)
    end,
  },
}

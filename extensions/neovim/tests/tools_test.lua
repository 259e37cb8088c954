local Editor = require('support.editor')
local check = require('support.check')
local servers = require('support.servers')

--- A ready server beside one that does not come up.
local function beside()
  local slow = servers.fake({ plain = true, steps = { initialize = { { ['do'] = 'delay', ms = 600000 } } } })
  return { servers = { fake = servers.fake(), slow = slow } }
end

--- That the slow server is still starting: whoever had waited for it would wait yet.
local function is_starting(e)
  check.equal(e:lua("return require('mcp-editord.daemon.connections').peek().servers.slow.state"), 'starting')
end

return {
  {
    'promise 11: a server that is starting holds nobody up who did not ask for it',
    function()
      -- Who waits by the clock waits for ever here.
      local endless = [[
        local defer = vim.defer_fn
        vim.defer_fn = function(fn, ms)
          return defer(fn, ms < 1000 and ms or 600000)
        end
      ]]
      local e = Editor.start({ config = beside(), lua = endless })
      e:command('Mcp call fake.echo')
      e:see('fake.echo  ok')
      e:command('Mcp servers')
      e:see('● fake', '○ slow')
      e:keys('<Esc>')
      e:completes('Mcp call fake.ech', { 'fake.echo' })
      e:completes('Mcp call slow.', {})
      is_starting(e)
    end,
  },
  {
    'promise 11: the list of tools shows what is there, and what is starting',
    function()
      local e = Editor.start({ config = beside(), height = 60 })
      e:command('Mcp tools')
      e:see('fake.echo', 'Wait for slow, which is starting')
      e:pick('Wait for slow')
      e:see('waiting for slow; :Mcp cancel stops waiting')
      is_starting(e)
      e:lua(
        "require('mcp-editord.daemon.connections').peek().servers.slow.state = 'failed'; require('mcp-editord.daemon.connections').peek():changed()"
      )
      e:see('1: fake.')
      e:keys('<Esc>')
    end,
  },
  {
    'promise 11: the server that was asked for is waited for, until that is cancelled',
    function()
      local e = Editor.start({ config = beside() })
      e:command('Mcp call slow.echo')
      e:see('waiting for slow; :Mcp cancel stops waiting')
      e:command('Mcp cancel')
      e:await_lua("return #require('mcp-editord.daemon.calls').all() == 0")
      e:command('Mcp call fake.echo')
      e:see('fake.echo  ok')
      is_starting(e)
    end,
  },
  {
    'a server that is removed from the configuration is gone: from the list, from completion, and for calls',
    function()
      local e = Editor.start({ config = { servers = { fake = servers.fake(), other = servers.fake() } } })
      e:async("require('mcp-editord').start('other')")
      e:completes('Mcp log ', { 'fake', 'other' })
      local file = e.home.dir .. '/config/mcp-editord/mcp.json'
      vim.fn.writefile({ vim.json.encode({ servers = { fake = servers.fake() } }) }, file)
      e:await_lua("return require('mcp-editord.daemon.connections').peek().servers.other == nil")
      e:completes('Mcp log ', { 'fake' })
      e:completes('Mcp call other.', {})
    end,
  },
  {
    'the list of servers leads to the log of one',
    function()
      local e = Editor.start({ config = { servers = { fake = servers.fake() } } })
      e:async("require('mcp-editord').start('fake')")
      e:command('Mcp servers')
      e:pick('● fake')
      e:pick('Log')
      e:await_lua("return vim.api.nvim_buf_get_name(0):find('log', 1, true)")
    end,
  },
  {
    'pick a tool, fill in an enum, see structured content',
    function()
      local e = Editor.start({ config = { servers = { everything = servers.everything() } } })
      e:command('Mcp tools everything')
      local list = e:see('Tool', 'everything.get-structured-content')
      local number = list:match('(%d+): everything%.get%-structured%-content')
      e:keys(number .. '<CR>')
      e:see('location [required]', '2: Chicago')
      e:keys('2<CR>')
      e:see('1: Run', 'location [required] = Chicago')
      e:keys('1<CR>')
      e:see('"conditions":', 'everything.get-structured-content  ok')
    end,
  },
  {
    'call with arguments on the command line, numbers by the schema',
    function()
      local e = Editor.start({ config = { servers = { everything = servers.everything() } } })
      e:command('Mcp call everything.get-sum a=2 b=40')
      e:see('The sum of 2 and 40 is 42.')
      check.equal(e:lua('return { vim.bo.modifiable, vim.bo.modeline, vim.bo.buftype }'), { false, false, 'nofile' })
    end,
  },
  {
    'the statusline names a running call, and no longer after it was cancelled',
    function()
      local e = Editor.start({
        config = { servers = { fake = servers.fake() } },
        lua = [[vim.o.laststatus = 2; vim.o.statusline = "%{%v:lua.require'mcp-editord'.status()%}"]],
      })
      e:async("require('mcp-editord').start('fake')")
      e:command('Mcp call fake.hang')
      e:see('MCP 1 fake: hang')
      e:command('Mcp cancel')
      e:gone('MCP 1 fake: hang')
    end,
  },
  {
    'of many tools, a word says which; where the list would not fit on the screen, it is asked for',
    function()
      local tools = {}
      for i = 1, 90 do
        tools[i] = { name = ('tool_%02d'):format(i), description = 'Number ' .. i, inputSchema = { type = 'object' } }
      end
      local fake = servers.fake({ plain = true, onlyTools = true, tools = tools })
      local e = Editor.start({ config = { servers = { fake = fake } } })
      e:command('Mcp tools fake')
      e:see('90 tools; a part of the name, or none:')
      e:keys('zebra<CR>')
      e:see('none has "zebra"; 90 tools; ')
      e:keys('L_4<Tab>')
      e:see('none: fake.tool_40')
      e:keys('<CR>')
      e:see('1: fake.tool_40: Number 40')
      check.lacks(e.screen:text(), '2: ')
      e:keys('<Esc>')
      e:command('Mcp tools NUMBER 4')
      e:see('1: fake.tool_04', '18: fake.tool_84')
      e:keys('<Esc>')
      e:command('Mcp tools zebra')
      e:said('none of the 90 tools has "zebra"')
      e:completes('Mcp tools ol_42', { 'fake.tool_42' })
    end,
  },
  {
    'without a statusline, the message line names what runs until it ends, and leaves other messages alone',
    function()
      local e = Editor.start({ config = { servers = { fake = servers.fake() } } })
      e:async("require('mcp-editord').start('fake')")
      e:command('Mcp call fake.hang')
      e:see('MCP: running: fake: hang; :Mcp cancel')
      e:command('Mcp call fake.hang n:=1')
      e:see('MCP: 2 calls run; :Mcp cancel')
      e:command('Mcp cancel')
      e:see('1: fake: hang  for ', '2: fake: hang  for ')
      check.contains(e.screen:text(), '  n=1')
      e:keys('2<CR>')
      e:see('MCP: the request was cancelled')
      e:command('Mcp cancel')
      e:await_lua("return #require('mcp-editord.daemon.calls').all() == 0")
      check.lacks(e.screen:text(), 'running:')
      e:hold('mcp/tools/call')
      e:command('Mcp call fake.delay ms:=1')
      e:see('MCP: running: fake: delay; :Mcp cancel')
      e:await_lua('return Release ~= nil')
      e:lua('Release()')
      e:see('fake.delay  ok')
      e:gone('running:')
      check.lacks(e:lua("return vim.fn.execute('messages')"), 'running:')
    end,
  },
  {
    'a destructive tool without arguments asks, wherever it is called from, unless it is with !',
    function()
      local wipe = { name = 'wipe', inputSchema = { type = 'object' }, annotations = { destructiveHint = true } }
      local fake = servers.fake({ plain = true, onlyTools = true, tools = { wipe } })
      local e = Editor.start({ config = { servers = { fake = fake } } })
      local ways = {
        { 'Mcp tools fake', '1: fake.wipe' },
        { 'Mcp call fake.wipe' },
        { 'Mcp again' },
      }
      local function ran(count)
        e:await_lua("return #require('mcp-editord.results.kept').list() == ...", count)
      end
      for i, way in ipairs(ways) do
        for _, answer in ipairs({ 'Do not run: its server says that it is destructive', 'Run' }) do
          local calls = e:lua("return require('mcp-editord.commands.tools').last()")
          e:command(way[1])
          if way[2] then
            e:see(way[2])
            e:keys('1<CR>')
          end
          e:see('fake.wipe [destructive]', '1: Do not run')
          e:pick(answer)
          e:await_lua("return require('mcp-editord.ui').current() == nil")
          e:gone('1: Do not run')
          if answer == 'Run' then
            ran(i)
          else
            check.equal(e:lua("return require('mcp-editord.commands.tools').last()"), calls)
          end
        end
      end
      e:command('Mcp! call fake.wipe')
      ran(4)
    end,
  },
  {
    'the server may be left out where only one has the tool, also while that is starting',
    function()
      local schema = { type = 'object', properties = { head = { type = 'integer' } } }
      local fake = servers.fake({
        plain = true,
        onlyTools = true,
        tools = { { name = 'only', inputSchema = schema } },
        steps = { initialize = { { ['do'] = 'delay', ms = 500 } } },
      })
      local e = Editor.start({ config = { servers = { fake = fake, other = servers.fake(), third = servers.fake() } } })
      e:command('Mcp call only head=1')
      e:see('fake.only  ok', '"head": 1')
      e:completes('Mcp call only ', { 'head=' })
      e:async("for _, name in ipairs({ 'other', 'third' }) do require('mcp-editord').start(name) end")
      e:command('Mcp call echo')
      e:said('several servers have a tool "echo"; write one of other.echo, third.echo')
      e:command('Mcp call nothing')
      e:said('there is no tool "nothing"; :Mcp tools lists them')
    end,
  },
  {
    'an argument that is misspelt is not sent, unless it is with !',
    function()
      local schema = { type = 'object', properties = { head = { type = 'integer' } } }
      local strict = vim.tbl_extend('error', { additionalProperties = false }, schema)
      local open = vim.tbl_extend('error', { additionalProperties = true }, schema)
      local tools = {
        { name = 'usual', inputSchema = schema },
        { name = 'strict', inputSchema = strict },
        { name = 'open', inputSchema = open },
      }
      local prompt = { name = 'ask', arguments = { { name = 'city' } } }
      local fake = servers.fake({ plain = true, onlyTools = true, tools = tools, prompts = { prompt } })
      local e = Editor.start({ config = { servers = { fake = fake } } })
      e:async("require('mcp-editord').start('fake')")
      for _, case in ipairs({
        {
          'call fake.usual haed=1',
          '"fake.usual" has no argument "haed"; did you mean "head"? with a ! it is sent as it is',
        },
        { 'call fake.strict other=1', '"fake.strict" has no argument "other"; with a ! it is sent as it is' },
        { 'prompt fake.ask ciyt=x', '"fake.ask" has no argument "ciyt"; did you mean "city"?' },
      }) do
        e:command('Mcp ' .. case[1])
        e:said(case[2])
      end
      check.equal(e:lua("return require('mcp-editord.commands.tools').last()"), vim.NIL)
      for _, sent in ipairs({
        'Mcp! call fake.usual haed=1',
        'Mcp call fake.usual other=1',
        'Mcp call fake.open haed=2',
      }) do
        e:command(sent)
        e:see(('"%s": "%s"'):format(sent:match('(%a+)=(%d)')))
      end
    end,
  },
  {
    'the selection is the one required text that is left',
    function()
      local text = { type = 'string' }
      local schema =
        { type = 'object', properties = { title = text, message = text }, required = { 'title', 'message' } }
      local tool = { name = 'say', inputSchema = schema, annotations = { readOnlyHint = true } }
      local prompt = { name = 'ask', arguments = { { name = 'topic', required = true } } }
      local script = { plain = true, onlyTools = true, tools = { tool }, prompts = { prompt } }
      local e = Editor.start({ config = { servers = { fake = servers.fake(script) } } })
      e:async("require('mcp-editord').start('fake')")
      e:keys('ione two<Esc>')
      e:command('%Mcp call fake.say title=t')
      e:see('"message": "one two"', '"title": "t"')
      e:command('only')
      e:command('buffer 1')
      e:command('%Mcp prompt fake.ask')
      e:see('topic [required] = one two')
      e:keys('<Esc>')
      e:gone('topic')
      e:command('%Mcp call fake.say') -- there are two
      e:see('message [required]:')
    end,
  },
  {
    'a name with white space completes as one word',
    function()
      local schema = { type = 'object', properties = { ['x y'] = { type = 'string' } } }
      local fake = servers.fake({ plain = true, onlyTools = true, tools = { { name = 't', inputSchema = schema } } })
      local e = Editor.start({ config = { servers = { fake = fake } } })
      e:async("require('mcp-editord').start('fake')")
      check.equal(e:lua("return vim.fn.getcompletion('Mcp call fake.t ', 'cmdline')"), { 'x\\ y=' })
    end,
  },
}

local Agent = require('support.agent')
local Editor = require('support.editor')
local check = require('support.check')
local servers = require('support.servers')

--- The state of the server of the project.
local function state(e)
  return e:async(
    [[return (vim.iter(require('mcp-editord').servers()):find(function(s) return s.name == 'ours' end) or {}).state]]
  )
end

--- A project with a server that writes a file when it runs.
local function project(argument)
  local server = servers.fake()
  server.args = { argument, 'two words', '-x' }
  return { servers = { ours = server } }
end

--- Opens the question about the server of the project.
local function ask(e)
  e:lua("require('mcp-editord').servers(function() end)")
end

--- A project with a server that has more to show than a screen has.
local function large()
  local server = servers.fake()
  server.args = {}
  for i = 1, 60 do
    server.args[i] = '--flag-' .. i
  end
  return { files = { ['.mcp.json'] = { servers = { ours = server } } }, width = 80, height = 24 }
end

--- An editor and an agent in one project, with a server of the user.
---@param rules? table<string, string> for agents
local function beside(rules)
  local server = servers.fake()
  server.agents = rules
  local e = Editor.start({ config = { servers = { ours = server } }, width = 100, height = 40 })
  ask(e)
  e:await('ready', function()
    return state(e) == 'ready'
  end)
  return e, Agent.start(e.home, 'ours')
end

return {
  {
    'promise 3: nothing of a project runs before the person has seen all of it; allowed, it runs',
    function()
      local e = Editor.start({ files = { ['.mcp.json'] = project('--one') }, width = 80, height = 24 })
      ask(e)
      local shown = e:take_up('May the MCP server "ours" run?', '1: Later', '2: Allow')
      local _, count = shown:gsub('bin/race/fakeserver', '')
      check.equal(count, 1, 'the program, once where all of it is in sight')
      check.contains(shown, '--one')
      check.contains(shown, 'two words')
      check.contains(shown, '.mcp.json')
      e:pick('Allow')
      e:await('ready', function()
        return state(e) == 'ready'
      end)
    end,
  },
  {
    'tools that are asked for right after Allow are those of the server that was allowed',
    function()
      local e = Editor.start({
        files = { ['.mcp.json'] = project('--one') },
        config = { servers = { workspace = { enabled = false } } }, -- so that there is no other
        height = 60,
      })
      ask(e)
      e:take_up('2: Allow')
      e:keys('2<CR>:Mcp tools<CR>')
      e:see('1: ours.')
    end,
  },
  {
    'promise 3: later and deny: it does not run; a change shows what is different',
    function()
      local e = Editor.start({ files = { ['.mcp.json'] = project('--one') } })
      ask(e)
      e:take_up('1: Later')
      e:keys('<CR>') -- a bare Enter decides nothing
      e:take_up('1: Later')
      e:pick('Later')
      e:gone('May the MCP server')
      check.equal(state(e), 'needsApproval')
      e:await_lua("return require('mcp-editord').status() == 'MCP 1 1?'")
      e:command('Mcp approve ours')
      e:pick('Allow')
      e:said('"ours" may run')

      vim.fn.writefile({ vim.json.encode(project('--other')) }, e.home.project .. '/.mcp.json')
      e:take_up('Changed. May the MCP server "ours" run?')
      e:pick('Look')
      local shown = e:see('It has changed since you decided:', '--other')
      check.equal(shown:match('\n%- [^\n]*%-%-one') ~= nil, true)
      check.equal(shown:match('\n%+ [^\n]*%-%-other') ~= nil, true)
      e:keys('gD')
      e:gone('It has changed')
      e:await_lua(
        "return vim.tbl_get(require('mcp-editord.daemon.connections').peek().servers, 'ours', 'error', 'kind') == 'denied'"
      )
      e:command('Mcp call ours.echo')
      e:said('"ours" may not run; to decide: :Mcp approve ours')
    end,
  },
  {
    'promise 3: what does not fit is allowed only in the document that shows it, read to the end',
    function()
      local e = Editor.start(large())
      ask(e)
      local shown = e:take_up('1: Look', '2: Later', 'bin/race/fakeserver')
      check.lacks(shown, 'Allow')
      e:keys('<CR>') -- a bare Enter, here and there, allows nothing
      e:take_up('1: Look')
      e:pick('Look')
      shown = e:see('--flag-1', 'read on  gD deny  gL later  q close')
      check.lacks(shown, 'gA allow')
      e:keys('<CR>gA')
      e:said('read it to the end before you allow it')
      e:command('Mcp allow')
      check.equal(state(e), 'needsApproval')
      e:keys('G')
      e:see('--flag-60', 'gA allow  gD deny  gL later  q close')
      e:keys('q')
      e:gone('--flag-60')
      check.equal(state(e), 'needsApproval')
      e:take_up('1: Look')
      e:pick('Look')
      e:see('read on')
      e:keys('G')
      e:see('--flag-60', 'gA allow')
      e:command('Mcp allow')
      e:await('ready', function()
        return state(e) == 'ready'
      end)
    end,
  },
  {
    'promise 1: a server of the user that would run in the opened folder is asked about by its own title',
    function()
      local server = servers.fake()
      server.cwd = '${workspaceFolder}'
      local e = Editor.start({ config = { servers = { mine = server } }, width = 80, height = 24 })
      ask(e)
      e:take_up('May your MCP server "mine" run in the opened folder?', 'Program: ', '2: Allow')
      e:pick('Allow')
      e:async("require('mcp-editord').start('mine')")
    end,
  },
  {
    'promise 3: a small screen hides no program behind Allow',
    function()
      local e = Editor.start(vim.tbl_extend('force', large(), { width = 40, height = 10 }))
      ask(e)
      local shown = e:take_up('1: Look')
      check.lacks(shown, 'Allow')
      e:pick('Look')
      e:see('read on  gD deny  gL later  q close')
      e:keys('gL')
      e:gone('gL later')
      check.equal(state(e), 'needsApproval')
      e:command('Mcp allow')
      e:said('read it first; run :Mcp answer and choose Look')
    end,
  },
  {
    'promise 3: the picker of a plugin may cover the text, so it does not offer Allow',
    function()
      local e = Editor.start({
        files = { ['.mcp.json'] = project('--one') },
        lua = 'vim.ui.select = function(items, _, done) Items = items Done = done end',
      })
      ask(e)
      e:see(':Mcp answer')
      e:command('Mcp answer')
      e:await_lua('return Items')
      check.equal(e:lua('return Items'), { 'Look', 'Later' })
      e:lua("Done('Look')")
      e:see('--one', 'gA allow')
      e:keys('gA')
      e:await('ready', function()
        return state(e) == 'ready'
      end)
    end,
  },
  {
    'a call of an agent: left, it waits; put off, it fails; allowed, it is made, and nothing is said of the server',
    function()
      local e, agent = beside({ echo = 'ask' })
      agent:call('echo')
      e:await_lua("return require('mcp-editord').status() == 'MCP 1 1?'")
      e:take_up(
        'May the agent "Claude Code" call "echo" of "ours"?',
        'Later  the call fails; the agent may ask again',
        'this call only; Later refuses it too.'
      )
      e:keys('<Esc>')
      e:gone('the agent may ask again')
      check.equal(agent:answered(), false)
      e:take_up('the agent may ask again')
      e:pick('Later')
      check.contains(agent:answer(), 'closed without a decision')

      agent:call('echo')
      e:take_up('Allow  this call only', 'Deny   the call fails', 'Look at the whole call')
      e:pick('Allow')
      check.contains(agent:answer(), 'structuredContent')
      check.lacks(e.screen:text(), 'may run')
      check.equal(e:lua("return require('mcp-editord.daemon.connections').peek().allowed"), vim.empty_dict())

      agent:call('echo')
      e:take_up('the call fails')
      e:pick('Deny')
      check.contains(agent:answer(), 'a person said no')
    end,
  },
  {
    'tools that have changed: asked about, shown with their server, and decided on there',
    function()
      local e, agent = beside({ big = 'ask' })
      agent:call('process') -- first sight
      agent:answer()
      local echo = { name = 'echo', description = 'Sends all files.', inputSchema = { type = 'object' } }
      local change = { kind = 'tools', remove = { 'echo' }, add = { echo } }
      e:async("require('mcp-editord').call('ours', 'change', " .. vim.inspect(change) .. ')')
      e:take_up(
        'Until you allow it, no agent gets these tools',
        'Later  agents do not get them yet',
        'Allow  until they change again'
      )
      e:pick('Later')
      e:gone('agents do not get them yet')
      e:async("return require('mcp-editord').request('ours', 'ping')") -- the daemon has the answer before the next call
      agent:call('big') -- asked about meanwhile, which does not bring the other question back
      e:take_up('this call only')
      e:pick('Allow')
      check.contains(agent:answer(), 'structuredContent')
      e:await_lua("return require('mcp-editord').status() == 'MCP 1'")
      agent:call('echo')
      check.contains(agent:answer(), 'has changed')
      e:command('Mcp servers')
      e:see('ours', 'tools changed')
      e:pick('● ours')
      e:see('Decide whether agents get its changed tools')
      e:pick('Show')
      e:see('for agents  they do not get a tool that has changed; to decide: :Mcp approve ours')
      e:command('Mcp approve ours')
      e:see('Sends all files.', 'Look at the changes')
      e:pick('Allow')
      e:said('agents get the changed tools of "ours"')
      agent:call('echo')
      check.contains(agent:answer(), 'structuredContent')
    end,
  },
}

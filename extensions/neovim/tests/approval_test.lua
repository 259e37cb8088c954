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

return {
  {
    'promise 3: nothing of a project runs before the person has seen all of it; allowed, it runs',
    function()
      local e = Editor.start({ files = { ['.mcp.json'] = project('--one') }, width = 80, height = 24 })
      ask(e)
      local shown = e:take_up('May the MCP server "ours" run?', '1: Later', '2: Allow')
      local _, count = shown:gsub('bin/race/fakeserver', '')
      check.equal(count, 2, 'the program, first and last')
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
      local e = Editor.start({ files = { ['.mcp.json'] = project('--one') }, config = {}, height = 60 })
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
}

--- Servers are added, looked for, imported and changed through the daemon; what is shown before is text.
local Editor = require('support.editor')
local Model = require('support.model')
local add = require('mcp-editord.commands.add')
local check = require('support.check')
local json = require('mcp-editord.json')
local servers = require('support.servers')

---@param opts? EditorOptions
local function start(opts)
  return Editor.start(vim.tbl_extend('keep', opts or {}, { width = 110, height = 40 }))
end

--- The text of the person's mcp.json.
local function file(e)
  return table.concat(vim.fn.readfile(e.home.dir .. '/config/mcp-editord/mcp.json'), '\n')
end

--- A command line that adds a fake server with a script.
local function line_of(name, script)
  local server = servers.fake(script)
  return ("Mcp add %s --env 'FAKESERVER=%s' -- %s --one 'two words'"):format(
    name,
    server.env.FAKESERVER,
    server.command
  )
end

local dying = { steps = { start = { { ['do'] = 'stderr', text = 'I need a key\n' }, { ['do'] = 'exit', code = 3 } } } }

--- Two servers as JSON of an agent; one has a secret.
local function two()
  local server = servers.fake()
  local secret = vim.deepcopy(server)
  secret.env.API_TOKEN = 'tok-0123456789abcdefghijklmnop'
  return json.encode({ mcpServers = { first = server, second = secret } })
end

--- What the registry of the tests has.
local published = {
  server = {
    name = 'io.github.acme/git-tools',
    description = 'Reads \27[31mthe history\nof a repository',
    version = '1.2.0',
    packages = { { registryType = 'npm', identifier = '@acme/git', version = '1.2.0', transport = { type = 'stdio' } } },
    remotes = { { type = 'streamable-http', url = 'https://git.acme.example/mcp' } },
  },
}

return {
  {
    'what stands behind add',
    function()
      for line, want in pairs({
        ['npx -y @a/b -p'] = { words = { 'npx', '-y', '@a/b', '-p' } },
        ["x -- run 'a b' --env -"] = { words = { 'x' }, command = { 'run', 'a b', '--env', '-' } },
        ['--env A=1 x https://e.example --header "K: V" --env B'] = {
          words = { 'x', 'https://e.example' },
          env = { 'A=1', 'B' },
          headers = { 'K: V' },
        },
        ['--project p/n'] = { words = { 'p/n' }, folder = 'file:///ours' },
        ['{"servers": {"a b": {}}}'] = { words = { '{"servers": {"a b": {}}}' } },
        ['mine {"command": "x"}'] = { words = { '{"command": "x"}' }, name = 'mine' },
        ['"x": {"command": "y z"}'] = { words = { '"x": {"command": "y z"}' } },
      }) do
        check.equal(add.read(line, 'file:///ours'), want, line)
      end
      check.contains(select(2, pcall(add.read, 'x --env')), 'write a value behind --env')
      check.contains(select(2, pcall(add.read, '--project x')), 'leave out --project')
    end,
  },
  {
    'a server is shown, started and written as it was shown; only a choice adds it',
    function()
      local e = start()
      local before = file(e)
      for _, keys in ipairs({ '<Esc>', '<CR>', '1<CR>', 'x<CR>' }) do
        e:command(line_of('mine'))
        e:see('Add the MCP server "mine"?', '1: Cancel', '2: Add')
        e:keys(keys)
        e:gone('Add the MCP server')
        e:see('"mine" was not added')
        check.equal(file(e), before, keys)
        e:command('echo')
        e:gone('was not added')
      end
      e:command(line_of('mine'))
      e:see('runs   ' .. vim.env.FAKESERVER_BIN .. " --one 'two words'", 'from   a command line', 'file   /tmp/')
      e:see('"args": ["--one", "two words"],')
      e:pick('Add')
      e:said('"mine" was added and offers 27 tools; :Mcp tools mine')
      check.contains(file(e), ('"command": "%s",\n    "args": ["--one", "two words"],'):format(vim.env.FAKESERVER_BIN))
      e:command(line_of('mine'))
      e:said('mcp.json already')
      e:command('Mcp add mine -- ' .. vim.env.FAKESERVER_BIN)
      e:see('mcp.json has another server "mine"')
      e:pick('Replace that "mine"')
      e:await('replaced', function()
        return not file(e):find('two words', 1, true)
      end)
    end,
  },
  {
    'one that does not start: its last words, nothing written, or written all the same',
    function()
      local e = start()
      local before = file(e)
      e:command(line_of('dying', dying))
      e:pick('Add')
      e:see('"dying" does not start, and nothing was written', 'exited with code 3', 'I need a key')
      e:keys('<Esc>')
      e:see('"dying" was not added: the server exited with code 3')
      e:said('code 3 | I need a key')
      check.equal(file(e), before)
      e:command(line_of('dying', dying))
      e:pick('Add')
      e:pick('Write it all the same')
      e:said('"dying" was added; it does not start: ')
      check.contains(file(e), '"dying"')
    end,
  },
  {
    'a hostile definition is text; a long one is added only by who has read it; the line with a secret is forgotten',
    function()
      local e = start()
      local evil = {
        command = 'sh',
        args = { '-c', 'echo \27[2J\226\128\174gnp.exe\7' },
        env = { A_TOKEN = 'tok-0123456789abcdefghijklmnop', B = '\226\129\166x' },
      }
      e:command('Mcp add ' .. json.encode({ mcpServers = { evil = evil } }))
      local shown = e:see([[echo \u{1b}[2J\u{202e}gnp.exe\u{7}]], '"B": "\\u{2066}x"', 'kept as a secret', '2: Add')
      check.lacks(shown, 'tok-0123')
      e:keys('<Esc>')
      e:gone('2: Add')
      check.lacks(e:lua("return vim.fn.execute('history :')"), 'tok-0123')
      e:command('Mcp add long -- sh' .. (' --flag'):rep(60))
      shown = e:see('1: Cancel', '2: Read all of it')
      check.lacks(shown, ': Add')
      e:pick('Read all of it')
      e:see('(close it to answer)', 'runs   sh --flag')
      e:keys('q')
      e:see('2: Add', '3: Read all of it')
    end,
  },
  {
    'values are asked for by the daemon; what comes while the person types waits',
    function()
      local e = start()
      local server = servers.fake()
      server.env.REGION = '${input:region}'
      e:command('Mcp add mine ' .. json.encode(server))
      e:see('value  region, which you are asked for')
      e:pick('Add')
      e:take_up('mine asks', 'region')
      e:keys('north<CR>')
      e:pick('Accept')
      e:said('"mine" was added and offers')
      check.contains(file(e), '"REGION": "north"')

      e:hold('editord/proposeServers')
      e:command('Mcp add other -- sh')
      e:await_lua('return Release ~= nil')
      e:keys('ihello')
      e:lua('Release()')
      e:said('Add "other" waits because you are typing; :Mcp resume opens it')
      check.equal(e:buffer(), 'hello')
      e:keys('<Esc>:Mcp resume<CR>')
      e:see('2: Add')
    end,
  },
  {
    'two at once, and a slow one that is cancelled',
    function()
      local e = start()
      local slow = { plain = true, steps = { initialize = { { ['do'] = 'delay', ms = 1500 } } } }
      e:command(line_of('slow', slow))
      e:pick('Add')
      e:gone('2: Add')
      e:command(line_of('quick'))
      e:see('Add the MCP server "quick"?')
      e:pick('Add')
      e:said('"slow" was added and offers')
      e:said('"quick" was added and offers')
      check.contains(file(e), '"slow"')
      e:command(line_of('silent', { steps = { initialize = { { ['do'] = 'hang' } } } }))
      e:pick('Add')
      e:see('starting "silent" to add it; :Mcp cancel')
      e:command('Mcp cancel')
      e:await('no call runs', function()
        return e:lua("return #require('mcp-editord.daemon.calls').all()") == 0
      end)
      check.lacks(file(e), '"silent"')
    end,
  },
  {
    'another add takes the place of a question, which adds nothing and does not come back',
    function()
      local e = start({
        lua = 'vim.ui.select = function(items, opts, done) Items, Prompt, Done = items, opts.prompt, done end',
      })
      local function asks(prompt)
        e:await_lua('return Prompt == ...', prompt)
      end
      e:command('Mcp add ' .. two())
      asks('Add an MCP server')
      e:lua('Done(Items[1])')
      asks('Add the MCP server "first"?')
      e:command('Mcp add other -- sh')
      asks('Add the MCP server "other"?')
      e:said('"first" was not added')
      e:lua('Done(nil)')
      e:said('"other" was not added')
      asks('Add the MCP server "other"?')
      check.lacks(file(e), '"first"')
    end,
  },
  {
    'the clipboard has several: one by one, or all that are new',
    function()
      local e = start()
      e:lua("vim.fn.setreg('\"', ...)", two())
      e:command('Mcp add')
      e:see('JSON, or - for the clipboard:')
      e:keys('-<CR>')
      e:see('1: first ', '2: second ', '3: Add all that are new (2)')
      e:keys('3<CR>')
      e:see('## first', '## second', '2: Add')
      e:keys('1<CR>')
      e:see('1: first            new')
      e:keys('1<CR>')
      e:see('Add the MCP server "first"?')
      e:pick('Add')
      local shown = e:see('1: first            there', '2: second           new')
      check.lacks(shown, 'Add all')
      e:keys('<Esc>')
      e:gone('2: second')
      check.lacks(file(e), '"second"')
      e:command('Mcp add -')
      e:pick('second')
      e:pick('Add')
      e:see('2: second           there')
      check.contains(file(e), '${input:api-token}')
      check.lacks(file(e), 'tok-0123')
    end,
  },
  {
    'import: those of other programs, which are not started',
    function()
      local e = start()
      e:command('Mcp add - --env A')
      e:completes('Mcp import cl', { 'claude', 'claude-desktop' })
      e:lua(
        [[
          local connection = require('mcp-editord.daemon.connections').peek()
          local send, paste = connection.send, ...
          connection.send = function(self, method, params, ...)
            if method == 'editord/proposeServers' then
              From, params = params.from, { words = { paste } }
            elseif method == 'editord/addServer' then
              Trusted = params.trusted
            end
            return send(self, method, params, ...)
          end
        ]],
        (json.encode({ mcpServers = { a = { command = 'no-such' }, b = { command = 'sh' } } }))
      )
      e:command('Mcp import')
      e:pick('Add all that are new (2)')
      e:see('## a', '2: Add')
      e:keys('2<CR>')
      e:see('1: a                there', '2: b                there')
      e:keys('<Esc>')
      check.equal(e:lua('return { From, Trusted }'), { 'all', true })
      check.contains(file(e), 'no-such')
    end,
  },
  {
    'search: a server of the registry, then the way to run it',
    function()
      local registry = Model.start(function(head)
        return head:find('/versions/', 1, true) and published
          or { servers = head:find('search=nothing', 1, true) and {} or { published }, metadata = vim.empty_dict() }
      end)
      local e = start({ env = { MCP_EDITORD_REGISTRY = registry.url } })
      e:command('Mcp search nothing')
      e:said('has no such server; try a part of its name')
      e:command('Mcp search')
      e:see('Look in the registry for:')
      e:keys('git tools<CR>')
      e:see([[1: io.github.acme/git-tools [remote, npm]  Reads \u{1b}[31mthe history]])
      e:keys('1<CR>')
      e:see('Run it as')
      e:pick('npx -y @acme/git@1.2.0')
      e:see(
        'Add the MCP server "git-tools"?',
        'runs   npx -y @acme/git@1.2.0',
        'from   io.github.acme/git-tools 1.2.0, npm'
      )
      registry.close()
    end,
  },
  {
    'disable, enable, remove and edit a server in its file, whose buffer follows',
    function()
      local config = '{\n  "servers": {\n    "workspace": {},\n    "mine": '
        .. json.encode(servers.fake())
        .. '\n  }\n}\n'
      local e = start({ config = config })
      e:command('Mcp edit mine')
      e:await('the line of the server', function()
        return e:lua("return vim.api.nvim_get_current_line():find('mine') ~= nil and vim.fn.line('.') == 4")
      end)
      e:completes('Mcp disable m', { 'mine' })
      e:command('Mcp disable mine')
      e:said('"mine" is disabled in /tmp/')
      e:await_lua(
        [[return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false)):find('"enabled":%s*false') ~= nil]]
      )
      e:completes('Mcp enable ', { 'mine' })
      e:command('Mcp enable mine')
      e:said('"mine" is enabled in /tmp/')
      e:command('Mcp remove mine')
      e:said('"mine" was removed from /tmp/')
      check.lacks(file(e), '"mine"')
      e:command('Mcp edit mine')
      e:said('there is no server "mine"')
      os.remove(e.home.dir .. '/config/mcp-editord/mcp.json')
      e:command('bwipeout | Mcp edit')
      e:await_lua("return vim.fn.expand('%:t') == 'mcp.json' and vim.fn.line('$') == 1")
    end,
  },
}

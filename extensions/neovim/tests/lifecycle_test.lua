local Editor = require('support.editor')
local check = require('support.check')
local servers = require('support.servers')

local fake = { servers = { fake = servers.fake() } }

--- The roots that the server is told, as paths.
local function roots(e)
  local list = e:async([[
    local c = require('mcp-editord.attach').get()
    return c:request('mcp/roots/list', { server = 'fake' }).roots
  ]])
  return vim.tbl_map(function(root)
    return vim.uri_to_fname(root.uri)
  end, list)
end

--- Waits until the roots are these.
local function await_roots(e, want)
  e:await('the roots ' .. table.concat(want, ' '), function()
    return vim.deep_equal(roots(e), want)
  end)
end

--- The process of the server.
local function pid(e)
  return e:async([[
    local c = require('mcp-editord.attach').get()
    require('mcp-editord.daemon.servers').start(c, 'fake')
    return require('mcp-editord.daemon.calls').request(c, 'fake', 'tools/call', { name = 'process', arguments = vim.empty_dict() }).structuredContent.pid
  ]])
end

--- Kills the daemon.
local function kill_daemon(e)
  local daemon = e:async([[return require('mcp-editord.attach').get():request('editord/status', vim.empty_dict()).pid]])
  vim.uv.kill(daemon, 'sigkill')
end

return {
  {
    'nothing is loaded and nothing runs before the first use',
    function()
      local e = Editor.start({ config = fake })
      check.equal(
        e:lua(
          "return vim.iter(vim.tbl_keys(package.loaded)):filter(function(n) return vim.startswith(n, 'mcp-editord') end):totable()"
        ),
        {}
      )
      check.equal(e:lua('return #vim.lsp.get_clients()'), 0)
      check.equal(vim.uv.fs_stat(e.home.socket), nil)
    end,
  },
  {
    'autostart attaches',
    function()
      local e = Editor.start({ config = fake, options = '{ autostart = true }' })
      e:await_lua("return vim.lsp.get_clients({ name = 'mcp-editord' })[1] ~= nil")
      e:await_lua("return require('mcp-editord').status() == 'MCP 1'")
    end,
  },
  {
    'options are checked, and what is wrong is named',
    function()
      local e = Editor.start({
        config = fake,
        options = "{ timeout = 'soon', result = { open = 'here' }, colour = 1, sampling = { openai = { api_key = 'sk-secret-1' } } }",
      })
      e:command('Mcp status')
      e:said(
        'vim.g.mcp_editord: "colour" is not an option; see :help mcp-editord-options (and 3 more; see :checkhealth mcp-editord)'
      )
      check.equal(e:lua("return require('mcp-editord.config').problems()"), {
        '"colour" is not an option; see :help mcp-editord-options',
        '"result.open" must be one of split, vsplit, tab, float, not "here"',
        '"sampling.openai.api_key" must be the name of an environment variable, or a function',
        '"timeout" must be a number of milliseconds, 1 or more, not "soon"',
      })
      check.equal(#e:lua('return Said'), 1)
      e:see('log file') -- it is attached all the same
    end,
  },
  {
    'a program that is not there is said, and does not loop',
    function()
      local e = Editor.start({ options = "{ command = '/nowhere/mcp-editord' }" })
      e:command('Mcp tools')
      e:said('"/nowhere/mcp-editord" cannot be run')
      check.equal(e:lua('return #Said'), 1)
    end,
  },
  {
    'a daemon that cannot start is said with its own words',
    function()
      local home = Editor.home({ config = fake })
      vim.uv.fs_chmod(home.dir .. '/run', tonumber('777', 8))
      local e = Editor.start({ home = home })
      e:command('Mcp tools')
      e:said('chmod')
      vim.uv.fs_chmod(home.dir .. '/run', tonumber('700', 8))
      e:command('Mcp call fake.echo')
      e:see('fake.echo  ok')
    end,
  },
  {
    'a program of another version of the protocol is not used',
    function() -- fault version-skew
      local home = Editor.home()
      local answer = vim.json.encode({
        jsonrpc = '2.0',
        id = 1,
        result = { capabilities = { experimental = { mcp = { version = 2 } } } },
      })
      local script = ("#!/bin/sh\nprintf 'Content-Length: %d\\r\\n\\r\\n%s'\nexec cat >/dev/null\n"):format(
        #answer,
        answer
      )
      vim.fn.writefile(vim.split(script, '\n'), home.dir .. '/other')
      vim.uv.fs_chmod(home.dir .. '/other', tonumber('755', 8))
      local e = Editor.start({ home = home, options = ('{ command = %q }'):format(home.dir .. '/other') })
      e:command('Mcp tools')
      e:said('speaks version 2 of the editor protocol, this plugin version 1; run `mcp-editord install neovim`')
    end,
  },
  {
    'the roots follow :cd, and the server lives on',
    function()
      local e = Editor.start({ config = fake })
      local first = pid(e)
      await_roots(e, { e.home.project })
      vim.fn.mkdir(e.home.dir .. '/elsewhere/.git', 'p')
      vim.fn.mkdir(e.home.dir .. '/elsewhere/inner', 'p')
      e:command('cd ' .. e.home.dir .. '/elsewhere/inner')
      await_roots(e, { e.home.dir .. '/elsewhere' })
      check.equal(pid(e), first)
      check.equal(e:lua('return #vim.lsp.get_clients()'), 1)
    end,
  },
  {
    'a tab page with a directory of its own has a workspace of its own',
    function()
      local e = Editor.start({ config = fake })
      local first = pid(e)
      vim.fn.mkdir(e.home.dir .. '/elsewhere/.git', 'p')
      e:command('tabnew')
      e:command('tcd ' .. e.home.dir .. '/elsewhere')
      await_roots(e, { e.home.dir .. '/elsewhere' })
      check.equal(pid(e) == first, false)
      e:command('tabprevious')
      await_roots(e, { e.home.project })
      check.equal(pid(e), first)
      e:command('tabonly')
      e:await_lua('return #vim.lsp.get_clients() == 1')
    end,
  },
  {
    'folders that are added to another language server are added here',
    function()
      local e = Editor.start({ config = fake })
      pid(e)
      vim.fn.mkdir(e.home.dir .. '/library', 'p')
      -- A language server in this Neovim, attached to the buffer.
      e:lua([[
        local closing = false
        local config = { name = 'other', root_dir = vim.fn.getcwd(), cmd = function()
          return {
            request = function(method, _, done)
              vim.schedule(function()
                done(nil, method == 'initialize' and { capabilities = { workspace = { workspaceFolders = { supported = true, changeNotifications = true } } } } or vim.NIL)
              end)
              return true, 1
            end,
            notify = function() return true end,
            is_closing = function() return closing end,
            terminate = function() closing = true end,
          }
        end }
        vim.lsp.start(config)
      ]])
      e:await_lua("local c = vim.lsp.get_clients({ name = 'other' })[1]; return c and c.initialized")
      e:lua('vim.lsp.buf.add_workspace_folder(...)', e.home.dir .. '/library')
      await_roots(e, { e.home.project, e.home.dir .. '/library' })
      e:lua('vim.lsp.buf.remove_workspace_folder(...)', e.home.dir .. '/library')
      await_roots(e, { e.home.project })
    end,
  },
  {
    'the home directory is no workspace',
    function()
      local e = Editor.start({ config = fake })
      e:lua("vim.cmd.cd('~')")
      pid(e)
      check.equal(roots(e), {})
    end,
  },
  {
    'two editors on one project share the server',
    function()
      local one = Editor.start({ config = fake })
      local other = Editor.start({ home = one.home })
      check.equal(pid(one), pid(other))
    end,
  },
  {
    'the daemon is killed: a call says so, and work goes on',
    function()
      local e = Editor.start({ config = fake })
      local first = pid(e)
      e:lua("require('mcp-editord').call('fake', 'hang', nil, nil, function(err) Failed = err.message end)")
      e:await_lua("return #require('mcp-editord.daemon.calls').all() == 1")
      kill_daemon(e)
      e:await_lua('return Failed')
      check.equal(pid(e) == first, false)
      await_roots(e, { e.home.project })
      check.equal(e:lua('return Said'), {})
    end,
  },
  {
    'the daemon is killed: what is only asked is asked again',
    function()
      local e = Editor.start({ config = fake })
      pid(e)
      e:lua("require('mcp-editord.daemon.connections').peek():forget_catalog()")
      kill_daemon(e)
      e:command('Mcp call fake.echo') -- needs the catalogue first
      e:see('fake.echo  ok')
    end,
  },
  {
    'a call is cancelled',
    function()
      local e = Editor.start({ config = fake })
      pid(e)
      e:command('Mcp call fake.hang')
      e:await_lua("return #require('mcp-editord.daemon.calls').all() == 1")
      e:command('Mcp cancel')
      e:await_lua("return #require('mcp-editord.daemon.calls').all() == 0")
      check.lacks(table.concat(e:lua('return Said'), '\n'), 'error')
    end,
  },
  {
    'progress is progress of LSP',
    function()
      local e = Editor.start({
        config = fake,
        lua = "Seen = {} vim.api.nvim_create_autocmd('LspProgress', { callback = function(ev) local v = ev.data.params.value table.insert(Seen, table.concat({ v.kind, v.title or '', v.message or '', v.percentage or '' }, ' ')) end })",
      })
      pid(e)
      e:command('Mcp call fake.progress n:=2')
      e:see('fake.progress  ok')
      local seen = e:lua('return Seen')
      -- The first step is left out when the second arrives with it.
      check.contains(table.concat(seen, '\n'), 'begin fake: progress  \n')
      check.equal(vim.list_slice(seen, #seen - 1), { 'report fake: progress step 2 100', 'end fake: progress  ' })
    end,
  },
  {
    'messages of servers are shown from the level on that is set',
    function()
      local e = Editor.start({ config = fake })
      pid(e)
      e:async([[
        local api = require('mcp-editord')
        api.call('fake', 'notify', { method = 'notifications/message', params = { level = 'info', data = 'quiet' } })
        api.call('fake', 'notify', { method = 'notifications/message', params = { level = 'error', data = { why = 'loud\nand long' } } })
      ]])
      check.equal(e:said('loud'), 'fake: {"why":"loud\\nand long"}')
      check.equal(#e:lua('return Said'), 1)
    end,
  },
}

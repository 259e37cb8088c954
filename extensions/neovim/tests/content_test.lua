local Editor = require('support.editor')
local check = require('support.check')
local servers = require('support.servers')

--- A server with one resource, whose contents are told by the script.
local function with_resource(contents, more)
  local script = {
    plain = true,
    resources = { { uri = 'note://a.md', name = 'a' } },
    steps = {
      ['resources/read'] = {
        { ['do'] = 'raw', lines = { '{"jsonrpc":"2.0","id":$ID,"result":{"contents":' .. contents .. '}}' } },
      },
    },
  }
  return { servers = { fake = servers.fake(vim.tbl_extend('force', script, more or {})) } }
end

return {
  {
    'a resource is a buffer with a filetype, which cannot be changed',
    function()
      local e = Editor.start({ config = { servers = { everything = servers.everything() } } })
      e:command('Mcp resource')
      local shown = e:see('Resource', 'demo://resource/static/document/architecture.md')
      e:keys(shown:match('(%d+): everything: architecture%.md') .. '<CR>')
      e:see('# Everything Server')
      check.equal(
        e:lua(
          'return { vim.bo.filetype, vim.bo.modifiable, vim.bo.modeline, vim.bo.buftype, vim.api.nvim_buf_get_name(0) }'
        ),
        {
          'markdown',
          false,
          false,
          'nofile',
          'mcp://everything/demo://resource/static/document/architecture.md',
        }
      )
    end,
  },
  {
    'a template is filled in, with completion by the server',
    function()
      local e = Editor.start({ config = { servers = { everything = servers.everything() } } })
      e:command('Mcp resource')
      local shown = e:see('Resource', 'demo://resource/dynamic/text/{resourceId}')
      e:keys(shown:match('(%d+): [^\n]*dynamic/text/{') .. '<CR>')
      e:see('resourceId [required]:')
      e:keys('1<Tab>')
      e:see('resourceId [required]: 1')
      e:keys('<CR>')
      e:pick('Open')
      e:see('Resource 1: This is a plaintext resource')
    end,
  },
  {
    'what is in a resource is not run',
    function() -- fault hostile-buffer
      local text = vim.json.encode('# vim: set ft=lua modifiable :\n:qall!\r<CR>\27[31m\n# vim: ft=lua')
      local e = Editor.start({
        config = with_resource('[{"uri":"note://a.md","mimeType":"text/plain","text":' .. text .. '}]'),
      })
      e:command('edit mcp://fake/note://a.md')
      e:see(':qall!\\r<CR>\\u{1b}[31m')
      check.equal(e:lua('return { vim.bo.filetype, vim.bo.modifiable }'), { 'markdown', false })
    end,
  },
  {
    'a session reads its resources again, and leaves its results out',
    function()
      local e = Editor.start({ config = with_resource('[{"uri":"note://a.md","mimeType":"text/x-c","text":"hello"}]') })
      e:command('edit mcp://fake/note://a.md')
      e:see('hello')
      e:command('Mcp call fake.echo')
      e:see('fake.echo  ok')
      e:command('silent mksession')
      local session = e.home.project .. '/Session.vim'
      e:await('written', function()
        return vim.fn.filereadable(session) == 1
      end)
      local again = Editor.start({ home = e.home })
      again:command('silent source ' .. session)
      again:see('hello')
      again:await_lua("return vim.bo.filetype == 'c'")
      check.equal(again:lua('return { #vim.api.nvim_list_wins(), vim.bo.modifiable }'), { 1, false })
      check.equal(again:lua("return vim.fn.bufname('mcp-result')"), '')
    end,
  },
  {
    'a resource that has changed is read again',
    function()
      local record = vim.fn.tempname()
      local e = Editor.start({ config = with_resource('[{"uri":"note://a.md","text":"hello"}]', { record = record }) })
      e:command('edit mcp://fake/note://a.md')
      e:see('hello')
      local function reads()
        local _, count = table.concat(vim.fn.readfile(record), '\n'):gsub('"resources/read"', '')
        return count
      end
      e:await('subscribed', function()
        return table.concat(vim.fn.readfile(record), '\n'):find('"resources/subscribe"', 1, true)
      end)
      e:lua(
        "require('mcp-editord').call('fake', 'notify', { method = 'notifications/resources/updated', params = { uri = 'note://a.md' } }, nil, function() end)"
      )
      e:await('read again', function()
        return reads() == 2
      end)
      e:command('bwipeout')
      e:await('unsubscribed', function()
        return table.concat(vim.fn.readfile(record), '\n'):find('"resources/unsubscribe"', 1, true)
      end)
    end,
  },
  {
    'a resource that cannot be read says why',
    function()
      local e = Editor.start({
        config = {
          servers = {
            fake = servers.fake({
              steps = { ['resources/read'] = { { ['do'] = 'refuse', code = -32002, message = 'no such note' } } },
            }),
          },
        },
      })
      e:command('edit mcp://fake/nowhere://')
      e:see('no such note (error -32002 of the server)')
      e:command('edit mcp://nobody/x://y')
      e:see('nobody')
    end,
  },
  {
    'links in a result open',
    function()
      local e = Editor.start({ config = { servers = { everything = servers.everything() } } })
      e:command('Mcp call everything.get-resource-links count:=1')
      e:see('[link,')
      e:keys('/\\[link,<CR><CR>')
      e:see('Resource 1')
    end,
  },
  {
    'an image is written when it is opened, and only then',
    function()
      local e = Editor.start({
        config = { servers = { everything = servers.everything() } },
        lua = 'vim.ui.open = function(path) Opened = path end',
      })
      e:command('Mcp call everything.get-tiny-image')
      e:see('[image, image/png,')
      e:keys('/\\[image,<CR><CR>')
      local path = e:await_lua('return Opened')
      check.equal(vim.fn.readblob(path):sub(1, 4), '\137PNG')
      check.equal(vim.endswith(path, '.png'), true)
    end,
  },
  {
    'data is saved under a name of the person, and overwrites nothing',
    function()
      local contents = '[{"uri":"note://a.bin","mimeType":"application/pdf","blob":"AAEC"}]'
      local e = Editor.start({ config = with_resource(contents), width = 160 })
      e:command('edit mcp://fake/note://a.md')
      e:see('[data, application/pdf, 3 bytes] <CR> opens, s saves')
      e:keys('Gs')
      e:see('Save as: ' .. e.home.project)
      e:keys('<C-u>' .. e.home.project .. '/x.pdf<CR>')
      e:said(('saved "%s/x.pdf"'):format(e.home.project))
      check.equal(vim.fn.readblob(e.home.project .. '/x.pdf'), '\0\1\2')
      e:keys('Gs')
      e:see('Save as: ')
      e:keys('<C-u>' .. e.home.project .. '/x.pdf<CR>')
      e:said('x.pdf" exists; choose another name')
    end,
  },
  {
    "an image is drawn in a terminal with kitty's protocol",
    function()
      local e = Editor.start({
        config = { servers = { everything = servers.everything() } },
        env = { KITTY_WINDOW_ID = '1' },
        lua = [[
          local function send(sequence) -- Neovim asks the terminal things by it, too
            Sent = vim.startswith(sequence, '\27_G') and sequence or Sent
          end
          if vim.api.nvim_ui_send then
            vim.api.nvim_ui_send = send
          else
            io.stdout = { write = function(_, sequence) send(sequence) end }
          end
        ]],
        terminal = true,
      })
      e:command('Mcp call everything.get-tiny-image')
      local options, path = e:await_lua('return Sent'):match('^\27_G([^;]*);(%S*)\27\\$')
      check.contains(options, 'a=T,U=1,q=2,f=100,t=f,')
      check.equal(vim.fn.readblob(vim.base64.decode(path)):sub(1, 4), '\137PNG')
      e:see('\244\142\187\174')
    end,
  },
  {
    'a result does not take a person away who types or has left',
    function()
      local e = Editor.start({ config = { servers = { fake = servers.fake() } } })
      e:async("require('mcp-editord').start('fake')")
      e:command('Mcp call fake.delay ms:=300')
      e:await_lua("return #require('mcp-editord.daemon.calls').all() == 1")
      e:keys('iabc')
      e:see('fake.delay  ok')
      e:keys('def')
      e:see('abcdef')
    end,
  },
  {
    'an image is drawn by the function of the person',
    function()
      local e = Editor.start({
        config = { servers = { everything = servers.everything() } },
        options = '{ result = { image = function(path, buf, line) Drawn = { path, vim.api.nvim_buf_get_lines(buf, line - 1, line, false)[1] } end } }',
      })
      e:command('Mcp call everything.get-tiny-image')
      local drawn = e:await_lua('return Drawn')
      check.contains(drawn[2], '[image, image/png')
    end,
  },
  {
    'a prompt is filled in, and put into the buffer',
    function()
      local e = Editor.start({ config = { servers = { everything = servers.everything() } } })
      e:command('Mcp prompt everything.args-prompt')
      e:see('city [required]')
      e:keys('Paris<CR>')
      e:pick('Put it into this buffer')
      e:see('weather in Paris')
      check.equal(e:lua('return vim.bo.modified'), true)
    end,
  },
  {
    'a prompt goes into the buffer in which it was asked for',
    function()
      local prompt = { name = 'ask', arguments = { { name = 'what' } } }
      local said = '{"messages":[{"role":"user","content":{"type":"text","text":"PROMPT"}}]}'
      local steps = { { ['do'] = 'raw', lines = { '{"jsonrpc":"2.0","id":$ID,"result":' .. said .. '}' } } }
      local fake = servers.fake({ plain = true, prompts = { prompt }, steps = { ['prompts/get'] = steps } })
      local e = Editor.start({ config = { servers = { fake = fake } } })
      e:async("require('mcp-editord').start('fake')")
      e:lua('First = vim.api.nvim_get_current_buf()')
      e:hold('mcp/prompts/get')
      e:command('Mcp prompt fake.ask')
      e:pick('Put it into this buffer')
      e:await_lua('return Release ~= nil')
      e:command('new')
      e:lua('Release()')
      e:see('PROMPT')
      check.equal(e:lua('return vim.api.nvim_buf_get_lines(First, 0, -1, false)'), { '', 'PROMPT' })
      check.equal(e:buffer(), '')
    end,
  },
  {
    'arguments of prompts complete by the server',
    function()
      local e = Editor.start({ config = { servers = { everything = servers.everything() } } })
      e:command('Mcp prompt everything.completable-prompt')
      e:see('department')
      e:keys('Eng<Tab>')
      e:see('Engineering')
      e:keys('<C-c>')
    end,
  },
  {
    'a prompt with its arguments on the command line is shown',
    function()
      local e = Editor.start({ config = { servers = { everything = servers.everything() } } })
      e:command("Mcp prompt everything.args-prompt city='New York' state=NY")
      e:see('## user', 'New York, NY')
    end,
  },
  {
    'the command completes names and values',
    function()
      local e = Editor.start({ config = { servers = { everything = servers.everything(), fake = servers.fake() } } })
      e:async("require('mcp-editord').start('everything')")
      e:completes('Mcp r', { 'remove', 'resource', 'restart', 'results', 'resume', 'roots', 'run' })
      e:completes('Mcp call everything.get-s', { 'everything.get-structured-content', 'everything.get-sum' })
      e:completes('Mcp call everything.get-sum ', { 'a=', 'b=' })
      e:completes('Mcp call everything.get-sum a=1 ', { 'b=' })
      e:completes('Mcp call everything.get-structured-content location=Ch', { 'location=Chicago' })
      e:completes('Mcp call everything.get-structured-content location=Ne', { 'location=New\\ York' })
      e:completes('Mcp log ', { 'everything', 'fake' })
      e:completes("'<,'>Mcp too", { 'tools' })
      e:await_lua([[
        local names = vim.fn.getcompletion('Mcp resource ', 'cmdline')
        return table.concat(names, ' '):find('mcp://everything/demo://resource/static/document/', 1, true)
      ]])
    end,
  },
  {
    'the selection is the context of a call',
    function()
      local tool = {
        name = 'review',
        inputSchema = {
          type = 'object',
          properties = { text = { type = 'string' }, line = { type = 'integer' } },
          required = { 'text' },
        },
      }
      local e = Editor.start({
        config = { servers = { fake = servers.fake({ plain = true, onlyTools = true, tools = { tool } }) } },
      })
      e:keys('ione<CR>two three<CR>four<Esc>gg')
      e:keys('jwviw')
      e:keys(':Mcp call fake.review<CR>')
      e:see(': Run', 'text [required] = three', 'line [integer] = 2')
      e:pick('Run')
      e:see('"text": "three"')
    end,
  },
  {
    'a list is typed in a line, and checked',
    function()
      local tool = {
        name = 'sort',
        inputSchema = {
          type = 'object',
          properties = { list = { type = 'array', items = { type = 'integer' } } },
          required = { 'list' },
        },
      }
      local e = Editor.start({
        config = { servers = { fake = servers.fake({ plain = true, onlyTools = true, tools = { tool } }) } },
      })
      e:command('Mcp call fake.sort')
      e:see('list [required, list]:')
      e:keys('3, a<CR>')
      e:see('"list" has "a", which must be a whole number: 3, a')
      e:keys('<BS>12345678901234567890<CR>')
      e:pick('Run')
      e:see('12345678901234567890')
    end,
  },
  {
    'a tuple is written as JSON, and checked',
    function()
      local tool = {
        name = 'sort',
        inputSchema = {
          type = 'object',
          properties = { list = { type = 'array', prefixItems = {}, items = { type = 'integer' } } },
          required = { 'list' },
        },
      }
      local e = Editor.start({
        config = { servers = { fake = servers.fake({ plain = true, onlyTools = true, tools = { tool } }) } },
      })
      e:command('Mcp call fake.sort')
      e:see('list [required, JSON]: write to accept it')
      e:keys('ggcG["a"]<Esc>')
      e:command('write')
      e:said('not accepted: [0] must be of type integer; correct it and write again')
      e:keys('ggcG[3, 12345678901234567890]<Esc>')
      e:command('write')
      e:pick('Run')
      e:see('12345678901234567890')
    end,
  },
  {
    'servers: how they are, their log, and the daemon',
    function()
      local e = Editor.start({
        config = {
          servers = {
            fake = servers.fake({ steps = { start = { { ['do'] = 'stderr', text = 'hello \27[31mred\n' } } } }),
            bad = { command = '/nowhere/x' },
          },
        },
      })
      e:async("require('mcp-editord').start('fake')")
      e:await_lua("return require('mcp-editord.daemon.connections').peek().servers.bad.state == 'failed'")
      e:command('Mcp servers')
      local shown = e:see('MCP servers', 'bad', 'failed', 'fake')
      check.contains(shown, '✗ bad')
      e:keys('1<CR>')
      e:pick('Show')
      e:see('why it does not run', '/nowhere/x')
      e:see('defined in  ' .. e.home.dir .. '/config/mcp-editord/mcp.json')
      e:command('Mcp log fake')
      e:see('hello \\u{1b}[31mred')
      e:command('Mcp status')
      e:keys('L')
      e:see('* Neovim')
      e:command('/shared by')
      e:see('shared by 1')
      e:keys('G')
      e:see('noiseLines')
      e:command('Mcp stop fake')
      e:said('"fake" is stopped')
      e:command('Mcp start fake')
      e:said('"fake" is ready')
      e:command('Mcp nonsense')
      e:said('there is no :Mcp nonsense')
    end,
  },
  {
    'the API: with a callback, and in a coroutine; errors of servers as they are',
    function()
      local e = Editor.start({ config = { servers = { fake = servers.fake() } } })
      e:lua(
        "require('mcp-editord').call('fake', 'echo', { a = 1 }, nil, function(err, result) Got = { err or 'none', result.structuredContent.params.arguments } end)"
      )
      check.equal(e:await_lua('return Got'), { 'none', { a = 1 } })
      check.equal(e:async("return require('mcp-editord').request('fake', 'ping')"), {})
      e:lua(
        "require('mcp-editord').call('fake', 'refuse', { code = -32042, message = 'no', data = { x = 1 } }, nil, function(err) Refused = err end)"
      )
      local refused = e:await_lua('return Refused')
      check.equal({ refused.code, refused.message, refused.data }, { -32042, 'no', { x = 1 } })
      local ok, err = pcall(e.async, e, "return require('mcp-editord').call('nobody', 'x')")
      check.equal(ok, false)
      check.contains(err, 'nobody')
    end,
  },
  {
    'health',
    function()
      local e = Editor.start({ config = { servers = { fake = servers.fake() } } })
      e:async("require('mcp-editord').start('fake')")
      e:command('checkhealth mcp-editord')
      e:see('version', 'attached; the workspace is', '"fake" is ready', 'servers cannot ask your model')
      check.lacks(e:buffer(), 'ERROR')
    end,
  },
  {
    'health is red for a broken mcp.json and for a server that does not come up, and says where everything is',
    function()
      local home = Editor.home({
        config = { servers = { broken = { command = 'no-such-program' } } },
        files = { ['.mcp.json'] = '{ "mcpServers": { ' },
      })
      local e = Editor.start({ home = home, height = 70, width = 160 })
      e:command('checkhealth mcp-editord')
      e:await('the report', function()
        return e:buffer():find('sampling', 1, true)
      end)
      local report = e:buffer():gsub('%s+', ' ')
      for _, told in ipairs({
        'ERROR ' .. home.project .. '/.mcp.json:1: ',
        'ERROR "broken" failed: ',
        'your servers: ' .. home.dir .. '/config/mcp-editord/mcp.json',
        "the project's servers: " .. home.project .. '/.mcp.json',
        'socket: ' .. home.socket,
        'log: ' .. home.dir .. '/state/mcp-editord/daemon.log',
      }) do
        check.contains(report, told)
      end
    end,
  },
}

--- Where results go: `++to=TARGET`, modifiers of the command, and `to` of the API.
local Editor = require('support.editor')
local check = require('support.check')
local json = require('mcp-editord.json')
local servers = require('support.servers')
local targets = require('mcp-editord.commands.targets')

--- A server whose tool answers so.
local function answering(result)
  local steps = { { ['do'] = 'raw', lines = { '{"jsonrpc":"2.0","id":$ID,"result":' .. result .. '}' } } }
  return { servers = { fake = servers.fake({ plain = true, steps = { ['tools/call'] = steps } }) } }
end

local function saying(text)
  return answering('{"content":[{"type":"text","text":' .. json.encode(text) .. '}]}')
end

--- An editor with a buffer of these lines, the cursor on `row`.
local function editor(config, lines, row)
  local e = Editor.start({ config = config })
  e:lua('vim.api.nvim_buf_set_lines(0, 0, -1, false, ...)', lines)
  e:lua('vim.bo.modified = false; vim.api.nvim_win_set_cursor(0, { ..., 1 })', row or 1)
  e:lua('vim.bo.undolevels = vim.bo.undolevels')
  return e
end

local function holds(e, text)
  e:await('the buffer is ' .. text, function()
    return e:buffer() == text
  end)
end

return {
  {
    'the word is taken out of the command line before the first argument',
    function()
      local cases = {
        ['call ++to=cursor a.b x=1'] = { 'call a.b x=1', 'cursor' },
        ['call a.b ++to=split x=1'] = { 'call a.b x=1', 'split' },
        ['call a.b x=1 ++to=split'] = { 'call a.b x=1 ++to=split' },
        ['call ++to=file:a\\ b.md a.b'] = { 'call a.b', 'file:a b.md' },
        ['++to=tab'] = { '', 'tab' },
        ['call a.b'] = { 'call a.b' },
      }
      for line, want in pairs(cases) do
        check.equal({ targets.strip(line) }, want, line)
      end
    end,
  },
  {
    'cursor: lines go below the line, other text to the cursor; one undo takes it back',
    function()
      local e = editor(saying('A\nB\n'), { 'one', 'two' })
      e:command('Mcp call ++to=cursor fake.echo')
      holds(e, 'one\nA\nB\ntwo')
      e:keys('u')
      holds(e, 'one\ntwo')
      check.equal(e:lua('return #vim.api.nvim_list_wins()'), 1)
      e = editor(saying('A\nB'), { 'one', 'two' })
      e:command('Mcp call fake.echo ++to=cursor')
      holds(e, 'oA\nBne\ntwo')
    end,
  },
  {
    'replace: the range, or what was selected',
    function()
      local e = editor(saying('NEW\n'), { 'one', 'two', 'three' })
      e:command('2,3Mcp call ++to=replace fake.echo')
      holds(e, 'one\nNEW')
      e:keys('u')
      holds(e, 'one\ntwo\nthree')
      e:keys('ggllvjh:Mcp call ++to=replace fake.echo<CR>')
      holds(e, 'onNEW\no\nthree')
      e:command('Mcp call ++to=replace fake.echo')
      e:said('++to=replace needs a range')
    end,
  },
  {
    "replace takes what was selected, with its accents, and no more where 'selection' is exclusive",
    function()
      local e = editor(saying('N'), { 'ae\204\129b' })
      e:keys('0vl:Mcp call ++to=replace fake.echo<CR>')
      holds(e, 'Nb')
      e = editor(saying('N'), { 'a\240\159\152\128b' })
      e:keys('0vl:Mcp call ++to=replace fake.echo<CR>')
      holds(e, 'Nb')
      e = editor(saying('N'), { 'abcdef' })
      e:lua("vim.o.selection = 'exclusive'")
      e:keys('0vlll:Mcp call ++to=replace fake.echo<CR>')
      holds(e, 'Ndef')
    end,
  },
  {
    'NUL goes into a register as it came',
    function()
      local e = editor(saying('a\0b\nc'), { 'one' })
      e:command('Mcp call ++to=register:a fake.echo')
      e:said('2 lines in register a')
      check.equal(e:lua("return vim.fn.getreg('a', 1, 1)"), { 'a\nb', 'c' }) -- Vim script's NUL
    end,
  },
  {
    'replace follows the text while the call runs, and says so if it is gone',
    function()
      local e = editor(saying('NEW\n'), { 'one', 'two', 'three' })
      e:async("require('mcp-editord').start('fake')")
      e:hold('mcp/tools/call')
      e:command('2Mcp call ++to=replace fake.echo')
      e:await_lua('return Release ~= nil')
      e:lua("vim.api.nvim_buf_set_lines(0, 0, 0, false, { 'zero' }); Release(); Release = nil")
      holds(e, 'zero\none\nNEW\nthree')
      e:command('3Mcp call ++to=replace fake.echo')
      e:await_lua('return Release ~= nil')
      e:lua('vim.api.nvim_buf_set_lines(0, 2, 3, false, {}); Release(); Release = nil')
      e:said('shown instead of ++to=replace: the text that was there is gone')
      e:see('fake.echo  ok')
    end,
  },
  {
    'a buffer that cannot be changed, an error and a missing target do not lose the result',
    function()
      local e = editor(saying('NEW\n'), { 'one' })
      e:lua('vim.bo.modifiable = false')
      e:command('Mcp call ++to=cursor fake.echo')
      e:said('shown instead of ++to=cursor: the buffer cannot be changed')
      e:see('NEW')
      e = editor(answering('{"isError":true,"content":[{"type":"text","text":"no such thing"}]}'), { 'one' })
      e:command('%Mcp call ++to=replace fake.echo')
      e:see('no such thing', 'FAILED')
      check.equal(e:lua('return vim.api.nvim_buf_get_lines(vim.fn.bufnr(1), 0, -1, false)'), { 'one' })
      e:command('Mcp call ++to=moon fake.echo')
      e:said('"moon" is not a target; write one of buffer, split,')
    end,
  },
  {
    'register: as lines or characters',
    function()
      local e = editor(saying('A\nB\n'), { 'one' })
      e:command('Mcp call ++to=register:x fake.echo')
      e:said('2 lines in register x')
      check.equal(e:lua("return { vim.fn.getreg('x'), vim.fn.getregtype('x') }"), { 'A\nB\n', 'V' })
      e:command('Mcp call ++to=register:é fake.echo')
      e:said('is not a register')
    end,
  },
  {
    'file: a new one; one that is there only with !',
    function()
      local e = editor(saying('A\nB'), { 'one' })
      local path = e.home.project .. '/out.txt'
      e:command('Mcp call ++to=file:out.txt fake.echo')
      e:said('wrote "')
      check.equal(vim.fn.readfile(path), { 'A', 'B' })
      vim.fn.writefile({ 'mine' }, path)
      e:command('Mcp call ++to=file:out.txt fake.echo')
      e:said('out.txt" exists')
      e:see('fake.echo  ok')
      check.equal(vim.fn.readfile(path), { 'mine' })
      e:command('Mcp call ++to=file!:out.txt fake.echo')
      e:await('overwritten', function()
        return vim.deep_equal(vim.fn.readfile(path), { 'A', 'B' })
      end)
    end,
  },
  {
    'quickfix: what workspace.search_text has found, with the command as title',
    function()
      local e = Editor.start({
        config = { servers = { workspace = vim.empty_dict() } },
        files = { ['a.txt'] = 'x\n  needle\n', ['b.txt'] = 'needle\n' },
      })
      e:command('Mcp call ++to=quickfix workspace.search_text query=needle')
      e:said('2 in the quickfix list')
      check.equal(
        e:lua('return vim.fn.getqflist({ title = 1 }).title'),
        ':Mcp call ++to=quickfix workspace.search_text query=needle'
      )
      e:command('cfirst')
      e:await_lua("return vim.fn.expand('%:t') == 'a.txt'")
      check.equal(e:lua('return vim.api.nvim_win_get_cursor(0)'), { 2, 2 })
      e:command('Mcp call ++to=quickfix workspace.search_text query=nothing-of-this')
      e:said('the result names no line of a file')
      e:command('Mcp call ++to=quickfix workspace.search_text query=x')
      e:said('1 in the quickfix list')
      e:command('silent colder')
      e:await_lua('return #vim.fn.getqflist() == 2')
    end,
  },
  {
    'matches of other servers: objects, LSP ranges, and lines such as grep writes',
    function()
      local find = require('mcp-editord.results.matches').find
      local function short(items)
        return vim.tbl_map(function(item)
          return ('%s|%d|%d|%s'):format(item.filename, item.lnum, item.col, item.text)
        end, items)
      end
      check.equal(
        short(
          find(
            '',
            '{"a":[{"uri":"file:///x/a%20b.c","range":{"start":{"line":4,"character":2}},"message":"m"},'
              .. '{"path":"b.c","lineNumber":7,"column":3,"text":"t"},{"path":"c.c"},{"uri":"http://x/y","line":1},'
              .. '{"uri":"file:///a%0Ab","line":1},{"uri":"file:///a%00b","line":1}]}',
            '/r'
          )
        ),
        { '/x/a b.c|5|3|m', '/r/b.c|7|3|t' }
      )
      check.equal(
        short(find('a.c:3:4: hello\n  b.c:5: x:y\nnothing here\nC:\\d.c:1:2:z\nhttp://localhost:80/x\n', nil, '/r')),
        { '/r/a.c|3|4|hello', '/r/b.c|5|0|x:y', 'C:\\d.c|1|2|z' }
      )
    end,
  },
  {
    'windows: by ++to and by the modifiers of the command',
    function()
      local e = editor(saying('A'), { 'one' })
      local function layout()
        return e:lua('return vim.fn.winlayout()')
      end
      e:command('vertical Mcp call fake.echo')
      e:see('fake.echo  ok')
      check.equal(layout()[1], 'row')
      e:command('Mcp call ++to=tab fake.echo')
      e:await_lua('return #vim.api.nvim_list_tabpages() == 2')
      e:keys('q')
      e:await_lua('return #vim.api.nvim_list_tabpages() == 1')
      e:command('only!')
      e:await_lua('return #vim.api.nvim_list_wins() == 1')
      e:command('topleft Mcp call fake.echo')
      e:await_lua('return #vim.api.nvim_list_wins() == 2')
      check.equal(e:lua('return { vim.fn.winlayout()[1], vim.fn.winnr() }'), { 'col', 1 })
      e:command('Mcp call ++to=float fake.echo')
      e:await_lua("return vim.api.nvim_win_get_config(0).relative == 'editor'")
      e:keys('q')
      e:command('only!')
      e:command('enew')
      e:command('Mcp call ++to=buffer fake.echo')
      e:await_lua('return vim.b.mcp_result')
      check.equal(e:lua('return #vim.api.nvim_list_wins()'), 1)
    end,
  },
  {
    'the Lua API has the same targets',
    function()
      local e = editor(saying('A\n'), { 'one', 'two' })
      e:lua("require('mcp-editord').call('fake', 'echo', {}, { to = 'cursor' }, function(err) Done = err or true end)")
      holds(e, 'one\nA\ntwo')
      check.equal(e:await_lua('return Done'), true)
      e:lua([[
        local opts = { to = 'replace', range = { first = 1, last = 2 } }
        require('mcp-editord').call('fake', 'echo', {}, opts, function(err) Done = err or true end)
      ]])
      holds(e, 'A\ntwo')
      e:lua("require('mcp-editord').call('fake', 'echo', {}, { to = 'moon' }, function(err) Failed = err end)")
      check.contains(e:await_lua('return Failed'), '"moon" is not a target')
    end,
  },
  {
    'resources go to targets, too, and everything completes',
    function()
      local script = {
        plain = true,
        resources = { { uri = 'note://a.md', name = 'a' } },
        steps = {
          ['resources/read'] = {
            {
              ['do'] = 'raw',
              lines = { '{"jsonrpc":"2.0","id":$ID,"result":{"contents":[{"uri":"note://a.md","text":"N\\n"}]}}' },
            },
          },
        },
      }
      local e = editor({ servers = { fake = servers.fake(script) } }, { 'one' })
      e:command('Mcp resource ++to=cursor mcp://fake/note://a.md')
      holds(e, 'one\nN')
      e:command('vertical Mcp resource mcp://fake/note://a.md')
      e:await_lua("return vim.fn.winlayout()[1] == 'row' and vim.api.nvim_buf_get_name(0) == 'mcp://fake/note://a.md'")
      check.equal(
        e:lua("return vim.fn.getcompletion('Mcp call ++to=re', 'cmdline')"),
        { '++to=replace', '++to=register' }
      )
      e:completes('Mcp call ++to=split fake.ech', { 'fake.echo' })
    end,
  },
  {
    'a file that was opened in the result window is a place like any other: results leave it alone',
    function()
      local tool = { name = 'say', inputSchema = { type = 'object', properties = { text = { type = 'string' } } } }
      local e = Editor.start({
        config = { servers = { fake = servers.fake({ plain = true, onlyTools = true, tools = { tool } }) } },
        files = { ['a.txt'] = 'a', ['b.txt'] = 'b' },
      })
      e:command('silent edit a.txt')
      e:command('Mcp call fake.say text=%')
      e:see('fake.say  ok', '/a.txt"')
      e:command('silent edit b.txt')
      e:gone('fake.say  ok')
      e:command('Mcp again')
      e:see('fake.say  ok', '/b.txt"')
      check.equal(e:lua('return #vim.api.nvim_list_wins()'), 3)
      check.equal(e:lua("return vim.fn.bufwinid('b.txt') ~= -1"), true)
    end,
  },
  {
    'promise 11: a result floats where no window can be opened',
    function()
      local cases = {
        { 'Mcp call fake.echo', 'for _ = 1, 40 do pcall(vim.cmd.split) end', 'Not enough room' },
        { 'Mcp call ++to=buffer fake.echo', 'vim.wo.winfixbuf = true', 'Cannot switch buffer' },
        {
          'Mcp call fake.echo',
          "vim.api.nvim_create_autocmd('WinNew', { callback = function() vim.cmd.throw('\"mine\"') end })",
          'mine',
        },
      }
      for _, case in ipairs(cases) do
        local e = editor(saying('NEW'), { 'one' })
        e:lua(case[2])
        local windows = e:lua('return #vim.api.nvim_list_wins()')
        e:command(case[1])
        e:see('NEW')
        check.contains(e:said('; the result floats, because no other window can be opened'), case[3])
        check.equal(e:lua('return #vim.api.nvim_list_wins()'), windows + 1, case[3])
      end
    end,
  },
  {
    'a result leaves a result window alone that keeps its buffer',
    function()
      local e = editor(saying('NEW'), { 'one' })
      e:command('Mcp call fake.echo')
      e:see('NEW')
      e:lua('vim.wo.winfixbuf = true')
      e:command('Mcp call fake.echo')
      e:await_lua('return #vim.api.nvim_list_wins() == 3')
      check.equal(e:lua('return vim.api.nvim_win_get_config(0).relative'), '')
    end,
  },
  {
    'promise 11: a result waits for the end of the command-line window',
    function()
      local e = editor(saying('NEW'), { 'one' })
      e:async("require('mcp-editord').start('fake')")
      e:hold('mcp/tools/call')
      e:command('Mcp call fake.echo')
      e:await_lua('return Release ~= nil')
      e:keys('q:')
      e:await_lua("return vim.fn.getcmdwintype() == ':'")
      e:lua('Release()')
      e:said('the result opens when you leave the command-line window')
      e:command('q')
      e:see('fake.echo  ok', 'NEW')
    end,
  },
}

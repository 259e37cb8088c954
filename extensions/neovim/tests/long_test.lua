--- Results that are too long for a screen, or for a buffer.
local Editor = require('support.editor')
local check = require('support.check')
local json = require('mcp-editord.json')

local support = vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p:h')

--- A page of a CallToolResult, made and shown in slices in another Neovim.
local function show(e, lua)
  e:lua(([[
    local raw = (function() %s end)()
    require('mcp-editord.ui.messages').run(function()
      require('mcp-editord.results.show').in_slices('s.t', function(pause)
        return require('mcp-editord.results.format').tool('s', raw, pause), 's.t'
      end)
      Over = true
    end)
  ]]):format(lua))
end

return {
  {
    'promise 10: 20 MB of text do not stop Neovim for longer than they take to put into a buffer at once',
    function()
      local e = Editor.start({ config = { servers = vim.empty_dict() } })
      e:lua(("package.path = '%s/?.lua;' .. package.path"):format(support))
      -- It was 20 times as long. What other processes take only makes a gap longer: the shortest of several counts.
      local shown, plain = math.huge, math.huge
      for _ = 1, 10 do
        local one, other = unpack(e:lua("return { require('support.gap').measure(20) }"))
        shown, plain = math.min(shown, one), math.min(plain, other)
        if shown < 2 * plain then
          return
        end
      end
      error(('the longest gap is %.0f ms, plainly it is %.0f ms'):format(shown, plain))
    end,
  },
  {
    'what a page has no room for is in a file, as it came, and <CR> opens it without running what it says',
    function()
      local e = Editor.start({ config = { servers = vim.empty_dict() } })
      show(
        e,
        [[Text = ('\226\128\174' .. ('x'):rep(99) .. '\n'):rep(120000) .. 'vim: set ft=lua tabstop=3 :'
          return vim.json.encode({ content = { { type = 'text', text = Text } } })]]
      )
      e:await_lua('return Over')
      e:see('[not all of it fits here; the whole text, ', 'opens', '\\u{202e}xxx')
      assert(e:lua('return vim.api.nvim_buf_line_count(0)') < 120000, 'the page has all of it')
      e:keys('gg<CR>')
      e:await_lua("return vim.api.nvim_buf_get_name(0):find('%.txt$')")
      check.equal(e:lua("return table.concat(vim.fn.readfile(vim.api.nvim_buf_get_name(0)), '\\n') == Text"), true)
      check.equal(e:lua('return { vim.bo.filetype, vim.bo.tabstop }'), { 'text', 8 })
      check.equal(e:lua('return #vim.api.nvim_list_wins()'), 3)
    end,
  },
  {
    'a long line is cut, and is whole in the file',
    function()
      local e = Editor.start({ config = { servers = vim.empty_dict() } })
      show(e, [[return vim.json.encode({ content = { { type = 'text', text = ('é'):rep(3000000) } } })]])
      e:await_lua('return Over')
      e:see('[not all of it fits here')
      e:await_lua('return vim.api.nvim_buf_line_count(0) == 2')
      local line = e:lua('return vim.api.nvim_buf_get_lines(0, 1, 2, false)[1]')
      check.equal(line:sub(-5), 'é…')
      local path = e:lua('return vim.api.nvim_buf_get_lines(0, 0, 1, false)[1]'):match('%S+%.txt')
      check.equal(vim.fn.getfsize(path), 6000000)
      check.equal(vim.fn.getfperm(path), 'rw-------')
    end,
  },
  {
    'long JSON is indented, compared and shown once, as short JSON is',
    function()
      local e = Editor.start({ config = { servers = vim.empty_dict() } })
      show(
        e,
        [[local items = {}
          for i = 1, 20000 do
            items[i] = { name = 'a "quoted" name', n = i }
          end
          local text = vim.json.encode({ items = items })
          return '{"content":[{"type":"text","text":' .. vim.json.encode(text) .. '}],"structuredContent":' .. text .. '}']]
      )
      e:await_lua('return Over')
      check.equal(e:lua('return vim.api.nvim_buf_get_lines(0, 0, 3, false)'), { '```json', '{', '  "items": [' })
      check.equal(e:lua('return vim.api.nvim_buf_line_count(0)'), 20000 * 4 + 6)
    end,
  },
  {
    ':Mcp cancel and deleting the buffer stop what is not shown yet; closing the window does not',
    function()
      local e = Editor.start({ config = { servers = vim.empty_dict() } })
      local endless = [[
        local text = '{"type":"text","text":' .. vim.json.encode(('x\n'):rep(2000000)) .. '}'
        return '{"content":[' .. text .. ',' .. text .. ',' .. text .. ']}'
      ]]
      show(e, endless)
      e:command('Mcp cancel')
      e:await_lua("return #require('mcp-editord.daemon.calls').all() == 0")
      e:see('cancelled; "s.t" is not shown to its end')
      check.equal(e:lua('return #vim.api.nvim_list_wins()'), 1)
      show(e, endless)
      e:see('1 of 3: text')
      e:keys('q')
      e:await_lua('return #vim.api.nvim_list_wins() == 1')
      check.equal(e:lua("return #require('mcp-editord.daemon.calls').all()"), 1)
      e:lua("Buf = require('mcp-editord.results.kept').list()[1].buf; vim.cmd.bdelete(Buf)")
      e:await_lua("return #require('mcp-editord.daemon.calls').all() == 0 and not vim.api.nvim_buf_is_valid(Buf)")
    end,
  },
  {
    'an answer that cannot be decoded is an error, however long it is',
    function()
      local thread = require('mcp-editord.thread')
      local failure
      require('mcp-editord.async').run(function()
        thread.check('["' .. ('x'):rep(1000000), function() end)
      end, function(_, err)
        failure = err
      end)
      assert(vim.wait(120000, function()
        return failure ~= nil
      end, 10))
      check.contains(failure.message, 'Neovim cannot read this message: ')
    end,
  },
  {
    'a long string is read in parts that end with its lines',
    function()
      local text = ('a "quoted" \\ line, é\n'):rep(20000) .. ('\\"é\240\159\152\128'):rep(300000)
      local raw = vim.json.encode(text):gsub('\240\159\152\128', '\\ud83d\\ude00')
      local parts = {}
      for part in json.string_parts(raw) do
        parts[#parts + 1] = part
      end
      assert(#parts > 5, #parts)
      check.equal(parts[1]:sub(-1), '\n')
      assert(table.concat(parts) == text, 'the text is another')
    end,
  },
}

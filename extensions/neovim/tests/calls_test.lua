local Editor = require('support.editor')
local check = require('support.check')
local servers = require('support.servers')

--- A tool that answers with its arguments.
local sum = {
  name = 'sum',
  description = 'Adds two numbers.',
  inputSchema = {
    type = 'object',
    properties = {
      a = { type = 'number', description = 'The first one.' },
      b = { type = 'number' },
      mode = { type = 'string', enum = { 'exact', 'rounded' } },
    },
    required = { 'a', 'b' },
  },
  annotations = { readOnlyHint = true },
}

--- A Neovim with a call document that is open, and with the server "fake" ready.
---@param text string
---@param lua? string
local function open(text, lua)
  local fake = servers.fake({ plain = true, tools = { sum } })
  local e = Editor.start({
    config = { servers = { fake = fake } },
    files = { ['a.mcp'] = text },
    lua = "vim.cmd('syntax on') vim.diagnostic.config({ virtual_text = false }) " .. (lua or ''),
    height = 40,
  })
  e:command('edit a.mcp')
  e:await_lua("return #vim.lsp.get_clients({ bufnr = 0, name = 'mcp-editord' }) == 1")
  e:async("require('mcp-editord').start('fake')")
  return e
end

--- Waits until the current buffer has the text.
local function wait_for(e, text)
  return e:await('in the buffer: ' .. text, function()
    local now = e:buffer()
    return now:find(text, 1, true) and now
  end)
end

--- A call of an action of the fake server.
local function call(name, arguments)
  local out = 'call: fake.' .. name .. '\n'
  return arguments and out .. 'with: ' .. vim.json.encode(arguments) .. '\n' or out
end

local answered = 'params' -- a part of what the tool "sum" answers

return {
  {
    'a call is written with completion, described, checked, run, run again and undone',
    function()
      local e = open('')
      e:keys('icall: fake.su<C-x><C-o>')
      e:see('fake.sum')
      e:keys('<C-y><CR>with:<CR>  a: 1<Esc>')
      wait_for(e, 'call: fake.sum\nwith:\n  a: 1')
      e:await_lua([[
        return vim.iter(vim.diagnostic.get(0)):any(function(d) return d.message:find('"b" is missing', 1, true) end)
      ]])
      e:keys('1GfsK')
      e:see('Adds two numbers.')
      e:keys('3GAq<BS>') -- closes what K has opened
      e:keys('<CR>mode: <C-x><C-o>')
      e:see('exact', 'rounded')
      e:keys('<C-e><C-u>b: 2<Esc>')
      e:await_lua('return #vim.diagnostic.get(0) == 0')
      local before = e:buffer()
      e:command('Mcp run')
      local after = wait_for(e, 'result:')
      check.contains(after, answered)
      check.equal(after:sub(1, #before), before)
      check.equal(e:lua('return vim.api.nvim_win_get_cursor(0)[1]'), 4)
      e:keys('u')
      e:await_lua('return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\\n") == ...', before)
      e:keys('<C-r>')
      wait_for(e, 'result:')
      e:keys('3G0:s/1/7/<CR>')
      e:command('Mcp run')
      after = wait_for(e, '      a: 7')
      local _, count = after:gsub('result:', '')
      check.equal(count, 1)
    end,
  },
  {
    'the lens above a call runs it and cancels it, and so does :Mcp cancel',
    function()
      local e = open(call('hang') .. '---\n' .. call('sum', { a = 1, b = 2 }))
      e:see('Run')
      e:keys('3G')
      e:command('lua vim.lsp.codelens.run()')
      wait_for(e, answered)
      for _, cancel in ipairs({ 'lua vim.lsp.codelens.run()', 'Mcp cancel' }) do
        e:keys('1G')
        e:command('Mcp run')
        e:see('Cancel')
        e:await_lua("return #require('mcp-editord.daemon.calls').all() > 0")
        e:command(cancel)
        wait_for(e, 'error:')
        e:gone('Cancel')
        e:keys('u')
      end
      e:await_lua("return #require('mcp-editord.daemon.calls').all() == 0")
    end,
  },
  {
    'a result that comes while the person types is an undo block of its own, and takes no key',
    function()
      local e = open(
        call(
          'ask_elicitation',
          { params = { message = 'What?', requestedSchema = { type = 'object', properties = vim.empty_dict() } } }
        )
      )
      e:command('Mcp run')
      e:see(':Mcp answer')
      e:keys('ggO# one')
      e:lua([[
        require('mcp-editord.questions.elicitation') -- answers as if the person had
        local item = require('mcp-editord.ui.waiting').questions()[1]
        item.ask = function() return { action = 'decline' } end
        require('mcp-editord.ui.waiting').open(item)
      ]])
      wait_for(e, 'result:')
      e:keys(' two<Esc>')
      check.contains(wait_for(e, '# one two'), 'result:')
      e:keys('u')
      wait_for(e, '# one\n')
      check.contains(e:buffer(), 'result:')
      e:keys('u')
      e:await_lua('return not table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\\n"):find("result:")')
      check.contains(e:buffer(), '# one')
    end,
  },
  {
    'what a server refuses is an error below its call, and is no result when it is run again',
    function()
      local e = open(call('refuse', { code = -32000, message = 'not today' }))
      e:command('Mcp run')
      wait_for(e, 'error: |\n  not today')
    end,
  },
  {
    'all of a long result is in a read-only file, which reads no modeline',
    function()
      local e = open(call('big', { bytes = 40000 }))
      e:command('Mcp run')
      wait_for(e, 'all of it, ')
      e:keys('G$<C-w>f')
      e:await_lua('return #vim.api.nvim_list_wins() == 2 and #vim.fn.getline(1) == 40000')
      check.equal(e:lua('return { vim.bo.modeline, vim.bo.readonly }'), { false, true })
    end,
  },
  {
    'an image is a file that can be opened from a page',
    function()
      local image = { type = 'image', mimeType = 'image/png', data = 'iVBORw0KGgo=' }
      local line = vim.json.encode({ jsonrpc = '2.0', id = 'ID', result = { content = { image } } }):gsub('"ID"', '$ID')
      local e = open(call('raw', { lines = { line } }), 'vim.ui.open = function(path) Opened = path end')
      e:command('Mcp run')
      local text = wait_for(e, 'result:')
      check.contains(text, '.png')
    end,
  },
  {
    'the result of a call whose document is closed is shown',
    function()
      local e = open(
        call(
          'ask_elicitation',
          { params = { message = 'What?', requestedSchema = { type = 'object', properties = vim.empty_dict() } } }
        )
      )
      e:command('Mcp run')
      e:see(':Mcp answer')
      e:command('bwipeout')
      e:lua([[
        local item = require('mcp-editord.ui.waiting').questions()[1]
        item.ask = function() return { action = 'decline' } end
        require('mcp-editord.ui.waiting').open(item)
      ]])
      e:said('waits because you are typing; :Mcp resume opens it')
      e:command('Mcp resume')
      e:see('action: decline')
    end,
  },
  {
    ':Mcp new opens a call document that is filled in, where the person wants it',
    function()
      local e = open('')
      e:command('vertical Mcp new fake.sum a=5')
      local text = wait_for(e, 'call: fake.sum')
      check.contains(text, 'a: 5')
      check.contains(text, 'mode')
      check.equal(e:lua('return { vim.bo.filetype, vim.bo.modeline, vim.bo.readonly }'), { 'mcp', false, false })
      check.equal(e:lua('return vim.fn.winlayout()[1]'), 'row')
      e:await_lua("return #vim.lsp.get_clients({ bufnr = 0, name = 'mcp-editord' }) == 1")
    end,
  },
  {
    ':Mcp run elsewhere says where calls are',
    function()
      local e = open('')
      e:command('enew')
      e:command('Mcp run')
      e:said('this is no call document')
    end,
  },
}

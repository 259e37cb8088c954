--- Results stay when others come, until there are too many.
local Editor = require('support.editor')
local check = require('support.check')
local servers = require('support.servers')

--- An editor with a server that is ready, whose tool "say" answers with what it is asked.
local function start(opts)
  local say = { name = 'say', inputSchema = { type = 'object', properties = { text = { type = 'string' } } } }
  local fake = servers.fake({ plain = true, tools = { say } })
  local e = Editor.start(vim.tbl_extend('force', { config = { servers = { fake = fake } } }, opts or {}))
  e:async("require('mcp-editord').start('fake')")
  return e
end

--- Calls the tool and waits for its result.
local function say(e, text)
  e:command('Mcp call fake.say text=' .. text)
  e:see('fake.say  ok', 'text=' .. text)
end

local function results(e)
  return e:lua("return #require('mcp-editord.results.kept').list()")
end

return {
  {
    'promise 11: a result stays when another takes its window: for :ls!, <C-o> and :Mcp results',
    function()
      local e = start()
      say(e, 'one')
      say(e, 'two')
      e:see('(1 before it: :Mcp results)')
      check.equal(e:lua('return #vim.api.nvim_list_wins()'), 2)
      local listed = e:lua("return vim.fn.execute('ls!')")
      check.equal(select(2, listed:gsub('mcp%-result://%d+/fake%.say', '')), 2)
      e:keys('<C-o>')
      e:see('text=one', '"text": "one"')
      e:keys('q')
      e:gone('text=one')
      e:command('Mcp results')
      e:keys(e:see('Result'):match('(%d+): [^\n]*text=two') .. '<CR>')
      e:see('"text": "two"')
      check.equal(e:lua('return { vim.wo.wrap, vim.wo.list, vim.bo.modifiable }'), { true, false, false })
      e:command('bwipeout')
      e:command('Mcp results')
      e:see('1: fake.say  ok', 'text=one')
      check.lacks(e.screen:text(), 'text=two')
      e:keys('<Esc>')
    end,
  },
  {
    'of two calls at once both results are there',
    function()
      local e = start()
      e:lua([[
        for _, text in ipairs({ 'one', 'two' }) do
          vim.cmd('Mcp call fake.say text=' .. text)
        end
      ]])
      e:await('two results', function()
        return results(e) == 2
      end)
      e:see('(1 before it: :Mcp results)')
    end,
  },
  {
    'a result looks the same in any window, and other files there do not',
    function()
      local e = start({ lua = 'vim.o.number = true' })
      say(e, 'one')
      e:keys('q')
      e:await_lua('return #vim.api.nvim_list_wins() == 1')
      e:command('buffer mcp-result')
      e:see('text=one')
      check.equal(e:lua('return vim.wo.number'), false)
      e:command('enew')
      e:gone('text=one')
      check.equal(e:lua('return { vim.wo.number, vim.wo.winbar }'), { true, '' })
    end,
  },
  {
    'what is kept is bounded in number and bytes; what is on the screen stays',
    function()
      local e = start()
      say(e, 'first')
      e:lua('vim.w.mcp_result = nil') -- it is no window for results any more
      e:lua([[
        for i = 1, 40 do
          local result = { content = { { type = 'text', text = 'number ' .. i } } }
          require('mcp-editord').show('t', 'fake', result)
        end
      ]])
      check.equal(results(e), 31) -- the first is on the screen
      e:see('text=first', 'number 40')
      e:lua([[
        local raw = vim.json.encode({ content = { { type = 'image', mimeType = 'image/png', data = ('A'):rep(2e7) } } })
        for _ = 1, 4 do
          local page = require('mcp-editord.results.format').tool('fake', raw)
          require('mcp-editord.results.show').show('big', page)
        end
      ]])
      check.equal(results(e), 4) -- the first, and 60 MB of the images
      e:see('text=first')
      check.equal(e:lua("return #vim.fn.getcompletion('mcp-result', 'buffer')"), 0)
    end,
  },
}

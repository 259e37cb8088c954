local Editor = require('support.editor')
local check = require('support.check')
local servers = require('support.servers')

return {
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
}

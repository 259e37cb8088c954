local Editor = require('support.editor')
local check = require('support.check')

--- A project with the server "ours" in its .mcp.json, which is open.
local function open()
  local text = '{\n  "servers": {\n    "ours": {\n      "command": "%s"\n    }\n  }\n}\n'
  local e = Editor.start({
    files = { ['.mcp.json'] = text:format(vim.env.FAKESERVER_BIN) },
    lua = 'vim.diagnostic.config({ virtual_text = false })', -- 0.10 has it on, and so shows no lens
    height = 40,
  })
  e:command('edit .mcp.json')
  e:await_lua("return #vim.lsp.get_clients({ bufnr = 0, name = 'mcp-editord' }) == 1")
  return e
end

--- The diagnostics of the buffer, as one text.
local problems = [[
  return table.concat(vim.tbl_map(function(d) return d.message end, vim.diagnostic.get(0)), '\n')
]]

--- Waits for a diagnostic that has the text.
local function wait_for_problem(e, text)
  e:await_lua('return (function() ' .. problems .. ' end)():find(..., 1, true)', text)
end

--- Runs the code action or code lens that has the title.
local function run(e, what, title)
  e:command(what == 'action' and 'lua vim.lsp.buf.code_action()' or 'lua vim.lsp.codelens.run()')
  e:pick(title)
end

return {
  {
    'a server is allowed where its definition is, and the question of the plugin closes',
    function()
      local e = open()
      wait_for_problem(e, '"ours" has not been allowed to run')
      e:see('Needs approval', 'May the MCP server "ours" run?', ':Mcp answer')
      e:keys('3Gfo')
      run(e, 'action', 'Allow "ours" to Run')
      e:see('Ready, 2') -- the number of its tools
      e:gone(':Mcp answer')
      e:await_lua('return (function() ' .. problems .. " end)() == ''")
    end,
  },
  {
    'promise 1: a server is not allowed where its definition is folded or out of sight',
    function()
      local e = open()
      wait_for_problem(e, 'has not been allowed')
      for _, keys in ipairs({ ':3,5fold<CR>3G5|', 'zE:new<CR><C-w>p:resize 2<CR>3G5|zt' }) do
        e:keys(keys)
        run(e, 'action', 'Allow "ours" to Run')
        e:see('May the MCP server "ours" run?', '1: Later')
        e:keys('<Esc>')
        e:gone('1: Later')
      end
      check.equal(e:lua("return require('mcp-editord.daemon.connections').peek().servers.ours.state"), 'needsApproval')
      e:keys('<C-w>o')
      run(e, 'action', 'Allow "ours" to Run')
      e:see('Ready, 2')
    end,
  },
  {
    'a server that is allowed by the question of the plugin is allowed in its file',
    function()
      local e = open()
      wait_for_problem(e, 'has not been allowed')
      e:take_up('2: Allow')
      e:pick('Allow')
      e:see('Ready, 2')
      e:await_lua('return (function() ' .. problems .. " end)() == ''")
    end,
  },
  {
    'a server is denied where its definition is',
    function()
      local e = open()
      wait_for_problem(e, 'has not been allowed')
      e:keys('3Gfo')
      run(e, 'action', 'Deny "ours"')
      wait_for_problem(e, '"ours" was denied')
      e:gone(':Mcp answer')
      e:see('Denied')
    end,
  },
  {
    'lenses stop and start a server, and show its state',
    function()
      local e = open()
      e:take_up('2: Allow')
      e:pick('Allow')
      e:see('Ready, 2', 'Stop', 'Restart')
      e:keys('3Gfo')
      run(e, 'lens', 'Stop')
      e:see('Stopped', 'Start')
      run(e, 'lens', 'Start')
      e:see('Ready, 2')
    end,
  },
  {
    'members are completed, described and checked',
    function()
      local e = open()
      e:keys('4GA,<CR>"ar<C-x><C-o>')
      e:await_lua('return vim.fn.getline(5):find(\'"args":\', 1, true)')
      e:keys('<Esc>S"comand": 1<Esc>')
      wait_for_problem(e, 'unknown key "comand"')
      e:keys('4G$K')
      e:see('The program to start.')
    end,
  },
}

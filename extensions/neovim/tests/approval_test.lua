local Editor = require('support.editor')
local check = require('support.check')
local servers = require('support.servers')

local function pick(e, item)
  local shown = e:see(': ' .. item)
  e:keys(shown:match('(%d+): ' .. vim.pesc(item)) .. '<CR>')
end

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

return {
  {
    'nothing of a project runs before the person has seen it; allowed, it runs',
    function() -- row 52 of the faults
      local e = Editor.start({ files = { ['.mcp.json'] = project('--one') } })
      e:command('Mcp servers')
      local shown = e:see(
        'May the MCP server ours of this project run?',
        'command',
        vim.env.FAKESERVER_BIN,
        '"--one"',
        '"two words"',
        'FAKESERVER',
        '.mcp.json',
        e.home.project
      )
      check.lacks(shown, 'plain', 'the value of a variable')
      check.contains(shown, '1: Later')
      pick(e, 'Allow')
      e:see('MCP servers')
      e:keys('<CR>')
      e:await('ready', function()
        return state(e) == 'ready'
      end)
    end,
  },
  {
    'later and deny: it does not run; a change shows what is different',
    function() -- rows 52 and 53 of the faults
      local e = Editor.start({ files = { ['.mcp.json'] = project('--one') } })
      e:lua("require('mcp-editord').servers(function() end)")
      e:see('May the MCP server ours of this project run?')
      e:keys('<CR>') -- a bare Enter allows nothing
      e:gone('May the MCP server')
      check.equal(state(e), 'needsApproval')
      e:await_lua("return require('mcp-editord').status() == 'MCP 1 1?'")
      e:command('Mcp approve ours')
      pick(e, 'Allow')
      e:said('ours may run')

      vim.fn.writefile({ vim.json.encode(project('--other')) }, e.home.project .. '/.mcp.json')
      e:see('It has changed since you decided:', '- arguments  "--one"', '+ arguments  "--other"')
      pick(e, 'Deny')
      e:gone('It has changed')
      e:await('denied', function()
        return state(e) == 'needsApproval'
      end)
      e:command('Mcp call ours.echo')
      e:said('ours is not allowed to run: :Mcp approve ours')
    end,
  },
  {
    'a definition that does not fit on the screen can be read first',
    function()
      local server = servers.fake()
      server.args = {}
      for i = 1, 60 do
        server.args[i] = '--flag-' .. i
      end
      local e = Editor.start({ files = { ['.mcp.json'] = { servers = { ours = server } } } })
      e:lua("require('mcp-editord').servers(function() end)")
      pick(e, 'Read all of it')
      e:see('close it to answer')
      e:keys('G')
      e:see('--flag-60')
      e:keys('q')
      pick(e, 'Deny')
      e:gone('May the MCP server')
    end,
  },
}

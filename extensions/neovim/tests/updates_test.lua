local Editor = require('support.editor')
local check = require('support.check')
local json = require('mcp-editord.json')
local servers = require('support.servers')

local answer = '{"jsonrpc":"2.0","id":$ID,"result":{"contents":[{"uri":"note://a/b","text":"hello"}]}}'

--- An editor in which the resources note://a/b and note://a/bc are open, with a function that counts what the server was
--- asked, and one that sets whether the server, once it is started again, lets anybody subscribe.
local function start()
  local dir = vim.fn.tempname()
  vim.fn.mkdir(dir, 'p')
  local record = dir .. '/record'
  local function allow(allowed)
    local refused = { { ['do'] = 'refuse', code = -32603, message = 'too many watchers' } }
    local script = {
      plain = true,
      record = record,
      resources = { { uri = 'note://a/b', name = 'b' }, { uri = 'note://a/bc', name = 'bc' } },
      steps = {
        ['resources/read'] = { { ['do'] = 'raw', lines = { answer } } },
        ['resources/subscribe'] = not allowed and refused or nil,
      },
    }
    vim.fn.writefile({ json.encode(script) }, dir .. '/script')
  end
  allow(true)
  local server = servers.fake()
  server.env.FAKESERVER = dir .. '/script'
  local e = Editor.start({ config = { servers = { fake = server } }, width = 100, height = 24 })
  local function count(method, uri)
    local found = 0
    for _, line in ipairs(vim.uv.fs_stat(record) and vim.fn.readfile(record) or {}) do
      line = line:gsub('\\/', '/') -- Neovim 0.10 writes JSON so
      if line:find(('%q'):format(method), 1, true) and line:find(('%q'):format(uri), 1, true) then
        found = found + 1
      end
    end
    return found
  end
  for _, uri in ipairs({ 'note://a/bc', 'note://a/b' }) do
    e:command('edit mcp://fake/' .. uri)
    e:see('hello')
    e:await('subscribed', function()
      return count('resources/subscribe', uri) == 1
    end)
  end
  return e, count, allow
end

--- The server says that a resource has changed.
local function changed(e, uri)
  e:lua(
    [[
    local params = { method = 'notifications/resources/updated', params = { uri = ... } }
    require('mcp-editord').call('fake', 'notify', params, nil, function() end)
  ]],
    uri
  )
end

return {
  {
    'an update is for the resource that has changed or has the part that did, and for no other',
    function()
      local e, count = start()
      changed(e, 'note://a/b/part')
      e:await('read again', function()
        return count('resources/read', 'note://a/b') == 2
      end)
      check.equal(count('resources/read', 'note://a/bc'), 1)
      changed(e, 'note://a/bc') -- begins like the other one, and is no part of it
      e:await('read again', function()
        return count('resources/read', 'note://a/bc') == 2
      end)
      check.equal(count('resources/read', 'note://a/b'), 2)
    end,
  },
  {
    'a subscription that has ended is told in one line, and :edit subscribes again',
    function()
      local e, count, allow = start()
      allow(false)
      e:command('Mcp restart fake')
      local message = e:said('"mcp://fake/note://a/b" is not updated: ')
      check.contains(message, 'too many watchers')
      check.contains(message, '; :edit subscribes again')
      e:said('"mcp://fake/note://a/bc" is not updated: ')
      local function reads(n)
        e:await(n .. ' reads', function()
          return count('resources/read', 'note://a/b') == n
        end)
      end
      reads(2) -- the server is another process, which may have another text
      local shown = e:see('hello not updated; :edit subscribes again')
      check.lacks(shown, 'Press ENTER')
      check.equal(e:buffer(), 'hello')

      allow(true)
      e:async([[
        local c = require('mcp-editord.attach').get()
        require('mcp-editord.daemon.servers').act(c, 'editord/restartServer', 'fake')
      ]])
      reads(3)
      e:see('hello not updated') -- only the person renews it
      local before = count('resources/subscribe', 'note://a/b')
      e:command('edit')
      e:await('subscribed again', function()
        return count('resources/subscribe', 'note://a/b') == before + 1
      end)
      e:gone('hello not updated')
      reads(4)
      changed(e, 'note://a/b')
      reads(5)
      e:command('buffer note://a/bc')
      e:see('hello not updated; :edit subscribes again')
    end,
  },
  {
    'another definition of a server is read from, and subscribed to',
    function()
      local e, count = start()
      local file = e.home.dir .. '/config/mcp-editord/mcp.json'
      local config = vim.json.decode(table.concat(vim.fn.readfile(file), '\n'))
      config.servers.fake.env.OTHER = 'x'
      vim.fn.writefile({ json.encode(config) }, file)
      e:await('read and subscribed again', function()
        return count('resources/read', 'note://a/b') == 2 and count('resources/subscribe', 'note://a/b') == 2
      end)
      changed(e, 'note://a/b')
      e:await('updated', function()
        return count('resources/read', 'note://a/b') == 3
      end)
    end,
  },
  {
    'a resource that cannot be subscribed to is shown all the same',
    function()
      local e, _, allow = start()
      allow(false)
      e:command('Mcp restart fake')
      e:see('hello not updated; :edit subscribes again')
      e:command('edit')
      e:see('hello not updated; :edit subscribes again')
    end,
  },
  {
    'User events say when a call begins and ends',
    function()
      local e = Editor.start({
        config = { servers = { fake = servers.fake() } },
        lua = [[
          Told = {}
          vim.api.nvim_create_autocmd('User', {
            pattern = { 'McpCallBegin', 'McpCallEnd' },
            callback = function(event)
              table.insert(Told, { event.match, event.data })
            end,
          })
        ]],
      })
      e:async("require('mcp-editord').call('fake', 'echo', {})")
      local told = e:lua('return Told')
      check.equal({ told[1][1], told[2][1], #told }, { 'McpCallBegin', 'McpCallEnd', 2 })
      local begun, over = told[1][2], told[2][2]
      check.equal({ begun.server, begun.method, begun.name }, { 'fake', 'tools/call', 'echo' })
      check.equal({ over.id, over.name, over.ok, over.kind }, { begun.id, 'echo', true, nil })
      assert(over.ms >= 0)
      pcall(e.async, e, "require('mcp-editord').call('fake', 'refuse', { code = -32042, message = 'no' })")
      pcall(e.async, e, "require('mcp-editord').request('fake', 'no/such')")
      told = e:lua('return Told')
      check.equal({ told[4][2].ok, told[4][2].kind }, { false, 'server' })
      check.equal({ told[6][2].method, told[6][2].ok, told[6][2].name }, { 'no/such', false, nil })
    end,
  },
}

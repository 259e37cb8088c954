local Editor = require('support.editor')
local check = require('support.check')
local servers = require('support.servers')

--- An editor with the resources note://a/b and note://a/bc open, which are subscribed, and a function that counts what the
--- server was asked.
local function start()
  local record = vim.fn.tempname()
  local raw = '{"jsonrpc":"2.0","id":$ID,"result":{"contents":[{"uri":"note://a/b","text":"hello"}]}}'
  local script = {
    plain = true,
    record = record,
    resources = { { uri = 'note://a/b', name = 'b' }, { uri = 'note://a/bc', name = 'bc' } },
    steps = { ['resources/read'] = { { ['do'] = 'raw', lines = { raw } } } },
  }
  local e = Editor.start({ config = { servers = { fake = servers.fake(script) } }, width = 80, height = 24 })
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
  --- The daemon tells something.
  local function tell(method, params)
    e:lua(
      "local c = require('mcp-editord.daemon.connections').peek(); require('mcp-editord.host').notified(c, ...)",
      method,
      params
    )
  end
  return e, count, tell
end

return {
  {
    'an update is for the subscriptions that the daemon names, and for no other',
    function()
      local e, count, tell = start()
      local updated = { server = 'fake', params = { uri = 'note://a/b/part' }, subscribed = { 'note://a/b' } }
      tell('mcp/notifications/resources/updated', updated)
      e:await('read again', function()
        return count('resources/read', 'note://a/b') == 2
      end)
      -- An address that begins with that of another resource is no part of it.
      tell('mcp/notifications/resources/updated', {
        server = 'fake',
        params = { uri = 'note://a/bc' },
        subscribed = { 'note://a/bc' },
      })
      e:await('read again', function()
        return count('resources/read', 'note://a/bc') == 2
      end)
      check.equal(count('resources/read', 'note://a/b'), 2)
    end,
  },
  {
    'a subscription that has ended is told in one line, and :edit subscribes again',
    function()
      local e, count, tell = start()
      local reason = 'the server does not watch it after its restart'
      tell('editord/subscriptionEnded', { server = 'fake', uri = 'note://a/b', reason = reason })
      e:said('"mcp://fake/note://a/b" is no longer updated: ' .. reason .. '; :edit subscribes again')
      local shown = e:see('hello  no longer updated; :edit subscribes again')
      check.lacks(shown, 'Press ENTER')
      tell('mcp/notifications/resources/updated', {
        server = 'fake',
        params = { uri = 'note://a/b' },
        subscribed = { 'note://a/b' },
      })
      check.equal(e:buffer(), 'hello')
      e:command('edit')
      e:gone('hello  no longer updated')
      e:see('hello')
      e:await('asked again', function()
        return count('resources/read', 'note://a/b') == 2
      end)
      e:async([[
        local buffers = require('mcp-editord.resources.buffers')
        local c = require('mcp-editord.daemon.connections').peek()
        buffers.updated(c, 'fake', { 'note://a/b' })
      ]])
      e:await('updated again', function()
        return count('resources/read', 'note://a/b') == 3
      end)
      -- The other one was never ended.
      check.equal(count('resources/read', 'note://a/bc'), 1)
    end,
  },
  {
    'a resource that cannot be subscribed to is shown all the same',
    function()
      local e = Editor.start({
        config = {
          servers = {
            fake = servers.fake({
              plain = true,
              resources = { { uri = 'note://a', name = 'a' } },
              steps = {
                ['resources/read'] = {
                  {
                    ['do'] = 'raw',
                    lines = { '{"jsonrpc":"2.0","id":$ID,"result":{"contents":[{"uri":"note://a","text":"hello"}]}}' },
                  },
                },
                ['resources/subscribe'] = { { ['do'] = 'refuse', code = -32603, message = 'too many watchers' } },
              },
            }),
          },
        },
      })
      e:command('edit mcp://fake/note://a')
      e:see('hello  no longer updated; :edit subscribes again')
      e:said('too many watchers; :edit tries again')
    end,
  },
}

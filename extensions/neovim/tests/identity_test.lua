--- Signing in at a real identity provider, oidc-provider, with a real browser: see test/testkit/oidcprovider.
local Editor = require('support.editor')
local check = require('support.check')

local root = vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p:h:h:h:h')
local kit = root .. '/test/testkit/oidcprovider'

--- Starts the provider and the MCP server behind it. It ends with this Neovim at the latest.
local function start()
  local said = ''
  local process = vim.system({ 'node', kit .. '/provider.mjs' }, {
    stdin = true,
    stdout = function(_, data)
      said = said .. (data or '')
    end,
  })
  assert(
    vim.wait(30000, function()
      return said:find('\n') ~= nil
    end, 10),
    'the identity provider does not start'
  )
  return process, vim.json.decode(said)
end

--- Has the provider do something, and returns how often each event happened.
local function control(urls, change)
  local cmd = { 'curl', '-sS', urls.control }
  if change then
    cmd = { 'curl', '-sS', '-X', 'POST', ('%s/%s'):format(urls.control, change) }
  end
  local out = vim.system(cmd, { text = true }):wait()
  check.equal(out.code, 0, out.stderr)
  return vim.json.decode(out.stdout)
end

--- The browser: a person signs in, in Chromium. Page is what it ends on.
local browser = ([[
  vim.ui.open = function(url)
    return vim.system({ 'node', %q, url }, { text = true }, function(out)
      Page = out.code == 0 and out.stdout or out.stderr
    end)
  end
]]):format(kit .. '/person.mjs')

local function await_state(e, want)
  e:await('the state ' .. want, function()
    return e:lua([[
      local server = require('mcp-editord.daemon.connections').peek().servers.guarded
      return server and server.state
    ]]) == want
  end)
end

--- Runs whoami, and closes its result.
local function whoami(e)
  e:command('Mcp call guarded.whoami')
  e:see('guarded.whoami  ok', 'eve')
  e:keys('q')
  e:gone('guarded.whoami  ok')
end

return {
  {
    'a person signs in at an identity provider, which replaces tokens until it revokes them',
    function()
      for _, path in ipairs({ '.tools/vscode/browser', 'extensions/vscode/node_modules/playwright-core' }) do
        if not vim.uv.fs_stat(root .. '/' .. path) then
          return 'there is no Chromium; make test-vscode installs one'
        end
      end
      local provider, urls = start()
      local config = { credentials = 'memory', servers = { guarded = { url = urls.mcp } } }
      local e = Editor.start({ config = config, lua = browser })
      e:async("require('mcp-editord.attach').get()")
      await_state(e, 'needsSignIn')
      e:command('Mcp signin guarded')
      e:see('Sign in to "guarded" at 127.0.0.1?')
      e:pick('Open in the browser')
      check.contains(e:await_lua('return Page'), 'You are signed in to “guarded”.')
      e:said('signed in to "guarded"')
      await_state(e, 'ready')
      whoami(e)

      -- The token ends, and then everything that the provider gave.
      control(urls, 'expire')
      whoami(e)
      check.equal(control(urls)['refresh_token.consumed'], 1)
      control(urls, 'revoke')
      e:command('Mcp call guarded.whoami')
      await_state(e, 'needsSignIn')
      e:see('"guarded" needs you to sign in: :Mcp signin guarded')
      check.equal(control(urls).server_error, 0)
      provider:kill('sigterm')
    end,
  },
}

local AuthServer = require('support.authserver')
local Editor = require('support.editor')
local check = require('support.check')

--- Runs a test with an authorization server and a Neovim that has its MCP server as "linear". The browser only notes the
--- address, in Opened.
---@param test fun(e: table, auth: table)
---@return fun()
local function with(test)
  return function()
    local auth = AuthServer.start()
    local e = Editor.start({
      config = { credentials = 'memory', servers = { linear = { url = auth.url } } },
      lua = 'vim.ui.open = function(url) Opened = url end',
    })
    local ok, err = xpcall(function()
      test(e, auth)
    end, debug.traceback)
    auth:close()
    if not ok then
      error(err, 0)
    end
  end
end

local needed = '"linear" needs you to sign in: :Mcp signin linear'

--- The state of the server.
local function state(e)
  return e:lua([[
    local server = require('mcp-editord.daemon.connections').peek().servers.linear
    return server and server.state .. (server.signIn and ' signing in' or '')
  ]])
end

local function await_state(e, want)
  e:await('the state ' .. want, function()
    return state(e) == want
  end)
end

--- Attaches, and waits until the server needs somebody to sign in.
local function attach(e)
  e:async("require('mcp-editord.attach').get()")
  await_state(e, 'needsSignIn')
end

--- Runs :Mcp signin up to its choices. In Neovim 0.10, nothing but the screen can be looked at while they are there.
local function ask(e)
  e:lua('Opened = nil')
  e:command('Mcp signin linear')
  e:see('1: Not now', 'Sign in to "linear" at 127.0.0.1?')
end

--- Opens the browser, and returns the address.
local function open(e)
  e:pick('Open in the browser')
  return e:await_lua('return Opened')
end

--- Signs in.
local function sign_in(e, auth)
  ask(e)
  auth:browse(open(e))
  e:said('signed in to "linear"')
  await_state(e, 'ready')
end

--- How many messages have the text.
local function count(e, text)
  return #vim.tbl_filter(function(message)
    return message:find(text, 1, true) ~= nil
  end, e:lua('return Said'))
end

--- Defines one more server, and waits until it alone is said to need a sign-in: whatever was to be said before has been said.
local function await_notices(e, auth)
  local config = { credentials = 'memory', servers = { linear = { url = auth.url }, other = { url = auth.url } } }
  vim.fn.writefile({ vim.json.encode(config) }, e.home.dir .. '/config/mcp-editord/mcp.json')
  e:said('"other" needs you to sign in: :Mcp signin other')
end

--- The page of :checkhealth.
local function health(e)
  e:command('checkhealth mcp-editord')
  return e:await('the report', function()
    local report = e:buffer()
    return report:find('mcp-editord: sampling', 1, true) and report
  end)
end

return {
  {
    'a server says once that it needs you, and works once you have signed in',
    with(function(e, auth)
      attach(e)
      e:said(needed)
      check.equal(e:lua("return require('mcp-editord').status()"), 'MCP 0 1?')
      e:completes('Mcp signin ', { 'linear' })
      e:completes('Mcp signout ', {})
      e:command('Mcp servers')
      e:see('? linear           needs sign-in')
      e:pick('? linear')
      e:pick('Show')
      check.contains(e:see('why it does not run'), 'nobody has signed in yet; :Mcp signin linear')
      e:command('close')
      e:command('Mcp servers')
      e:pick('? linear')
      e:pick('Sign in')
      local shown = e:see('To sign in to "linear", open this address in a browser:', '1: Not now', '5: Cancel')
      e:keys('<Esc>')
      e:gone('1: Not now')
      check.equal(e:lua('return Opened'), vim.NIL) -- nothing before the person agrees
      ask(e)
      local url = open(e)
      check.contains(shown:gsub('[\n│ ~]', ''), (url:gsub('~', ''))) -- it was whole
      e:said('"linear" waits for the browser; :Mcp signin linear shows the address')
      check.equal(e:lua("return require('mcp-editord').status()"), 'MCP 0 1? linear: sign in')
      check.contains(e:lua('return vim.lsp.status()'), 'sign in to "linear"')
      auth:browse(url)
      e:said('signed in to "linear"; the daemon forgets it when it ends')
      await_state(e, 'ready')
      e:await_lua("return require('mcp-editord').status() == 'MCP 1'")
      e:command('Mcp call linear.echo text=hello')
      e:see('linear.echo  ok', 'hello')
      check.equal(count(e, needed), 1)
    end),
  },
  {
    'a call that fails for want of a sign-in says so, and nothing says it again',
    with(function(e, auth)
      e:command('Mcp call linear.echo text=hello')
      e:said(needed)
      await_state(e, 'needsSignIn')
      await_notices(e, auth)
      check.equal(count(e, needed), 1)
      sign_in(e, auth)
      e:command('Mcp again')
      e:see('linear.echo  ok', 'hello')
    end),
  },
  {
    'several servers are one message, and :Mcp signin lets you pick',
    function()
      local one, two = AuthServer.start(), AuthServer.start()
      local e = Editor.start({
        config = { credentials = 'memory', servers = { a = { url = one.url }, b = { url = two.url } } },
      })
      e:async("require('mcp-editord.attach').get()")
      e:await_lua("return require('mcp-editord').status() == 'MCP 0 2?'")
      e:command('Mcp signin')
      e:see('Sign in to', '1: a', '2: b')
      e:keys('<Esc>')
      e:gone('1: a')
      e:command('Mcp signout')
      e:said('you are signed in to no server; :Mcp servers shows their states')
      for _, message in ipairs(e:lua('return Said')) do
        if message:find('need', 1, true) then
          check.equal(message, 'MCP: 2 servers need you to sign in (a, b): :Mcp signin')
        end
      end
      one:close()
      two:close()
    end,
  },
  {
    'where the browser cannot come back, its address is pasted; one that does not fit stays to be corrected',
    with(function(e, auth)
      attach(e)
      ask(e)
      local visit = auth:browse(open(e), { stopAt = 'redirect' })
      check.contains(visit.next, 'canary-code')
      ask(e) -- again: the same choices
      e:pick('Paste the final address…')
      local address = visit.next:match('^[^?]*')
      e:see('It begins with ' .. address, 'Final address:')
      e:keys('http://127.0.0.1:1/canary-code?a=b<CR>')
      e:see('That does not fit:', 'Final address: http://127.0.0.1:1/canary-code?a=b')
      e:keys('<Esc>')
      e:see('1: Not now')
      e:keys('<Esc>')
      e:said('the sign-in to "linear" waits; :Mcp signin linear goes on')
      e:command('Mcp resume')
      e:pick('Paste the final address…')
      e:see('Final address: http://127.0.0.1:1/canary-code?a=b') -- what was typed is there
      e:keys('<C-u>')
      e:keys(visit.next .. '<CR>')
      e:said('signed in to "linear"')
      -- The code is in nothing that is shown, kept or written.
      local shada = e.home.dir .. '/shada'
      e:command('set shadafile= | wshada ' .. shada)
      e:await_lua('return vim.uv.fs_stat(...) ~= nil', shada)
      check.lacks(vim.fn.readblob(shada), 'canary-code')
      check.lacks(e.screen:text(), 'canary-code')
      check.lacks(e:lua("return vim.fn.execute('messages') .. vim.fn.execute('history all')"), 'canary-code')
      check.lacks(table.concat(e:lua("return require('mcp-editord.ui.messages').list()"), '\n'), 'canary-code')
      check.equal(auth:control('GET', '/counts').registrations, 1)
    end),
  },
  {
    'a sign-in that is denied says why, and can be repeated',
    with(function(e, auth)
      attach(e)
      ask(e)
      auth:browse(open(e), { deny = true })
      e:said('denied')
      await_state(e, 'needsSignIn')
      sign_in(e, auth)
    end),
  },
  {
    'cancelling is silent: in the choices, and by :Mcp cancel while the browser is open',
    with(function(e)
      attach(e)
      e:said(needed)
      local said = #e:lua('return Said')
      ask(e)
      e:pick('Cancel')
      e:gone('1: Not now')
      await_state(e, 'needsSignIn')
      e:gone('open this address')
      check.equal(#e:lua('return Said'), said)
      ask(e)
      open(e)
      e:said('waits for the browser')
      e:command('Mcp cancel')
      await_state(e, 'needsSignIn')
      e:await_lua("return require('mcp-editord').status() == 'MCP 0 1?'")
      check.equal(#e:lua('return Said'), said + 1)
    end),
  },
  {
    'leaving is not cancelling, and asking again shows the same',
    with(function(e, auth)
      attach(e)
      ask(e)
      local shown = e:see('open this address')
      e:keys('<Esc>')
      e:said('the sign-in to "linear" waits; :Mcp signin linear goes on')
      e:gone('1: Not now')
      e:keys('ihello<Esc>')
      e:see('hello')
      ask(e)
      check.equal(e:see('open this address'):match('state=%w+'), shown:match('state=%w+'))
      e:keys('<CR>') -- Not now
      e:gone('1: Not now')
      ask(e)
      e:pick('Copy the address')
      e:said('the address is in the unnamed register')
      e:gone('1: Not now')
      local url = e:lua([[return vim.fn.getreg('"')]])
      ask(e)
      e:pick('Paste the final address…')
      e:see('Final address:')
      auth:browse(url) -- it comes back while something is asked
      e:said('signed in to "linear"')
      e:gone('Final address')
      e:gone('It begins with')
      e:keys('ihello<Esc>')
      e:see('hellhelloo')
    end),
  },
  {
    'where there is no browser, the address stays, with the reason',
    with(function(e, auth)
      attach(e)
      e:lua('vim.ui.open = function() return nil, "no handler found" end')
      ask(e)
      e:pick('Open in the browser')
      e:see('No browser could be opened: no handler found', '1: Not now')
      e:keys('<Esc>')
      e:gone('1: Not now')
      e:lua([[vim.ui.open = function(url)
        Opened = url
          return vim.system({ 'sh', '-c', 'echo "$0: $DISPLAY is not set" >&2; exit 3', 'opener' }, { text = true })
        end]])
      ask(e)
      e:pick('Open in the browser')
      e:see('No browser could be opened: sh: opener:', 'is not set', '1: Not now')
      e:keys('<Esc>')
      e:gone('1: Not now')
      local url = e:lua('return Opened')
      ask(e)
      auth:browse(url)
      e:said('signed in to "linear"')
      e:gone('1: Not now')
    end),
  },
  {
    'a token that is revoked: the call says what to do, and :Mcp again repeats it',
    with(function(e, auth)
      attach(e)
      sign_in(e, auth)
      e:command('Mcp call linear.echo text=hello')
      e:see('linear.echo  ok')
      e:command('close')
      auth:control('POST', '/revoke', { name = 'access' })
      auth:control('POST', '/revoke', { name = 'refresh' })
      local before = #e:lua('return Said')
      e:command('Mcp again')
      e:await('a message', function()
        return #e:lua('return Said') > before
      end)
      await_state(e, 'needsSignIn')
      sign_in(e, auth)
      e:command('Mcp again')
      e:see('linear.echo  ok', 'hello')
      check.equal(vim.list_slice(e:lua('return Said'), before + 1), {
        'MCP: ' .. needed,
        'MCP: "linear" waits for the browser; :Mcp signin linear shows the address',
        'MCP: signed in to "linear"; the daemon forgets it when it ends',
      })
    end),
  },
  {
    'a call that needs more scopes names them, and you can sign in again for them',
    with(function(e, auth)
      attach(e)
      sign_in(e, auth)
      e:command('Mcp call linear.admin text=hello')
      e:said('"linear" needs more permissions (')
      check.contains(e:said('"linear" needs more permissions ('), 'admin')
      e:completes('Mcp signin ', { 'linear' })
      e:lua('Opened = nil')
      e:command('Mcp servers')
      e:pick('● linear')
      e:pick('Sign in again for more permissions (')
      e:see('1: Not now')
      auth:browse(open(e))
      e:await('the second sign-in', function()
        return count(e, 'signed in to "linear"') == 2
      end)
      e:command('Mcp again')
      e:see('linear.admin  ok', 'hello')
    end),
  },
  {
    'signing out',
    with(function(e, auth)
      attach(e)
      sign_in(e, auth)
      local before = count(e, needed)
      e:completes('Mcp signout ', { 'linear' })
      e:command('Mcp servers')
      e:pick('● linear')
      e:pick('Show')
      e:see('signed in   at ' .. auth.urls.issuer:match('//(.*)'), 'scopes      mcp', 'kept        in memory')
      e:command('close')
      check.contains(health(e), ('"linear": you are signed in at %s'):format(auth.urls.issuer:match('//(.*)')))
      e:command('Mcp signout')
      e:said('signed out of "linear"')
      await_state(e, 'needsSignIn')
      check.equal(auth:control('GET', '/counts').revocations > 0, true)
      check.contains(health(e), needed)
      await_notices(e, auth)
      check.equal(count(e, needed), before)
    end),
  },
  {
    'two Neovims take part in one sign-in, and either may leave it',
    with(function(one, auth)
      local two = Editor.start({ home = one.home, lua = 'vim.ui.open = function(url) Opened = url end' })
      attach(one)
      attach(two)
      ask(one)
      await_state(two, 'needsSignIn signing in')
      ask(two)
      one:pick('Cancel')
      one:gone('1: Not now')
      one:await_lua("return #require('mcp-editord.daemon.calls').all() == 0")
      local url = open(two)
      ask(one) -- joins again
      auth:browse(url)
      two:said('signed in to "linear"')
      one:said('signed in to "linear"')
      one:gone('1: Not now')
      await_state(one, 'ready')
      check.equal(auth:control('GET', '/counts').registrations, 1)
    end),
  },
  {
    'signed out elsewhere while it waits',
    with(function(one)
      local two = Editor.start({ home = one.home })
      attach(one)
      attach(two)
      ask(one)
      two:command('Mcp signout linear')
      two:said('signed out of "linear"')
      one:said('the sign-in was ended')
      one:gone('1: Not now')
    end),
  },
  {
    'the daemon ends while it waits',
    with(function(e, auth)
      attach(e)
      local daemon =
        e:async([[return require('mcp-editord.attach').get():request('editord/status', vim.empty_dict()).pid]])
      ask(e)
      vim.uv.kill(daemon, 'sigkill')
      e:said('the daemon ended during the sign-in; :Mcp signin linear begins again')
      e:gone('1: Not now')
      e:await_lua("return require('mcp-editord').status() == 'MCP 0 1?'")
      sign_in(e, auth)
    end),
  },
  {
    'a Neovim that ends leaves no sign-in behind',
    with(function(one)
      local two = Editor.start({ home = one.home })
      attach(one)
      attach(two)
      ask(one)
      open(one)
      await_state(two, 'needsSignIn signing in')
      one.rpc:close()
      check.equal(one.rpc.code, 0)
      await_state(two, 'needsSignIn')
    end),
  },
  {
    'the address does not open under the fingers of somebody who types',
    with(function(e, auth)
      attach(e)
      auth:control('PUT', '/knobs', { faults = { register = { ['do'] = 'hold' } } })
      e:command('Mcp signin')
      e:await('the registration', function()
        return (auth:control('GET', '/counts').requests.register or 0) > 0
      end)
      e:command('Mcp signin')
      e:said('the sign-in to "linear" is under way; :Mcp cancel ends it')
      e:keys('iabc')
      e:see('abc')
      auth:control('POST', '/release', { name = 'register' })
      await_state(e, 'needsSignIn signing in')
      e:keys('def<Esc>')
      e:see('abcdef')
      e:said('signing in to "linear" waits because you are typing; :Mcp resume opens it')
      ask(e)
    end),
  },
}

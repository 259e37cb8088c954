--- Signs the person in to servers (editor protocol, "Signing in"). The daemon says where to go. The person sees that address
--- whole, and nothing opens it before they say so. Then the sign-in waits for the browser while they do something else;
--- asking for it again shows the same choices. What they paste may have a code in it: it stays in memory, and only
--- until the sign-in is over.
local async = require('mcp-editord.async')
local beside = require('mcp-editord.ui.beside')
local browser = require('mcp-editord.questions.browser')
local calls = require('mcp-editord.daemon.calls')
local choose = require('mcp-editord.questions.choose')
local messages = require('mcp-editord.ui.messages')
local servers = require('mcp-editord.daemon.servers')
local signins = require('mcp-editord.ui.signins')
local text = require('mcp-editord.text')
local ui = require('mcp-editord.ui')
local waiting = require('mcp-editord.ui.waiting')

local M = {}

--- A sign-in that this Neovim takes part in.
---@class mcp-editord.SigningIn
---@field connection mcp-editord.Connection
---@field server string
---@field token string of its progress
---@field name string of the server, as it is shown
---@field cancel? fun() cancels editord/signIn
---@field cancelled? boolean this person has
---@field answer? {err?: mcp-editord.Error, server?: mcp-editord.Server} of editord/signIn
---@field wake? fun() ends the wait for an address
---@field address? mcp-editord.SignIn that is shown, or was
---@field item? mcp-editord.Item its choices
---@field opened? boolean what the person has said about a browser
---@field hear? fun() called once they have
---@field said? string what to say when they leave the choices
---@field problem? string why no browser could be opened
---@field pasted? string what they typed and has not fitted
---@field refused? string why it has not

local under_way = {} ---@type mcp-editord.SigningIn[]

---@param holds fun(s: mcp-editord.SigningIn): boolean
---@return mcp-editord.SigningIn?
local function find(holds)
  return vim.iter(under_way):find(holds)
end

--- Returns the sign-in of a server that is under way, as the daemon last told.
---@param s mcp-editord.SigningIn
---@return mcp-editord.SignIn?
local function told(s)
  local server = s.connection.servers[s.server]
  return server and server.signIn
end

--- Notes what the person says about the browser.
---@param s mcp-editord.SigningIn
---@param opened boolean
local function decide(s, opened)
  s.opened = opened
  if s.hear then
    s.hear()
  end
end

--- Takes away what the turn has shown so far.
---@param turn mcp-editord.Turn
local function clear(turn)
  for _, done in ipairs(turn.cleanup) do
    done()
  end
  turn.cleanup = {}
end

--- Asks for the address that the browser ended on, until it fits. Returns false if the person leaves it.
---@async
---@param s mcp-editord.SigningIn
---@param turn mcp-editord.Turn
---@return boolean
local function paste(s, turn)
  while true do
    clear(turn)
    local page = {
      lines = {
        'Paste the address of the page that the browser ended on, all of it, even if the page could not be loaded.',
        'It begins with ' .. text.line(s.address.redirectUri, 1000),
        'If a page shows you a code instead, paste the code.',
      },
      marks = {},
    }
    browser.warn(page, 'That does not fit', s.refused)
    beside.show(turn, ('Sign in to "%s"'):format(s.name), page, 1)
    local typed = ui.input(turn, {
      prompt = 'Final address',
      default = s.pasted,
      forget = true,
      keep = function(draft)
        s.pasted = draft
      end,
    })
    s.refused = nil
    if not typed or vim.trim(typed) == '' then
      return false
    end
    s.pasted = typed
    waiting.wanted()
    clear(turn)
    local params = { server = s.server, response = vim.trim(typed) }
    local err = async.await(function(resolve)
      s.connection:send('editord/finishSignIn', params, resolve)
    end)
    if s.answer or not err then
      s.said = nil
      return true
    end
    s.refused = messages.advise(err.message)
    if waiting.is_busy() then
      s.said = ('what you pasted does not fit; :Mcp signin %s says why'):format(s.name)
      return true
    end
  end
end

--- Copies the address. Returns where it is.
---@param url string
---@return string
local function copy(url)
  if vim.fn.has('clipboard') == 1 and pcall(vim.fn.setreg, '+', url) then
    return 'the address is in the clipboard'
  end
  vim.fn.setreg('"', url)
  return 'the address is in the unnamed register'
end

local not_now, copying, pasting, cancelling = 'Not now', 'Copy the address', 'Paste the final address…', 'Cancel'

--- Opens the address. Returns whether the choices are over.
---@async
---@param s mcp-editord.SigningIn
---@param turn mcp-editord.Turn
---@return boolean
local function open(s, turn)
  waiting.wanted()
  local opener, problem = browser.open(s.address.url)
  if opener then
    problem = browser.failure(turn, opener)
  end
  decide(s, problem == nil)
  s.problem = problem
  if not problem then
    s.connection:progress(s.token, { kind = 'report', message = 'waiting for the browser' })
    s.said = ('"%s" waits for the browser; :Mcp signin %s shows the address'):format(s.name, s.name)
    return true
  end
  s.said = ('no browser could be opened; :Mcp signin %s shows the address'):format(s.name)
  return waiting.is_busy()
end

--- Shows the address with its choices. Returns nil if the sign-in goes on, `cancelling` if it does not.
---@async
---@param s mcp-editord.SigningIn
---@param turn mcp-editord.Turn
---@return string?
local function offer(s, turn)
  if s.refused and paste(s, turn) then
    return
  end
  while true do
    clear(turn)
    s.said = ('the sign-in to "%s" waits; :Mcp signin %s goes on'):format(s.name, s.name)
    local message = ('To sign in to "%s", open this address in a browser:'):format(s.name)
    local page = browser.page(message, s.address.url, s.address.warning, s.problem)
    if s.opened ~= nil then
      vim.list_extend(
        page.lines,
        { '', 'If the browser ends on a page that it cannot load, paste the address of that page.' }
      )
    end
    local choice = choose.choose(
      turn,
      ('Sign in to "%s"'):format(s.name),
      page,
      ('Sign in to "%s" at %s?'):format(s.name, text.line(s.address.host, 300)),
      { not_now, browser.choice, copying, pasting, cancelling }
    )
    if choice == browser.choice then
      if open(s, turn) then
        return
      end
    elseif choice == copying then
      decide(s, false)
      s.said = ('%s; :Mcp signin %s goes on'):format(copy(s.address.url), s.name)
      return
    elseif choice == pasting then
      decide(s, false)
      if paste(s, turn) then
        return
      end
    else
      return choice == cancelling and cancelling or nil
    end
  end
end

--- Shows the address until the person is done with it, or the daemon takes it back.
---@async
---@param s mcp-editord.SigningIn
local function show(s)
  s.address, s.opened, s.problem, s.pasted, s.refused = told(s), nil, nil, nil, nil
  s.item = {
    what = ('signing in to "%s"'):format(s.name),
    question = false,
    ask = function(turn)
      return offer(s, turn)
    end,
    worth = function()
      return not s.answer and told(s) ~= nil
    end,
    kept = function()
      return s.said
    end,
  }
  local ok, result = pcall(waiting.show_item, s.item)
  s.item = nil
  if not ok and result ~= async.withdrawn then
    error(result, 0)
  elseif result == cancelling then
    s.cancel()
  end
end

--- Does what follows from a change: an address has come or gone, or the sign-in is over.
---@param s mcp-editord.SigningIn
local function step(s)
  local url = (told(s) or {}).url
  local shown = s.address and s.address.url
  if s.item and (s.answer or url ~= shown) then
    waiting.withdraw(s.item)
  elseif s.wake and (s.answer or url and url ~= shown) then
    vim.schedule(s.wake)
    s.wake = nil
  end
end

--- Says what came of a sign-in.
---@param s mcp-editord.SigningIn
local function report(s)
  local err, server = s.answer.err, s.answer.server
  local kind = err and vim.tbl_get(err, 'data', 'kind')
  if not err and server.state ~= 'ready' then
    error(servers.why_not(server), 0)
  elseif not err then
    local kept = vim.tbl_get(server, 'signedIn', 'kept')
    local note = kept == 'memory' and '; the daemon forgets it when it ends' or ''
    messages.notify(('signed in to "%s"%s'):format(s.name, note))
  elseif kind == 'gone' then
    error(('the daemon ended during the sign-in; :Mcp signin %s begins again'):format(s.name), 0)
  elseif kind == 'cancelled' and s.cancelled then
    return
  elseif kind == 'cancelled' then
    messages.notify(('the sign-in to "%s" was ended'):format(s.name))
  else
    error(err, 0)
  end
end

--- Signs the person in to a server, and waits for the end of that. If it is under way already, shows its choices again.
---@async
---@param connection mcp-editord.Connection
---@param name string
function M.sign_in(connection, name)
  local s = find(function(other)
    return other.connection == connection and other.server == name
  end)
  if s and s.item then
    return waiting.open(s.item)
  elseif s then
    return messages.notify(('the sign-in to "%s" is under way; :Mcp cancel ends it'):format(s.name))
  end
  s = { connection = connection, server = name, token = calls.token(), name = text.line(name, 60) }
  table.insert(under_way, s)
  signins.told(name)
  local function watcher()
    step(s)
  end
  connection.watchers[watcher] = true
  connection:progress(s.token, { kind = 'begin', title = ('sign in to "%s"'):format(s.name) })
  local cancel = connection:send(
    'editord/signIn',
    { server = name },
    function(err, server)
      s.answer = { err = err, server = server }
      step(s)
    end,
    false,
    function()
      if s.item then
        waiting.withdraw(s.item)
      end
    end
  )
  s.cancel = function()
    s.cancelled = true
    cancel()
  end
  calls.add({ what = ('%s: sign in'):format(name), token = s.token, cancel = s.cancel })
  local ok, failure = pcall(function()
    while not s.answer do
      async.await(function(resolve)
        s.wake = resolve
        step(s)
      end)
      if not s.answer and told(s) then
        show(s)
      end
    end
  end)
  if not ok then
    cancel()
  end
  calls.remove(s.token)
  connection.watchers[watcher] = nil
  connection:progress(s.token, { kind = 'end' })
  under_way = vim.tbl_filter(function(other)
    return other ~= s
  end, under_way)
  if s.hear then
    s.hear()
  end
  if not ok then
    error(failure, 0)
  end
  report(s)
end

--- Answers window/showDocument for an address: whether the browser was opened.
---@async
---@param params {uri: string}
---@param request mcp-editord.Incoming
---@param connection mcp-editord.Connection
---@return {success: boolean}
function M.show_document(params, request, connection)
  local uri = params.uri
  local s = find(function(other)
    return other.connection == connection and (told(other) or {}).url == uri
  end)
  if s then
    if s.opened == nil or s.address.url ~= uri then
      async.await(function(resolve)
        s.hear = resolve
        request.on_withdraw = vim.schedule_wrap(resolve)
      end)
      s.hear, request.on_withdraw = nil, nil
    end
    return { success = s.opened == true }
  end
  -- Something else has begun it by editord/signIn.
  local server = vim.iter(vim.tbl_values(connection.servers)):find(function(other)
    return other.signIn and other.signIn.url == uri
  end)
  local sign_in = server and server.signIn or {}
  local name = server and text.line(server.name, 60) or 'a server'
  local host = sign_in.host or browser.host(uri)
  local prompt = ('Open an address at %s to sign in to %s?'):format(text.line(host or '?', 300), name)
  return waiting.question(request, prompt, function(turn)
    local page = browser.page(('To sign in to %s, open this address:'):format(name), uri, sign_in.warning)
    local items = { not_now, cancelling }
    if host then
      table.insert(items, 2, browser.choice)
    end
    local choice = choose.choose(turn, 'Sign in to ' .. name, page, prompt, items)
    if choice == browser.choice then
      local _, problem = browser.open(uri)
      if problem then
        messages.notify('no browser could be opened: ' .. problem, vim.log.levels.ERROR)
      end
      return { success = problem == nil }
    end
    return choice == cancelling and { success = false } or nil
  end)
end

return M

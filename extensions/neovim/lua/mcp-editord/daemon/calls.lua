--- Sends MCP requests to servers, runs commands of the daemon, and keeps a list of what is running. Progress is LSP's: the
--- daemon sends `$/progress`, and vim.lsp fires LspProgress.
local async = require('mcp-editord.async')
local events = require('mcp-editord.daemon.events')
local json = require('mcp-editord.json')
local text = require('mcp-editord.text')
local thread = require('mcp-editord.thread')

local M = {}

---@class mcp-editord.Running
---@field what string
---@field line? string that says that it runs; default: what runs
---@field arguments? string what it was called with, in a few words
---@field token string
---@field cancel fun()
---@field number? integer its place among all
---@field since? integer when it began, in milliseconds of vim.uv.now
---@field watched? boolean it is said that it runs, if it runs for long

local running = {} ---@type table<string, mcp-editord.Running>
local last, added = 0, 0

--- Returns a token for a call.
---@return string
function M.token()
  last = last + 1
  return 'mcp-call-' .. last
end

M.watchers = {} ---@type table<fun(), true> called when a call has begun or ended

--- Draws the statusline again, which may name a running call.
local changed = vim.schedule_wrap(function()
  vim.cmd.redrawstatus({ bang = true })
  for watcher in pairs(M.watchers) do
    watcher()
  end
end)

---@param call mcp-editord.Running
function M.add(call)
  added = added + 1
  call.number, call.since = added, vim.uv.now()
  running[call.token] = call
  changed()
end

---@param token string
function M.remove(token)
  running[token] = nil
  changed()
end

--- Runs `wait`, which waits for the daemon. It counts as a running call, so that :Mcp cancel ends it.
---@async
---@param what string
---@param line string says that it runs
---@param wait async fun(on_cancel: fun(cancel: fun())): ...
---@return any ...
function M.during(what, line, wait)
  local token = M.token()
  local result = {
    pcall(wait, function(cancel)
      M.add({ what = what, line = line, token = token, cancel = cancel })
    end),
  }
  M.remove(token)
  if not result[1] then
    error(result[2], 0)
  end
  return unpack(result, 2)
end

--- The longest text for the arguments of a call, in characters.
local max_brief = 60

--- Returns the arguments of a call in a few words.
---@param arguments? table
---@return string
function M.brief(arguments)
  local out = ''
  for name, value in json.members(arguments and json.encode(arguments)) do
    if #out > max_brief then
      break
    end
    out = ('%s %s=%s'):format(out, name, value:match('^"([^"\\%s]+)"$') or value:sub(1, max_brief))
  end
  return text.line(out:sub(2), max_brief)
end

--- Returns a running call as one line of a list.
---@param call mcp-editord.Running
---@return string
function M.label(call)
  return vim.trim(('%s  for %s  %s'):format(call.what, text.age(vim.uv.now() - call.since), call.arguments or ''))
end

--- Returns the running calls, the latest last.
---@return mcp-editord.Running[]
function M.all()
  local out = vim.tbl_values(running)
  table.sort(out, function(a, b)
    return a.number < b.number
  end)
  return out
end

---@class mcp-editord.RequestOptions
---@field context? mcp-editord.Context where the person is: configured arguments are filled in from it
---@field timeout? integer milliseconds without a sign of life; replaces the option
---@field on_cancel? fun(cancel: fun()) is given a function that cancels the request

--- Says what an error is, in one word: the daemon's, "server" for an error of the server itself.
---@param err any
---@return string?
local function kind_of(err)
  if type(err) ~= 'table' then
    return err and 'gone' or nil
  end
  local kind = vim.tbl_get(err, 'data', 'kind')
  return type(kind) == 'string' and kind or 'server'
end

---@async
---@param connection mcp-editord.Connection
---@param server string
---@param method string
---@param params table
---@param opts mcp-editord.RequestOptions
---@param as_text boolean
---@return any result
---@return string body
local function send(connection, server, method, params, opts, as_text)
  local token = M.token()
  local err, result, body = async.await(function(resolve)
    local what = params.name and ('%s: %s'):format(server, params.name) or ('%s: %s'):format(server, method)
    local call = { what = what, arguments = M.brief(params.arguments), token = token, cancel = function() end }
    M.add(call)
    local told = { server = server, method = method, name = params.name, id = token }
    local began = vim.uv.hrtime()
    events.fire('McpCallBegin', told)
    call.cancel = connection:send('mcp/' .. method, {
      server = server,
      params = params,
      context = opts.context,
      timeout = opts.timeout or require('mcp-editord.config').get().timeout,
      workDoneToken = token,
    }, function(failure, ...)
      M.remove(token)
      local over = { ok = not failure, kind = kind_of(failure), ms = math.floor((vim.uv.hrtime() - began) / 1e6) }
      events.fire('McpCallEnd', vim.tbl_extend('error', told, over))
      resolve(failure, ...)
    end, as_text)
    if opts.on_cancel then
      opts.on_cancel(call.cancel)
    end
  end)
  if err then
    error(err, 0)
  end
  return result, body
end

--- Sends an MCP request to a server. Returns the result, and its JSON as the server sent it. Raises the error.
---@async
---@param connection mcp-editord.Connection
---@param server string
---@param method string MCP's name, such as tools/call
---@param params table
---@param opts? mcp-editord.RequestOptions
---@return table result
---@return string raw
function M.request(connection, server, method, params, opts)
  local result, body = send(connection, server, method, params, opts or {}, false)
  return result, json.member(body, 'result') --[[@as string]]
end

--- Sends an MCP request to a server. Returns the JSON of the result as the server sent it, however long it is, without
--- blocking Neovim. Raises the error.
---@async
---@param connection mcp-editord.Connection
---@param server string
---@param method string MCP's name, such as tools/call
---@param params table
---@param opts? mcp-editord.RequestOptions
---@return string raw
function M.text(connection, server, method, params, opts)
  local raw = send(connection, server, method, params, opts or {}, true)
  if #raw > thread.long then
    thread.check(raw, async.slices())
  end
  return raw
end

--- Runs a command of the daemon. The daemon has got all changes of `buf` before. Returns the result or raises the error.
---@async
---@param connection mcp-editord.Connection
---@param command lsp.Command
---@param buf integer
---@return any
function M.command(connection, command, buf)
  local token = M.token()
  local err, result = async.await(function(resolve)
    local call = { what = command.title or command.command, token = token, cancel = function() end }
    M.add(call)
    local params = { command = command.command, arguments = command.arguments, workDoneToken = token }
    call.cancel = require('mcp-editord.daemon.lsp').request(
      connection.client,
      'workspace/executeCommand',
      params,
      function(...)
        M.remove(token)
        resolve(...)
      end,
      buf
    )
  end)
  if err then
    error(err, 0)
  end
  return result
end

--- Takes progress of work that goes on after its command was answered. The daemon has made its token.
---@param connection mcp-editord.Connection
---@param params {token: string|integer, value: table}
function M.progressed(connection, params)
  local token, value = ('work-%s-%s'):format(tostring(connection.rpc), tostring(params.token)), params.value
  if value.kind == 'begin' and not running[params.token] then
    M.add({
      what = value.title,
      token = token,
      cancel = function()
        connection.rpc.notify('window/workDoneProgress/cancel', { token = params.token })
      end,
    })
  elseif value.kind == 'end' and running[token] then
    M.remove(token)
  end
end

return M

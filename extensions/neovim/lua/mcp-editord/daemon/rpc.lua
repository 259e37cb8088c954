--- The conversation with `mcp-editord attach`: JSON-RPC in LSP frames, on the stdin and stdout of a child process. It replaces
--- vim.lsp.rpc, because a plugin for MCP needs three more things: the id of each incoming request, so that
--- `$/cancelRequest` can withdraw a question; JSON that is neither rounded nor reordered; and error codes that LSP does not
--- have (MCP's -1, a rejected sampling).
local json = require('mcp-editord.json')
local thread = require('mcp-editord.thread')

local M = {}

--- The longest message, in bytes: the daemon's own limit plus its envelope.
local max_message = 65 * 1024 * 1024
local max_header = 4096
--- How an answer of the daemon begins.
local answer_head = '^{"jsonrpc":"2%.0","id":(%d+),"result":()'
--- How many requests of the daemon may be open at a time.
local max_incoming = 256

---@class mcp-editord.Error a JSON-RPC error
---@field code integer
---@field message string
---@field data? any

--- A request of the daemon that has not been answered yet.
---@class mcp-editord.Incoming
---@field method string
---@field body string the whole message: what a server sent, in its order
---@field withdrawn boolean
---@field on_withdraw? fun() called when the daemon takes it back; in a fast context

---@alias mcp-editord.RequestHandler async fun(params: table, request: mcp-editord.Incoming): any

---@class mcp-editord.RpcOptions
---@field env? table<string, string>
---@field cwd? string
---@field requests table<string, mcp-editord.RequestHandler> run in a coroutine; what they raise goes back as the error
---@field notified fun(method: string, params: table): boolean handles a notification; false leaves it to vim.lsp
---@field left_out fun(what: string) something could not be delivered
---@field on_exit fun(code: integer, reason: string) the process has ended; reason is its last line on stderr

--- Cuts the incoming bytes into messages.
---@param on_message fun(body: string)
---@param on_garbage fun(why: string)
---@return fun(data: string)
local function reader(on_message, on_garbage)
  local chunks, size, need = {}, 0, nil ---@type string[], integer, integer?
  local broken = false
  return function(data)
    if broken then
      return
    end
    chunks[#chunks + 1], size = data, size + #data
    while true do
      if not need then
        local text = table.concat(chunks)
        local head, body = text:match('^(.-\r\n)\r\n()')
        if not head and size <= max_header then
          chunks = { text }
          return
        end
        need = head and tonumber(head:match('[Cc]ontent%-[Ll]ength:%s*(%d+)\r\n'))
        if not need or need > max_message then
          broken = true
          return on_garbage('`mcp-editord attach` wrote something that is not an LSP message')
        end
        chunks = { text:sub(body) }
        size = #chunks[1]
      end
      if size < need then
        return
      end
      local text = table.concat(chunks)
      on_message(text:sub(1, need))
      chunks, size, need = { text:sub(need + 1) }, size - need, nil
      if size == 0 then
        chunks = {}
        return
      end
    end
  end
end

--- Starts `cmd`. Returns what vim.lsp expects from a `cmd` function. Callbacks of requests also get the text of the message,
--- as their third argument. With `as_text`, a fifth argument of `request`, the result is its JSON, which has to be checked if it
--- is longer than thread.long. `early`, a sixth, is called in a fast context as soon as the answer is there, while a prompt of Neovim 0.10
--- holds up everything else. `progress` takes progress of the plugin's own as if it came from the daemon.
---@param cmd string[]
---@param dispatchers vim.lsp.rpc.Dispatchers
---@param opts mcp-editord.RpcOptions
---@return vim.lsp.rpc.PublicClient
function M.start(cmd, dispatchers, opts)
  local process ---@type vim.SystemObj
  local closing, ended = false, false
  local last_id = 0
  local callbacks = {} ---@type table<integer, {done: function, over?: function, as_text?: boolean, early?: fun()}>
  local incoming, open = {}, 0 ---@type table<any, mcp-editord.Incoming>, integer
  local said = '' -- the last line on stderr, which says why the process ends
  local push = require('mcp-editord.daemon.queue').new()
  local reports = {} ---@type table<any, table> the last progress of each token that was not handed on yet
  local begun = {} ---@type table<any, true> tokens whose progress has begun and not ended

  ---@param message table
  ---@return boolean
  local function send(message)
    if closing then
      return false
    end
    message.jsonrpc = '2.0'
    local body = json.encode(message)
    return (pcall(process.write, process, ('Content-Length: %d\r\n\r\n%s'):format(#body, body)))
  end

  ---@param id any
  ---@param ok boolean
  ---@param result any
  local function answer(id, ok, result)
    local request = incoming[id]
    incoming[id], open = nil, open - 1
    if request.withdrawn then
      send({ id = id, error = { code = -32800, message = 'the request was cancelled' } })
    elseif ok then
      send({ id = id, result = result == nil and vim.NIL or result })
    else
      local err = type(result) == 'table' and result.code and result or { code = -32603, message = tostring(result) }
      send({ id = id, error = { code = err.code, message = err.message, data = err.data } })
    end
  end

  ---@param message table
  ---@param body string
  local function serve(message, body)
    local request = { method = message.method, body = body, withdrawn = false }
    if open >= max_incoming or incoming[message.id] then
      send({ id = message.id, error = { code = -32603, message = 'too many questions are open' } })
      return
    end
    incoming[message.id], open = request, open + 1
    local handler = opts.requests[message.method]
    push(function()
      require('mcp-editord.async').run(function()
        if handler then
          return handler(message.params, request)
        end
        local result, err = dispatchers.server_request(message.method, message.params)
        if err then
          error(err, 0)
        end
        return result
      end, function(ok, result)
        answer(message.id, ok, result)
      end)
    end)
  end

  ---@param what string
  local function left_out(what)
    push(function()
      opts.left_out(what)
    end)
  end

  --- Deals with a message that Neovim cannot decode, such as one that is nested too deep: whoever waits for it gets an error.
  ---@param body string
  ---@param why string
  local function unreadable(body, why)
    local message = {}
    pcall(function()
      for name, value in json.members(body) do
        if name == 'id' or name == 'method' then
          message[name] = vim.json.decode(value)
        end
      end
    end)
    local err = { code = -32603, message = 'Neovim cannot read this message: ' .. why, data = { kind = 'unreadable' } }
    local callback = message.method == nil and callbacks[message.id]
    if callback then
      callbacks[message.id] = nil
      push(function()
        if callback.over then
          callback.over(message.id)
        end
        callback.done(err, nil, body)
      end)
    elseif message.id ~= nil and message.method ~= nil then
      send({ id = message.id, error = err })
      left_out(('a request of the daemon (%s): %s'):format(tostring(message.method), why))
    else
      left_out(('a message of the daemon (%s): %s'):format(tostring(message.method or '?'), why))
    end
  end

  ---@param message table
  local function notified(message)
    local value = message.method == '$/progress' and vim.tbl_get(message, 'params', 'value')
    local token = type(value) == 'table' and value.kind == 'report' and message.params.token
    if token and reports[token] then
      reports[token].params = message.params -- replaces the one before
      return
    elseif token then
      reports[token] = message
    end
    if type(value) == 'table' and message.params.token ~= nil and (value.kind == 'begin' or value.kind == 'end') then
      begun[message.params.token] = value.kind == 'begin' or nil
    end
    push(function()
      if token then
        reports[token] = nil
      end
      if not ended and not opts.notified(message.method, message.params) then
        dispatchers.notification(message.method, message.params)
      end
    end)
  end

  --- Hands on a long answer without decoding it, which nothing could interrupt, if whoever asked wants its text.
  ---@param body string
  ---@return boolean taken
  local function answered_as_text(body)
    local id, first = body:match(answer_head)
    id = tonumber(id)
    local callback = id and callbacks[id]
    if not (callback and callback.as_text) then
      return false
    end
    callbacks[id] = nil
    push(function()
      callback.done(nil, body:sub(first, -2))
    end)
    return true
  end

  ---@param body string
  local function receive(body)
    if #body > thread.long and answered_as_text(body) then
      return
    end
    local ok, message = pcall(vim.json.decode, body)
    if not ok or type(message) ~= 'table' then
      return unreadable(body, ok and 'it is not an object' or tostring(message))
    end
    if message.method == '$/cancelRequest' then
      local request = incoming[message.params.id]
      if request and not request.withdrawn then
        request.withdrawn = true
        if request.on_withdraw then
          request.on_withdraw()
        end
      end
    elseif message.method and message.id ~= nil then
      serve(message, body)
    elseif message.method then
      notified(message)
    elseif callbacks[message.id] then
      local callback = callbacks[message.id]
      callbacks[message.id] = nil
      if callback.early then
        callback.early()
      end
      push(function()
        if callback.over then
          callback.over(message.id)
        end
        local result = message.result
        if result == vim.NIL then
          result = nil
        end
        if callback.as_text then
          result = json.member(body, 'result')
        end
        callback.done(message.error, result, body)
      end)
    else
      left_out(('an answer of the daemon (%s): it belongs to no request'):format(vim.json.encode(message.id)))
    end
  end

  local function terminate()
    closing = true
    process:kill('sigterm')
  end

  ---@param out vim.SystemCompleted
  local function on_exit(out)
    closing, ended = true, true
    for _, request in pairs(incoming) do
      if not request.withdrawn then
        request.withdrawn = true
        if request.on_withdraw then
          request.on_withdraw()
        end
      end
    end
    local gone = {
      code = -32803,
      message = 'the daemon ended before it answered; check whether the call took effect',
      data = { kind = 'gone' },
    }
    for id, callback in pairs(callbacks) do
      if callback.early then
        callback.early()
      end
      push(function()
        if callback.over then
          callback.over(id)
        end
        callback.done(gone, nil)
      end)
    end
    callbacks = {}
    push(function()
      for token in pairs(begun) do
        local over = { token = token, value = { kind = 'end', message = 'the daemon ended' } }
        if not opts.notified('$/progress', over) then
          dispatchers.notification('$/progress', over)
        end
      end
      dispatchers.on_exit(0, 0) -- with the real ones, vim.lsp would show its own message
      opts.on_exit(out.code, said)
    end)
  end

  local read = reader(receive, function(why)
    said = why
    terminate()
  end)
  process = vim.system(cmd, {
    stdin = true,
    env = opts.env,
    cwd = opts.cwd,
    stdout = function(_, data)
      if data then
        read(data)
      end
    end,
    stderr = function(_, data)
      for line in (data or ''):gmatch('[^\r\n]+') do
        said = line:sub(1, 1000)
      end
    end,
  }, on_exit)

  return {
    request = function(method, params, callback, over, as_text, early)
      last_id = last_id + 1
      local id = last_id
      callbacks[id] = { done = callback, over = over, as_text = as_text, early = early }
      if send({ id = id, method = method, params = params }) then
        return true, id
      end
      callbacks[id] = nil
      return false
    end,
    notify = function(method, params)
      return send({ method = method, params = params })
    end,
    is_closing = function()
      return closing
    end,
    terminate = terminate,
    progress = function(params)
      notified({ method = '$/progress', params = params })
    end,
  }
end

return M

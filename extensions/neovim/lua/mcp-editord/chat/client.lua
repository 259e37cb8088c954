--- An MCP client for chats that have none: `mcp-editord mcp` in a child process, at MCP 2025-11-25, a message a line. It declares
--- no capabilities, so what a server asks appears in this Neovim, as for any agent that cannot answer.
local json = require('mcp-editord.json')

local M = {}

local version = '2025-11-25'

--- The longest line, in bytes: the daemon's own limit of a message plus its envelope.
local max_line = 65 * 1024 * 1024

local gone = -32000 -- the code of calls that the end of the process ends

---@class mcp-editord.ChatClientOptions
---@field cmd string[]
---@field env table<string, string>
---@field name string as people and the audit know the chat
---@field on_tools fun(tools: table[]) the list is new: MCP's Tool each
---@field on_exit fun(reason: string) the process has ended

---@class mcp-editord.ChatClient
---@field process vim.SystemObj
---@field calls table<integer, {done: fun(err?: mcp-editord.Error, raw?: string), progress?: fun(message: string)}> by id
---@field last integer the id of the last request
local Client = {}
Client.__index = Client

---@param message table
function Client:send(message)
  message.jsonrpc = '2.0'
  if not self.process:is_closing() then
    pcall(self.process.write, self.process, json.encode(message) .. '\n') -- it may have just ended
  end
end

--- Sends a request. `done` gets the error or the JSON of the result, once, in the main loop.
---@param method string
---@param params table
---@param done fun(err?: mcp-editord.Error, raw?: string)
---@param progress? fun(message: string) gets what the server says meanwhile
---@return fun() cancel `done` is not called afterwards
function Client:request(method, params, done, progress)
  self.last = self.last + 1
  local id = self.last
  self.calls[id] = { done = done, progress = progress }
  if progress then
    params._meta = { progressToken = id }
  end
  self:send({ id = id, method = method, params = params })
  return function()
    if self.calls[id] then
      self.calls[id] = nil
      self:send({ method = 'notifications/cancelled', params = { requestId = id } })
    end
  end
end

--- Reads the tools, and tells the chat. `mcp-editord mcp` lists all of them in one page.
---@param on_tools fun(tools: table[])
function Client:list(on_tools)
  self:request('tools/list', vim.empty_dict(), function(err, raw)
    if not err then
      on_tools(vim.json.decode(raw --[[@as string]]).tools)
    end
  end)
end

--- Handles one message.
---@param line string
---@param on_tools fun(tools: table[])
function Client:receive(line, on_tools)
  local ok, message = pcall(vim.json.decode, line)
  if not ok or type(message) ~= 'table' then
    return
  elseif message.method == nil then
    local call = self.calls[message.id]
    self.calls[message.id or 0] = nil
    if call then
      call.done(message.error, json.member(line, 'result'))
    end
  elseif message.id ~= nil then
    local known = message.method == 'ping'
    local unknown = { code = -32601, message = 'the chat does not answer ' .. message.method }
    self:send({ id = message.id, result = known and vim.empty_dict() or nil, error = not known and unknown or nil })
  elseif message.method == 'notifications/tools/list_changed' then
    self:list(on_tools)
  elseif message.method == 'notifications/progress' then
    local call = self.calls[message.params.progressToken]
    if call and call.progress and type(message.params.message) == 'string' then
      call.progress(message.params.message)
    end
  end
end

--- Ends the process, and with it its calls.
function Client:stop()
  pcall(self.process.write, self.process, nil) -- it ends with its input
end

--- Cuts bytes into lines. What is longer than `max_line` ends it.
---@param on_line fun(line: string)
---@param on_long fun()
---@return fun(data: string)
local function reader(on_line, on_long)
  local parts, size = {}, 0
  return function(data)
    local from = 1
    while true do
      local stop = data:find('\n', from, true)
      parts[#parts + 1] = data:sub(from, stop and stop - 1)
      size = size + #parts[#parts]
      if not stop then
        break
      end
      on_line(table.concat(parts))
      parts, size, from = {}, 0, stop + 1
    end
    if size > max_line then
      parts, size = {}, 0
      on_long()
    end
  end
end

--- Starts the process. Its tools come later.
---@param opts mcp-editord.ChatClientOptions
---@return mcp-editord.ChatClient
function M.start(opts)
  local self = setmetatable({ calls = {}, last = 0 }, Client)
  local said = 'mcp-editord ended'
  local read = reader(
    vim.schedule_wrap(function(line)
      self:receive(line, opts.on_tools)
    end),
    function()
      self.process:kill('sigterm')
    end
  )
  self.process = vim.system(
    opts.cmd,
    {
      stdin = true,
      env = opts.env,
      stdout = function(_, data)
        if data then
          read(data)
        end
      end,
      stderr = function(_, data)
        said = (data or ''):match('([^\r\n]+)%s*$') or said
      end,
    },
    vim.schedule_wrap(function()
      local calls = self.calls
      self.calls = {}
      for _, call in pairs(calls) do
        call.done({ code = gone, message = said })
      end
      opts.on_exit(said)
    end)
  )
  self:request('initialize', {
    protocolVersion = version,
    capabilities = vim.empty_dict(),
    clientInfo = { name = opts.name, version = 'unknown' },
  }, function(err)
    if err then
      said = err.message
      return self:stop()
    end
    self:send({ method = 'notifications/initialized' })
    self:list(opts.on_tools)
  end)
  return self
end

return M

--- MessagePack-RPC with a Neovim that was started with --embed.
local Rpc = {}
Rpc.__index = Rpc

--- Ends waits that would otherwise hang, in ms. Nothing is measured by it.
Rpc.patience = 120000

local function same(_, bytes)
  return bytes
end

---@param program string
---@param opts {args: string[], env: string[], cwd: string, on_notification: fun(method: string, args: any[])}
function Rpc.start(program, opts)
  local self = setmetatable({ errors = '' }, Rpc)
  self.session = vim.mpack.Session({ unpack = vim.mpack.Unpacker({ ext = { [0] = same, [1] = same, [2] = same } }) })
  self.pack = vim.mpack.Packer()
  self.stdin, self.stdout, self.stderr = vim.uv.new_pipe(), vim.uv.new_pipe(), vim.uv.new_pipe()
  local err
  self.process, err = vim.uv.spawn(program, {
    args = opts.args,
    env = opts.env,
    cwd = opts.cwd,
    stdio = { self.stdin, self.stdout, self.stderr },
  }, function(code)
    self.code = code
  end)
  assert(self.process, err)
  self.stderr:read_start(function(_, data)
    self.errors = self.errors .. (data or '')
  end)
  self.stdout:read_start(function(_, data)
    local at = 1
    while data and at <= #data do
      local kind, id, method, args
      kind, id, method, args, at = self.session:receive(data, at)
      if kind == 'notification' then
        opts.on_notification(method, args)
      elseif kind == 'response' then
        id(method ~= vim.NIL and method or nil, args)
      end
    end
  end)
  return self
end

--- Calls an API function and returns its result.
---@param method string
---@param ... any
function Rpc:request(method, ...)
  local over, failure, result = false, nil, nil
  self.stdin:write(self.session:request(function(err, value)
    over, failure, result = true, err, value
  end) .. self.pack(method) .. self.pack({ ... }))
  vim.wait(Rpc.patience, function()
    return over or self.code ~= nil
  end, 100)
  if failure then
    error(failure[2], 0)
  elseif not over then
    error(('%s was not answered; Neovim %s\n%s'):format(method, self.code and 'has ended' or 'runs', self.errors), 0)
  end
  return result
end

--- Ends the process and waits for that. It may be called again.
function Rpc:close()
  if self.closed then
    return
  end
  self.closed = true
  if not self.code then
    pcall(function()
      self.stdin:write(self.session:notify() .. self.pack('nvim_command') .. self.pack({ 'qall!' }))
    end)
    vim.wait(3000, function()
      return self.code ~= nil
    end, 50)
  end
  if not self.code then
    self.process:kill('sigkill')
    vim.wait(Rpc.patience, function()
      return self.code ~= nil
    end, 50)
  end
  for _, handle in ipairs({ self.stdin, self.stdout, self.stderr, self.process }) do
    handle:close()
  end
end

return Rpc

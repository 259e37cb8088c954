--- An authorization server with a protected MCP server behind it: see test/testkit/authserver.
local AuthServer = {}
AuthServer.__index = AuthServer

--- Starts it.
function AuthServer.start()
  local self = setmetatable({}, AuthServer)
  local said = ''
  self.process = vim.system({ vim.env.AUTHSERVER_BIN }, {
    stdin = true, -- it ends with this
    stdout = function(_, data)
      said = said .. (data or '')
    end,
  })
  assert(
    vim.wait(30000, function()
      return said:find('\n') ~= nil
    end, 10),
    'the authorization server does not start'
  )
  self.urls = vim.json.decode(said)
  self.url = self.urls.url
  return self
end

--- Sends a request to its control interface, and returns the answer.
---@param method string
---@param path string
---@param body? table
---@return any
function AuthServer:control(method, path, body)
  local cmd = { 'curl', '-sS', '-X', method, '-H', 'Content-Type: application/json', self.urls.control .. path }
  if body then
    vim.list_extend(cmd, { '--data-binary', vim.json.encode(body) })
  end
  local out = vim.system(cmd, { text = true }):wait()
  assert(out.code == 0, out.stderr)
  local ok, answer = pcall(vim.json.decode, out.stdout)
  return assert(ok and answer, out.stdout)
end

--- Plays the person in the browser, who agrees unless told otherwise. Returns what they saw.
---@param url string
---@param how? table the members of authserver.Browser
---@return table authserver.Visit
function AuthServer:browse(url, how)
  return self:control('POST', '/browse', vim.tbl_extend('error', { url = url }, how or {}))
end

function AuthServer:close()
  self.process:kill('sigterm')
end

return AuthServer

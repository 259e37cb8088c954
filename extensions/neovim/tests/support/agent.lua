--- An agent beside the editor: a client of `mcp-editord mcp`.
local Rpc = require('support.rpc')
local json = require('mcp-editord.json')

local Agent = {}
Agent.__index = Agent

--- Starts an agent in the project. It ends with the test.
---@param home table see Editor.home
---@param server string the one whose tools it gets
function Agent.start(home, server)
  local self = setmetatable({ answers = {}, rest = '', last = 0 }, Agent)
  self.process = vim.system({ vim.env.MCP_EDITORD, 'mcp', '--server', server }, {
    env = home.env,
    cwd = home.project,
    stdin = true,
    stdout = function(_, data)
      self.rest = self.rest .. (data or '')
      for line in self.rest:gmatch('([^\n]*)\n') do
        local message = vim.json.decode(line)
        if message.id and not message.method then
          self.answers[message.id] = message
        end
      end
      self.rest = self.rest:match('[^\n]*$')
    end,
  })
  home.agents = home.agents or {}
  table.insert(home.agents, self)
  self:send('initialize', {
    protocolVersion = '2025-06-18',
    capabilities = vim.empty_dict(),
    clientInfo = { name = 'claude-code', title = 'Claude Code', version = '1' },
  })
  self:answer()
  self.process:write(json.encode({ jsonrpc = '2.0', method = 'notifications/initialized' }) .. '\n')
  return self
end

--- Sends a request.
---@param method string
---@param params table
function Agent:send(method, params)
  self.last = self.last + 1
  self.process:write(json.encode({ jsonrpc = '2.0', id = self.last, method = method, params = params }) .. '\n')
end

--- Calls a tool.
---@param tool string
---@param arguments? table
function Agent:call(tool, arguments)
  self:send('tools/call', { name = tool, arguments = arguments or vim.empty_dict() })
end

--- Whether the last request is answered.
---@return boolean
function Agent:answered()
  return self.answers[self.last] ~= nil
end

--- Waits for the answer to the last request, and returns it as text.
---@return string
function Agent:answer()
  vim.wait(Rpc.patience, function()
    return self:answered()
  end, 20)
  local answer = assert(self.answers[self.last], 'the agent got no answer')
  return vim.json.encode(answer)
end

function Agent:close()
  self.process:write(nil)
  self.process:wait(Rpc.patience)
end

return Agent

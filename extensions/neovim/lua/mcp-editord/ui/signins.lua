--- Tells of the servers that need the person to sign in: once for each, and one message for all that do so within a moment.
local messages = require('mcp-editord.ui.messages')
local servers = require('mcp-editord.daemon.servers')
local text = require('mcp-editord.text')

local M = {}

--- How long the message waits for more servers, in milliseconds.
local pause = 250

local told = {} ---@type table<string, true> the names of the servers that were told of and have not been ready since
local waits = false

--- Notes that the person knows of a server that needs them to sign in.
---@param name string
function M.told(name)
  told[name] = true
end

--- Returns what the message says, from the longest.
---@param names string[]
---@return string[]
local function say(names)
  if #names == 1 then
    return { messages.error_line(servers.needs_sign_in(names[1])) }
  end
  local shown = vim.tbl_map(function(name)
    return text.line(name, 60)
  end, names)
  local count = ('%d servers need you to sign in'):format(#names)
  return { ('%s (%s): :Mcp signin'):format(count, table.concat(shown, ', ')), count .. ': :Mcp signin' }
end

--- Called when the state of servers has changed.
---@param connection mcp-editord.Connection
function M.changed(connection)
  local new = false
  for name, server in pairs(connection.servers) do
    if server.state == 'ready' then
      told[name] = nil
    end
    new = new or server.state == 'needsSignIn' and not told[name]
  end
  if not new or waits then
    return
  end
  waits = true
  vim.defer_fn(function()
    waits = false
    local names = vim.tbl_filter(function(name)
      return not told[name]
    end, servers.names(connection, 'needsSignIn'))
    if #names > 0 then
      for _, name in ipairs(names) do
        told[name] = true
      end
      messages.notify(say(names), vim.log.levels.WARN)
    end
  end, pause)
end

--- An error that is shown has said it already.
messages.watchers[function(err)
  if type(err) == 'table' and type(err.data) == 'table' and err.data.kind == 'signInNeeded' and err.data.server then
    M.told(err.data.server)
  end
end] =
  true

return M

--- Signs in to servers and out of them, by name or from a list.
local messages = require('mcp-editord.ui.messages')
local servers = require('mcp-editord.daemon.servers')
local signin = require('mcp-editord.questions.signin')
local signins = require('mcp-editord.ui.signins')
local ui = require('mcp-editord.ui')
local waiting = require('mcp-editord.ui.waiting')

local M = {}

--- Signs the person out of a server.
---@async
---@param connection mcp-editord.Connection
---@param name string
function M.sign_out(connection, name)
  servers.act(connection, 'editord/signOut', name)
  signins.told(name) -- who signs out need not be told to sign in
  messages.notify(('signed out of "%s"'):format(name))
end

--- The servers that make sense are offered; others can be named.
local ways = {
  signin = {
    run = signin.sign_in,
    makes_sense = servers.wants_sign_in,
    none = 'no server needs you to sign in',
    prompt = 'Sign in to',
  },
  signout = {
    run = M.sign_out,
    makes_sense = servers.is_signed_in,
    none = 'you are signed in to no server',
    prompt = 'Sign out of',
  },
}

--- Signs in to or out of the server of that name. Without a name, it is the only one for which that makes sense, or the
--- person picks one.
---@async
---@param connection mcp-editord.Connection
---@param which 'signin'|'signout'
---@param name? string
function M.run(connection, which, name)
  local way = ways[which]
  if name then
    return way.run(connection, servers.find(connection, name).name)
  end
  local list = vim.tbl_filter(way.makes_sense, servers.list(connection))
  if #list == 0 then
    error(way.none .. '; :Mcp servers shows their states', 0)
  end
  local server = #list == 1 and list[1]
    or waiting.show('the list of servers', function(turn)
      return ui.select(turn, list, {
        prompt = way.prompt,
        kind = 'mcp-editord-server',
        format = function(one)
          return one.name
        end,
      })
    end)
  if server then
    way.run(connection, server.name)
  end
end

return M

--- Offers to mute or stop a server whose questions were refused again and again (editor protocol, "mcp/… from the daemon").
local messages = require('mcp-editord.ui.messages')
local text = require('mcp-editord.text')

local M = {}

--- How many refusals in a row it takes.
local enough = 3

---@param params {server: string, refused?: integer}
---@return table<string, string> methods by choice
---@return string[] choices
local function offers(params)
  if (tonumber(params.refused) or 0) < enough then
    return {}, {}
  end
  local name = text.line(params.server, 60)
  local mute, stop = 'Mute ' .. name, 'Stop ' .. name
  return { [mute] = 'editord/muteServer', [stop] = 'editord/stopServer' }, { mute, stop }
end

--- Adds the choices that silence a server to `choices`, if it was refused often enough.
---@param params {server: string, refused?: integer}
---@param choices string[]
---@return string[]
function M.with(params, choices)
  local _, more = offers(params)
  return vim.list_extend(choices, more)
end

--- Does what was chosen if it is one of those choices. Returns whether it was; the question is then refused.
---@async
---@param connection mcp-editord.Connection
---@param params {server: string, refused?: integer}
---@param choice string?
---@return boolean
function M.taken(connection, params, choice)
  local method = offers(params)[choice or '']
  if not method then
    return false
  end
  connection:request(method, { server = params.server })
  messages.notify(
    method == 'editord/muteServer'
        and ('"%s" is muted until it is started again; :Mcp servers unmutes it'):format(params.server)
      or ('"%s" is stopped'):format(params.server)
  )
  return true
end

return M

--- Tells of the servers that fail as the daemon starts them: one message for all that do so within a moment, and none of what the
--- person was told before. Later failures show in the statusline and in `:Mcp servers`; what the person starts says itself how that went.
local fit = require('mcp-editord.ui.fit')
local messages = require('mcp-editord.ui.messages')
local text = require('mcp-editord.text')

local M = {}

--- How long the message waits for servers that are still starting, and how often it looks, in milliseconds.
local limit, look = 5000, 250

--- The shortest reason that is worth its place, in cells.
local min_reason = 30

local attaches = setmetatable({}, { __mode = 'k' }) ---@type table<mcp-editord.Connection, integer> the last of each
local counted = 0 -- attaches

---@param server mcp-editord.Server
---@return boolean
local function has_failed(server)
  return server.error ~= nil
    and not server.error.told
    and vim.list_contains({ 'failed', 'restarting', 'starting' }, server.state)
end

--- Returns the reason without the server, which is named already, and without the advice that follows it.
---@param server mcp-editord.Server
---@return string
local function reason(server)
  local whole = text.line(server.error.message, 300):gsub(';%s.*', ''):gsub(' %(process %d+%)', '')
  whole = whole:gsub('^the server ', ''):gsub('^server "[^"]*" ', '')
  return (whole:gsub('"([^"]*)" cannot be run: "%1" is', '"%1" is'))
end

--- Returns what the message says, from the longest: reasons are shortened, then left out.
---@param failed mcp-editord.Server[]
---@param room integer
---@return string[]
local function say(failed, room)
  local function with(reasons)
    local out = {}
    for i, server in ipairs(failed) do
      local name = text.line(server.name, 60)
      out[i] = reasons and ('%s (%s)'):format(name, reasons[i]) or name
    end
    return ('%d servers failed: %s'):format(#failed, table.concat(out, ', '))
  end
  local whole = vim.tbl_map(reason, failed)
  if #failed == 1 then
    local name = text.line(failed[1].name, 60)
    return {
      ('server "%s" failed: %s'):format(name, whole[1]),
      ('%s: %s'):format(name, (whole[1]:gsub('^the command ', ''))),
    }
  end
  local texts = { with(whole) }
  local each = math.floor((room - fit.width(with(vim.tbl_map(function()
    return ''
  end, failed)))) / #failed)
  if each >= min_reason then
    texts[#texts + 1] = with(vim.tbl_map(function(one)
      return fit.fit({ one }, each)
    end, whole))
  end
  texts[#texts + 1] = with()
  texts[#texts + 1] = ('%d servers failed'):format(#failed)
  return texts
end

--- Called when a connection is ready. Looks for servers that fail until none of them is starting.
---@param connection mcp-editord.Connection
function M.attached(connection)
  counted = counted + 1
  local attach, since = counted, vim.uv.now()
  attaches[connection] = attach
  local left ---@type table<string, true> the servers that are starting, or have failed and are not told
  local function watch()
    if attaches[connection] ~= attach or connection.state ~= 'ready' then
      return
    end
    left = left or vim.tbl_map(function()
      return true
    end, connection.servers)
    local failed, starting = {}, false
    for _, name in ipairs(vim.fn.sort(vim.tbl_keys(left))) do
      local server = connection.servers[name]
      if server and has_failed(server) then
        failed[#failed + 1] = server
      elseif server and server.state == 'starting' then
        starting = true
      else
        left[name] = nil
      end
    end
    if not starting or vim.uv.now() - since >= limit then
      since = vim.uv.now()
      for _, server in ipairs(failed) do
        left[server.name] = nil
      end
      if #failed > 0 then
        local advice = '; :Mcp servers'
        messages.notify(say(failed, (messages.room(advice))), vim.log.levels.ERROR, advice)
      end
    end
    if starting then
      vim.defer_fn(watch, look)
    end
  end
  vim.defer_fn(watch, look) -- what the daemon starts is starting by then
end

return M

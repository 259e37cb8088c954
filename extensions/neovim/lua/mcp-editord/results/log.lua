--- The log of a server: what it wrote to standard error or logged. The buffer follows the log until it is closed.
local messages = require('mcp-editord.ui.messages')
local pages = require('mcp-editord.ui.page')
local text = require('mcp-editord.text')

local M = {}

--- How many lines are read at first, and how many of the last lines the buffer keeps.
local first, kept = 2000, 10000

---@class mcp-editord.Log
---@field connection mcp-editord.Connection
---@field server string
---@field cursor? string the end of what is shown
---@field buf integer
---@field empty boolean the buffer has no line of the log yet

local logs = {} ---@type mcp-editord.Log[] that have a buffer; one for each server of a connection

---@param connection mcp-editord.Connection
---@param server string
---@return mcp-editord.Log?
local function find(connection, server)
  return vim.iter(logs):find(function(log)
    return log.connection == connection and log.server == server
  end)
end

--- The group of a line, by the level of its message. Other messages, and what the server writes to standard error, have none.
local groups = {
  debug = 'McpMuted',
  warning = 'McpWarning',
  error = 'McpError',
  critical = 'McpError',
  alert = 'McpError',
  emergency = 'McpError',
}

--- Returns the time of an entry as this machine's clock shows it.
---@param time string RFC 3339 in UTC
---@return string
local function clock(time)
  local year, month, day, hour, minute, second, fraction = time:match('^(%d+)-(%d+)-(%d+)T(%d+):(%d+):(%d+)(%.%d+)Z$')
  if not year then
    return text.line(time, 40)
  end
  -- os.time() reads local time. What it makes of a time in UTC is off by as much as local time is ahead.
  local off = os.time({ year = year, month = month, day = day, hour = hour, min = minute, sec = second, isdst = false })
  local again = os.date('!*t', off) --[[@as osdateparam]]
  again.isdst = false
  return os.date('%Y-%m-%d %H:%M:%S', off + os.difftime(off, os.time(again))) .. fraction
end

--- Returns one line of a text that a server wrote.
---@param s string
---@return string
local function harmless(s)
  return (text.block(s):gsub('\n', '\\n'))
end

--- Returns a line of a log with its time, and its level or where it is from. Further lines of a message are indented.
---@param entry mcp-editord.LogEntry
---@return string
local function line_of(entry)
  if entry.more then
    return '    ' .. harmless(entry.text)
  end
  local logger = entry.logger and text.line(entry.logger, 200) .. ': ' or ''
  return ('%s [%s] %s%s'):format(clock(entry.time), entry.level or entry.source, logger, harmless(entry.text))
end

--- Returns a part of a log as a page: each line with its time and its level, and before them how many are missing.
---@param params mcp-editord.ServerLogResult|mcp-editord.ServerLogged
---@return mcp-editord.Page
local function read(params)
  local page = { lines = {}, marks = {} }
  local function add(line, group)
    page.lines[#page.lines + 1] = line
    if group then
      page.marks[#page.marks + 1] = { line = #page.lines - 1, group = group }
    end
  end
  if (params.missed or 0) > 0 then
    add(('[%d lines are missing here]'):format(params.missed), 'McpMuted')
  end
  for _, entry in ipairs(params.entries or {}) do
    add(line_of(entry), groups[entry.level] or entry.source == 'daemon' and 'McpMuted' or nil)
  end
  for _, line in ipairs(params.lines) do -- of a daemon that was started before an update, which has no entries
    add(harmless(line))
  end
  return page
end

--- Puts the cursors of windows on the last line.
---@param buf integer
---@param wins integer[]
local function to_end(buf, wins)
  for _, win in ipairs(wins) do
    vim.api.nvim_win_set_cursor(win, { vim.api.nvim_buf_line_count(buf), 0 })
  end
end

--- Adds lines to the buffer. A cursor on the last line moves to the new last line.
---@param log mcp-editord.Log
---@param params mcp-editord.ServerLogResult|mcp-editord.ServerLogged
local function add(log, params)
  log.cursor = params.cursor
  local page = read(params)
  if #page.lines == 0 then
    return
  end
  local last = vim.api.nvim_buf_line_count(log.buf)
  local following = vim.tbl_filter(function(win)
    return vim.api.nvim_win_get_cursor(win)[1] >= last
  end, vim.fn.win_findbuf(log.buf))
  if log.empty then
    pages.fill(log.buf, page)
  else
    pages.append(log.buf, page, kept)
  end
  log.empty = false
  to_end(log.buf, following)
end

---@param log mcp-editord.Log
local function forget(log)
  logs = vim.tbl_filter(function(other)
    return other ~= log
  end, logs)
end

--- Called when the buffer is gone. Ends the following.
---@param log mcp-editord.Log
local function close(log)
  if not vim.list_contains(logs, log) then
    return -- it has ended before
  end
  forget(log)
  if log.connection.state == 'ready' and not find(log.connection, log.server) then
    local params = { server = log.server, lines = 1, follow = false }
    log.connection:send('editord/serverLog', params, function() end)
  end
end

--- Shows the last lines of a server's log and follows it.
---@async
---@param connection mcp-editord.Connection
---@param server string
function M.show(connection, server)
  local shown = find(connection, server)
  if shown then
    local wins = vim.fn.win_findbuf(shown.buf)
    vim.api.nvim_set_current_win(wins[1])
    return to_end(shown.buf, wins)
  end
  local answer =
    connection:request('editord/serverLog', { server = server, lines = first, follow = true, entries = true })
  local page = read(answer)
  local log = { connection = connection, server = server, cursor = answer.cursor, empty = #page.lines == 0 } ---@type mcp-editord.Log
  if log.empty then
    page.lines = { ('"%s" has not written anything.'):format(server) }
  end
  table.insert(logs, log) -- before the buffer of another one goes, which would end the following
  log.buf = require('mcp-editord.results.show').show('log of ' .. server, page)
  vim.api.nvim_create_autocmd('BufWipeout', {
    buffer = log.buf,
    once = true,
    callback = function()
      close(log)
    end,
  })
  to_end(log.buf, vim.fn.win_findbuf(log.buf))
end

--- Called when new lines have come.
---@param connection mcp-editord.Connection
---@param params mcp-editord.ServerLogged
function M.append(connection, params)
  local log = find(connection, params.server)
  if log then
    add(log, params)
  end
end

--- Called when a server is no longer defined: the daemon does not follow its log any more. What is shown stays.
---@param connection mcp-editord.Connection
---@param server string
function M.removed(connection, server)
  local log = find(connection, server)
  if log then
    forget(log)
  end
end

--- Asks a new daemon for the lines since the last one, and to send those that follow.
---@param connection mcp-editord.Connection
function M.reattach(connection)
  for _, log in ipairs(logs) do
    if log.connection == connection then
      local params = { server = log.server, lines = kept, after = log.cursor, follow = true, entries = true }
      connection:send('editord/serverLog', params, function(err, answer)
        if not vim.api.nvim_buf_is_valid(log.buf) then
          return
        elseif answer then
          return add(log, answer)
        end
        forget(log)
        local message = 'the log of "%s" is no longer followed: %s; :Mcp log %s reads it again'
        messages.notify(message:format(log.server, messages.error_line(err), log.server), vim.log.levels.WARN)
      end)
    end
  end
end

return M

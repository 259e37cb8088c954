--- Messages: one line on the screen, the full text in `:Mcp messages`.
local async = require('mcp-editord.async')
local text = require('mcp-editord.text')

local M = {}

local messages = {} ---@type string[] the last ones, whole

--- How many messages are kept, and the length of the longest, in characters.
local max_messages, max_message = 200, 4000

--- Keeps a message for `:Mcp messages`.
---@param message string
---@return string whole
local function remember(message)
  local whole = text.line(message, max_message)
  messages[#messages + 1] = whole
  if #messages > max_messages then
    table.remove(messages, 1)
  end
  return whole
end

--- Shows one line, cut to the screen: a longer message would make the person press a key.
---@param line string
---@param level? integer
---@param note? string follows the line and is not cut; left out on a small screen
local function show(line, level, note)
  local prefix = 'MCP: '
  local room = vim.v.echospace - #prefix
  note = note and room - #note > 20 and note or ''
  vim.notify(prefix .. text.line(line, room - #note) .. note, level or vim.log.levels.INFO)
end

--- Shows one line, and keeps the full text for `:Mcp messages`.
---@param message string
---@param level? integer of vim.log.levels
---@param note? string follows the message and is not cut
function M.notify(message, level, note)
  show(remember(message), level, note)
end

--- The shortest time between two lines that may come in a flood, in milliseconds.
local pause = 500

local held = nil ---@type {line: string, level?: integer, more: integer}? what is shown when the pause is over
local pausing = false

local function after_pause()
  pausing = false
  if held then
    local note = held.more > 0 and ('  (and %d more; see :Mcp messages)'):format(held.more) or nil
    show(held.line, held.level, note)
    held, pausing = nil, true
    vim.defer_fn(after_pause, pause)
  end
end

--- Shows a line that may come in a flood: of the lines that come within a moment, it shows the last, and counts the others.
---@param message string
---@param level? integer of vim.log.levels
function M.relay(message, level)
  local line = remember(message)
  held = { line = line, level = level, more = held and held.more + 1 or 0 }
  if not pausing then
    after_pause()
  end
end

--- Returns the last messages, the latest last.
---@return string[]
function M.list()
  return vim.deepcopy(messages)
end

--- The commands that do what the daemon's errors advise in the words of its protocol.
local advice = {
  ['editord/servers'] = ':Mcp servers',
  ['editord/approvals'] = ':Mcp servers',
  ['editord/catalog'] = ':Mcp tools',
  ['editord/restartServer'] = ':Mcp restart',
}

--- Returns an error as one line.
---@param err any
---@return string
function M.error_line(err)
  if type(err) ~= 'table' then
    return tostring(err)
  elseif type(err.data) == 'table' and err.data.kind then
    return (err.message:gsub('editord/%a+', advice))
  end
  return ('the server answered with error %s: %s'):format(err.code, err.message)
end

--- Shows an error. Says nothing about a question that was left or withdrawn.
---@param err any
function M.fail(err)
  if err ~= async.withdrawn and err ~= async.left then
    M.notify(M.error_line(err), vim.log.levels.ERROR)
  end
end

--- Runs an async function and shows what it raises.
---@param fn async fun()
function M.run(fn)
  async.run(fn, function(ok, err)
    if not ok then
      M.fail(err)
    end
  end)
end

return M

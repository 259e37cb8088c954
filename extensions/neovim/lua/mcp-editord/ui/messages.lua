--- Messages: one line each on the screen, the whole in `:Mcp messages`.
local async = require('mcp-editord.async')
local text = require('mcp-editord.text')

local M = {}

local messages = {} ---@type string[] the last ones, whole

--- How many messages are kept, and the longest, in characters.
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

--- Shows one line. It is cut to what fits, because a message that does not has to be confirmed by a key.
---@param line string
---@param level? integer
---@param note? string that is not cut; a small screen has no room for it
local function show(line, level, note)
  local prefix = 'MCP: '
  local room = vim.v.echospace - #prefix
  note = note and room - #note > 20 and note or ''
  vim.notify(prefix .. text.line(line, room - #note) .. note, level or vim.log.levels.INFO)
end

--- Shows one line; `:Mcp messages` has the whole.
---@param message string
---@param level? integer of vim.log.levels
---@param note? string what stands after it, and is not cut
function M.notify(message, level, note)
  show(remember(message), level, note)
end

--- ms in which one line is shown of what may come in a flood.
local pause = 500

local held = nil ---@type {line: string, level?: integer, more: integer}? what is shown when the pause is over
local pausing = false

local function after_pause()
  pausing = false
  if held then
    local note = held.more > 0 and ('  (and %d more, see :Mcp messages)'):format(held.more) or nil
    show(held.line, held.level, note)
    held, pausing = nil, true
    vim.defer_fn(after_pause, pause)
  end
end

--- Shows one line of what somebody else may send in a flood: of those that come within a moment, the last is shown, with
--- how many there were.
---@param message string
---@param level? integer of vim.log.levels
function M.relay(message, level)
  local line = remember(message)
  held = { line = line, level = level, more = held and held.more + 1 or 0 }
  if not pausing then
    after_pause()
  end
end

--- The last messages, the latest last.
---@return string[]
function M.list()
  return vim.deepcopy(messages)
end

--- An error as one line for people.
---@param err any
---@return string
function M.error_line(err)
  if type(err) ~= 'table' then
    return tostring(err)
  elseif type(err.data) == 'table' and err.data.kind then
    return err.message
  end
  return ('the server answered with error %s: %s'):format(err.code, err.message)
end

--- Shows that something failed; a question that was left needs no words.
---@param err any
function M.fail(err)
  if err ~= async.withdrawn and err ~= async.left then
    M.notify(M.error_line(err), vim.log.levels.ERROR)
  end
end

--- Runs an async function, and shows what it raises.
---@param fn async fun()
function M.run(fn)
  async.run(fn, function(ok, err)
    if not ok then
      M.fail(err)
    end
  end)
end

return M

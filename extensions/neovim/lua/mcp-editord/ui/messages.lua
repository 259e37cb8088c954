--- Messages: one line on the screen, the full text in `:Mcp messages`.
---
--- A message never asks for a key, and never covers what the person types: it waits while they are in the command line or in
--- the middle of a command, and while nobody could see it. Of those that may come in a flood, few are shown, and the others are counted.
local async = require('mcp-editord.async')
local fit = require('mcp-editord.ui.fit')
local text = require('mcp-editord.text')

local M = {}

local messages = {} ---@type string[] the last ones, whole

--- How many messages are kept, and the length of the longest, in characters.
local max_messages, max_message = 200, 4000

--- Keeps a message for `:Mcp messages`.
---@param message string safe to show
local function remember(message)
  messages[#messages + 1] = message
  if #messages > max_messages then
    table.remove(messages, 1)
  end
end

local prefix = 'MCP: '

--- Returns how many cells a message may take: a longer one would make the person press a key.
---@param note? string follows it
---@return integer room
---@return string note empty where it leaves too little room
function M.room(note)
  local room = vim.v.echospace - #prefix
  if note and room - fit.width(note) > 20 then
    return room - fit.width(note), note
  end
  return room, ''
end

---@param texts string[] that say the same, from the longest
---@param level? integer
---@param note? string
local function draw(texts, level, note)
  local room, kept = M.room(note)
  local said, alone = fit.fit(texts, room), fit.fit(texts, (M.room()))
  if vim.endswith(said, '…') and not vim.endswith(alone, '…') then
    said, kept = alone, '' -- the cause comes before the advice
  end
  vim.cmd.redraw() -- below a message of the same moment, this one would make the person press a key
  vim.notify(prefix .. said .. kept, level or vim.log.levels.INFO)
end

--- Puts a line on the screen that is no message: no history keeps it. Returns it as it stands there.
---@param line? string nil clears
---@return string?
function M.echo(line)
  local out = line and prefix .. fit.fit({ text.line(line, max_message) }, (M.room()))
  vim.cmd.redraw()
  vim.api.nvim_echo({ { out or '' } }, false, {})
  return out
end

--- Whether a message would not be in the way, and would stay: over it Neovim draws the name of the mode, if it shows that.
---@return boolean
local function free()
  local mode = vim.api.nvim_get_mode()
  return not mode.blocking
    and not mode.mode:find('^[cr!]')
    and not mode.mode:find('^no')
    and not (vim.o.showmode and mode.mode:find('^[iRvVsSt\22\19]'))
end

--- How often it looks whether a message can be shown, and how long each is left on the screen before the next that waited,
--- in milliseconds.
local look, stay = 200, 1000

local waiting = {} ---@type fun()[] what draws the messages that wait, in their order
local looking = false

local function show_next()
  looking = false
  if #waiting == 0 or vim.v.exiting ~= vim.NIL then
    return
  end
  local can = free()
  if can then
    table.remove(waiting, 1)()
  end
  looking = true
  vim.defer_fn(show_next, can and stay or look)
end

--- Calls `show`, which draws a message, as soon as that is not in the way.
---@param show fun()
function M.when_free(show)
  if free() then
    return show()
  end
  waiting[#waiting + 1] = show
  if not looking then
    show_next()
  end
end

--- How many single messages wait at most. What comes while they do is counted, and said with the last of them.
local max_held = 5

local held, more = 0, 0

--- Shows one line, and keeps the full text for `:Mcp messages`.
---@param message string|string[] several say the same, from the longest; the first is kept
---@param level? integer of vim.log.levels
---@param note? string follows the message and is not cut; left out on a small screen
function M.notify(message, level, note)
  local texts = vim.tbl_map(function(one)
    return text.line(one, max_message)
  end, type(message) == 'table' and message or { message })
  remember(texts[1])
  if held == max_held then
    more = more + 1
    return
  end
  held = held + 1
  M.when_free(function()
    held = held - 1
    if held == 0 and more > 0 then
      note, more = ('  (and %d more; see :Mcp messages)'):format(more), 0
    end
    draw(texts, level, note)
  end)
end

--- How long a flood of messages is counted before it is shown, in milliseconds: at first, doubled each time while it goes on,
--- and at most.
local first_pause, max_pause = 500, 30000

--- Where messages come from that may come in a flood.
---@class mcp-editord.Source
---@field fold fun(source: mcp-editord.Source) draws the messages that were counted, which are more than one
---@field line string the last message
---@field level? integer the worst level of those that were counted
---@field alike boolean they all have that level
---@field count integer how many have come since the last that was shown
---@field shown boolean one was shown before
---@field busy boolean it waits to be shown, or its pause is not over
---@field pause integer

local sources = {} ---@type table<string, mcp-editord.Source>

---@param key string
---@param source mcp-editord.Source
local function show_source(key, source)
  source.busy = true
  M.when_free(function()
    if source.count == 1 then
      draw({ source.line }, source.level)
    else
      source:fold()
    end
    source.count, source.level, source.shown = 0, nil, true
    vim.defer_fn(function()
      source.busy = false
      if source.count == 0 then
        sources[key] = nil
      else
        source.pause = math.min(2 * source.pause, max_pause)
        show_source(key, source)
      end
    end, source.pause)
  end)
end

---@param key string of the source
---@param line string safe to show
---@param level integer
---@param fold fun(source: mcp-editord.Source)
local function from_source(key, line, level, fold)
  local source = sources[key]
  if not source then
    source = { fold = fold, line = line, alike = true, count = 0, shown = false, busy = false, pause = first_pause }
    sources[key] = source
  end
  source.alike = source.count == 0 or source.alike and source.level == level
  source.line, source.level, source.count = line, math.max(source.level or level, level), source.count + 1
  if not source.busy then
    show_source(key, source)
  end
end

--- Shows a line that may come in a flood: of the lines that come within a moment, it shows the last, and counts the others.
---@param message string
---@param level? integer of vim.log.levels
function M.relay(message, level)
  local line = text.line(message, max_message)
  remember(line)
  from_source('', line, level or vim.log.levels.INFO, function(source)
    draw({ source.line }, source.level, ('  (and %d more; see :Mcp messages)'):format(source.count - 1))
  end)
end

local words = { [vim.log.levels.ERROR] = 'errors', [vim.log.levels.WARN] = 'warnings' }

--- Shows a log message of a server. Of those that come within a moment, it shows how many they are: the log has them.
---@param server string
---@param message string
---@param level integer of vim.log.levels
function M.logged(server, message, level)
  local name = text.line(server, 60)
  local line = text.line(('%s: %s'):format(name, message), max_message)
  if not sources['server ' .. server] then
    remember(line)
  end
  from_source('server ' .. server, line, level, function(source)
    local count = ('%s: %d %s'):format(name, source.count, source.shown and 'more' or 'new')
    local what = source.alike and words[source.level] or 'messages'
    local where = ':Mcp log ' .. name
    local whole = ('%s %s; %s'):format(count, what, where)
    remember(whole)
    draw({ whole, ('%s; %s'):format(count, where), ('%s %s'):format(count, what), count }, source.level)
  end)
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
  ['editord/signIn'] = ':Mcp signin',
}

--- Returns a text of the daemon with the commands of this plugin in place of methods and of commands for a terminal.
---@param message string
---@return string
function M.advise(message)
  return (message:gsub('editord/%a+', advice):gsub('run: mcp%-editord signin', ':Mcp signin'))
end

--- Returns an error as one line.
---@param err any
---@return string
function M.error_line(err)
  if type(err) ~= 'table' then
    return tostring(err)
  elseif type(err.data) == 'table' and err.data.kind == 'signInNeeded' and err.data.server then
    local name, scopes = text.line(err.data.server, 60), err.data.detail
    local needs = scopes and ('more permissions (%s)'):format(text.line(scopes, 200)) or 'you to sign in'
    return ('"%s" needs %s: :Mcp signin %s'):format(name, needs, name)
  elseif type(err.data) == 'table' and err.data.kind then
    return M.advise(err.message)
  end
  return ('%s (error %s of the server)'):format(err.message, err.code)
end

M.watchers = {} ---@type table<fun(err: any), true> called with each error that is shown

--- Shows an error. Says nothing about a question that was left or withdrawn.
---@param err any
function M.fail(err)
  if err ~= async.withdrawn and err ~= async.left then
    for watcher in pairs(M.watchers) do
      watcher(err)
    end
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

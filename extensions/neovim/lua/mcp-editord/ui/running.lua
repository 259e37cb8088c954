--- Says on the message line what runs, until it ends: where no statusline names the running calls, nothing else would.
local calls = require('mcp-editord.daemon.calls')
local messages = require('mcp-editord.ui.messages')

local M = {}

--- How long something runs before the line says so, and how long what is on the line is left there, in milliseconds.
local patience = 1000

local shown ---@type string? what the line was told last

--- Returns what is on the message line.
---@return string
local function on_screen()
  local row, cells = vim.o.lines - math.max(vim.o.cmdheight, 1) + 1, {}
  for column = 1, vim.o.columns do
    cells[column] = vim.fn.screenstring(row, column)
  end
  return vim.trim(table.concat(cells))
end

---@return string?
local function line()
  local due = vim.tbl_filter(function(call)
    return vim.uv.now() - call.since >= patience
  end, calls.all())
  if #due > 1 then
    return ('%d calls run; :Mcp cancel'):format(#due)
  end
  return due[1] and (due[1].line or ('running: %s; :Mcp cancel'):format(due[1].what))
end

--- Draws what runs now. What somebody else has put on the line stays there.
---@param begins boolean something has run long enough to say so
local function draw(begins)
  local there, now = on_screen() == shown, line()
  if there or now and begins then
    shown = messages.echo(now)
  end
end

--- Says that a call runs, once it has run for long and nobody reads another message.
---@param call mcp-editord.Running
local function watch(call)
  call.watched = true
  local before = on_screen()
  vim.defer_fn(function()
    local now = on_screen()
    if not vim.list_contains(calls.all(), call) then
      return
    elseif now ~= before and now ~= '' and now ~= shown then
      return watch(call)
    end
    messages.when_free(function()
      draw(true)
    end)
  end, patience)
end

--- Called when something has begun or ended.
function M.changed()
  if package.loaded['mcp-editord.statusline'] then
    return -- the person's statusline says it
  end
  draw(false)
  for _, call in ipairs(calls.all()) do
    if not call.watched then
      watch(call)
    end
  end
end

return M

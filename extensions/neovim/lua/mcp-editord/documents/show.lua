--- Opens the files that the daemon shows: a call document that the person asked for, and results that are long or no text.
local messages = require('mcp-editord.ui.messages')
local results = require('mcp-editord.results.show')
local text = require('mcp-editord.text')
local waiting = require('mcp-editord.ui.waiting')

local M = {}

--- The extensions of what is text. All else is not for a buffer.
local texts = { txt = true, md = true, json = true, yaml = true, mcp = true }

local asker ---@type thread? who ran the last command that a document may come of

--- Runs a command of the daemon that may show a document: it opens at once, unless the person has typed since.
---@async
---@generic T
---@param fn async fun(): T
---@return T
function M.during(fn)
  waiting.wanted()
  asker = coroutine.running()
  return fn()
end

--- Opens a file in a window of its own.
---@param path string
local function open_text(path)
  local buf = vim.fn.bufadd(path)
  local win = vim.fn.win_findbuf(buf)[1]
  if win then
    vim.api.nvim_set_current_win(win)
  elseif results.go() then
    vim.cmd.buffer(buf)
  else
    vim.cmd.sbuffer(buf)
  end
  vim.bo[buf].buflisted = true
end

--- Shows a file that is no text as a page with a link to it, and draws it if it is an image.
---@param path string
local function show_other(path)
  local name = vim.fs.basename(path)
  results.show(name, {
    lines = { ('[%s] <CR> opens'):format(text.line(path, 300)) },
    links = {
      [0] = {
        open = function()
          local _, err = vim.ui.open(path)
          if err then
            messages.notify(err, vim.log.levels.ERROR)
          end
        end,
      },
    },
    images = {
      {
        line = 0,
        path = function()
          return path
        end,
      },
    },
  })
end

--- Says what a file of the daemon is: its name has random characters for nobody.
---@param path string
---@return string
local function label_of(path)
  local name = vim.fs.basename(path)
  return name:match('^result%-(.+)%-%w+%.%w+$') or name
end

--- Answers window/showDocument for a file.
---@async
---@param params {uri: string}
---@param request mcp-editord.Incoming
---@return {success: boolean}
function M.show(params, request)
  local path = vim.uri_to_fname(params.uri)
  if not vim.startswith(params.uri, 'file:') or not vim.uv.fs_stat(path) then
    return { success = false }
  end
  local whose = asker
  if whose then
    waiting.wanted_in(whose)
  end
  local item = { what = text.line(label_of(path), 200), question = false, request = request }
  item.ask = function()
    if whose then
      results.place_as(whose)
    end
    if texts[path:match('%.(%w+)$') or ''] then
      open_text(path)
    else
      show_other(path)
    end
    return true
  end
  request.on_withdraw = function()
    waiting.withdraw(item)
  end
  return { success = waiting.show_item(item) == true }
end

return M

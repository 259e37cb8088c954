--- The calls that are under way. Progress itself is LSP's: the daemon sends `$/progress`, and vim.lsp makes the
--- autocommand LspProgress of it, which statuslines show.
local M = {}

---@class mcp-editord.Running
---@field what string
---@field token string
---@field cancel fun()

local running = {} ---@type table<string, mcp-editord.Running>
local last = 0

--- Makes a token for a call.
---@return string
function M.token()
  last = last + 1
  return 'mcp-call-' .. last
end

---@param call mcp-editord.Running
function M.begin(call)
  running[call.token] = call
end

---@param token string
function M.over(token)
  running[token] = nil
end

--- The calls that are under way, the latest last.
---@return mcp-editord.Running[]
function M.all()
  local out = vim.tbl_values(running)
  table.sort(out, function(a, b)
    return tonumber(a.token:match('%d+$')) < tonumber(b.token:match('%d+$'))
  end)
  return out
end

--- Cancels the call that is under way; of several the person picks.
---@async
function M.cancel()
  local ui = require('mcp-editord.ui')
  local calls = M.all()
  if #calls == 0 then
    if not ui.leave() then
      ui.notify('nothing is under way')
    end
    return
  end
  local call = calls[1]
  if #calls > 1 then
    call = require('mcp-editord.waiting').begun('cancelling', function(turn)
      return ui.select(turn, calls, {
        prompt = 'Cancel',
        format = function(item)
          return item.what
        end,
      })
    end)
  end
  if call then
    call.cancel()
  end
end

return M

--- Says whether a person sees all of a server's definition in its file. The daemon knows how large it is, but not what is on
--- the screen.
local async = require('mcp-editord.async')

local M = {}

--- Whether all of a line is on the screen, as it is.
---@param win integer
---@param line integer 1-based
---@return boolean
local function sees_line(win, line)
  local length = #vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(win), line - 1, line, false)[1]
  return vim.fn.foldclosed(line) < 0
    and vim.fn.screenpos(win, line, 1).row > 0
    and vim.fn.screenpos(win, line, math.max(1, length)).row > 0
end

--- Whether all of these lines are on the screen, in the current window.
---@param buf integer
---@param first integer 1-based
---@param last integer
---@return boolean
local function sees(buf, first, last)
  local win = vim.api.nvim_get_current_win()
  if vim.api.nvim_win_get_buf(win) ~= buf then
    return false
  end
  vim.cmd.redraw() -- after a list that has scrolled the screen
  for line = first, last do
    if not sees_line(win, line) then
      return false
    end
  end
  return true
end

--- Whether the person sees all of the definition of a server.
---@async
---@param connection mcp-editord.Connection
---@param buf integer
---@param server string
---@return boolean
function M.sees_server(connection, buf, server)
  local err, symbols = async.await(function(resolve)
    local params = { textDocument = vim.lsp.util.make_text_document_params(buf) }
    require('mcp-editord.daemon.lsp').request(
      connection.client,
      'textDocument/documentSymbol',
      params,
      vim.schedule_wrap(resolve),
      buf
    )
  end)
  local symbol = not err and vim.iter(symbols or {}):find(function(one)
    return one.name == server
  end)
  return symbol ~= nil and symbol ~= false and sees(buf, symbol.range.start.line + 1, symbol.range['end'].line + 1)
end

return M

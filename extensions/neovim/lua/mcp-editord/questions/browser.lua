--- Opens addresses in the person's browser. Fetches nothing itself.
local text = require('mcp-editord.text')
local ui = require('mcp-editord.ui')

local M = {}

--- The choice that opens an address.
M.choice = 'Open in the browser'

--- How long a program that opens addresses may take to fail, and how often it is looked at, in milliseconds.
local patience, look = 3000, 50

--- Returns the host of a web address, or nil if `url` is not one.
---@param url string
---@return string?
function M.host(url)
  local scheme, authority = url:match('^(%a+)://([^/?#]+)')
  if scheme and vim.list_contains({ 'http', 'https' }, scheme:lower()) then
    return (authority:gsub('^.*@', ''))
  end
end

--- Adds a paragraph that warns.
---@param page mcp-editord.Page
---@param what string
---@param why? string nil: adds nothing
function M.warn(page, what, why)
  if not why then
    return
  end
  vim.list_extend(page.lines, { '', ('%s: %s'):format(what, text.line(why)) })
  table.insert(page.marks, { line = #page.lines - 1, group = 'McpWarning' })
end

--- Returns a page with a message and a whole address. Warnings come before it, so that a long one does not push them off the
--- screen.
---@param message string
---@param url string
---@param warning? string what the daemon says of the address
---@param problem? string why it could not be opened
---@return mcp-editord.Page
function M.page(message, url, warning, problem)
  local page = { lines = text.lines(message), marks = {} }
  M.warn(page, 'Warning', warning)
  M.warn(page, 'No browser could be opened', problem)
  vim.list_extend(page.lines, { '', text.line(url, math.huge) })
  return page
end

--- Opens an address.
---@param url string
---@return vim.SystemObj? opener the program that opens it, where that is known
---@return string? problem why it cannot be opened
function M.open(url)
  local ok, opener, problem = pcall(vim.ui.open, url)
  if not ok or problem then
    return nil, (tostring(problem or opener):gsub('^vim%.ui%.open: ', ''))
  end
  return type(opener) == 'table' and opener.is_closing and opener or nil
end

--- Waits for a moment whether a program that opens an address fails: where there is no browser, it ends soon.
---@async
---@param turn mcp-editord.Turn
---@param opener vim.SystemObj
---@return string? problem
function M.failure(turn, opener)
  local limit = vim.uv.now() + patience
  return ui.wait(turn, function(answered)
    local function watch()
      if opener:is_closing() then
        local out = opener:wait()
        local said = vim.trim(out.stderr or ''):match('[^\r\n]+') or ('it ended with code %d'):format(out.code)
        return answered(out.code ~= 0 and ('%s: %s'):format(opener.cmd[1], said) or nil)
      elseif vim.uv.now() >= limit then
        return answered(nil)
      end
      vim.defer_fn(watch, look)
    end
    vim.schedule(watch)
  end)
end

return M

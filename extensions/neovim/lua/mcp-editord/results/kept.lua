--- The results of this session, each in a buffer of its own. They stay in the list of buffers (`:ls!`) and in the jump list
--- when another result takes their window, until there are too many.
local messages = require('mcp-editord.ui.messages')
local text = require('mcp-editord.text')

local M = {}

--- How many results are kept, and how many bytes they came in. What is on the screen is always kept.
local max_results, max_bytes = 30, 64 * 1024 * 1024

---@class mcp-editord.Kept
---@field buf integer
---@field title string
---@field bytes integer
---@field at integer when it came, in milliseconds of vim.uv.now

local kept = {} ---@type mcp-editord.Kept[] the oldest first

--- Returns the results that are still there, the latest last.
---@return mcp-editord.Kept[]
function M.list()
  kept = vim.tbl_filter(function(result)
    return vim.api.nvim_buf_is_loaded(result.buf)
  end, kept)
  return vim.list_slice(kept)
end

--- Drops the oldest results that nobody looks at, while there are too many.
---@param newest integer
local function drop(newest)
  local list, bytes = M.list(), 0
  local count = #list
  for _, result in ipairs(list) do
    bytes = bytes + result.bytes
  end
  for _, result in ipairs(list) do
    local free = result.buf ~= newest and #vim.fn.win_findbuf(result.buf) == 0
    if free and (count > max_results or bytes > max_bytes) then
      count, bytes = count - 1, bytes - result.bytes
      vim.api.nvim_buf_delete(result.buf, { force = true })
    end
  end
end

--- Shows an older or a newer result in the current window.
---@param step integer
local function go(step)
  local list = M.list()
  for i, result in ipairs(list) do
    if result.buf == vim.api.nvim_get_current_buf() then
      local to = list[math.max(1, math.min(#list, i + step))]
      if to == result then
        return messages.notify(('there is no %s result'):format(step < 0 and 'older' or 'newer'))
      end
      return vim.api.nvim_win_set_buf(0, to.buf)
    end
  end
end

--- Keeps the buffer of a result. Returns its title, which says how many came before it.
---@param buf integer
---@param title string
---@param bytes integer that it came in
---@return string
function M.add(buf, title, bytes)
  kept[#kept + 1] = { buf = buf, title = title, bytes = bytes, at = vim.uv.now() }
  vim.bo[buf].bufhidden = 'hide'
  vim.api.nvim_create_autocmd('BufUnload', {
    buffer = buf,
    callback = vim.schedule_wrap(function()
      if vim.api.nvim_buf_is_valid(buf) then
        vim.api.nvim_buf_delete(buf, { force = true }) -- its name alone is of no use
      end
    end),
  })
  for keys, step in pairs({ ['[r'] = -1, [']r'] = 1 }) do
    vim.keymap.set('n', keys, function()
      go(step * vim.v.count1)
    end, { buffer = buf, desc = step < 0 and 'an older result' or 'a newer result' })
  end
  drop(buf)
  local older = #M.list() - 1
  return older > 0 and ('%s  ([r: %d older)'):format(title, older) or title
end

--- Returns a result as one line of a list.
---@param result mcp-editord.Kept
---@return string
function M.label(result)
  return ('%s  %s ago'):format(result.title, text.age(vim.uv.now() - result.at))
end

return M

--- The results of this session, each in a buffer of its own. They stay in the list of buffers (`:ls!`) and in the jump list
--- when another result takes their window, until there are too many.
local M = {}

--- How many results are kept, and how many bytes they came in. What is on the screen is always kept.
local max_results, max_bytes = 30, 64 * 1024 * 1024

---@class mcp-editord.Kept
---@field buf integer
---@field title string
---@field bytes integer
---@field at integer when it came, in milliseconds of vim.uv.now

local kept = {} ---@type mcp-editord.Kept[] the latest first

--- Returns the results that are still there, the latest first.
---@return mcp-editord.Kept[]
function M.list()
  kept = vim.tbl_filter(function(result)
    return vim.api.nvim_buf_is_loaded(result.buf)
  end, kept)
  return kept
end

--- Keeps the buffer of a result, and drops the oldest ones that nobody looks at while there are too many. Returns the title,
--- which says how many there are before it.
---@param buf integer
---@param title string
---@param bytes integer that it came in
---@return string
function M.add(buf, title, bytes)
  table.insert(kept, 1, { buf = buf, title = title, bytes = bytes, at = vim.uv.now() })
  vim.bo[buf].bufhidden = 'hide'
  vim.api.nvim_create_autocmd('BufUnload', {
    buffer = buf,
    callback = vim.schedule_wrap(function()
      pcall(vim.api.nvim_buf_delete, buf, { force = true }) -- its name alone is of no use
    end),
  })
  local count, sum, full = 0, 0, false
  for _, result in ipairs(M.list()) do
    full = full or count == max_results or sum + result.bytes > max_bytes
    if not full or result.buf == buf or #vim.fn.win_findbuf(result.buf) > 0 then
      count, sum = count + 1, sum + result.bytes
    else
      vim.api.nvim_buf_delete(result.buf, { force = true })
    end
  end
  return count > 1 and ('%s  (%d before it: :Mcp results)'):format(title, count - 1) or title
end

return M

--- Assertions that say what was there.
local M = {}

---@param got any
---@param want any
---@param what? string
function M.equal(got, want, what)
  if not vim.deep_equal(got, want) then
    error(('%sgot  %s\nwant %s'):format(what and what .. ': ' or '', vim.inspect(got), vim.inspect(want)), 2)
  end
end

---@param text string
---@param part string
---@param what? string
function M.contains(text, part, what)
  if type(text) ~= 'string' or not text:find(part, 1, true) then
    error(('%s%q is not in\n%s'):format(what and what .. ': ' or '', part, tostring(text)), 2)
  end
end

---@param text string
---@param part string
---@param what? string
function M.lacks(text, part, what)
  if text:find(part, 1, true) then
    error(('%s%q is in\n%s'):format(what and what .. ': ' or '', part, text), 2)
  end
end

return M

--- Fits a text into one row of the screen. What matters least goes first: the folders of paths, then the end.
local M = {}

--- Returns how many cells of the screen `s` takes.
M.width = vim.api.nvim_strwidth

--- Returns the beginning of `s`, with a mark, if it takes more than `room` cells.
---@param s string
---@param room integer
---@return string
local function cut(s, room)
  if M.width(s) <= room then
    return s
  end
  local out, left = {}, room - 1
  for _, character in ipairs(vim.fn.split(s, '\\zs')) do -- with what is drawn over it
    left = left - M.width(character)
    if left < 0 then
      break
    end
    out[#out + 1] = character
  end
  while out[#out] == '…' do
    out[#out] = nil
  end
  return room > 0 and table.concat(out) .. '…' or ''
end

--- Returns where the path that begins at byte `first` ends.
---@param s string
---@param first integer
---@return integer last
local function end_of_path(s, first)
  local quote = s:sub(first - 1, first - 1):match('["\'`]')
  local closing = quote and s:find(quote, first, true)
  if closing then
    return closing - 1
  end
  local _, last = s:find('^[^%s"\'`,;%)%]>]+', first)
  return last - #s:sub(first, last):match('[:.]*$')
end

--- Returns `s` with the last `kept` parts of each path in it, after "…/".
---@param s string
---@param kept integer
---@return string
local function shorten(s, kept)
  local out, done = {}, 1
  local at = 1
  while at <= #s do
    local before = s:sub(at - 1, at - 1)
    local begins = before:find('^[%s"\'`%(%[<=:]?$')
      and (s:find('^~?/[^/]', at) or s:find('^%a:[/\\]', at) or s:find('^file:///', at))
    if begins then
      local last = end_of_path(s, at)
      local parts = vim.split(s:sub(at, last), '[/\\]', { trimempty = true })
      local short = '…/' .. table.concat(parts, '/', math.max(1, #parts - kept + 1))
      if M.width(short) < M.width(s:sub(at, last)) then
        out[#out + 1] = s:sub(done, at - 1) .. short
        done = last + 1
      end
      at = last
    end
    at = at + 1
  end
  return table.concat(out) .. s:sub(done)
end

--- Returns the first of some texts that fits into `room` cells, if need be with shorter paths; else the last of them, cut.
---@param texts string[] that say the same, from the longest
---@param room integer
---@return string
function M.fit(texts, room)
  for _, s in ipairs(texts) do
    for _, shorter in ipairs({ s, shorten(s, 2), shorten(s, 1) }) do
      if M.width(shorter) <= room then
        return shorter
      end
    end
  end
  return cut(shorten(texts[#texts], 1), room)
end

return M

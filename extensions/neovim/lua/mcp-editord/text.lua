--- Makes text that somebody else wrote safe to show, by the rules of the daemon's internal/safetext: characters that could
--- change how the text around them reads become visible escapes such as `\u{202e}`.
local M = {}

--- Characters that are invisible or change the direction of text: format characters, line separators, variation
--- selectors, blanks and fillers. The noncharacters at the end of each plane are not listed here but escaped too.
local harmful = {
  { 0x7f, 0x9f },
  { 0xad, 0xad },
  { 0x34f, 0x34f },
  { 0x61c, 0x61c },
  { 0x115f, 0x1160 },
  { 0x17b4, 0x17b5 },
  { 0x180b, 0x180f },
  { 0x200b, 0x200f },
  { 0x2028, 0x202e },
  { 0x2060, 0x206f },
  { 0x2800, 0x2800 },
  { 0x3164, 0x3164 },
  { 0xfdd0, 0xfdef },
  { 0xfe00, 0xfe0f },
  { 0xfeff, 0xfeff },
  { 0xffa0, 0xffa0 },
  { 0xfff0, 0xfffb },
  { 0x13430, 0x1343f },
  { 0x13441, 0x13442 },
  { 0x16fe4, 0x16fe4 },
  { 0x1bca0, 0x1bca3 },
  { 0x1d159, 0x1d159 },
  { 0x1d173, 0x1d17a },
  { 0xe0000, 0xe0fff },
}

--- Signs that have a coloured form, which U+FE0F after them selects. Anywhere else U+FE0F is one more invisible character.
local signs = {
  { 0xa9, 0xa9 },
  { 0xae, 0xae },
  { 0x203c, 0x203c },
  { 0x2049, 0x2049 },
  { 0x2100, 0x27ff },
  { 0x2900, 0x2bff },
  { 0x3030, 0x3030 },
  { 0x303d, 0x303d },
  { 0x3297, 0x3297 },
  { 0x3299, 0x3299 },
  { 0x1f000, 0x1faff },
}

local colour = '\239\184\143' -- U+FE0F
local keycap = '\226\131\163' -- U+20E3

local short = { ['\n'] = '\\n', ['\t'] = '\\t', ['\r'] = '\\r' }

---@param ranges [integer, integer][] in their order
---@param code integer
---@return boolean
local function among(ranges, code)
  for _, range in ipairs(ranges) do
    if code < range[1] then
      return false
    elseif code <= range[2] then
      return true
    end
  end
  return false
end

--- Reads the character at byte `i`. Returns its code point and length; the code point is nil if the bytes are not UTF-8
--- (overlong forms and surrogates are not).
---@param s string
---@param i integer
---@return integer? code
---@return integer length
local function decode(s, i)
  local a, b, c, d = s:byte(i, i + 3)
  local function continues(x)
    return x and x >= 0x80 and x < 0xc0
  end
  if a < 0x80 then
    return a, 1
  elseif a >= 0xc2 and a < 0xe0 and continues(b) then
    return (a - 0xc0) * 0x40 + b - 0x80, 2
  elseif a >= 0xe0 and a < 0xf0 and continues(b) and continues(c) then
    local code = ((a - 0xe0) * 0x40 + b - 0x80) * 0x40 + c - 0x80
    if code >= 0x800 and (code < 0xd800 or code > 0xdfff) then
      return code, 3
    end
  elseif a >= 0xf0 and a < 0xf5 and continues(b) and continues(c) and continues(d) then
    local code = (((a - 0xf0) * 0x40 + b - 0x80) * 0x40 + c - 0x80) * 0x40 + d - 0x80
    if code >= 0x10000 and code <= 0x10ffff then
      return code, 4
    end
  end
  return nil, 1
end

--- Calls `each` with every character of `s`, escaped where necessary.
---@param s string
---@param keep string characters that are never escaped
---@param each fun(piece: string): boolean? true ends the walk
local function pieces(s, keep, each)
  local i, before = 1, nil
  while i <= #s do
    local code, length = decode(s, i)
    local piece = s:sub(i, i + length - 1)
    local coloured = piece == colour
      and before
      and (
        among(signs, before)
        or before < 0x80 and string.char(before):find('[0-9#*]') and s:sub(i + 3, i + 5) == keycap
      )
    if not code then
      piece = ('\\x%02x'):format(s:byte(i))
    elseif code < 0x20 and not keep:find(piece, 1, true) then
      piece = short[piece] or ('\\u{%x}'):format(code)
    elseif code >= 0x7f and not coloured and (among(harmful, code) or code % 0x10000 >= 0xfffe) then
      piece = ('\\u{%x}'):format(code)
    end
    if each(piece) then
      return
    end
    i, before = i + length, code
  end
end

--- The largest number of runs whose escapes are kept.
local max_escapes = 10000

local escapes, kept = {}, 0 ---@type table<string, string>, integer

--- Returns what stands for a run of bytes: a control character, or a byte that is not ASCII with those that continue it. It
--- must not be U+FE0F: what that is depends on the character before.
---@param run string
---@return string
local function escape(run)
  if not escapes[run] then
    if kept == max_escapes then
      escapes, kept = {}, 0
    end
    local out = {}
    pieces(run, '\n\t', function(piece)
      out[#out + 1] = piece
    end)
    escapes[run], kept = table.concat(out), kept + 1
  end
  return escapes[run]
end

---@param s string
---@return string
local function walk(s)
  local out = {}
  pieces(s, '\t', function(piece)
    out[#out + 1] = piece
  end)
  return table.concat(out)
end

--- Returns `s` made safe, with its lines and tabs as they are.
---@param s string
---@return string
function M.block(s)
  if not s:find('[^\t\n\32-\126]') then
    return s
  elseif s:find(colour, 1, true) then
    return (
      s:gsub('[^\n]+', function(line)
        return line:find(colour, 1, true) and walk(line) or M.block(line)
      end)
    )
  end
  return (s:gsub('[%z\1-\8\11-\31\127-\255][\128-\191]*', escape))
end

--- Returns `s` with one space for each white space, line breaks among them. It is not harmless yet.
---@param s string
---@return string
function M.flat(s)
  return (vim.trim(s):gsub('%s+', ' '))
end

--- Returns `s` as one line of at most `max` characters (default 300). A longer text is cut and ends in "…".
---@param s string
---@param max? integer
---@return string
function M.line(s, max)
  max = max or 300
  if max < 1 then
    return ''
  end
  local out, length, cut = {}, 0, false
  pieces(s, '', function(piece)
    -- An escape counts as the ASCII characters that it shows.
    for part in piece:gmatch(piece:byte() < 0x80 and '.' or '.+') do
      if length == max then
        cut = true
        return true
      end
      length = length + 1
      out[length] = part
    end
  end)
  if cut then
    out[max] = '…'
    if out[max - 1] == colour then
      out[max - 1] = ''
    end
  end
  return table.concat(out, '', 1, length)
end

--- Returns a number of bytes as people read it.
---@param bytes integer
---@return string
function M.size(bytes)
  if bytes < 1024 then
    return bytes .. ' bytes'
  elseif bytes < 1024 * 1024 then
    return ('%.1f KiB'):format(bytes / 1024)
  end
  return ('%.1f MiB'):format(bytes / 1024 / 1024)
end

--- Returns a span of time as people read it.
---@param ms integer milliseconds
---@return string
function M.age(ms)
  local s = math.floor(ms / 1000)
  return s < 120 and s .. ' s' or s < 7200 and math.floor(s / 60) .. ' min' or math.floor(s / 3600) .. ' h'
end

--- Returns the lines of `s`, safe to put into a buffer.
---@param s string
---@return string[]
function M.lines(s)
  if s:find('\r\n', 1, true) then
    s = s:gsub('\r\n', '\n')
  end
  return vim.split(M.block(s), '\n', { plain = true })
end

--- Returns `s` with bytes that are not UTF-8 replaced, so that it can be sent as JSON.
---@param s string
---@return string
function M.utf8(s)
  if not s:find('[\128-\255]') then
    return s
  end
  local out, i, start = {}, 1, 1
  while i <= #s do
    local code, length = decode(s, i)
    if not code then
      out[#out + 1] = s:sub(start, i - 1)
      out[#out + 1] = '\239\191\189' -- U+FFFD
      start = i + 1
    end
    i = i + length
  end
  out[#out + 1] = s:sub(start)
  return table.concat(out)
end

return M

--- Places in files that a result names, as items of a quickfix list.
local text = require('mcp-editord.text')

local M = {}

--- The largest number of items.
local max_items = 10000

---@param ... any
---@return string?
local function first_string(...)
  for i = 1, select('#', ...) do
    local value = select(i, ...)
    if type(value) == 'string' and value ~= '' then
      return value
    end
  end
end

---@param ... any
---@return integer?
local function first_number(...)
  for i = 1, select('#', ...) do
    local value = select(i, ...)
    if type(value) == 'number' and value >= 0 and value % 1 == 0 and value < 2 ^ 31 then
      return value
    end
  end
end

--- Returns the path of a file. A relative one starts from `root`.
---@param name string path or file URI
---@param root? string
---@return string?
local function path_of(name, root)
  if vim.startswith(name, 'file://') then
    name = vim.uri_to_fname(name)
  end
  if name:find('%c') then
    return nil
  elseif name:find('^%a[%w+.-]+://') then
    return nil
  elseif root and not name:find('^[/\\~]') and not name:find('^%a:') then
    return vim.fs.joinpath(root, name)
  end
  return name
end

--- Returns what one object of structured content says, if it names a line of a file.
---@param object table
---@param root? string
---@return vim.quickfix.entry?
local function item_of(object, root)
  local name = first_string(object.file, object.path, object.uri, object.filename)
  local range = type(object.range) == 'table' and object.range.start
  local from = type(range) == 'table' and range or {} -- LSP's: from 0
  local line = first_number(object.line, object.lineNumber, object.lnum) or first_number(from.line)
  local path = name and line and path_of(name, root)
  if not path then
    return nil
  end
  local is_range = not first_number(object.line, object.lineNumber, object.lnum)
  local column = is_range and first_number(from.character) or first_number(object.column, object.col)
  return {
    filename = path,
    lnum = line + (is_range and 1 or 0),
    col = column and column + (is_range and 1 or 0) or 0,
    text = text.line(first_string(object.text, object.message, object.preview, object.match) or '', 300),
  }
end

---@param value any
---@param root? string
---@param items vim.quickfix.entry[]
local function collect(value, root, items)
  if type(value) ~= 'table' or #items >= max_items then
    return
  end
  local item = item_of(value, root)
  if item then
    items[#items + 1] = item
    return
  end
  if vim.islist(value) then
    for _, element in ipairs(value) do
      collect(element, root, items)
    end
    return
  end
  local names = vim.tbl_keys(value)
  table.sort(names, function(a, b)
    return tostring(a) < tostring(b)
  end)
  for _, name in ipairs(names) do
    collect(value[name], root, items)
  end
end

--- Finds places in the structured content: objects with `file`, `path` or `uri`, and `line`, `lineNumber` (from 1) or an LSP
--- `range`. If it has none, finds lines of the text such as grep writes: `path:line:column: text`.
---@param said string the text of the result
---@param structured? string JSON
---@param root? string the folder that relative paths start from
---@return vim.quickfix.entry[]
function M.find(said, structured, root)
  local items = {}
  if structured then
    collect(vim.json.decode(structured), root, items)
  end
  if #items > 0 then
    return items
  end
  for line in said:gmatch('[^\r\n]+') do
    local name, row, rest = line:match('^%s*(%a?:?[^:]+):(%d+):?(.*)$')
    local path = name and path_of(name, root)
    if path and #items < max_items then
      local column, more = rest:match('^(%d+):?(.*)$')
      items[#items + 1] = {
        filename = path,
        lnum = tonumber(row),
        col = tonumber(column) or 0,
        text = text.line(vim.trim(more or rest), 300),
      }
    end
  end
  return items
end

return M

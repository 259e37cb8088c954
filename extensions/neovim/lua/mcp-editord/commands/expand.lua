--- `%`, `<cword>` and `${file}` in the arguments of a command line: where the person is when they run it. What they stand for
--- is data: it is neither split into words nor expanded again.
local M = {}

--- What `${NAME}` stands for; nil if it has no value here. The names are those of mcp.json.
---@type table<string, fun(context: mcp-editord.Context, path: string?): string?>
local variables = {
  file = function(_, path)
    return path
  end,
  relativeFile = function(_, path)
    local root = require('mcp-editord.workspace').current()
    return path and (root and vim.startswith(path, root .. '/') and path:sub(#root + 2) or path)
  end,
  fileDirname = function(_, path)
    return path and vim.fs.dirname(path)
  end,
  fileBasename = function(_, path)
    return path and vim.fs.basename(path)
  end,
  lineNumber = function(context)
    return tostring(vim.tbl_get(context, 'range', 'start', 'line') + 1)
  end,
  selectedText = function(context)
    return context.selectedText
  end,
  languageId = function(context)
    return context.languageId
  end,
}

---@param value string?
---@param name string
---@return string
local function need(value, name)
  if value and value ~= '' then
    return value
  end
  error(('"%s" has no value here; to pass it as it stands, put it in single quotes'):format(name), 0)
end

---@param context mcp-editord.Context
---@return string?
local function path_of(context)
  return context.textDocument
      and vim.startswith(context.textDocument.uri, 'file:')
      and vim.uri_to_fname(context.textDocument.uri)
    or nil
end

--- Returns what a whole value stands for, or nil if it is what it says: `%` with modifiers, or a word under the cursor.
---@param value string
---@param context mcp-editord.Context
---@return string?
local function whole(value, context)
  local modifiers = value:match('^%%([:%a.~]*)$')
  if modifiers and (modifiers == '' or modifiers:sub(1, 1) == ':') then
    local path = need(path_of(context), value)
    return modifiers == '' and path or need(vim.fn.fnamemodify(path, modifiers), value)
  elseif vim.list_contains({ '<cword>', '<cWORD>', '<cexpr>', '<cfile>' }, value) then
    return need(vim.fn.expand(value), value)
  end
end

---@class mcp-editord.Expanded
---@field values string[]

--- Returns the place holder of a value.
---@param expanded mcp-editord.Expanded
---@param value string
---@return string
local function hold(expanded, value)
  table.insert(expanded.values, value)
  return ('\1%d\2'):format(#expanded.values)
end

--- Replaces what the values of KEY=VALUE stand for by place holders. KEY:=JSON stays as it is, and so does what is escaped.
---@param words string[]
---@param masks string[] of arguments.words
---@param context mcp-editord.Context
---@return string[] words
---@return mcp-editord.Expanded
function M.words(words, masks, context)
  local expanded = { values = {} }
  local out = {}
  for i, word in ipairs(words) do
    local start = word:match('^[^=]*[^=:]=()')
    local escaped = start and masks[i]:find('x', start, true)
    local value = start and not escaped and whole(word:sub(start), context)
    if value then
      out[i] = word:sub(1, start - 1) .. hold(expanded, value)
    elseif start then
      out[i] = word:gsub('()%${(%a+)}', function(at, name)
        local variable = variables[name]
        if at >= start and variable and masks[i]:sub(at, at) ~= 'x' then
          return hold(expanded, need(variable(context, path_of(context)), ('${%s}'):format(name)))
        end
      end)
    else
      out[i] = word
    end
  end
  return out, expanded
end

--- Puts the values back into a text.
---@param text string
---@param expanded mcp-editord.Expanded
---@return string
function M.fill(text, expanded)
  return (text:gsub('\1(%d+)\2', function(number)
    return expanded.values[tonumber(number)]
  end))
end

--- Puts the values back into JSON strings.
---@param text string JSON
---@param expanded mcp-editord.Expanded
---@return string JSON
function M.fill_json(text, expanded)
  return (
    text:gsub('\\u0001(%d+)\\u0002', function(number)
      local value = expanded.values[tonumber(number)]
      return value and require('mcp-editord.json').encode(value):sub(2, -2)
    end)
  )
end

return M

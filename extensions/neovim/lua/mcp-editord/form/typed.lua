--- What a typed text means as the value of a field, and how a value is typed. Values are JSON text, with the digits as they
--- were typed. The rules are those of the daemon's internal/toolschema/testdata/forms.json.
local json = require('mcp-editord.json')
local schema = require('mcp-editord.form.schema')
local words = require('mcp-editord.form.words')

local M = {}

--- Whether a text is a number in JSON's grammar.
---@param typed string
---@return boolean
local function is_number(typed)
  local whole, rest = typed:match('^%-?(%d+)(.*)$')
  if not whole or #whole > 1 and whole:sub(1, 1) == '0' then
    return false
  end
  rest = rest:gsub('^%.%d+', '')
  return rest == '' or rest:match('^[eE][+-]?%d+$') ~= nil
end

--- Whether a text is JSON that begins with one of the characters.
---@param typed string
---@param first string the inside of a Lua character class
---@return boolean
local function is_json(typed, first)
  return typed:find('^%s*[' .. first .. ']') ~= nil and (pcall(vim.json.decode, typed))
end

---@param field mcp-editord.Field
---@return string
local function choice_list(field)
  return table.concat(
    vim.tbl_map(function(choice)
      return choice.label
    end, field.choices),
    ', '
  )
end

---@param field mcp-editord.Field
---@param typed string
---@return string? JSON
local function chosen(field, typed)
  for _, choice in ipairs(field.choices) do
    if choice.value == typed or schema.plain(choice.value) == typed then
      return choice.value
    end
  end
end

---@param field mcp-editord.Field
---@param name string
---@return boolean
local function allows(field, name)
  return not field.types or vim.list_contains(field.types, name)
end

--- Reads a scalar of one of several types: what looks like a number is one, where a number may stand.
---@param field mcp-editord.Field
---@param typed string
---@return string? JSON
---@return string? problem
local function mixed(field, typed)
  if is_number(typed) then
    if allows(field, 'number') or allows(field, 'integer') and typed:find('^%-?%d+$') then
      return typed
    end
  elseif typed == 'true' or typed == 'false' then
    if allows(field, 'boolean') then
      return typed
    end
  elseif typed == 'null' and (field.null or not field.types) then
    return typed
  elseif not field.types and is_json(typed, '{%[') then
    return typed
  end
  if not allows(field, 'string') then
    return nil, ('must be of type %s'):format(table.concat(field.types, ' or '))
  elseif is_json(typed, '"') then
    return typed
  end
  return json.encode(typed)
end

--- Reads one word of a list or map.
---@param element mcp-editord.Field
---@param one mcp-editord.Word
---@return string? JSON
---@return string? problem
local function read_word(element, one)
  if
    one.quoted and (element.kind == 'string' and element.null or element.kind == 'mixed' and allows(element, 'string'))
  then
    return json.encode(one.text)
  end
  return M.read(element, one.text)
end

local read = {} ---@type table<mcp-editord.Kind, fun(field: mcp-editord.Field, typed: string): string?, string?>

--- Whether a text means null where a text may be null, or would without the quotes around it.
---@param text string
---@return boolean
local function is_like_null(text)
  local inner = text
  while #inner > 1 and inner:find('^".*"$') do
    inner = inner:sub(2, -2)
  end
  return inner == '' or inner == 'null'
end

function read.string(field, typed)
  return json.encode(field.null and is_like_null(typed) and typed:sub(2, -2) or typed)
end

function read.number(_, typed)
  if not is_number(typed) then
    return nil, 'must be a number, such as 1.5'
  end
  return typed
end

function read.integer(_, typed)
  if not is_number(typed) or not typed:find('^%-?%d+$') then
    return nil, 'must be a whole number'
  end
  return typed
end

function read.boolean(_, typed)
  local lower = typed:lower()
  if lower == 'true' or lower == 'yes' or lower == 'y' then
    return 'true'
  elseif lower == 'false' or lower == 'no' or lower == 'n' then
    return 'false'
  end
  return nil, 'must be true or false'
end

function read.choice(field, typed)
  local value = chosen(field, typed)
  return value, not value and 'must be one of ' .. choice_list(field) or nil
end

function read.choices(field, typed)
  if is_json(typed, '%[') then
    return typed
  end
  local values = {}
  local list, problem = words.split(typed)
  for _, one in ipairs(list or {}) do
    local value = chosen(field, one.text)
    if not value then
      return nil, ('has "%s", which is not one of %s'):format(one.text, choice_list(field))
    end
    values[#values + 1] = value
  end
  return not problem and '[' .. table.concat(values, ',') .. ']' or nil, problem
end

function read.list(field, typed)
  if is_json(typed, '%[') then
    return typed
  end
  local element, values = schema.element(field, field.name), {}
  local list, problem = words.split(typed)
  for i, one in ipairs(list or {}) do
    values[i], problem = read_word(element, one)
    if problem then
      return nil, ('has "%s", which %s'):format(one.text, problem)
    end
  end
  return not problem and '[' .. table.concat(values, ',') .. ']' or nil, problem
end

function read.map(field, typed)
  if is_json(typed, '{') then
    return typed
  end
  local element, parts, known, i = schema.element(field, field.name), {}, {}, 1
  while i <= #typed do
    local name, at = words.next(typed, i, '=,\n')
    if not name then
      return nil, at --[[@as string]]
    elseif name.quoted or name.text ~= '' or typed:sub(at, at) == '=' then
      if typed:sub(at, at) ~= '=' then
        return nil, ('has "%s" without a value; write NAME=VALUE'):format(name.text)
      elseif known[name.text] then
        return nil, ('has "%s" twice; give it once'):format(name.text)
      end
      local told, after = words.next(typed, at + 1, ',\n')
      if not told then
        return nil, after --[[@as string]]
      end
      local value, problem = read_word(element, told)
      if not value then
        return nil, ('has "%s", which %s'):format(name.text, problem or 'has no value')
      end
      known[name.text] = true
      parts[#parts + 1] = json.encode(name.text) .. ':' .. value
      at = after
    end
    i = at + 1
  end
  return '{' .. table.concat(parts, ',') .. '}'
end

function read.mixed(field, typed)
  return mixed(field, typed)
end

--- Reads what may have several shapes: JSON of one of them, else a scalar, else a list or map.
function read.union(field, typed)
  local shapes = schema.union(field)
  if is_json(typed, '{%["') and not M.problem(field, typed) then
    return typed
  end
  local first
  for _, kinds in ipairs({
    { 'mixed', 'string', 'number', 'integer', 'boolean', 'choice' },
    { 'list', 'choices', 'map' },
  }) do
    local scalars = vim.tbl_filter(function(shape)
      return vim.list_contains(kinds, shape.field.kind)
    end, shapes)
    -- A number before a text, as in a schema with several types.
    table.sort(scalars, function(a, b)
      return a.field.kind ~= 'string' and b.field.kind == 'string'
    end)
    for _, shape in ipairs(scalars) do
      local value, problem = M.read(shape.field, typed)
      if value then
        return value
      end
      first = first or problem
    end
  end
  return nil, first or 'must be valid JSON'
end

--- Reads what is written as JSON.
local function read_json(_, typed)
  local ok, err = pcall(vim.json.decode, typed)
  if not ok then
    return nil, 'must be valid JSON: ' .. tostring(err):gsub('^.-:%d+: ', '')
  end
  return typed
end
read.object, read.items, read.json = read_json, read_json, read_json

--- Returns what is wrong with a value.
---@param field mcp-editord.Field
---@param value string JSON
---@return string?
function M.problem(field, value)
  return require('mcp-editord.form.validate').check(field.schema, vim.json.decode(value), vim.json.decode(field.root))
end

--- Returns the value of what was typed, or what is wrong with it. Returns neither when nothing was typed and the value may be
--- left out.
---@param field mcp-editord.Field
---@param typed string
---@return string? JSON
---@return string? problem
function M.read(field, typed)
  if typed == '' and not field.required then
    return nil
  elseif field.null and (typed == '' or typed == 'null' and field.kind ~= 'list') then
    return 'null'
  end
  local value, problem = read[field.kind](field, typed)
  if value then
    problem = M.problem(field, value)
  end
  if problem then
    return nil, problem
  end
  return value
end

--- Returns a word of a list or map as it is typed: in quotes, where it would be read as something else without them.
---@param element mcp-editord.Field
---@param value string JSON
---@return string
local function show_word(element, value)
  local plain = schema.plain(value)
  local told = vim.json.decode(value)
  if type(told) ~= 'string' then
    return value
  end
  local harmless = plain ~= '' and vim.trim(plain) == plain and not plain:find('[,\n\r]') and not plain:find('^["%[{]')
  return harmless and M.read(element, plain) == value and plain or json.encode(plain)
end

--- Whether a list or an object has members that are no scalars.
---@param value string JSON
---@return boolean
local function is_nested(value)
  for element in json.elements(value) do
    if element:find('^[%[{]') then
      return true
    end
  end
  for _, member in json.members(value) do
    if member:find('^[%[{]') then
      return true
    end
  end
  return false
end

--- Returns a value as it is typed.
---@param field mcp-editord.Field
---@param value string JSON
---@return string
function M.show(field, value)
  local kind = field.kind
  if value == 'null' and field.null then
    return (kind == 'string' or kind == 'list') and '' or value
  elseif kind == 'mixed' then
    local plain = schema.plain(value)
    return M.read(field, plain) == value and plain or value
  elseif kind == 'union' then
    for _, shape in ipairs(schema.union(field)) do
      if not M.problem(shape.field, value) then
        local plain = M.show(shape.field, value)
        return M.read(field, plain) == value and plain or value
      end
    end
    return value
  elseif kind == 'list' and value:find('^%[') and not is_nested(value) then
    local element, out = schema.element(field, field.name), {}
    for one in json.elements(value) do
      out[#out + 1] = show_word(element, one)
    end
    return #out > 0 and table.concat(out, ', ') or not field.required and value or ''
  elseif kind == 'choices' and value:find('^%[') then
    local out = {}
    for one in json.elements(value) do
      local plain = schema.plain(one)
      out[#out + 1] = plain:find('^%s*$') and one or plain:find('[,"\n]') and json.encode(plain) or plain
    end
    return #out > 0 and table.concat(out, ', ') or value
  elseif kind == 'map' and value:find('^{') and not is_nested(value) then
    local element, out = schema.element(field, field.name), {}
    for name, one in json.members(value) do
      local bare = name ~= '' and vim.trim(name) == name and not name:find('[,=\n\r]') and not name:find('^["%[{]')
      out[#out + 1] = (bare and name or json.encode(name)) .. '=' .. show_word(element, one)
    end
    return #out > 0 and table.concat(out, ', ') or not field.required and value or ''
  end
  local decoded = vim.json.decode(value)
  if kind == 'string' and field.null and is_like_null(decoded) then
    return '"' .. decoded .. '"'
  end
  return type(decoded) == 'string' and decoded or json.compact(value)
end

return M

--- Forms without windows: the fields of a JSON Schema, and what a person's input means. Values are JSON text throughout, so
--- that they are sent exactly as they were typed.
local json = require('mcp-editord.json')
local text = require('mcp-editord.text')

local M = {}

---@class mcp-editord.Choice
---@field value string JSON
---@field label string

---@class mcp-editord.Field
---@field name string
---@field title string
---@field description string
---@field required boolean
---@field kind 'string'|'number'|'integer'|'boolean'|'choice'|'choices'|'json'
---@field choices? mcp-editord.Choice[]
---@field default? string JSON
---@field schema table decoded
---@field complete? fun(typed: string): string[] values for what was typed

--- Follows `$ref` within the schema, fetches none from elsewhere, and picks the only alternative that is not null.
---@param schema string
---@param root string
---@param depth? integer
---@return string
local function resolve(schema, root, depth)
  depth = depth or 0
  local reference = json.member(schema, '$ref')
  local path = reference and vim.json.decode(reference)
  if type(path) == 'string' and vim.startswith(path, '#/') and depth < 10 then
    local names = vim.tbl_map(function(name)
      return (name:gsub('~1', '/'):gsub('~0', '~'))
    end, vim.split(path:sub(3), '/', { plain = true }))
    local target = json.member(root, unpack(names))
    return target and resolve(target, root, depth + 1) or schema
  end
  for _, name in ipairs({ 'anyOf', 'oneOf' }) do
    local others = {}
    for alternative in json.elements(json.member(schema, name)) do
      if json.member(alternative, 'const') then
        return schema -- an enum with titles
      elseif json.member(alternative, 'type') ~= '"null"' then
        others[#others + 1] = alternative
      end
    end
    if #others == 1 and depth < 10 then
      return resolve(others[1], root, depth + 1)
    end
  end
  return schema
end

--- Returns the values of an enum, in each spelling of it (MCP 2025-11-25, Elicitation, Requested Schema; enumNames is
--- older).
---@param schema string?
---@return mcp-editord.Choice[]?
local function choices(schema)
  local out, titles = {}, {}
  for title in json.elements(schema and json.member(schema, 'enumNames')) do
    titles[#titles + 1] = vim.json.decode(title)
  end
  local function add(value, title)
    local plain = vim.json.decode(value)
    local label = type(plain) == 'string' and plain or value
    if type(title) == 'string' and title ~= label then
      label = ('%s (%s)'):format(title, label)
    end
    out[#out + 1] = { value = value, label = label }
  end
  for value in json.elements(schema and json.member(schema, 'enum')) do
    add(value, titles[#out + 1])
  end
  for _, name in ipairs({ 'oneOf', 'anyOf' }) do
    for option in json.elements(schema and json.member(schema, name)) do
      local value, title = json.member(option, 'const'), json.member(option, 'title')
      if value then
        add(value, title and vim.json.decode(title))
      end
    end
  end
  return #out > 0 and out or nil
end

---@param schema table decoded
---@return string
local function kind_of(schema)
  local types = type(schema.type) == 'table' and schema.type or { schema.type }
  local named = vim.tbl_filter(function(name)
    return name ~= 'null'
  end, types)
  if #named == 1 then
    local plain = { string = true, number = true, integer = true, boolean = true }
    return plain[named[1]] and named[1] or 'json'
  end
  return vim.list_contains(named, 'string') and 'string' or 'json'
end

---@param value any
---@return string
local function string_or_empty(value)
  return type(value) == 'string' and value or ''
end

---@param name string
---@param schema string
---@param root string
---@param required boolean
---@return mcp-editord.Field
local function make(name, schema, root, required)
  local told = vim.json.decode(schema)
  local resolved = resolve(schema, root)
  local decoded = vim.json.decode(resolved)
  if type(decoded) ~= 'table' then -- true: anything goes
    decoded, resolved = {}, '{}'
  end
  if type(told) ~= 'table' then
    told = {}
  end
  local out = {
    name = name,
    title = string_or_empty(told.title or decoded.title),
    description = string_or_empty(told.description or decoded.description),
    required = required,
    kind = kind_of(decoded),
    default = json.member(schema, 'default') or json.member(resolved, 'default'),
    schema = decoded,
  }
  local own = choices(resolved)
  local items = decoded.type == 'array' and choices(json.member(resolved, 'items'))
  if own then
    out.kind, out.choices = 'choice', own
  elseif items then
    out.kind, out.choices = 'choices', items
  end
  return out
end

--- Returns the fields of an object's schema, in its order.
---@param schema string? JSON
---@return mcp-editord.Field[]
function M.fields(schema)
  local required = {}
  for name in json.elements(schema and json.member(schema, 'required')) do
    required[vim.json.decode(name)] = true
  end
  local out = {}
  for name, property in json.members(schema and json.member(schema, 'properties')) do
    out[#out + 1] = make(name, property, schema --[[@as string]], required[name] or false)
  end
  return out
end

--- Returns the fields of a prompt: its arguments are strings (MCP 2025-11-25, Prompts, Data Types).
---@param definition table
---@return mcp-editord.Field[]
function M.prompt_fields(definition)
  local out = {}
  for _, argument in ipairs(definition.arguments or {}) do
    out[#out + 1] = {
      name = argument.name,
      title = string_or_empty(argument.title),
      description = string_or_empty(argument.description),
      required = argument.required == true,
      kind = 'string',
      schema = { type = 'string' },
    }
  end
  return out
end

--- The string formats of elicitation (MCP 2025-11-25, Elicitation, Requested Schema).
local formats = {
  email = { '^[^%s@]+@[^%s@]+$', 'an address such as name@example.com' },
  uri = { '^%a[%w+.-]*:%S+$', 'a URI such as https://example.com/' },
  date = { '^%d%d%d%d%-%d%d%-%d%d$', 'a date such as 2026-01-31' },
  ['date-time'] = { '^%d%d%d%d%-%d%d%-%d%d[Tt]%d%d:%d%d:%d%d', 'a time such as 2026-01-31T12:00:00Z' },
}

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

---@param field mcp-editord.Field
---@param typed string
---@return string? JSON
local function chosen(field, typed)
  for _, choice in ipairs(field.choices) do
    local plain = vim.json.decode(choice.value)
    if choice.value == typed or plain == typed then
      return choice.value
    end
  end
end

---@param field mcp-editord.Field
---@param typed string
---@return string? JSON
---@return string? problem
local function read(field, typed)
  local kind = field.kind
  if kind == 'string' then
    return json.encode(typed)
  elseif kind == 'number' or kind == 'integer' then
    if not is_number(typed) or kind == 'integer' and not typed:match('^%-?%d+$') then
      return nil, kind == 'integer' and 'must be a whole number' or 'must be a number'
    end
    return typed
  elseif kind == 'boolean' then
    local lower = typed:lower()
    if lower == 'true' or lower == 'yes' or lower == 'y' then
      return 'true'
    elseif lower == 'false' or lower == 'no' or lower == 'n' then
      return 'false'
    end
    return nil, 'must be true or false'
  elseif kind == 'choice' then
    local value = chosen(field, typed)
    return value, not value and 'must be one of ' .. M.choice_list(field) or nil
  elseif kind == 'choices' and not vim.startswith(typed, '[') then
    local values = {}
    for word in typed:gmatch('[^,]+') do
      local value = chosen(field, vim.trim(word))
      if not value then
        return nil, ('has "%s", which is not one of %s'):format(vim.trim(word), M.choice_list(field))
      end
      values[#values + 1] = value
    end
    return '[' .. table.concat(values, ',') .. ']'
  end
  if not pcall(vim.json.decode, typed) then
    return nil, 'must be valid JSON'
  end
  return typed
end

--- Returns the choices of a field, for a message.
---@param field mcp-editord.Field
---@return string
function M.choice_list(field)
  return table.concat(
    vim.tbl_map(function(choice)
      return choice.label
    end, field.choices),
    ', '
  )
end

--- Returns the value of what was typed, or what is wrong with it.
---@param field mcp-editord.Field
---@param typed string
---@return string? JSON
---@return string? problem
function M.parse(field, typed)
  local value, problem = read(field, typed)
  if not value then
    return nil, problem
  end
  local format = field.kind == 'string' and formats[field.schema.format]
  if format and not typed:find(format[1]) then
    return nil, 'must be ' .. format[2]
  end
  problem = require('mcp-editord.form.validate').check(field.schema, vim.json.decode(value))
  if problem then
    return nil, problem
  end
  return value
end

--- Returns a value as a person types it.
---@param value string JSON
---@return string
function M.show(value)
  local decoded = vim.json.decode(value)
  return type(decoded) == 'string' and decoded or value
end

--- Returns the object of all values, in the order of the fields. Other names follow, sorted.
---@param fields mcp-editord.Field[]
---@param values table<string, string>
---@return string JSON
function M.object(fields, values)
  local parts, done = {}, {}
  local function add(name)
    if values[name] and not done[name] then
      done[name] = true
      parts[#parts + 1] = json.encode(name) .. ':' .. values[name]
    end
  end
  for _, field in ipairs(fields) do
    add(field.name)
  end
  local others = vim.tbl_keys(values)
  table.sort(others)
  vim.tbl_map(add, others)
  return '{' .. table.concat(parts, ',') .. '}'
end

--- Whether a field seems to ask for a secret (MCP 2025-11-25, Elicitation: "Servers MUST NOT use
--- form mode elicitation to request sensitive information").
---@param field mcp-editord.Field
---@return boolean
function M.is_sensitive(field)
  local told = (field.name .. ' ' .. field.title .. ' ' .. string_or_empty(field.schema.format))
    :lower()
    :gsub('[-_]', ' ')
  for _, word in ipairs({
    'password',
    'passphrase',
    'passwd',
    'secret',
    'token',
    'api ?key',
    'credential',
    'private key',
    'credit card',
    'cvv',
  }) do
    if told:find(word) then
      return true
    end
  end
  return told:find('%f[%w]pin%f[%W]') ~= nil
end

--- Describes a field in one line.
---@param field mcp-editord.Field
---@return string
function M.describe(field)
  local marks = {}
  if field.required then
    marks[1] = 'required'
  end
  if field.kind ~= 'string' and field.kind ~= 'choice' and field.kind ~= 'choices' then
    marks[#marks + 1] = field.kind == 'json' and 'JSON' or field.kind
  end
  if field.default then
    marks[#marks + 1] = 'default ' .. M.show(field.default)
  end
  local label = field.title ~= '' and field.title ~= field.name and ('%s (%s)'):format(field.title, field.name)
    or field.name
  local line = #marks > 0 and ('%s [%s]'):format(label, table.concat(marks, ', ')) or label
  return text.line(line, 120)
end

return M

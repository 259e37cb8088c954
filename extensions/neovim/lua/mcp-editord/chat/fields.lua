--- A JSON Schema as the fields of avante's tools. They have names, types, descriptions, choices, fields and items. What else the
--- schema says goes into the description, so that the model knows it.
local json = require('mcp-editord.json')

local M = {}

--- How deep objects are taken apart; a schema may contain itself.
local max_depth = 8

--- What a field says by itself. The rest is said in its description.
local told = { type = true, description = true, title = true, properties = true, required = true, items = true }

--- Follows references within the schema.
---@param schema any
---@param root table
---@return table
local function resolve(schema, root)
  for _ = 1, max_depth do
    local path = type(schema) == 'table' and type(schema['$ref']) == 'string' and schema['$ref']:match('^#/(.+)$')
    if not path then
      break
    end
    schema = vim.tbl_get(root, unpack(vim.split(path, '/', { plain = true })))
  end
  return type(schema) == 'table' and schema or {}
end

--- Returns the type that a schema names, without null.
---@param schema table
---@return string?
local function type_of(schema)
  if type(schema.type) ~= 'table' then
    return schema.type
  end
  local kinds = vim.tbl_filter(function(kind)
    return kind ~= 'null'
  end, schema.type)
  return #kinds == 1 and kinds[1] or nil
end

--- Whether all values are texts: only these can be choices.
---@param enum any
---@return boolean
local function are_texts(enum)
  return type(enum) == 'table' and vim.iter(enum):all(function(value)
    return type(value) == 'string'
  end)
end

--- Returns the description with what the field cannot say.
---@param schema table
---@param kind? string
---@return string?
local function describe(schema, kind)
  local description = type(schema.description) == 'string' and schema.description
    or type(schema.title) == 'string' and schema.title
    or nil
  local rest = {}
  for name, value in pairs(schema) do
    if not told[name] and not (name == 'enum' and kind == 'string' and are_texts(value)) then
      rest[name] = value
    end
  end
  if kind ~= schema.type then
    rest.type = schema.type
  end
  if next(rest) == nil then
    return description
  end
  return (description and description .. ' ' or '') .. '(JSON Schema: ' .. json.encode(rest) .. ')'
end

local fields

---@param name string
---@param schema any
---@param root table
---@param depth integer
---@return table
local function field(name, schema, root, depth)
  schema = resolve(schema, root)
  local kind = type_of(schema)
  local out = { name = name, type = kind or 'string', description = describe(schema, kind) }
  if kind == 'string' and are_texts(schema.enum) then
    out.choices = schema.enum
  elseif kind == 'object' and depth < max_depth then
    out.fields = fields(schema, root, depth + 1)
  elseif kind == 'array' and depth < max_depth and schema.items ~= nil then
    out.items = field('item', schema.items, root, depth + 1)
  elseif not kind then
    out.type = (type(schema.properties) == 'table' or schema.anyOf or schema.oneOf) and 'object' or 'string'
  end
  return out
end

---@param schema table
---@param root table
---@param depth integer
---@return table[]? nil where no property is named
function fields(schema, root, depth)
  local required = type(schema.required) == 'table' and schema.required or {}
  local out = {}
  for name, property in vim.spairs(type(schema.properties) == 'table' and schema.properties or {}) do
    local one = field(name, property, root, depth)
    one.optional = not vim.list_contains(required, name) or nil
    out[#out + 1] = one
  end
  return #out > 0 and out or nil
end

--- Returns the fields of a tool's inputSchema, sorted by name.
---@param schema table
---@return table[]
function M.of(schema)
  return fields(resolve(schema, schema), schema, 1) or {}
end

return M

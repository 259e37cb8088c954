--- Forms without windows: the fields of a JSON Schema, and the kind of each. Values are JSON text throughout, so that they
--- are sent exactly as they were typed. The rules are those of the daemon's internal/toolschema/testdata/forms.json.
local json = require('mcp-editord.json')
local resolve = require('mcp-editord.form.resolve')
local text = require('mcp-editord.text')

local M = {}

---@class mcp-editord.Field
---@field name string
---@field title string
---@field description string
---@field required boolean
---@field kind mcp-editord.Kind
---@field choices? mcp-editord.Choice[]
---@field default? string JSON
---@field null boolean null is a value of it
---@field types? string[] that a value of several types may have; nil for any
---@field schema table decoded
---@field text string the schema as JSON
---@field root string the schema that it is in, as JSON
---@field key? string what its buffer and form are kept under; default its name
---@field complete? fun(typed: string): string[] values for what was typed

--- How a person gives a value. `list` is words separated by commas, `mixed` a scalar of one of several types, `map`
--- NAME=VALUE separated by commas, `object` a form, `items` a list of what is no scalar, `union` a choice of shapes.
---@alias mcp-editord.Kind 'string'|'number'|'integer'|'boolean'|'choice'|'choices'|'list'|'mixed'|'map'|'object'|'items'|'union'|'json'

---@class mcp-editord.Shape one of several forms that a schema allows
---@field label string
---@field fields mcp-editord.Field[]

local scalars = { string = true, number = true, integer = true, boolean = true }
local scalar_kinds = vim.tbl_extend('error', { choice = true, mixed = true }, scalars)

--- How deep the kinds of elements and alternatives may lie in each other.
local max_depth = 8

--- Returns the schemas of which one holds: alternatives, or the types of a schema that has several.
---@param node mcp-editord.Node
---@param schema string
---@return string[]
local function alternatives(node, schema)
  if #node.alternatives > 0 then
    return node.alternatives
  end
  return vim.tbl_map(function(name)
    return ('{"allOf":[{"type":"%s"},%s]}'):format(name, schema)
  end, node.types or {})
end

local kind_of

---@param node mcp-editord.Node
---@param root string
---@param depth integer
---@return mcp-editord.Kind
local function array_kind(node, root, depth)
  local items = node.members.items
  if node.members.prefixItems or items and items:find('^%[') then
    return 'json'
  elseif not items then
    return 'list'
  end
  local kind = kind_of(resolve.resolve(items, root), items, root, depth + 1)
  return kind == 'choice' and 'choices' or scalar_kinds[kind] and 'list' or 'items'
end

---@param node mcp-editord.Node
---@param root string
---@param depth integer
---@return mcp-editord.Kind
local function object_kind(node, root, depth)
  local others = node.members.additionalProperties
  if #node.properties + #node.required + #node.alternatives > 0 then
    return 'object'
  elseif node.members.patternProperties or others == 'false' then
    return 'json'
  elseif not others or others == 'true' then
    return 'map'
  end
  return scalar_kinds[kind_of(resolve.resolve(others, root), others, root, depth + 1)] and 'map' or 'json'
end

---@param node mcp-editord.Node
---@param schema string
---@param root string
---@param depth integer
---@return mcp-editord.Kind
function kind_of(node, schema, root, depth)
  local types = node.types
  if depth > max_depth then
    return 'json'
  elseif node.choices then
    return 'choice'
  elseif not types and #node.alternatives == 0 then
    if #node.properties > 0 or node.members.additionalProperties or node.members.patternProperties then
      return object_kind(node, root, depth)
    elseif node.members.items or node.members.prefixItems then
      return array_kind(node, root, depth)
    end
    return 'mixed'
  elseif types and #types == 1 and not (scalars[types[1]] and #node.alternatives > 0) then
    local kind = types[1]
    return scalars[kind] and kind
      or kind == 'array' and array_kind(node, root, depth)
      or kind == 'object' and object_kind(node, root, depth)
      or 'mixed'
  elseif types and #types == 2 and vim.list_contains(types, 'integer') and vim.list_contains(types, 'number') then
    return 'number'
  end
  for _, alternative in ipairs(alternatives(node, schema)) do
    if not scalar_kinds[kind_of(resolve.resolve(alternative, root), alternative, root, depth + 1)] then
      return 'union'
    end
  end
  return types and #types == 1 and types[1] or 'mixed'
end

--- Adds the types that values of a scalar schema may have. Returns false if it may have any.
---@param schema string
---@param root string
---@param into table<string, true>
---@param depth? integer
---@return boolean
local function add_types(schema, root, into, depth)
  depth = depth or 0
  if depth > max_depth then
    return false
  end
  local node = resolve.resolve(schema, root)
  for _, choice in ipairs(node.choices or {}) do
    into[type(vim.json.decode(choice.value))] = true
  end
  for _, name in ipairs(node.types or {}) do
    into[name] = true
  end
  local known = node.choices ~= nil or node.types ~= nil
  if not known then
    for _, alternative in ipairs(node.alternatives) do
      known = true
      if not add_types(alternative, root, into, depth + 1) then
        return false
      end
    end
  end
  return known
end

--- Makes the field of a schema.
---@param name string
---@param schema string JSON
---@param root string JSON
---@param required boolean
---@return mcp-editord.Field
function M.field(name, schema, root, required)
  local node = resolve.resolve(schema, root)
  local decoded = vim.json.decode(schema)
  local types = {}
  local known = add_types(schema, root, types)
  local out = {
    name = name,
    title = resolve.string(node, 'title') or '',
    description = resolve.string(node, 'description') or '',
    required = required,
    kind = kind_of(node, schema, root, 0),
    choices = node.choices,
    default = node.members.default,
    null = node.null,
    types = known and vim.tbl_keys(types) or nil,
    schema = type(decoded) == 'table' and decoded or {},
    text = schema,
    root = root,
  }
  -- What a reference says of itself counts as if it stood here.
  out.schema.format = resolve.string(node, 'format')
  if out.kind == 'choices' then
    out.choices = resolve.resolve(node.members.items, root).choices
  end
  return out
end

---@param schema string JSON
---@param root string JSON
---@return mcp-editord.Field[]
local function fields_of(schema, root)
  local node = resolve.resolve(schema, root)
  local out, known = {}, {}
  for _, property in ipairs(node.properties) do
    known[property.name] = true
    out[#out + 1] = M.field(property.name, property.text, root, vim.list_contains(node.required, property.name))
  end
  for _, name in ipairs(node.required) do
    if not known[name] then
      out[#out + 1] = M.field(name, '{}', root, true)
    end
  end
  return out
end

--- Names a shape by its title, by its constants, or by what it requires.
---@param schema string
---@param root string
---@param number integer
---@return string
local function label_of(schema, root, number)
  local node = resolve.resolve(schema, root)
  local title = resolve.string(node, 'title')
  if title and title ~= '' then
    return title
  end
  local constants = {}
  for _, property in ipairs(node.properties) do
    local value = resolve.resolve(property.text, root).members.const
    if value then
      constants[#constants + 1] = ('%s: %s'):format(property.name, M.plain(value))
    end
  end
  local names = #constants > 0 and constants or node.required
  return #names > 0 and table.concat(names, ', ') or ('shape %d'):format(number)
end

--- Returns the shapes of an object's schema: one, without a label, or several to choose from.
---@param schema string? JSON
---@param root? string JSON, the schema that it is in
---@return mcp-editord.Shape[]
function M.shapes(schema, root)
  schema = schema or '{}'
  root = root or schema
  local node = resolve.resolve(schema, root)
  if #node.alternatives == 0 then
    return { { label = '', fields = fields_of(schema, root) } }
  end
  local out = {}
  for i, alternative in ipairs(node.alternatives) do
    -- The alternative is the later one: a merge with the whole schema adds what all shapes share.
    local whole = ('{"allOf":[%s,%s]}'):format(schema, alternative)
    out[i] = { label = label_of(alternative, root, i), fields = fields_of(whole, root) }
  end
  return out
end

--- Returns the value of a field that can have no other.
---@param field mcp-editord.Field
---@return string? JSON
function M.constant(field)
  local only = field.required and field.kind == 'choice' and #field.choices == 1 and not field.null
  return only and field.choices[1].value or nil
end

--- Returns the fields of all shapes of an object's schema, each once, in its order.
---@param schema string? JSON
---@return mcp-editord.Field[]
function M.fields(schema)
  return M.all_fields(M.shapes(schema))
end

--- Returns the fields of all shapes, each once. A field is required if it is in each shape.
---@param shapes mcp-editord.Shape[]
---@return mcp-editord.Field[]
function M.all_fields(shapes)
  if #shapes == 1 then
    return shapes[1].fields
  end
  local out, places, required = {}, {}, {} ---@type mcp-editord.Field[], table<string, integer>, table<string, integer>
  for _, shape in ipairs(shapes) do
    for _, field in ipairs(shape.fields) do
      required[field.name] = (required[field.name] or 0) + (field.required and 1 or 0)
      local place = places[field.name]
      if not place then
        place = #out + 1
        places[field.name], out[place] = place, vim.deepcopy(field)
      elseif out[place].text ~= field.text then -- what is typed on the command line may be for either
        local either = ('{"anyOf":[%s,%s]}'):format(out[place].text, field.text)
        out[place] = M.field(field.name, either, field.root, false)
      end
      out[place].required = required[field.name] == #shapes
    end
  end
  return out
end

--- Returns the shapes of a value that may have several, as fields with the same name, and what each is called.
---@param field mcp-editord.Field of kind union
---@return {label: string, field: mcp-editord.Field}[]
function M.union(field)
  local node = resolve.resolve(field.text, field.root)
  local names = { list = 'a list', choices = 'a list', items = 'a list', map = 'an object', object = 'an object' }
  local out = {}
  for i, alternative in ipairs(alternatives(node, field.text)) do
    local one = M.field(field.name, alternative, field.root, field.required)
    local label = one.title ~= '' and one.title ~= field.title and one.title
      or names[one.kind]
      or ('a value of type %s'):format(table.concat(one.types or { 'any' }, ' or '))
    local inner = one.kind == 'object' and label_of(alternative, field.root, i)
    if inner and inner ~= label and not inner:find('^shape ') then
      label = ('%s: %s'):format(label, inner)
    end
    one.description = one.description ~= '' and one.description or field.description
    out[i] = { label = text.line(label, 100), field = one }
  end
  return out
end

--- Returns the field of the elements of a list, or of the values of a map.
---@param field mcp-editord.Field
---@param name string
---@return mcp-editord.Field
function M.element(field, name)
  local node = resolve.resolve(field.text, field.root)
  local schema = field.kind == 'map' and node.members.additionalProperties or node.members.items
  return M.field(name, schema or '{}', field.root, true)
end

--- Makes a field for a text.
---@param name string
---@param required boolean
---@return mcp-editord.Field
function M.text_field(name, required)
  return M.field(name, '{"type":"string"}', '{}', required)
end

--- Returns the fields of a prompt: its arguments are strings (MCP 2025-11-25, Prompts, Data Types).
---@param definition table
---@return mcp-editord.Field[]
function M.prompt_fields(definition)
  local out = {}
  for _, argument in ipairs(type(definition.arguments) == 'table' and definition.arguments or {}) do
    local field = M.text_field(argument.name, argument.required == true)
    field.title = type(argument.title) == 'string' and argument.title or ''
    field.description = type(argument.description) == 'string' and argument.description or ''
    out[#out + 1] = field
  end
  return out
end

--- Returns a scalar as people read it: a string without its quotes.
---@param value string JSON
---@return string
function M.plain(value)
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
  local told = (field.name .. ' ' .. field.title .. ' ' .. (field.schema.format or '')):lower():gsub('[-_]', ' ')
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

return M

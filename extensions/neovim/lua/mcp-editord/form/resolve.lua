--- Resolves a JSON Schema to what a form needs: references followed, `allOf` merged, null and a single alternative taken
--- apart. Schemas stay JSON text, because a decoder forgets the order of members and the digits of large numbers.
local json = require('mcp-editord.json')

local M = {}

--- How deep references and alternatives may lie in each other, and how many of them one schema may be made of. A schema may
--- contain itself, more than once.
local max_depth, max_parts = 20, 200

---@class mcp-editord.Node a schema, resolved
---@field types? string[] without null; nil if the schema does not say
---@field null boolean null is allowed
---@field properties {name: string, text: string}[] in their order
---@field required string[]
---@field alternatives string[] schemas of which one holds: none, or several
---@field choices? mcp-editord.Choice[]
---@field members table<string, string> all other members of the schema, JSON by name

---@class mcp-editord.Choice
---@field value string JSON
---@field label string

--- Returns the member as a decoded string, or nil.
---@param node mcp-editord.Node
---@param name string
---@return string?
function M.string(node, name)
  local value = node.members[name] and vim.json.decode(node.members[name])
  return type(value) == 'string' and value or nil
end

---@param value string JSON
---@param title any
---@return mcp-editord.Choice
local function choice(value, title)
  local plain = vim.json.decode(value)
  local label = type(plain) == 'string' and plain or value
  if type(title) == 'string' and title ~= label then
    label = ('%s (%s)'):format(title, label)
  end
  return { value = value, label = label }
end

--- Returns the values of an enum, in each spelling of it (MCP 2025-11-25, Elicitation, Requested Schema; enumNames is
--- older).
---@param schema string
---@return mcp-editord.Choice[]?
local function choices(schema)
  local constant = json.member(schema, 'const')
  if constant then
    return { choice(constant) }
  end
  local out, titles = {}, {}
  for title in json.elements(json.member(schema, 'enumNames')) do
    titles[#titles + 1] = vim.json.decode(title)
  end
  for value in json.elements(json.member(schema, 'enum')) do
    out[#out + 1] = choice(value, titles[#out + 1])
  end
  for _, name in ipairs({ 'oneOf', 'anyOf' }) do
    for option in json.elements(json.member(schema, name)) do
      local value, title = json.member(option, 'const'), json.member(option, 'title')
      if value then
        out[#out + 1] = choice(value, title and vim.json.decode(title))
      end
    end
  end
  return #out > 0 and out or nil
end

--- Joins two schemas that both hold. What `into` says of itself, such as its title, stays.
---@param into mcp-editord.Node
---@param from mcp-editord.Node
local function merge(into, from)
  if into.types and from.types then
    local both = vim.tbl_filter(function(name)
      return vim.list_contains(from.types, name)
    end, into.types)
    into.types = #both > 0 and both or into.types
  else
    into.types = into.types or from.types
  end
  local known, required = {}, {} ---@type table<string, {name: string, text: string}>, table<string, true>
  for _, property in ipairs(into.properties) do
    known[property.name] = property
  end
  for _, property in ipairs(from.properties) do
    local same = known[property.name]
    if same then
      same.text = ('{"allOf":[%s,%s]}'):format(same.text, property.text)
    else
      known[property.name] = vim.deepcopy(property)
      table.insert(into.properties, known[property.name])
    end
  end
  for _, name in ipairs(into.required) do
    required[name] = true
  end
  for _, name in ipairs(from.required) do
    if not required[name] then
      required[name] = true
      table.insert(into.required, name)
    end
  end
  if #into.alternatives == 0 then
    into.alternatives = from.alternatives
  end
  if from.choices and not (into.choices and #into.choices < #from.choices) then
    into.choices = from.choices
  end
  into.members = vim.tbl_extend('keep', into.members, from.members)
end

--- Follows a reference within the schema. Fetches none from elsewhere.
---@param reference string JSON
---@param root string
---@return string? schema
local function follow(reference, root)
  local path = vim.json.decode(reference)
  if path == '#' then
    return root
  elseif type(path) ~= 'string' or not vim.startswith(path, '#/') then
    return nil
  end
  local names = vim.tbl_map(function(name)
    return (name:gsub('~1', '/'):gsub('~0', '~'))
  end, vim.split(path:sub(3), '/', { plain = true }))
  return json.member(root, unpack(names))
end

--- Returns the types that a schema names, without null, and whether null is among them.
---@param schema string
---@return string[]? types
---@return boolean null
local function types_of(schema)
  local told = json.member(schema, 'type')
  local decoded = told and vim.json.decode(told)
  local list = type(decoded) == 'table' and decoded or { decoded }
  local types = vim.tbl_filter(function(name)
    return type(name) == 'string' and name ~= 'null'
  end, list)
  return #types > 0 and types or nil, vim.list_contains(list, 'null')
end

--- Members that the other fields of a node hold.
local taken =
  { type = true, properties = true, required = true, allOf = true, anyOf = true, oneOf = true, ['$ref'] = true }

--- Resolves a schema within its root.
---@param schema string JSON
---@param root string JSON
---@param depth? integer
---@param parts? {left: integer} how many may follow
---@return mcp-editord.Node
function M.resolve(schema, root, depth, parts)
  depth, parts = depth or 0, parts or { left = max_parts }
  parts.left = parts.left - 1
  local node = { null = false, properties = {}, required = {}, alternatives = {}, members = {} } ---@type mcp-editord.Node
  if depth > max_depth or parts.left < 0 then
    return node
  end
  local own = choices(schema)
  node.choices = own
  node.types, node.null = types_of(schema)
  for name, text in json.members(schema) do
    if not taken[name] then
      node.members[name] = text
    end
  end
  for name, text in json.members(json.member(schema, 'properties')) do
    table.insert(node.properties, { name = name, text = text })
  end
  for name in json.elements(json.member(schema, 'required')) do
    table.insert(node.required, vim.json.decode(name))
  end
  local reference = json.member(schema, '$ref')
  local target = reference and follow(reference, root)
  if target then
    local found = M.resolve(target, root, depth + 1, parts)
    node.null = node.null or found.null
    merge(node, found)
  end
  for part in json.elements(json.member(schema, 'allOf')) do
    merge(node, M.resolve(part, root, depth + 1, parts))
  end
  for _, name in ipairs({ 'oneOf', 'anyOf' }) do
    local others = {}
    for alternative in json.elements(not own and json.member(schema, name) or nil) do
      local types, null = types_of(alternative)
      if null and not types then
        node.null = true
      else
        others[#others + 1] = alternative
      end
    end
    if #others == 1 then
      local only = M.resolve(others[1], root, depth + 1, parts)
      node.null = node.null or only.null
      merge(node, only)
    elseif #others > 1 and #node.alternatives == 0 then
      node.alternatives = others
    end
  end
  if node.choices then
    local some = vim.tbl_filter(function(one)
      return one.value ~= 'null'
    end, node.choices)
    node.null = node.null or #some < #node.choices
    node.choices = #some > 0 and some or node.choices
  end
  return node
end

return M

--- The start of a value that is written as JSON: what its schema requires.
local json = require('mcp-editord.json')
local resolve = require('mcp-editord.form.resolve')

local M = {}

--- How deep a skeleton goes, how many elements a list gets, and how many values it has in all.
local max_depth, max_items, max_values = 8, 20, 200

local zeros = { string = '""', boolean = 'false', array = '[]', object = '{}' }

---@param node mcp-editord.Node
---@return string JSON
local function number(node)
  local function limit(name)
    local value = node.members[name] and vim.json.decode(node.members[name])
    return type(value) == 'number' and value or nil
  end
  local above, most = limit('exclusiveMinimum'), limit('maximum')
  if node.members.minimum then
    return node.members.minimum
  elseif above and above >= 0 then
    return json.encode(math.floor(above) + 1)
  end
  return most and most < 0 and node.members.maximum or '0'
end

---@param schema string JSON
---@param root string JSON
---@param depth integer
---@param left {values: integer}
---@return string JSON
local function value(schema, root, depth, left)
  left.values = left.values - 1
  if left.values < 0 then
    return 'null'
  end
  local node = resolve.resolve(schema, root)
  if node.members.default then
    return node.members.default
  elseif node.choices then
    return node.choices[1].value
  elseif #node.alternatives > 0 and #node.properties == 0 and depth < max_depth then
    return value(node.alternatives[1], root, depth + 1, left)
  end
  local kind = node.types and node.types[1]
  local items = node.members.items
  if kind == 'object' or not kind and #node.properties + #node.required > 0 then
    local parts = {}
    for _, name in ipairs(depth < max_depth and node.required or {}) do
      local property = vim.iter(node.properties):find(function(p)
        return p.name == name
      end)
      parts[#parts + 1] = json.encode(name) .. ':' .. value(property and property.text or '{}', root, depth + 1, left)
    end
    return '{' .. table.concat(parts, ',') .. '}'
  elseif kind == 'array' then
    local least = node.members.minItems and vim.json.decode(node.members.minItems)
    local parts = {}
    for i = 1, depth < max_depth and type(least) == 'number' and math.min(least, max_items) or 0 do
      parts[i] = value(items or '{}', root, depth + 1, left)
    end
    return '[' .. table.concat(parts, ',') .. ']'
  elseif kind == 'integer' or kind == 'number' then
    return number(node)
  elseif not kind and node.null then
    return 'null'
  end
  return zeros[kind] or '""'
end

--- Returns a value with everything that the schema requires.
---@param schema string JSON
---@param root string JSON
---@return string JSON
function M.of(schema, root)
  return value(schema, root, 0, { values = max_values })
end

return M

--- The start of a value that is written as JSON: what its schema requires.
local json = require('mcp-editord.json')
local resolve = require('mcp-editord.form.resolve')

local M = {}

--- How deep a skeleton goes, and how many elements a list gets.
local max_depth, max_items = 8, 20

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

--- Returns a value with everything that the schema requires.
---@param schema string JSON
---@param root string JSON
---@param depth? integer
---@return string JSON
function M.of(schema, root, depth)
  depth = depth or 0
  local node = resolve.resolve(schema, root)
  if node.members.default then
    return node.members.default
  elseif node.choices then
    return node.choices[1].value
  elseif #node.alternatives > 0 and #node.properties == 0 and depth < max_depth then
    return M.of(node.alternatives[1], root, depth + 1)
  end
  local kind = node.types and node.types[1]
  local items = node.members.items
  if kind == 'object' or not kind and #node.properties + #node.required > 0 then
    local parts = {}
    for _, name in ipairs(depth < max_depth and node.required or {}) do
      local property = vim.iter(node.properties):find(function(p)
        return p.name == name
      end)
      parts[#parts + 1] = json.encode(name) .. ':' .. M.of(property and property.text or '{}', root, depth + 1)
    end
    return '{' .. table.concat(parts, ',') .. '}'
  elseif kind == 'array' then
    local least = node.members.minItems and vim.json.decode(node.members.minItems)
    local parts = {}
    for i = 1, depth < max_depth and type(least) == 'number' and math.min(least, max_items) or 0 do
      parts[i] = M.of(items or '{}', root, depth + 1)
    end
    return '[' .. table.concat(parts, ',') .. ']'
  elseif kind == 'integer' or kind == 'number' then
    return number(node)
  elseif not kind and node.null then
    return 'null'
  end
  return zeros[kind] or '""'
end

return M

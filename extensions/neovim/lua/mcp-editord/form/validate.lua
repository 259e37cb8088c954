--- Validates values against a JSON Schema, as far as a form needs it.
local json = require('mcp-editord.json')

local M = {}

---@param value any
---@return boolean
local function is_object(value)
  return type(value) == 'table' and (not vim.islist(value) or vim.json.encode(value) == '{}')
end

--- Returns the JSON Schema type of a value.
---@param value any
---@return string
local function type_of(value)
  if value == vim.NIL then
    return 'null'
  elseif type(value) == 'table' then
    return is_object(value) and 'object' or 'array'
  elseif type(value) == 'number' then
    return value % 1 == 0 and 'integer' or 'number'
  end
  return type(value)
end

--- Returns what is wrong with `value`. Checks only the keywords below; the server checks the rest.
---@param schema any decoded
---@param value any decoded
---@param path? string
---@param depth? integer
---@return string? problem
function M.check(schema, value, path, depth)
  depth = depth or 0
  if type(schema) ~= 'table' or depth > 32 then
    return nil
  end
  local at = path and path .. ' ' or ''
  local types = type(schema.type) == 'table' and schema.type or { schema.type }
  local kind = type_of(value)
  if
    #types > 0
    and not vim.list_contains(types, kind)
    and not (kind == 'integer' and vim.list_contains(types, 'number'))
  then
    return ('%smust be of type %s'):format(at, table.concat(types, ' or '))
  end
  if type(schema.enum) == 'table' then
    local known = vim.iter(schema.enum):any(function(allowed)
      return vim.deep_equal(allowed, value)
    end)
    if not known then
      return at .. 'must be one of ' .. table.concat(vim.tbl_map(json.encode, schema.enum), ', ')
    end
  end
  local function limits(size, least, most, unit)
    if type(least) == 'number' and size < least then
      return ('%smust be at least %s%s'):format(at, json.encode(least), unit)
    elseif type(most) == 'number' and size > most then
      return ('%smust be at most %s%s'):format(at, json.encode(most), unit)
    end
  end
  if kind == 'integer' or kind == 'number' then
    local function beyond(limit, sign)
      return type(limit) == 'number' and (limit - value) * sign >= 0
    end
    if beyond(schema.exclusiveMinimum, 1) then
      return ('%smust be more than %s'):format(at, json.encode(schema.exclusiveMinimum))
    elseif beyond(schema.exclusiveMaximum, -1) then
      return ('%smust be less than %s'):format(at, json.encode(schema.exclusiveMaximum))
    end
    return limits(value, schema.minimum, schema.maximum, '')
  elseif kind == 'string' then
    return limits(vim.fn.strchars(value), schema.minLength, schema.maxLength, ' characters long')
  elseif kind == 'array' then
    for i, item in ipairs(value) do
      local problem = M.check(schema.items, item, ('%s[%d]'):format(path or '', i - 1), depth + 1)
      if problem then
        return problem
      end
    end
    return limits(#value, schema.minItems, schema.maxItems, ' items long')
  elseif kind == 'object' then
    for _, name in ipairs(type(schema.required) == 'table' and schema.required or {}) do
      if value[name] == nil then
        return ('%sneeds the member "%s"'):format(at, name)
      end
    end
    local properties = type(schema.properties) == 'table' and schema.properties or {}
    for name, member in pairs(value) do
      if properties[name] == nil and schema.additionalProperties == false then
        return ('%smust not have the member "%s"'):format(at, name)
      end
      local problem = M.check(properties[name], member, path and path .. '.' .. name or name, depth + 1)
      if problem then
        return problem
      end
    end
  end
end

return M

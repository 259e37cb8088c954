--- Validates values against a JSON Schema, as far as a form needs it.
local json = require('mcp-editord.json')

local M = {}

--- How deep a value and its schema are checked.
local max_depth = 32

--- How many times a part of a value is held against a schema. The alternatives of alternatives are many, and a schema that
--- contains itself twice has no end.
local max_steps = 100000

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

--- The string formats of elicitation (MCP 2025-11-25, Elicitation, Requested Schema).
local formats = {
  email = { '^[^%s@]+@[^%s@]+$', 'an address such as name@example.com' },
  uri = { '^%a[%w+.-]*:%S+$', 'a URI such as https://example.com/' },
  date = { '^%d%d%d%d%-%d%d%-%d%d$', 'a date such as 2026-01-31' },
  ['date-time'] = { '^%d%d%d%d%-%d%d%-%d%d[Tt]%d%d:%d%d:%d%d', 'a time such as 2026-01-31T12:00:00Z' },
}

--- Returns an example of a format, in words.
---@param format any
---@return string?
function M.example(format)
  return formats[format] and formats[format][2]
end

--- Follows a reference within the schema.
---@param schema table
---@param root any decoded
---@return any
local function follow(schema, root)
  local path = schema['$ref']
  if type(path) ~= 'string' or path ~= '#' and not vim.startswith(path, '#/') then
    return nil
  end
  for _, name in ipairs(path == '#' and {} or vim.split(path:sub(3), '/', { plain = true })) do
    name = name:gsub('~1', '/'):gsub('~0', '~')
    root = type(root) == 'table' and root[name] or nil
  end
  return root
end

---@param at string
---@param size number
---@param least any
---@param most any
---@param unit string
---@return string?
local function limits(at, size, least, most, unit)
  if type(least) == 'number' and size < least then
    return ('%smust be at least %s%s'):format(at, json.encode(least), unit)
  elseif type(most) == 'number' and size > most then
    return ('%smust be at most %s%s'):format(at, json.encode(most), unit)
  end
end

---@param schema table
---@param value number
---@param at string
---@return string?
local function check_number(schema, value, at)
  local function beyond(limit, sign)
    return type(limit) == 'number' and (limit - value) * sign >= 0
  end
  if beyond(schema.exclusiveMinimum, 1) then
    return ('%smust be more than %s'):format(at, json.encode(schema.exclusiveMinimum))
  elseif beyond(schema.exclusiveMaximum, -1) then
    return ('%smust be less than %s'):format(at, json.encode(schema.exclusiveMaximum))
  end
  local step = schema.multipleOf
  if type(step) == 'number' and step > 0 then
    local times = value / step
    -- 0.3 / 0.1 is not quite 3.
    if math.abs(times - math.floor(times + 0.5)) > 1e-9 * math.max(1, math.abs(times)) then
      return ('%smust be a multiple of %s, such as %s'):format(at, json.encode(step), json.encode(step * 2))
    end
  end
  return limits(at, value, schema.minimum, schema.maximum, '')
end

---@param schema table
---@param value string
---@param at string
---@return string?
local function check_string(schema, value, at)
  local format = formats[schema.format]
  if format and not value:find(format[1]) then
    return ('%smust be %s'):format(at, format[2])
  end
  return limits(at, vim.fn.strchars(value), schema.minLength, schema.maxLength, ' characters long')
end

---@param schema any decoded
---@param value any decoded
---@param root any decoded
---@param path string?
---@param depth integer
---@param left {steps: integer}
---@return string? problem
local function check(schema, value, root, path, depth, left)
  left.steps = left.steps - 1
  if type(schema) ~= 'table' or depth > max_depth or left.steps < 0 then
    return nil
  end
  local at = path and path .. ' ' or ''
  local function within(inner, inner_value, inner_path)
    return check(inner, inner_value, root, inner_path, depth + 1, left)
  end
  local problem = schema['$ref'] and within(follow(schema, root), value, path)
  for _, part in ipairs(type(schema.allOf) == 'table' and schema.allOf or {}) do
    problem = problem or within(part, value, path)
  end
  if problem then
    return problem
  end
  local types = type(schema.type) == 'table' and schema.type or { schema.type }
  local kind = type_of(value)
  if
    #types > 0
    and not vim.list_contains(types, kind)
    and not (kind == 'integer' and vim.list_contains(types, 'number'))
  then
    return ('%smust be of type %s'):format(at, table.concat(types, ' or '))
  end
  if schema.const ~= nil and not vim.deep_equal(schema.const, value) then
    return at .. 'must be ' .. json.encode(schema.const)
  end
  if type(schema.enum) == 'table' then
    local known = vim.iter(schema.enum):any(function(allowed)
      return vim.deep_equal(allowed, value)
    end)
    if not known then
      return at .. 'must be one of ' .. table.concat(vim.tbl_map(json.encode, schema.enum), ', ')
    end
  end
  for _, name in ipairs({ 'anyOf', 'oneOf' }) do
    local first
    for _, alternative in ipairs(type(schema[name]) == 'table' and schema[name] or {}) do
      local wrong = within(alternative, value, path)
      if not wrong then
        first = nil
        break
      end
      first = first or wrong
    end
    if first then
      return #schema[name] > 1 and first .. ', or have another of its shapes' or first
    end
  end
  if kind == 'integer' or kind == 'number' then
    return check_number(schema, value, at)
  elseif kind == 'string' then
    return check_string(schema, value, at)
  elseif kind == 'array' then
    for i, item in ipairs(value) do
      problem = within(schema.items, item, ('%s[%d]'):format(path or '', i - 1))
      if problem then
        return problem
      end
    end
    return limits(at, #value, schema.minItems, schema.maxItems, ' items long')
  elseif kind == 'object' then
    for _, name in ipairs(type(schema.required) == 'table' and schema.required or {}) do
      if value[name] == nil then
        return ('%sneeds the member "%s"'):format(at, name)
      end
    end
    local properties = type(schema.properties) == 'table' and schema.properties or {}
    local others = schema.additionalProperties
    for name, member in pairs(value) do
      if properties[name] == nil and others == false then
        return ('%smust not have the member "%s"'):format(at, name)
      end
      problem = within(properties[name] or others, member, path and path .. '.' .. name or name)
      if problem then
        return problem
      end
    end
  end
end

--- Returns what is wrong with `value`. Checks only the keywords above; the server checks the rest.
---@param schema any decoded
---@param value any decoded
---@param root? any decoded: the schema in which references are followed; default `schema`
---@return string? problem
function M.check(schema, value, root)
  return check(schema, value, root or schema, nil, 0, { steps = max_steps })
end

return M

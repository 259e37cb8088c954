--- What a form says of its fields: a line for a list, and a page with everything that the schema tells.
local json = require('mcp-editord.json')
local resolve = require('mcp-editord.form.resolve')
local schema = require('mcp-editord.form.schema')
local text = require('mcp-editord.text')
local typed = require('mcp-editord.form.typed')

local M = {}

--- What a list calls the kinds. A text and a choice need no word.
local marks = {
  number = 'number',
  integer = 'integer',
  boolean = 'boolean',
  list = 'list',
  items = 'list',
  map = 'NAME=VALUE',
  object = 'object',
  union = 'several shapes',
  json = 'JSON',
}

--- How a value of each kind is typed.
local ways = {
  list = 'Separate words by commas. Put a word with a comma in double quotes.',
  choices = 'Separate words by commas.',
  map = 'Write NAME=VALUE, separated by commas.',
  mixed = 'What looks like a number is one; put it in double quotes to make it a text.',
}

--- The kinds that are typed into a line.
local as_line = { string = true, number = true, integer = true, list = true, mixed = true, map = true }

--- The longest default or example to show, in characters.
local max_example = 200

--- Returns a value for people: as it is typed, but for what would not be seen.
---@param field mcp-editord.Field
---@param value string JSON
---@return string
function M.value(field, value)
  local shown = value ~= 'null' and typed.show(field, value) or value
  return shown ~= '' and shown or '""'
end

--- Describes a field in a few words.
---@param field mcp-editord.Field
---@param f? mcp-editord.Form that it is in; if that is of another argument, it is named
---@return string
function M.label(field, f)
  local out = {}
  if field.required then
    out[1] = 'required'
  end
  out[#out + 1] = field.kind == 'mixed' and field.types and table.concat(field.types, ' or ') or marks[field.kind]
  if field.default then
    out[#out + 1] = 'default ' .. M.value(field, field.default)
  end
  local named = field.title ~= '' and field.title ~= field.name
  local label = named and ('%s (%s)'):format(text.flat(field.title), field.name) or field.name
  label = f and f.of and ('%s of %s'):format(label, f.of) or label
  return text.line(#out > 0 and ('%s [%s]'):format(label, table.concat(out, ', ')) or label, 120)
end

--- Returns one line for a list: what the field is, its value, and what is known of it.
---@param field mcp-editord.Field
---@param shown string the value
---@return string
function M.row(field, shown)
  local line = ('%s = %s'):format(M.label(field), text.line(shown, 60))
  return field.description ~= '' and ('%s  · %s'):format(line, text.flat(field.description)) or line
end

---@param field mcp-editord.Field
---@return string[]
local function facts(field)
  local out, node = {}, resolve.resolve(field.text, field.root)
  local function add(name, value)
    if value and value ~= '' then
      out[#out + 1] = ('%s: %s'):format(name, text.line(value, max_example))
    end
  end
  if field.choices then
    add(
      'One of',
      table.concat(
        vim.tbl_map(function(choice)
          return choice.label
        end, field.choices),
        ', '
      )
    )
  end
  add('Default', field.default and M.value(field, field.default))
  local example
  for value in json.elements(node.members.examples) do
    example = example or M.value(field, value)
  end
  add('Example', example)
  add('Format', require('mcp-editord.form.validate').example(field.schema.format) or field.schema.format)
  for name, words in pairs({ minimum = 'At least', maximum = 'At most', multipleOf = 'A multiple of' }) do
    add(words, node.members[name])
  end
  add('Pattern', resolve.string(node, 'pattern'))
  table.sort(out)
  out[#out + 1] = ways[field.kind]
  out[#out + 1] = field.required and field.null and as_line[field.kind] and 'Leave it empty to send null.' or nil
  return out
end

--- Returns everything that is known of a field.
---@param field mcp-editord.Field
---@return mcp-editord.Page
function M.page(field)
  local page = { lines = field.description ~= '' and text.lines(field.description) or {}, marks = {} }
  for _, fact in ipairs(facts(field)) do
    page.marks[#page.marks + 1] = { line = #page.lines, group = 'McpMuted' }
    page.lines[#page.lines + 1] = fact
  end
  return page
end

--- Returns what is known of all fields.
---@param intro? string what the form is for
---@param fields mcp-editord.Field[]
---@return mcp-editord.Page
function M.all(intro, fields)
  local page = { lines = intro and intro ~= '' and text.lines(vim.trim(intro)) or {}, marks = {} }
  for _, field in ipairs(fields) do
    if field.description ~= '' then
      page.marks[#page.marks + 1] = { line = #page.lines, group = 'McpHeading' }
      page.lines[#page.lines + 1] = M.label(field)
      for _, line in ipairs(text.lines(vim.trim(field.description))) do
        page.lines[#page.lines + 1] = '  ' .. line
      end
    end
  end
  return page
end

--- Returns the schemas of a member: in the schema itself, or in one of its alternatives.
---@param owner string JSON
---@param root string
---@param key string|integer
---@param depth? integer
---@return string?
local function member(owner, root, key, depth)
  local node = resolve.resolve(owner, root)
  if type(key) == 'number' then
    return node.members.items
  end
  for _, property in ipairs(node.properties) do
    if property.name == key then
      return property.text
    end
  end
  for _, alternative in ipairs((depth or 0) < 4 and node.alternatives or {}) do
    local found = member(alternative, root, key, (depth or 0) + 1)
    if found then
      return found
    end
  end
  return node.members.additionalProperties
end

--- Returns the path to what stands at the end of a part of a JSON text: names of members, and numbers for elements.
---@param before string
---@return (string|integer)[]
local function path_of(before)
  local stack, i = {}, 1 ---@type {key: string|integer?}[]
  while true do
    i = before:find('["%[%]{},]', i)
    if not i then
      break
    end
    local c = before:sub(i, i)
    if c == '"' then
      local stop = i + 1
      repeat
        stop = before:find('["\\]', stop)
        local escaped = stop and before:sub(stop, stop) == '\\'
        stop = stop and escaped and stop + 2 or stop
      until not stop or not escaped
      if not stop then
        break
      end
      local top = stack[#stack]
      if top and type(top.key) ~= 'number' and before:find('^%s*:', stop + 1) then
        local ok, name = pcall(vim.json.decode, before:sub(i, stop))
        top.key = ok and name or top.key
      end
      i = stop
    elseif c == '{' or c == '[' then
      stack[#stack + 1] = { key = c == '[' and 0 or nil }
    elseif c == ',' then
      local top = stack[#stack]
      if top then
        top.key = type(top.key) == 'number' and top.key + 1 or nil
      end
    else
      stack[#stack] = nil
    end
    i = i + 1
  end
  local out = {}
  for _, level in ipairs(stack) do
    if level.key then
      out[#out + 1] = level.key
    end
  end
  return out
end

--- Returns the field that stands at the end of a part of a JSON text.
---@param field mcp-editord.Field of the whole text
---@param before string
---@return mcp-editord.Field
function M.at(field, before)
  local here, name = field.text, field.name
  for _, key in ipairs(path_of(before)) do
    local found = member(here, field.root, key)
    if not found then
      return field
    end
    here, name = found, type(key) == 'string' and key or name
  end
  return here == field.text and field or schema.field(name, here, field.root, false)
end

return M

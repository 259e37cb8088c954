--- Asks for the values that have parts: forms in forms, lists of them, and buffers of text.
local describe = require('mcp-editord.form.describe')
local json = require('mcp-editord.json')
local messages = require('mcp-editord.ui.messages')
local schema = require('mcp-editord.form.schema')
local state = require('mcp-editord.form.state')
local text = require('mcp-editord.text')
local typed = require('mcp-editord.form.typed')
local ui = require('mcp-editord.ui')

local M = {}

---@class mcp-editord.Asker the module that asks for any field: it requires this one
---@field value async fun(turn: mcp-editord.Turn, f: mcp-editord.Form, field: mcp-editord.Field): string?, boolean
---@field fill async fun(turn: mcp-editord.Turn, f: mcp-editord.Form, field: mcp-editord.Field): boolean
---@field form async fun(turn: mcp-editord.Turn, f: mcp-editord.Form): string?

---@alias mcp-editord.AskInBuffer async fun(turn: mcp-editord.Turn, f: mcp-editord.Form, field: mcp-editord.Field, start?: string): string?, boolean

local done, as_json, as_null, leave_out = 'Done', 'Write it as JSON', 'Send null', 'Leave it out'

local as_text = { string = true, list = true, map = true, mixed = true }

--- Returns the buffer in which a value is edited.
---@param f mcp-editord.Form
---@param field mcp-editord.Field
---@param value? string JSON; default the value that the field has
---@return mcp-editord.Edit
function M.edit(f, field, value)
  value = value or f.values[field.name] or field.default
  local start
  if as_text[field.kind] then
    start = value and typed.show(field, value) or ''
  else
    start = json.pretty(value or require('mcp-editord.form.skeleton').of(field.text, field.root))
  end
  local e ---@type mcp-editord.Edit
  e = {
    name = 'mcp-form://' .. text.line(field.name, 60),
    lines = vim.split(start, '\n', { plain = true }),
    filetype = as_text[field.kind] and 'text' or 'json',
    hint = describe.label(field, f) .. ': write to accept it, K describes it, close keeps what you typed',
    read = function(lines)
      local read, problem = typed.read(field, lines)
      return { value = read }, problem
    end,
    keep = function(answer)
      f.values[field.name] = answer.value
      f.parts[field.key or field.name] = nil -- its form starts from the new value
      state.touch(f)
    end,
    look = function(before)
      local here = as_text[field.kind] and field or describe.at(field, before)
      local page = describe.page(here)
      table.insert(page.lines, 1, describe.label(here))
      return page.lines
    end,
  }
  return e
end

--- Returns the form of a member, and makes it when it is first needed.
---@param f mcp-editord.Form
---@param field mcp-editord.Field
---@param make fun(): mcp-editord.Form
---@return mcp-editord.Form
local function part(f, field, make)
  local key = field.key or field.name
  if not f.parts[key] then
    f.parts[key] = make()
    f.parts[key].parent = f
  end
  return f.parts[key]
end

--- Ends the work on a member: the next time starts from its value.
---@param f mcp-editord.Form
---@param field mcp-editord.Field
local function close(f, field)
  f.parts[field.key or field.name] = nil
end

---@param field mcp-editord.Field
---@return string[]
local function other_ways(field)
  local out = { as_json }
  out[#out + 1] = field.null and as_null or nil
  out[#out + 1] = not field.required and leave_out or nil
  return out
end

--- Does what the person chose to end a value with: `done`, `as_json`, `as_null` or `leave_out`.
---@async
---@param turn mcp-editord.Turn
---@param f mcp-editord.Form
---@param field mcp-editord.Field
---@param action string
---@param value string JSON, as far as it is filled in
---@param empty boolean nothing is: as JSON, it begins with its skeleton
---@param edit mcp-editord.AskInBuffer
---@return boolean over
---@return string? JSON
local function ended(turn, f, field, action, value, empty, edit)
  local answer, left ---@type string?, boolean?
  if action == as_json then
    answer, left = edit(turn, f, field, not empty and value or nil)
  elseif action == as_null then
    answer = 'null'
  elseif action == done then
    local problem = typed.problem(field, value)
    if problem then
      messages.notify(('"%s" %s'):format(field.name, problem), vim.log.levels.WARN)
    end
    answer, left = value, problem ~= nil
  end
  if left then
    return false
  end
  close(f, field)
  return true, answer
end

--- Asks for an object by a form of its own.
---@async
---@param turn mcp-editord.Turn
---@param f mcp-editord.Form
---@param field mcp-editord.Field
---@param asker mcp-editord.Asker
---@param edit mcp-editord.AskInBuffer
---@return string? JSON
---@return boolean left
function M.object(turn, f, field, asker, edit)
  local inner = part(f, field, function()
    local values = {}
    for name, value in json.members(f.values[field.name] or field.default) do
      values[name] = value
    end
    return {
      title = ('%s > %s'):format(f.title, field.name),
      intro = field.description,
      shapes = schema.shapes(field.text, field.root),
      values = values,
      of = f.of and ('%s of %s'):format(field.name, f.of) or field.name,
      submit = done,
      others = other_ways(field),
      quiet = f.quiet,
    }
  end)
  while true do
    local action = asker.form(turn, inner)
    if not action then
      return nil, true -- what was typed stays in the form
    end
    local value = schema.object(inner.fields, inner.values)
    local over, answer = ended(turn, f, field, action, value, next(inner.values) == nil, edit)
    if over then
      return answer, false
    end
  end
end

--- Makes the form of a list: a field for each of its elements.
---@param f mcp-editord.Form
---@param field mcp-editord.Field
---@return mcp-editord.Form
local function list_form(f, field)
  local list = {
    title = ('%s > %s'):format(f.title, field.name),
    fields = {},
    values = {},
    submit = done,
    quiet = f.quiet,
  } ---@type mcp-editord.Form
  state.prepare(list)
  for value in json.elements(f.values[field.name] or field.default) do
    local element = schema.element(field, ('%s %d'):format(field.name, #list.fields + 1))
    list.values[element.name] = value
    table.insert(list.fields, element)
  end
  list.made = #list.fields
  return list
end

---@param list mcp-editord.Form
---@return string JSON
local function value_of(list)
  local values = vim.tbl_map(function(element)
    return list.values[element.name]
  end, list.fields)
  return '[' .. table.concat(values, ',') .. ']'
end

--- Adds an element to a list. What was begun and left goes on.
---@async
---@param turn mcp-editord.Turn
---@param list mcp-editord.Form
---@param field mcp-editord.Field
---@param asker mcp-editord.Asker
---@return boolean left
local function add(turn, list, field, asker)
  if not list.adding then
    list.made = list.made + 1
    list.adding = schema.element(field, ('%s %d'):format(field.name, list.made))
    list.adding.description = list.adding.description ~= '' and list.adding.description or field.description
  end
  local left = asker.fill(turn, list, list.adding)
  if not left then
    table.insert(list.fields, list.adding)
    list.adding = nil
  end
  return left
end

--- Changes or removes an element of a list.
---@async
---@param turn mcp-editord.Turn
---@param list mcp-editord.Form
---@param element mcp-editord.Field
---@param asker mcp-editord.Asker
local function change(turn, list, element, asker)
  local choice = ui.select(turn, { 'Edit', 'Remove' }, { prompt = element.name })
  if choice == 'Edit' then
    asker.fill(turn, list, element)
  elseif choice == 'Remove' then
    list.values[element.name], list.parts[element.name] = nil, nil
    list.fields = vim.tbl_filter(function(other)
      return other ~= element
    end, list.fields)
    state.touch(list)
  end
end

--- Asks for a list whose elements are no scalars: adds, changes and removes them one by one.
---@async
---@param turn mcp-editord.Turn
---@param f mcp-editord.Form
---@param field mcp-editord.Field
---@param asker mcp-editord.Asker
---@param edit mcp-editord.AskInBuffer
---@return string? JSON
---@return boolean left
function M.items(turn, f, field, asker, edit)
  local list = part(f, field, function()
    return list_form(f, field)
  end)
  local new = 'Add one'
  if #list.fields == 0 and not list.begun then
    list.begun = true -- an empty list has nothing else to do
    add(turn, list, field, asker)
  end
  while true do
    local items = vim.list_extend({ done, new }, list.fields) ---@type any[]
    vim.list_extend(items, other_ways(field))
    local item = ui.select(turn, items, {
      prompt = list.title,
      format = function(item)
        if item == new and list.adding and state.is_open(list, list.adding) then
          return 'Add one (not finished)'
        end
        return type(item) == 'string' and item or ('%s = %s'):format(item.name, json.compact(list.values[item.name]))
      end,
    })
    if not item then
      return nil, true
    elseif item == new then
      add(turn, list, field, asker)
    elseif type(item) == 'table' then
      change(turn, list, item, asker)
    elseif item == done and list.adding and state.is_open(list, list.adding) then
      add(turn, list, field, asker) -- Done would drop what was begun
    else
      local over, answer = ended(turn, f, field, item, value_of(list), #list.fields == 0, edit)
      if over then
        return answer, false
      end
    end
  end
end

--- Asks for a value of several shapes: first for the shape.
---@async
---@param turn mcp-editord.Turn
---@param f mcp-editord.Form
---@param field mcp-editord.Field
---@param asker mcp-editord.Asker
---@return string? JSON
---@return boolean left
function M.union(turn, f, field, asker)
  local now = f.values[field.name] or field.default
  local shapes = {}
  for i, shape in ipairs(schema.union(field)) do
    shape.field.key = ('%s#%d'):format(field.name, i)
    local is_now = now and not typed.problem(shape.field, now)
    table.insert(shapes, is_now and 1 or #shapes + 1, shape)
  end
  local items = vim.list_extend({}, shapes) ---@type any[]
  vim.list_extend(items, vim.list_slice(other_ways(field), 2))
  local shape = ui.select(turn, items, {
    prompt = describe.label(field, f) .. ': which shape?',
    format = function(shape)
      return type(shape) == 'string' and shape or shape.label
    end,
  })
  if not shape then
    return nil, true
  elseif type(shape) == 'string' then
    return shape == as_null and 'null' or nil, false
  end
  local fits = now and not typed.problem(shape.field, now)
  local before = f.values[field.name]
  f.values[field.name] = fits and now or nil -- a value of another shape is no start for this one
  local ok, value, left = pcall(asker.value, turn, f, shape.field)
  if f.values[field.name] == nil or not ok or left then
    f.values[field.name] = before
  end
  if not ok then
    error(value, 0)
  end
  return value, left
end

--- Lets the person switch choices on and off until they choose Done.
---@async
---@param turn mcp-editord.Turn
---@param f mcp-editord.Form
---@param field mcp-editord.Field
---@return string? JSON
---@return boolean left
function M.choices(turn, f, field)
  local on = f.on[field.name]
  if not on then
    on = {}
    for element in json.elements(f.values[field.name] or field.default) do
      on[element] = true
    end
  end
  while true do
    local items = vim.list_extend({ done }, field.choices) ---@type any[]
    vim.list_extend(items, vim.list_slice(other_ways(field), 2))
    local choice = ui.select(turn, items, {
      prompt = describe.label(field, f),
      format = function(item)
        return type(item) == 'string' and item or ('[%s] %s'):format(on[item.value] and 'x' or ' ', item.label)
      end,
    })
    if not choice then
      return nil, true
    elseif choice == leave_out or choice == as_null then
      f.on[field.name] = nil
      return choice == as_null and 'null' or nil, false
    elseif choice ~= done then
      on[choice.value] = not on[choice.value] or nil
      f.on[field.name] = on
      state.touch(f)
    else
      local values = {}
      for _, item in ipairs(field.choices) do
        if on[item.value] then
          values[#values + 1] = item.value
        end
      end
      local value = '[' .. table.concat(values, ',') .. ']'
      local problem = typed.problem(field, value)
      if not problem then
        f.on[field.name] = nil
        return value, false
      end
      messages.notify(('"%s" %s'):format(field.name, problem), vim.log.levels.WARN)
    end
  end
end

return M

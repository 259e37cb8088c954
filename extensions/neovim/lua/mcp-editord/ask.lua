--- Lets a person fill in a form: first what has to be filled in, one by one, then an overview in which
--- everything can be changed before it is sent.
local form = require('mcp-editord.form')
local text = require('mcp-editord.text')
local ui = require('mcp-editord.ui')

local M = {}

---@class mcp-editord.Form
---@field title string
---@field fields mcp-editord.Field[]
---@field values table<string, string> JSON by name; changed in place
---@field submit string what sending is called
---@field others? string[] what else may be done
---@field all? boolean ask for every field, not only for those that are required
---@field secret? boolean show nothing of what is typed

--- Edits a value in a buffer of its own. Writing it takes the value if it fits; closing it leaves it.
---@async
---@param turn mcp-editord.Turn
---@param field mcp-editord.Field
---@param value string? JSON
---@return string? JSON
local function edit(turn, field, value)
  local empty = field.schema.type == 'array' and '[\n  \n]' or '{\n  \n}'
  local start = value or field.default
  local lines = text.lines(start and require('mcp-editord.json').pretty(start) or empty)
  return ui.edit(turn, {
    name = 'mcp-form://' .. text.line(field.name, 60),
    lines = lines,
    filetype = 'json',
    hint = form.describe(field) .. ': write to take it, close to leave it',
    read = function(typed)
      return form.parse(field, typed)
    end,
  })
end

--- Lets the person toggle values until done.
---@async
---@param turn mcp-editord.Turn
---@param field mcp-editord.Field
---@param value string? JSON
---@return string? JSON
local function toggle(turn, field, value)
  local on = {}
  for element in require('mcp-editord.json').elements(value) do
    on[element] = true
  end
  local done = {}
  while true do
    local choice = ui.select(turn, vim.list_extend({ done }, field.choices), {
      prompt = form.describe(field),
      format = function(item)
        return item == done and 'Done' or ('[%s] %s'):format(on[item.value] and 'x' or ' ', item.label)
      end,
    })
    if not choice then
      return nil
    elseif choice ~= done then
      on[choice.value] = not on[choice.value] or nil
    else
      local values = {}
      for _, item in ipairs(field.choices) do
        if on[item.value] then
          values[#values + 1] = item.value
        end
      end
      local taken, problem = form.parse(field, '[' .. table.concat(values, ',') .. ']')
      if taken then
        return taken
      end
      ui.notify(('%s %s'):format(field.name, problem), vim.log.levels.WARN)
    end
  end
end

--- Asks for one value until it fits. Left is true when the person did not say anything; an emptied line of an
--- optional field says that it has no value.
---@async
---@param turn mcp-editord.Turn
---@param field mcp-editord.Field
---@param value string? JSON that it has now
---@param secret boolean?
---@return string? JSON
---@return boolean? left
function M.value(turn, field, value, secret)
  if field.kind == 'json' then
    local taken = edit(turn, field, value)
    return taken, taken == nil
  elseif field.kind == 'choices' then
    local taken = toggle(turn, field, value or field.default)
    return taken, taken == nil
  elseif field.kind == 'choice' or field.kind == 'boolean' then
    local items = field.choices or { { value = 'true', label = 'true' }, { value = 'false', label = 'false' } }
    local choice = ui.select(turn, items, {
      prompt = form.describe(field),
      format = function(item)
        return item.label
      end,
    })
    return choice and choice.value, choice == nil
  end
  local prompt = form.describe(field)
  local start = value or field.default
  local typed = start and form.show(start) or ''
  while true do
    if secret then
      typed = ui.secret(turn, prompt)
    else
      typed = require('mcp-editord.complete').with(field, function()
        return ui.input(turn, {
          prompt = prompt,
          default = typed,
          completion = field.complete and "customlist,v:lua.require'mcp-editord.complete'.field" or nil,
        })
      end)
    end
    if not typed then
      return nil, true
    elseif typed == '' and not field.required then
      return nil
    end
    local taken, problem = form.parse(field, typed)
    if taken then
      return taken
    end
    prompt = ('%s %s'):format(field.name, problem)
  end
end

--- Lets the person fill in a form. Returns what to do: `form.submit`, one of `form.others`, or nil when it was left.
---@async
---@param turn mcp-editord.Turn
---@param f mcp-editord.Form
---@return string? action
function M.form(turn, f)
  for _, field in ipairs(f.fields) do
    if f.values[field.name] == nil and (field.required or f.all) then
      f.values[field.name] = M.value(turn, field, nil, f.secret)
    end
  end
  if #f.fields == 0 and not f.others then
    return f.submit
  end
  local items = { f.submit } ---@type any[]
  vim.list_extend(items, f.fields)
  vim.list_extend(items, f.others or {})
  while true do
    local item = ui.select(turn, items, {
      prompt = f.title,
      format = function(item)
        if type(item) == 'string' then
          return item
        end
        local value = f.values[item.name]
        local shown = value and form.show(value) or ''
        if f.secret and value then
          shown = '********'
        end
        return ('%s = %s'):format(form.describe(item), shown)
      end,
    })
    if type(item) ~= 'table' then
      local missing = item == f.submit
        and vim.iter(f.fields):find(function(field)
          return field.required and f.values[field.name] == nil
        end)
      if not missing then
        return item
      end
      item = missing
    end
    local value, left = M.value(turn, item, f.values[item.name], f.secret)
    if not left then
      f.values[item.name] = value
    end
  end
end

return M

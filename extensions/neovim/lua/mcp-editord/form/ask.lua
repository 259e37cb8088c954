--- Lets the person fill in a form: first the required fields, one by one, then an overview in which everything can be changed
--- before it is sent.
local form = require('mcp-editord.form.schema')
local edits = require('mcp-editord.ui.edit')
local messages = require('mcp-editord.ui.messages')
local text = require('mcp-editord.text')
local ui = require('mcp-editord.ui')

local M = {}

---@class mcp-editord.Form
---@field title string
---@field fields mcp-editord.Field[]
---@field values table<string, string> JSON by name; changed in place
---@field submit string the label of sending
---@field others? string[] the labels of other actions
---@field all? boolean ask for every field, not only for those that are required
---@field secret? boolean show nothing of what is typed
---@field touched? boolean the person has changed something
---@field asked? table<string, true> fields that have been asked for
---@field drafts? table<string, string> what was typed into a line that was left
---@field edits? table<string, mcp-editord.Edit> texts that are being edited

--- Lets the person edit a value in a buffer of its own. Writing it accepts a valid value; closing it changes nothing.
---@async
---@param turn mcp-editord.Turn
---@param f mcp-editord.Form
---@param field mcp-editord.Field
---@return string? JSON
local function edit(turn, f, field)
  f.edits = f.edits or {}
  local e = f.edits[field.name]
  if not e or not e.buf then
    local empty = field.schema.type == 'array' and '[\n  \n]' or '{\n  \n}'
    local start = f.values[field.name] or field.default
    e = {
      name = 'mcp-form://' .. text.line(field.name, 60),
      lines = text.lines(start and require('mcp-editord.json').pretty(start) or empty),
      filetype = 'json',
      hint = form.describe(field) .. ': write to accept it, close to leave it as it was',
      read = function(typed)
        return form.parse(field, typed)
      end,
      keep = function(value)
        f.values[field.name], f.touched = value, true
      end,
    }
    f.edits[field.name] = e
  end
  return edits.ask(turn, e)
end

--- Lets the person switch choices on and off until they choose Done.
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
      messages.notify(('"%s" %s'):format(field.name, problem), vim.log.levels.WARN)
    end
  end
end

--- Asks for one value, starting from its current one, until it is valid. `left` is true if the person left; an empty line
--- in an optional field removes the value.
---@async
---@param turn mcp-editord.Turn
---@param f mcp-editord.Form
---@param field mcp-editord.Field
---@return string? JSON
---@return boolean? left
local function ask(turn, f, field)
  local value = f.values[field.name]
  if field.kind == 'json' then
    local taken = edit(turn, f, field)
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
  f.drafts = f.drafts or {}
  local prompt = form.describe(field)
  local start = value or field.default
  local typed = f.drafts[field.name] or start and form.show(start) or ''
  while true do
    if f.secret then
      typed = ui.secret(turn, prompt)
    else
      local first = typed
      typed = require('mcp-editord.form.complete').with(field, function()
        return ui.input(turn, {
          prompt = prompt,
          default = first,
          completion = field.complete and "customlist,v:lua.require'mcp-editord.form.complete'.field" or nil,
          keep = function(draft)
            f.drafts[field.name] = draft
            f.touched = f.touched or draft ~= first
          end,
        })
      end)
    end
    if not typed then
      return nil, true
    elseif typed == '' and not field.required then
      f.drafts[field.name] = nil
      return nil
    end
    local taken, problem = form.parse(field, typed)
    if taken then
      f.drafts[field.name] = nil
      return taken
    end
    prompt = ('"%s" %s'):format(field.name, problem)
  end
end

--- Asks for one value of a form and stores it.
---@async
---@param turn mcp-editord.Turn
---@param f mcp-editord.Form
---@param field mcp-editord.Field
---@return boolean left
local function fill(turn, f, field)
  local value, left = ask(turn, f, field)
  if not left then
    f.values[field.name], f.touched = value, true
  end
  return left == true
end

--- Lets the person fill in a form. Returns what to do: `form.submit`, one of `form.others`, or nil if they left it. The form
--- keeps what was filled in, and continues there.
---@async
---@param turn mcp-editord.Turn
---@param f mcp-editord.Form
---@return string? action
function M.form(turn, f)
  f.asked = f.asked or {}
  for _, field in ipairs(f.fields) do
    if f.values[field.name] == nil and (field.required or f.all) and not f.asked[field.name] then
      if fill(turn, f, field) then
        break -- the overview shows what is missing
      end
      f.asked[field.name] = true
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
    fill(turn, f, item)
  end
end

--- Lets the person fill in a form that they asked for. The form is kept if they leave it.
---@async
---@param f mcp-editord.Form
---@return string? action nil when it was left and nothing had been filled in
function M.own(f)
  return require('mcp-editord.ui.waiting').show(f.title, function(turn)
    return M.form(turn, f)
  end, function()
    return f.touched or vim.iter(pairs(f.edits or {})):any(function(_, e)
      return edits.has_changes(e)
    end)
  end)
end

return M

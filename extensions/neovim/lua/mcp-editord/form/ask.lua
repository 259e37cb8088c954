--- Lets the person fill in a form: first the required fields, one by one, then an overview in which everything can be changed
--- before it is sent.
local beside = require('mcp-editord.ui.beside')
local describe = require('mcp-editord.form.describe')
local edits = require('mcp-editord.ui.edit')
local parts = require('mcp-editord.form.parts')
local state = require('mcp-editord.form.state')
local typed = require('mcp-editord.form.typed')
local ui = require('mcp-editord.ui')

local M = {}

--- Shows what is known of a field while `fn` asks for it.
---@async
---@generic T
---@param turn mcp-editord.Turn
---@param f mcp-editord.Form
---@param title string
---@param page mcp-editord.Page
---@param prompt_lines integer
---@param fn async fun(close?: fun()): T gets what closes it, for a picker that shows the same
---@return T
local function with_page(turn, f, title, page, prompt_lines, fn)
  if f.quiet or #page.lines == 0 or vim.o.lines < prompt_lines + 10 then
    return fn()
  end
  local _, close = beside.show(turn, title, page, prompt_lines)
  local result = fn(close) -- what it raises ends the turn, which closes the window
  close()
  return result
end

--- Lets the person edit a value in a buffer of its own. Writing it accepts a valid value; closing it keeps what was typed.
---@async
---@param turn mcp-editord.Turn
---@param f mcp-editord.Form
---@param field mcp-editord.Field
---@param start? string JSON; default the value that the field has
---@return string? JSON
---@return boolean left
local function edit(turn, f, field, start)
  local e = f.edits[field.key or field.name]
  if not e or not e.buf then
    e = parts.edit(f, field, start)
    f.edits[field.key or field.name] = e
  end
  local answer = edits.ask(turn, e)
  return answer and answer.value, answer == nil
end

--- Lets the person pick one of the values of a field. What it is now, or would be by default, comes first.
---@async
---@param turn mcp-editord.Turn
---@param f mcp-editord.Form
---@param field mcp-editord.Field
---@return string? JSON
---@return boolean left
local function pick(turn, f, field)
  local items =
    vim.list_extend({}, field.choices or { { value = 'true', label = 'true' }, { value = 'false', label = 'false' } })
  if field.null then
    items[#items + 1] = { value = 'null', label = 'null' }
  end
  local now = f.values[field.name]
  local first = now or field.default
  for i, item in ipairs(items) do
    if item.value == first then
      table.remove(items, i)
      table.insert(items, 1, { value = first, label = item.label .. (now and '  (now)' or '  (default)') })
      break
    end
  end
  if not field.required then
    items[#items + 1] = { label = 'Leave it out' }
  end
  local page = describe.page(field)
  local label = describe.label(field, f)
  local choice = with_page(turn, f, label, page, #items + 2, function(close)
    return ui.select(turn, items, {
      prompt = label,
      format = function(item)
        return item.label
      end,
      page = #page.lines > 0 and function()
        return page
      end or nil,
      previewed = close,
    })
  end)
  return choice and choice.value, choice == nil
end

--- Lets the person type a value into a line, until it is valid.
---@async
---@param turn mcp-editord.Turn
---@param f mcp-editord.Form
---@param field mcp-editord.Field
---@param start string
---@return string? JSON
---@return boolean left
local function input(turn, f, field, start)
  local prompt = describe.label(field, f)
  local line = f.drafts[field.name] or start
  while true do
    local first = line
    line = with_page(turn, f, field.name, describe.page(field), 1, function()
      if f.secret then
        return ui.secret(turn, prompt)
      end
      return require('mcp-editord.form.complete').with(field, function()
        return ui.input(turn, {
          prompt = prompt,
          default = first,
          completion = field.complete and "customlist,v:lua.require'mcp-editord.form.complete'.field" or nil,
          keep = function(draft)
            f.drafts[field.name] = draft
            if draft ~= first then
              state.touch(f)
            end
          end,
        })
      end)
    end)
    if not line then
      return nil, true
    end
    local value, problem = typed.read(field, line)
    if not problem then
      f.drafts[field.name] = nil
      return value, false
    end
    prompt = ('"%s"%s %s'):format(field.name, f.of and ' of ' .. f.of or '', problem)
  end
end

--- Asks for one value, starting from its current one. `left` is true if the person left it; without it, no value means that
--- the value is left out.
---@async
---@param turn mcp-editord.Turn
---@param f mcp-editord.Form
---@param field mcp-editord.Field
---@return string? JSON
---@return boolean left
function M.value(turn, f, field)
  local kind = field.kind
  if kind == 'object' or kind == 'items' or kind == 'union' or kind == 'choices' then
    return parts[kind](turn, f, field, M, edit)
  elseif kind == 'choice' or kind == 'boolean' then
    return pick(turn, f, field)
  end
  local value = f.values[field.name] or field.default
  local start = value and typed.show(field, value) or ''
  if not f.secret and (kind == 'json' or kind == 'string' and state.is_long(field) or start:find('\n')) then
    return edit(turn, f, field)
  end
  return input(turn, f, field, start)
end

--- Asks for one value of a form and stores it.
---@async
---@param turn mcp-editord.Turn
---@param f mcp-editord.Form
---@param field mcp-editord.Field
---@param how? async fun(turn: mcp-editord.Turn, f: mcp-editord.Form, field: mcp-editord.Field): string?, boolean
---@return boolean left
function M.fill(turn, f, field, how)
  local value, left = (how or M.value)(turn, f, field)
  if not left then
    f.values[field.name] = value
    state.touch(f)
  end
  return left
end

local in_buffer = 'Edit a text in a buffer'
local another_shape = 'Choose another shape'

--- Lets the person choose which of the shapes of a form they fill in.
---@async
---@param turn mcp-editord.Turn
---@param f mcp-editord.Form
local function choose_shape(turn, f)
  local shape = ui.select(turn, f.shapes, {
    prompt = f.title .. ': which shape?',
    format = function(shape)
      return shape.label
    end,
  })
  if shape then
    state.take_shape(f, shape)
  end
end

--- Edits one of the texts of a form in a buffer.
---@async
---@param turn mcp-editord.Turn
---@param f mcp-editord.Form
local function fill_in_buffer(turn, f)
  local texts = state.texts(f)
  local field = #texts == 1 and texts[1] or ui.select(turn, texts, { prompt = 'Which text?', format = describe.label })
  if field then
    M.fill(turn, f, field, edit)
  end
end

--- Returns the rows of the overview. Where sending takes a choice, it is not the first.
---@param f mcp-editord.Form
---@return any[]
local function rows(f)
  local out = vim.list_extend({}, f.fields) ---@type any[]
  local others = f.others or {}
  if f.careful and #out == 0 then
    out, others = vim.list_extend({}, others), {}
  end
  table.insert(out, f.careful and #out + 1 or 1, f.submit)
  if #f.shapes > 1 then
    out[#out + 1] = another_shape
  end
  if #state.texts(f) > 0 then
    out[#out + 1] = in_buffer
  end
  return vim.list_extend(out, others)
end

---@param f mcp-editord.Form
---@param item any a field or a label
---@return string
local function row(f, item)
  if item == another_shape then
    return ('%s (now: %s)'):format(item, f.shape and f.shape.label or '')
  elseif type(item) == 'string' then
    return item
  end
  local value = f.values[item.name]
  local shown = value and describe.value(item, value) or ''
  if f.secret and value then
    shown = '********'
  elseif
    state.is_open(f, item) or f.drafts[item.name] and f.drafts[item.name] ~= (value and typed.show(item, value))
  then
    shown = shown .. ' (not finished)'
  end
  return describe.row(item, shown)
end

--- In how many forms within each other required values are asked for at once. An object may require one of its own kind.
local max_forms = 4

---@param f mcp-editord.Form
---@return integer
local function depth_of(f)
  local depth = 1
  while f.parent do
    depth, f = depth + 1, f.parent
  end
  return depth
end

--- Lets the person fill in a form. Returns what to do: `form.submit`, one of `form.others`, or nil if they left it. The form
--- keeps what was filled in, and continues there.
---@async
---@param turn mcp-editord.Turn
---@param f mcp-editord.Form
---@return string? action
function M.form(turn, f)
  state.prepare(f)
  if not f.shape then
    choose_shape(turn, f)
    if not f.shape then
      return nil
    end
  end
  for _, field in ipairs(depth_of(f) <= max_forms and f.fields or {}) do
    if f.values[field.name] == nil and (field.required or f.all) and not f.asked[field.name] then
      if M.fill(turn, f, field) then
        break -- the overview shows what is missing
      end
      f.asked[field.name] = true
    end
  end
  if #f.fields == 0 and not f.others and #f.shapes == 1 then
    return f.submit
  end
  while true do
    local items = rows(f)
    local all = describe.all(f.intro, f.fields)
    local item = with_page(turn, f, f.title, all, #items + 2, function(close)
      return ui.select(turn, items, {
        prompt = f.title,
        format = function(item)
          return row(f, item)
        end,
        page = function(item)
          return type(item) == 'table' and describe.page(item) or all
        end,
        previewed = close,
      })
    end)
    local missing = item == f.submit and state.missing(f)
    if missing then
      M.fill(turn, f, missing)
    elseif item == another_shape then
      choose_shape(turn, f)
    elseif item == in_buffer then
      fill_in_buffer(turn, f)
    elseif type(item) == 'table' then
      M.fill(turn, f, item)
    else
      if item == f.submit then
        state.drop_other_shapes(f)
      end
      return item
    end
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
    return state.is_worth(f)
  end)
end

return M

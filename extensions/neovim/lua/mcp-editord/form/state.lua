--- A form that is being filled in: its values, and what was typed and is not a value yet. Forms lie in each other: one for
--- an object in an argument, one for a list of them.
local edits = require('mcp-editord.ui.edit')
local schema = require('mcp-editord.form.schema')
local typed = require('mcp-editord.form.typed')

local M = {}

---@class mcp-editord.Form
---@field title string
---@field fields? mcp-editord.Field[] the fields; if there are several shapes, those of the chosen one
---@field shapes? mcp-editord.Shape[] what may be filled in, if there is a choice
---@field values table<string, string> JSON by name; changed in place
---@field submit string the label of sending
---@field others? string[] the labels of other actions
---@field intro? string what the form is for
---@field all? boolean ask for every field, not only for those that are required
---@field secret? boolean show nothing of what is typed
---@field quiet? boolean the descriptions are on the screen already
---@field careful? boolean sending takes a choice: a bare Enter in the overview sends nothing
---@field parent? mcp-editord.Form
---@field of? string the argument whose parts it has
---@field shape? mcp-editord.Shape the chosen one
---@field touched? boolean the person has changed something
---@field asked table<string, true> fields that have been asked for
---@field drafts table<string, string> what was typed into a line that was left
---@field edits table<string, mcp-editord.Edit> texts that are being edited
---@field on table<string, table<string, true>> the choices of several that are switched on and not yet taken
---@field parts table<string, mcp-editord.Form> the forms of members
---@field made? integer of a list: how many elements it has had
---@field adding? mcp-editord.Field of a list: the element that was begun
---@field begun? boolean of a list: its first element has been asked for

--- Takes a shape. A value that only one thing can be is there at once.
---@param f mcp-editord.Form
---@param shape mcp-editord.Shape
function M.take_shape(f, shape)
  f.shape, f.fields = shape, shape.fields
  for _, field in ipairs(f.fields) do
    f.values[field.name] = schema.constant(field) or f.values[field.name]
  end
end

--- Returns the only shape that can have the values, if there is one.
---@param f mcp-editord.Form
---@return mcp-editord.Shape?
local function fitting(f)
  local found = vim.tbl_filter(function(shape)
    return vim.iter(shape.fields):all(function(field)
      local value = f.values[field.name]
      return not field.required or value ~= nil and not typed.problem(field, value)
    end)
  end, f.shapes)
  return #found == 1 and found[1] or nil
end

--- Makes a form ready to be filled in, for the first time or again.
---@param f mcp-editord.Form
function M.prepare(f)
  for _, name in ipairs({ 'asked', 'drafts', 'edits', 'on', 'parts' }) do
    f[name] = f[name] or {}
  end
  f.shapes = f.shapes or { { label = '', fields = f.fields } }
  local only = f.shape or #f.shapes == 1 and f.shapes[1] or fitting(f)
  if only ~= f.shape then
    M.take_shape(f, only)
  end
end

--- Notes that the person has changed something.
---@param f mcp-editord.Form?
function M.touch(f)
  while f do
    f.touched = true
    f = f.parent
  end
end

--- Whether a form has something that was typed and must not be lost.
---@param f mcp-editord.Form
---@return boolean
function M.is_worth(f)
  return f.touched
    or vim.iter(pairs(f.edits or {})):any(function(_, e)
      return edits.has_changes(e)
    end)
    or vim.iter(pairs(f.parts or {})):any(function(_, part)
      return M.is_worth(part)
    end)
end

--- Whether a member was begun and is not a value yet.
---@param f mcp-editord.Form
---@param field mcp-editord.Field
---@return boolean
function M.is_open(f, field)
  return f.on[field.name] ~= nil
    or vim.iter(pairs(f.parts)):any(function(key, part)
      return (key == field.name or vim.startswith(key, field.name .. '#')) and M.is_worth(part)
    end)
end

--- Returns the first field that has to be filled in before the form can be sent: a required one, or one that was begun.
---@param f mcp-editord.Form
---@return mcp-editord.Field?
function M.missing(f)
  return vim.iter(f.fields):find(function(field)
    return field.required and f.values[field.name] == nil or M.is_open(f, field)
  end)
end

--- Removes the values that only other shapes have.
---@param f mcp-editord.Form
function M.drop_other_shapes(f)
  local here = {}
  for _, field in ipairs(f.fields) do
    here[field.name] = true
  end
  for _, shape in ipairs(f.shapes) do
    for _, field in ipairs(shape.fields) do
      if not here[field.name] then
        f.values[field.name] = nil
      end
    end
  end
end

--- Returns the fields that hold texts.
---@param f mcp-editord.Form
---@return mcp-editord.Field[]
function M.texts(f)
  return vim.tbl_filter(function(field)
    return field.kind == 'string' and not f.secret
  end, f.fields)
end

--- Names whose texts have several lines.
local long_names = {
  content = true,
  contents = true,
  body = true,
  code = true,
  script = true,
  patch = true,
  diff = true,
  markdown = true,
}

--- Formats of texts that have several lines. No standard has one; servers use these.
local long_formats = { textarea = true, multiline = true, markdown = true }

--- The shortest limit with which a text may have several lines, in characters.
local long = 200

--- Whether a text probably has several lines, by its name or its schema.
---@param field mcp-editord.Field
---@return boolean
function M.is_long(field)
  local most = field.schema.maxLength
  if type(most) == 'number' and most < long then
    return false
  end
  local last = field.name:gsub('(%l)(%u)', '%1_%2'):lower():match('[^_%-. ]*$')
  return long_names[last] or long_formats[field.schema.format] or false
end

return M

--- Prompts: asks for their arguments, and puts their messages where the person wants them.
local form = require('mcp-editord.form.schema')
local json = require('mcp-editord.json')
local supply = require('mcp-editord.commands.supply')

local M = {}

--- Gets a prompt and puts it where the person wants it: there as whole lines.
---@async
---@param connection mcp-editord.Connection
---@param entry mcp-editord.Entry
---@param arguments mcp-editord.Raw
---@param to? string as after `++to=`; default: what the command line says
function M.run(connection, entry, arguments, to)
  local format, targets = require('mcp-editord.results.format'), require('mcp-editord.commands.targets')
  local calls = require('mcp-editord.daemon.calls')
  local params = { name = entry.name, arguments = arguments }
  local id = entry.server .. '.' .. entry.name
  targets.aimed({ to = to, title = id }, function()
    local raw = calls.text(connection, entry.server, 'prompts/get', params)
    local said = targets.wants_text() and format.prompt_text(raw)
    if said and targets.put(said ~= '' and said .. '\n' or nil) then -- nothing would take the place of what is replaced
      return
    end
    require('mcp-editord.results.show').in_slices(id, function(pause)
      return format.prompt(entry.server, raw, pause), vim.trim(id .. '  ' .. calls.brief(arguments))
    end)
  end)
end

local show_it, into_buffer = 'Show it', 'Put it into this buffer'

--- Lets the person fill in the arguments of a prompt. The server completes them (MCP 2025-11-25, Completion). Returns the
--- button that they chose with the arguments, or nil if they left.
---@async
---@param connection mcp-editord.Connection
---@param entry mcp-editord.Entry
---@param context mcp-editord.Context
---@param buttons string[] the first submits
---@param given? table<string, string> JSON by name
---@return string? button
---@return mcp-editord.Raw? arguments
function M.ask(connection, entry, context, buttons, given)
  local fields = form.prompt_fields(entry.definition)
  local values = supply.proposals(connection, entry, context, given, true)
  for _, field in ipairs(fields) do
    field.complete = function(typed)
      return require('mcp-editord.form.complete').argument(
        connection,
        entry.server,
        { type = 'ref/prompt', name = entry.name },
        field.name,
        typed,
        values
      )
    end
  end
  local button = require('mcp-editord.form.ask').own({
    title = entry.server .. '.' .. entry.name,
    intro = type(entry.definition.description) == 'string' and entry.definition.description or nil,
    fields = fields,
    values = values,
    submit = buttons[1],
    others = vim.list_slice(buttons, 2),
  })
  if button then
    return button, json.raw(form.object(fields, values))
  end
end

--- Lets the person fill in the arguments of a prompt, and say where it goes.
---@async
---@param connection mcp-editord.Connection
---@param entry mcp-editord.Entry
---@param context mcp-editord.Context
---@param given? table<string, string> JSON by name
---@param register? string that the person has named: where the result goes
function M.fill_in(connection, entry, context, given, register)
  local into_register = ('Put it into register %s'):format(register or '"')
  local to = { [into_buffer] = 'cursor', [into_register] = 'register:' .. (register or '"') }
  local order = register and { into_register, show_it, into_buffer } or { show_it, into_buffer, into_register }
  local button, arguments = M.ask(connection, entry, context, order, given)
  if button then
    M.run(connection, entry, arguments --[[@as mcp-editord.Raw]], to[button])
  end
end

--- Gets a prompt with what was typed and what the place supplies. Asks for what is missing; with `!` it fails instead.
---@async
---@param i mcp-editord.Invocation
function M.call(i)
  local id = table.remove(i.words, 1)
  if not id then
    return M.pick(i.connection, i.context, i.register)
  end
  local entry = require('mcp-editord.daemon.catalog').need(i.connection, 'prompts', id)
  local fields = form.prompt_fields(entry.definition)
  local given = require('mcp-editord.commands.arguments').read(fields, i.words, i.expanded)
  if #i.words == 0 and not i.bang then
    return M.fill_in(i.connection, entry, i.context, given, i.register)
  end
  local have = supply.join(
    { { label = '', fields = fields } },
    given,
    supply.proposals(i.connection, entry, i.context, given, i.bang),
    i.context.selectedText
  )
  if #have.missing == 0 then
    local to = i.register and 'register:' .. i.register or nil
    return M.run(i.connection, entry, json.raw(form.object(fields, have.values)), to)
  elseif i.bang then
    supply.fail(entry, have.missing)
  end
  M.fill_in(i.connection, entry, i.context, given, i.register)
end

--- Lets the person pick a prompt.
---@async
---@param connection mcp-editord.Connection
---@param context mcp-editord.Context
---@param register? string
function M.pick(connection, context, register)
  local entry = require('mcp-editord.commands.pick').entry(connection, 'prompts')
  if entry then
    M.fill_in(connection, entry, context, nil, register)
  end
end

return M

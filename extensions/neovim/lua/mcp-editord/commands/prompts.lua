--- Prompts: asks for their arguments, and puts their messages where the person wants them.
local form = require('mcp-editord.form.schema')
local json = require('mcp-editord.json')
local messages = require('mcp-editord.ui.messages')

local M = {}

--- Puts text where the person wants it.
---@param target 'buffer'|'register'
---@param said string
local function put(target, said)
  local lines = require('mcp-editord.text').lines(said)
  if target == 'register' then
    vim.fn.setreg(vim.v.register, lines, 'l')
    messages.notify(('%d lines are in register %s'):format(#lines, vim.v.register))
  elseif not vim.bo.modifiable then
    error('this buffer cannot be changed; go to another one', 0)
  else
    vim.api.nvim_put(lines, 'l', true, true)
  end
end

--- Gets a prompt and puts it where the person wants it.
---@async
---@param connection mcp-editord.Connection
---@param entry mcp-editord.Entry
---@param arguments mcp-editord.Raw
---@param target? 'show'|'buffer'|'register' default 'show'
function M.run(connection, entry, arguments, target)
  local format = require('mcp-editord.results.format')
  local params = { name = entry.name, arguments = arguments }
  local raw = require('mcp-editord.daemon.calls').text(connection, entry.server, 'prompts/get', params)
  if target == 'buffer' or target == 'register' then
    return put(target, format.prompt_text(raw))
  end
  local id = entry.server .. '.' .. entry.name
  require('mcp-editord.results.show').in_slices(id, function(pause)
    return format.prompt(entry.server, raw, pause), id
  end)
end

local targets =
  { ['Show it'] = 'show', ['Put it into this buffer'] = 'buffer', ['Put it into the register'] = 'register' }

--- Lets the person fill in the arguments of a prompt. The server completes them (MCP 2025-11-25, Completion).
---@async
---@param connection mcp-editord.Connection
---@param entry mcp-editord.Entry
---@param context mcp-editord.Context
---@param given? table<string, string> JSON by name
function M.fill_in(connection, entry, context, given)
  local fields = form.prompt_fields(entry.definition)
  local values = given or {}
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
    if not values[field.name] and context.selectedText and #fields == 1 then
      values[field.name] = json.encode(context.selectedText)
    end
  end
  local id = entry.server .. '.' .. entry.name
  local action = require('mcp-editord.form.ask').own({
    title = id,
    fields = fields,
    values = values,
    submit = 'Show it',
    others = { 'Put it into this buffer', 'Put it into the register' },
  })
  if action then
    M.run(connection, entry, json.raw(form.object(fields, values)), targets[action])
  end
end

--- Lets the person pick a prompt.
---@async
---@param connection mcp-editord.Connection
---@param context mcp-editord.Context
function M.pick(connection, context)
  local entry = require('mcp-editord.commands.pick').entry(connection, 'prompts')
  if entry then
    M.fill_in(connection, entry, context)
  end
end

return M

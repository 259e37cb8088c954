--- Calls tools, with a form before and a page after.
local calls = require('mcp-editord.daemon.calls')
local json = require('mcp-editord.json')
local schema = require('mcp-editord.form.schema')
local supply = require('mcp-editord.commands.supply')

local M = {}

---@class mcp-editord.LastCall what `:Mcp again` repeats
---@field line? string the arguments of `:Mcp`, if the call came from a command line alone
---@field id string
---@field arguments? mcp-editord.Raw nil: its server wanted the person to sign in first, and nothing was sent

local last ---@type mcp-editord.LastCall?

--- Returns the last call of a tool.
---@return mcp-editord.LastCall?
function M.last()
  return last
end

--- Calls a tool and shows what it answers.
---@async
---@param connection mcp-editord.Connection
---@param entry mcp-editord.Entry
---@param arguments mcp-editord.Raw
---@param context? mcp-editord.Context
---@param line? string the command line that says all of it
function M.run(connection, entry, arguments, context, line)
  last = { line = line, id = entry.server .. '.' .. entry.name, arguments = arguments }
  local began, from = vim.uv.hrtime(), vim.api.nvim_get_current_win()
  local raw = calls.text(
    connection,
    entry.server,
    'tools/call',
    { name = entry.name, arguments = arguments },
    { context = context }
  )
  local seconds = (vim.uv.hrtime() - began) / 1e9
  if require('mcp-editord.commands.targets').put_tool(raw) then
    return
  end
  local id = entry.server .. '.' .. entry.name
  require('mcp-editord.results.show').in_slices(id, function(pause)
    local page, failed = require('mcp-editord.results.format').tool(entry.server, raw, pause)
    local title = ('%s  %s  %.1f s  %s'):format(id, failed and 'FAILED' or 'ok', seconds, calls.brief(arguments))
    return page, vim.trim(title)
  end, from)
end

--- Whether running a tool takes a choice though there is nothing to fill in: its server says that it is destructive.
---@param entry mcp-editord.Entry
---@param shapes mcp-editord.Shape[]
---@return boolean
local function is_bare(entry, shapes)
  return #schema.all_fields(shapes) == 0 and supply.is_destructive(entry)
end

--- Lets the person fill in the arguments of a tool, and runs it. Running it takes a choice where a tool that may change
--- something has got values that the person did not type, and where a destructive one has no arguments.
---@async
---@param connection mcp-editord.Connection
---@param entry mcp-editord.Entry
---@param context mcp-editord.Context
---@param given? table<string, string> values that are known, JSON by name
function M.fill_in(connection, entry, context, given)
  local proposals = supply.proposals(connection, entry, context, given, true)
  local values = vim.tbl_extend('force', proposals, given or {})
  local unseen = vim.iter(pairs(proposals)):any(function(name)
    return not (given or {})[name]
  end)
  local shapes = schema.shapes(json.member(entry.text, 'inputSchema'))
  local bare = is_bare(entry, shapes)
  local f = {
    title = entry.server .. '.' .. entry.name .. (supply.is_destructive(entry) and ' [destructive]' or ''),
    intro = type(entry.definition.description) == 'string' and entry.definition.description or nil,
    shapes = shapes,
    values = values,
    submit = 'Run',
    others = bare and { 'Do not run: its server says that it is destructive' } or nil,
    careful = bare or unseen and not supply.is_read_only(entry),
  } ---@type mcp-editord.Form
  if require('mcp-editord.form.ask').own(f) == f.submit then
    M.run(connection, entry, json.raw(schema.object(f.fields, values)), context)
  end
end

--- Calls a tool with what was typed and what the place supplies. Asks for what is missing, before a tool that may change
--- something gets what nobody has typed, and before a destructive one runs without arguments. With `!` it never asks.
---@async
---@param i mcp-editord.Invocation
function M.call(i)
  local id = table.remove(i.words, 1)
  if not id then
    return M.pick(i.connection, i.context)
  end
  local ok, entry = pcall(require('mcp-editord.daemon.catalog').need, i.connection, 'tools', id)
  if not ok then
    if type(entry) == 'table' and vim.tbl_get(entry, 'data', 'kind') == 'signInNeeded' then
      last = { line = i.line, id = id }
    end
    error(entry, 0)
  end
  local shapes = schema.shapes(json.member(entry.text, 'inputSchema'))
  local given = require('mcp-editord.commands.arguments').read(schema.all_fields(shapes), i.words, i.expanded)
  local proposals = supply.proposals(i.connection, entry, i.context, given, i.bang)
  local have = supply.join(shapes, given, proposals, i.context.selectedText)
  local unseen = have.supplied and not supply.is_read_only(entry)
  if unseen and i.bang then
    have = supply.join(shapes, given) -- nobody is asked, and so only what was typed counts
  end
  if #have.missing == 0 and (i.bang or not unseen and not is_bare(entry, shapes)) then
    return M.run(i.connection, entry, json.raw(schema.object(have.fields, have.values)), i.context, i.line)
  elseif i.bang then
    supply.fail(entry, have.missing)
  end
  M.fill_in(i.connection, entry, i.context, given)
end

--- Repeats the last call with the same arguments. A destructive tool without any asks again.
---@async
---@param i mcp-editord.Invocation
function M.again(i)
  if not last then
    error('there is no call to repeat; :Mcp tools lists the tools', 0)
  elseif not last.arguments then
    error(('"%s" was not called; run :Mcp again outside of the result window'):format(last.id), 0)
  end
  local entry = require('mcp-editord.daemon.catalog').need(i.connection, 'tools', last.id)
  if not i.bang and is_bare(entry, schema.shapes(json.member(entry.text, 'inputSchema'))) then
    return M.fill_in(i.connection, entry, i.context)
  end
  M.run(i.connection, entry, last.arguments, i.context)
end

--- Lets the person pick a tool, fill in its arguments, and runs it.
---@async
---@param connection mcp-editord.Connection
---@param context mcp-editord.Context
---@param words? string[] what names and descriptions must have; the first may be a server
function M.pick(connection, context, words)
  local rest = vim.list_slice(words or {})
  local server = connection.servers[rest[1]] and table.remove(rest, 1)
  local entry = require('mcp-editord.commands.pick').entry(connection, 'tools', server, table.concat(rest, ' '))
  if entry then
    M.fill_in(connection, entry, context)
  end
end

return M

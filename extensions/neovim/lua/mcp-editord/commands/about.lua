--- What servers say of their tools, prompts and resources: a few words for a list, and a page with all of it.
local describe = require('mcp-editord.form.describe')
local json = require('mcp-editord.json')
local schema = require('mcp-editord.form.schema')
local text = require('mcp-editord.text')

local M = {}

--- Returns what a server says a tool does to the world (MCP 2025-11-25, Schema, ToolAnnotations). What it does not say is left
--- out, though the defaults of MCP assume the worst.
---@param definition table
---@return string[]
function M.hints(definition)
  local told = type(definition.annotations) == 'table' and definition.annotations or {}
  local out = {}
  if told.readOnlyHint == true then
    out[1] = 'read-only'
  elseif told.destructiveHint == true then
    out[1] = 'destructive'
  end
  if told.openWorldHint == true then
    out[#out + 1] = 'reaches external systems'
  end
  return out
end

--- Starts a page: a title, and lines of facts.
---@param title string
---@param facts string[]
---@param description any
---@return mcp-editord.Page
local function begin(title, facts, description)
  local page = { lines = { text.line(title) }, marks = { { line = 0, group = 'McpHeading' } } }
  for _, fact in ipairs(facts) do
    table.insert(page.marks, { line = #page.lines, group = 'McpMuted' })
    table.insert(page.lines, text.line(fact, 1000))
  end
  if type(description) == 'string' and vim.trim(description) ~= '' then
    table.insert(page.lines, '')
    vim.list_extend(page.lines, text.lines(vim.trim(description)))
  end
  return page
end

--- Adds what is known of the arguments.
---@param page mcp-editord.Page
---@param fields mcp-editord.Field[]
local function add_fields(page, fields)
  for i, field in ipairs(fields) do
    if i == 1 then
      table.insert(page.lines, '')
    end
    table.insert(page.marks, { line = #page.lines, group = 'McpHeading' })
    table.insert(page.lines, describe.label(field))
    for _, line in ipairs(describe.page(field).lines) do
      table.insert(page.lines, '  ' .. line)
    end
  end
end

--- Returns all that a server says of a tool or a prompt.
---@param kind 'tools'|'prompts'
---@param entry mcp-editord.Entry
---@return mcp-editord.Page
function M.entry(kind, entry)
  local definition = entry.definition
  local facts = { type(definition.title) == 'string' and definition.title ~= entry.name and definition.title or nil }
  local hints = M.hints(definition)
  if #hints > 0 then
    facts[#facts + 1] = table.concat(hints, ', ')
  end
  local page = begin(entry.server .. '.' .. entry.name, facts, definition.description)
  if kind == 'prompts' then
    add_fields(page, schema.prompt_fields(definition))
    return page
  end
  for _, shape in ipairs(schema.shapes(json.member(entry.text, 'inputSchema'))) do
    if shape.label ~= '' then
      vim.list_extend(page.lines, { '', text.line(shape.label) })
    end
    add_fields(page, shape.fields)
  end
  return page
end

--- Returns all that a server says of a resource or a template.
---@param server string
---@param definition table
---@return mcp-editord.Page
function M.resource(server, definition)
  local facts = { type(definition.title) == 'string' and definition.title or tostring(definition.name) }
  if type(definition.mimeType) == 'string' then
    facts[#facts + 1] = definition.mimeType
  end
  if type(definition.size) == 'number' then
    facts[#facts + 1] = text.size(definition.size)
  end
  local uri = tostring(definition.uri or definition.uriTemplate)
  return begin(('%s: %s'):format(server, uri), facts, definition.description)
end

return M

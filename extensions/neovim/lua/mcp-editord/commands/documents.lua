--- Runs calls of call documents, and makes such documents.
local calls = require('mcp-editord.daemon.calls')
local documents = require('mcp-editord.documents')
local json = require('mcp-editord.json')
local schema = require('mcp-editord.form.schema')
local which = require('mcp-editord.documents.which')

local M = {}

--- Runs a command of the daemon that may open a document.
---@async
---@param connection mcp-editord.Connection
---@param command lsp.Command
---@param buf integer
local function execute(connection, command, buf)
  require('mcp-editord.documents.show').during(function()
    calls.command(connection, command, buf)
  end)
end

--- Runs the call under the cursor.
---@async
---@param i mcp-editord.Invocation
function M.run(i)
  local connection = documents.calls(i.buf)
  execute(connection, {
    title = 'the call in ' .. vim.fs.basename(vim.api.nvim_buf_get_name(i.buf)),
    command = 'mcp.run',
    arguments = { { textDocument = i.context.textDocument, position = i.context.range.start } },
  }, i.buf)
end

--- Opens a call document with a call of a tool, which the daemon fills in as far as it is known.
---@async
---@param i mcp-editord.Invocation
function M.new(i)
  local id = table.remove(i.words, 1)
  local entry = id and require('mcp-editord.daemon.catalog').need(i.connection, 'tools', id)
    or not id and require('mcp-editord.commands.pick').entry(i.connection, 'tools')
  if not entry then
    return
  end
  local fields = schema.all_fields(schema.shapes(json.member(entry.text, 'inputSchema')))
  local given = require('mcp-editord.commands.arguments').read(fields, i.words, i.expanded)
  execute(i.connection, {
    title = ('a call of %s.%s'):format(entry.server, entry.name),
    command = 'mcp.call',
    arguments = {
      {
        server = entry.server,
        tool = entry.name,
        arguments = json.raw(schema.object(fields, given)),
        edit = true,
        context = not which.is_document(i.buf) and i.context or nil,
      },
    },
  }, i.buf)
end

return M

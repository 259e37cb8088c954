--- Prompts and resources that the person picks for a chat. They come over Neovim's own connection: it is the person who asks.
local async = require('mcp-editord.async')
local calls = require('mcp-editord.daemon.calls')
local content = require('mcp-editord.chat.content')
local json = require('mcp-editord.json')

local M = {}

--- Runs an async function that a chat started. Shows its error.
---@param fn async fun()
function M.run(fn)
  async.run(fn, function(ok, err)
    if not ok then
      require('mcp-editord.ui.messages').fail(err)
    end
  end)
end

--- Returns the messages of a prompt, for whose arguments it asks the person; nil if they left.
---@async
---@param server string
---@param name string
---@return mcp-editord.ChatMessage[]?
function M.prompt(server, name)
  local connection = require('mcp-editord.attach').get()
  local entry = require('mcp-editord.daemon.catalog').need(connection, 'prompts', server .. '.' .. name)
  local arguments = json.raw('{}')
  if #require('mcp-editord.form.schema').prompt_fields(entry.definition) > 0 then
    local context = require('mcp-editord.context').get()
    local button, given = require('mcp-editord.commands.prompts').ask(connection, entry, context, { 'Add to the chat' })
    if not button then
      return nil
    end
    arguments = given --[[@as mcp-editord.Raw]]
  end
  local params = { name = entry.name, arguments = arguments }
  local messages = content.prompt(calls.text(connection, entry.server, 'prompts/get', params))
  async.schedule()
  return messages
end

---@class mcp-editord.ChatResource
---@field server string
---@field uri string
---@field text string for the model, with where it is from

--- Returns the resource that the person picks, or nil if they left.
---@async
---@return mcp-editord.ChatResource?
function M.resource()
  local connection = require('mcp-editord.attach').get()
  local server, uri = require('mcp-editord.commands.resources').choose(connection, 'Add to the chat')
  if not server or not uri then
    return nil
  end
  require('mcp-editord.daemon.servers').start(connection, server)
  local text = content.resource(calls.text(connection, server, 'resources/read', { uri = uri }))
  async.schedule()
  return { server = server, uri = uri, text = ('The resource %s of the MCP server %s:\n\n%s'):format(uri, server, text) }
end

return M

--- The servers in CodeCompanion, as an extension of it: `extensions = { mcp_editord = {} }`.
---
--- Each server is one of CodeCompanion's own MCP servers, under its own name: `/mcp` turns it on and off, `@{mcp:NAME}` is its
--- group, and its tools keep their names. CodeCompanion's client speaks to `mcp-editord mcp --server NAME`. Prompts and
--- resources are slash commands.
local agent = require('mcp-editord.chat.agent')
local offer = require('mcp-editord.chat.offer')
local pick = require('mcp-editord.chat.pick')
local text = require('mcp-editord.text')

local M = {}

--- How long CodeCompanion waits for a tool, in milliseconds. The daemon has the real clock, which stands still while the
--- person answers a question; CodeCompanion's own would run on.
local patience = 24 * 60 * 60 * 1000

local resource_command = 'mcp:resource'

local ours = {} ---@type table<string, {server: string, entry: table, own?: table, listed: table<string, true>}> by CodeCompanion's name
local commands = {} ---@type table<string, true> the slash commands of prompts

--- Returns CodeCompanion's name of a server: it goes before the names of tools, in which models take only these characters.
---@param server string
---@return string
local function name_of(server)
  local name = server:gsub('[^%w_-]', '_')
  return name
end

---@return table
local function config()
  return require('codecompanion.config')
end

--- Has each tool wait as long as the daemon does, unless the person has set something for it.
---@param overrides? table<string, table>
---@return table<string, table>
local function patient(overrides)
  for _, override in pairs(overrides or {}) do
    override.timeout = override.timeout or patience
  end
  return setmetatable(overrides or {}, {
    __index = function()
      return { timeout = patience }
    end,
  })
end

--- CodeCompanion takes values of an environment for commands to run, or for names of variables. A function is taken for
--- what it returns.
---@return table<string, fun(): string>?
local function env()
  local out
  for name, value in pairs(agent.env()) do
    out = out or {}
    out[name] = function()
      return value
    end
  end
  return out
end

--- Enters a server in CodeCompanion's configuration. An entry of the person with a command of its own stays; one without gets
--- ours.
---@param name string
---@param server string
local function put(name, server)
  local mcp, servers = require('codecompanion.mcp'), config().mcp.servers
  local cmd, err = agent.command(server)
  if not cmd then
    error(err, 0)
  end
  local known = ours[name]
  if known then
    if not vim.deep_equal(known.entry.cmd, cmd) then
      known.entry.cmd = cmd
      if mcp.get_status()[name].started then -- it serves the workspace that was
        mcp.disable_server(name)
        mcp.enable_server(name)
      end
    end
    return
  end
  local own = servers[name]
  if type(own) == 'function' or own and own.cmd then
    return
  end
  local entry = vim.deepcopy(own or {})
  entry.cmd, entry.env = cmd, env()
  entry.tool_defaults = entry.tool_defaults or { require_approval_before = true }
  entry.tool_overrides = patient(entry.tool_overrides)
  servers[name], ours[name] = entry, { server = server, entry = entry, own = own, listed = {} }
end

--- Takes a server out again.
---@param name string
local function remove(name)
  local mcp = require('codecompanion.mcp')
  mcp.disable_server(name)
  mcp.unregister_tools(name)
  config().mcp.servers[name], ours[name] = ours[name].own, nil
end

--- Adds messages to a chat, as context that the person can see and take out. They do not go through the chat's buffer, where
--- CodeCompanion would act on what a server wrote.
---@param chat table
---@param id string
---@param messages mcp-editord.ChatMessage[]
local function add(chat, id, messages)
  local roles = config().constants
  for i, message in ipairs(messages) do
    local role = message.role == 'assistant' and roles.LLM_ROLE or roles.USER_ROLE
    local tag = ('<mcp>%s</mcp>'):format(text.line(#messages == 1 and id or ('%s %d'):format(id, i), 200))
    chat:add_context({ role = role, content = message.text }, 'mcp-editord', tag)
  end
end

---@param entry mcp-editord.Entry
---@return table
local function prompt_command(entry)
  local description = entry.definition.description or entry.definition.title
  return {
    description = text.line(type(description) == 'string' and description or 'Prompt of an MCP server', 200),
    callback = function(chat)
      pick.run(function()
        local messages = pick.prompt(entry.server, entry.name)
        if messages then
          add(chat, entry.server .. '.' .. entry.name, messages)
        end
      end)
    end,
  }
end

--- Makes CodeCompanion's configuration what the workspace has.
---@async
---@param connection mcp-editord.Connection
local function sync(connection)
  local wanted = {} ---@type table<string, string>
  for _, server in ipairs(offer.servers(connection)) do
    local name = name_of(server)
    wanted[name] = wanted[name] or server
  end
  for name in pairs(vim.deepcopy(ours, true)) do
    if wanted[name] ~= ours[name].server then
      remove(name)
    end
  end
  for name, server in pairs(wanted) do
    put(name, server)
  end

  local slash = config().interactions.chat.slash_commands
  local prompts = {} ---@type table<string, mcp-editord.Entry>
  for _, entry in ipairs(require('mcp-editord.daemon.catalog').entries(connection, 'prompts')) do
    prompts[('mcp:%s.%s'):format(entry.server, entry.name):gsub('%s', '_')] = entry
  end
  for name in pairs(commands) do
    slash[name], commands[name] = nil, nil
  end
  for name, entry in pairs(prompts) do
    if not slash[name] then
      slash[name], commands[name] = prompt_command(entry), true
    end
  end
  vim.api.nvim_exec_autocmds('User', { pattern = 'CodeCompanionChatRefreshCache' })
end

--- Gives a chat the tools of a server as they are now, if it has those that were.
---@param chat table
---@param group string
local function renew(chat, group)
  local registry = chat.tool_registry
  if registry.groups[group] then
    registry:remove_group(group)
    chat.tools:refresh({ adapter = chat.adapter })
    registry:add(group, { config = chat.tools.tools_config })
  end
end

--- Called when CodeCompanion has read the tools of a server.
---@param name string
---@param tools string[]
local function loaded(name, tools)
  local known, mcp = ours[name], require('codecompanion.mcp')
  if not known then
    return
  end
  local listed = {}
  for _, tool in ipairs(tools) do
    listed[tool] = true
  end
  if vim.deep_equal(known.listed, listed) then
    return
  end
  known.listed = listed
  if #tools == 0 then
    mcp.unregister_tools(name)
  end
  for _, item in ipairs(require('codecompanion').buf_get_chat()) do
    renew(item.chat, mcp.tool_prefix() .. name)
  end
end

--- Whether a line is the answer of a server that has no tools, or none yet.
---@param line string
---@return boolean
local function is_empty_list(line)
  return #line < 200 and line:find('"tools":[]', 1, true) ~= nil
end

--- Has CodeCompanion's clients of our servers read the tools again when they have changed. By itself, CodeCompanion reads
--- them once, so that a server that is late would have none. The first list is held back until it has tools: then the chats
--- that wait for the server get them.
local function hear_changes()
  local class = require('codecompanion.mcp.client')
  local new = class.new
  class.new = function(args)
    local client = new(args)
    if ours[client.name] then
      ours[client.name].listed = {} -- chats have the tools of the client that was
    end
    local start = client.transport.start
    client.transport.start = function(transport, on_line, on_close)
      return start(transport, function(line)
        local known = ours[client.name]
        if not known then
          return on_line(line)
        elseif next(known.listed) == nil and is_empty_list(line) then
          return
        end
        on_line(line)
        if client.ready and line:find('"notifications/tools/list_changed"', 1, true) then
          client:refresh_tools()
        end
      end, on_close)
    end
    return client
  end
end

local is_set_up = false

--- Returns CodeCompanion's names of the servers that we have entered, sorted; nil where it has not loaded this extension.
---@return string[]?
function M.servers()
  local names = vim.tbl_keys(ours)
  table.sort(names)
  return is_set_up and names or nil
end

--- Called by CodeCompanion, each time it is set up.
function M.setup()
  ours, commands = {}, {} -- CodeCompanion's configuration is new
  if not is_set_up then
    is_set_up = true
    hear_changes()
  end
  config().interactions.chat.slash_commands[resource_command] = {
    description = 'Add a resource of an MCP server',
    callback = function(chat)
      pick.run(function()
        local resource = pick.resource()
        if resource then
          add(chat, resource.uri, { { role = 'user', text = resource.text } })
        end
      end)
    end,
  }
  -- A chat starts the servers that it has by default at once, and ours are known only once Neovim has attached.
  local named = vim.deepcopy(config().mcp.opts.default_servers or {})
  vim.list_extend(named, vim.tbl_keys(config().mcp.servers))
  for _, name in ipairs(named) do
    put(name, name)
  end

  local group = vim.api.nvim_create_augroup('mcp-editord-codecompanion-chats', { clear = true })
  vim.api.nvim_create_autocmd('User', { group = group, pattern = 'CodeCompanionChatCreated', callback = offer.attach })
  vim.api.nvim_create_autocmd('User', {
    group = group,
    pattern = 'CodeCompanionMCPServerToolsLoaded',
    callback = function(event)
      loaded(event.data.server, event.data.tools)
    end,
  })
  offer.follow('codecompanion', sync)
end

return M

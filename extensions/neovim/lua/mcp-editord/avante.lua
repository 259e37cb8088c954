--- The servers in avante, which has no MCP client of its own. It gets them by its option `custom_tools`; see
--- [M.custom_tools].
---
--- Its model calls tools through one `mcp-editord mcp` of this Neovim, as "server__tool". Prompts and resources are slash
--- commands.
local agent = require('mcp-editord.chat.agent')
local offer = require('mcp-editord.chat.offer')
local pick = require('mcp-editord.chat.pick')
local text = require('mcp-editord.text')

local M = {}

--- How long the first request waits for tools, in milliseconds from the start of the client. Servers that are late come with
--- a later one.
local patience = 1000

local running ---@type {client: mcp-editord.ChatClient, cmd: string[], began: integer}?
local tools = {} ---@type table[] avante's, for what the client lists
local commands = {} ---@type table<string, true> our slash commands

local returns = {
  { name = 'result', description = 'What the tool returned', type = 'string' },
  { name = 'error', description = 'Why the tool failed', type = 'string', optional = true },
}

--- Calls a tool, and gives avante its result.
---@param name string
---@param arguments table
---@param opts table of avante: on_log, on_complete
local function call(name, arguments, opts)
  if not running then
    return opts.on_complete(nil, 'mcp-editord has ended; ask again')
  end
  local heard
  local function done(result, err)
    pcall(vim.api.nvim_del_autocmd, heard)
    opts.on_complete(result, err)
  end
  local params = { name = name, arguments = next(arguments) and arguments or vim.empty_dict() }
  local cancel = running.client:request('tools/call', params, function(err, raw)
    if err then
      return done(nil, err.message)
    end
    local said, failed = require('mcp-editord.chat.content').tool(raw --[[@as string]])
    if failed then
      done(nil, said ~= '' and said or 'the tool failed')
    else
      done(said)
    end
  end, function(message)
    opts.on_log(text.line(message, 500))
  end)
  heard = vim.api.nvim_create_autocmd('User', { -- avante has stopped by itself: it only lets us know
    pattern = 'AvanteLLMEscape',
    once = true,
    callback = cancel,
  })
end

---@param tool table MCP's Tool
---@return table
local function tool_of(tool)
  return {
    name = tool.name,
    description = type(tool.description) == 'string' and tool.description or tool.name,
    param = { type = 'table', fields = require('mcp-editord.chat.fields').of(tool.inputSchema) },
    returns = returns,
    func = function(input, opts)
      local question = ('Run the MCP tool %s?\n%s'):format(
        text.line(tool.name),
        text.block(require('mcp-editord.json').encode(next(input) and input or vim.empty_dict()))
      )
      require('avante.llm_tools.helpers').confirm(question, function(allowed, reason)
        if allowed then
          call(tool.name, input, opts)
        else
          opts.on_complete(nil, 'the user declined' .. (reason and ': ' .. reason or ''))
        end
      end, { focus = true }, opts.session_ctx, tool.name)
    end,
  }
end

--- Starts the client for this workspace, if it does not run. Raises why it cannot.
local function start()
  local cmd, err = agent.command()
  if not cmd then
    error(err, 0)
  elseif running and vim.deep_equal(running.cmd, cmd) then
    return
  elseif running then
    running.client:stop()
  end
  tools = {}
  local this = { cmd = cmd, began = vim.uv.now() }
  running = this
  this.client = require('mcp-editord.chat.client').start({
    cmd = cmd,
    env = agent.env(),
    name = 'avante.nvim',
    on_tools = function(list)
      if running == this then
        tools = vim.tbl_map(tool_of, list)
      end
    end,
    on_exit = function(reason)
      if running == this then
        running, tools = nil, {}
        require('mcp-editord.ui.messages').notify('avante has no MCP tools now: ' .. reason, vim.log.levels.WARN)
      end
    end,
  })
end

--- Returns the tools of the servers, as avante knows tools. Waits for them the first time, for a second at most.
---@return table[]
local function current()
  offer.attach()
  local ok, err = pcall(start)
  if not ok then
    require('mcp-editord.ui.messages').fail(err)
    return {}
  end
  vim.wait(math.max(0, running.began + patience - vim.uv.now()), function()
    return #tools > 0 or running == nil
  end, 10)
  return tools
end

---@param name string
---@param description any
---@param fetch async fun(): mcp-editord.ChatMessage[]?
---@return table
local function slash_command(name, description, fetch)
  description = text.line(type(description) == 'string' and description or name, 200)
  return {
    name = name,
    description = description,
    details = description,
    callback = function(sidebar)
      pick.run(function()
        local messages = vim.tbl_map(function(message)
          return { role = message.role, content = message.text }
        end, fetch() or {})
        if #messages > 0 then -- not through the input, where avante would act on what a server wrote
          sidebar:add_chat_history(messages, { visible = true })
        end
      end)
    end,
  }
end

--- Makes avante's slash commands what the workspace has.
---@async
---@param connection mcp-editord.Connection
local function sync(connection)
  local entries = require('mcp-editord.daemon.catalog').entries(connection, 'prompts')
  local list = require('avante.config').slash_commands
  for i = #list, 1, -1 do
    if commands[list[i].name] then
      table.remove(list, i)
    end
  end
  commands = {}
  local function add(name, description, fetch)
    name = name:gsub('%s', '_')
    commands[name] = true
    table.insert(list, slash_command(name, description, fetch))
  end
  add('mcp:resource', 'Add a resource of an MCP server', function()
    local resource = pick.resource()
    return resource and { { role = 'user', text = resource.text } }
  end)
  for _, entry in ipairs(entries) do
    local description = entry.definition.description or entry.definition.title
    add(('mcp:%s.%s'):format(entry.server, entry.name), description, function()
      return pick.prompt(entry.server, entry.name)
    end)
  end
end

local is_asked = false -- custom_tools() has been called

--- Returns how many tools avante has; nil where its configuration does not ask for them.
---@return integer?
function M.count()
  return is_asked and #tools or nil
end

--- Returns a function for avante's `custom_tools`. From when avante's input opens, there are slash commands, too.
---@return fun(): table[]
function M.custom_tools()
  is_asked = true
  vim.api.nvim_create_autocmd('FileType', {
    group = vim.api.nvim_create_augroup('mcp-editord-avante-input', { clear = true }),
    pattern = 'AvanteInput',
    once = true,
    callback = function()
      offer.follow('avante', sync)
      offer.attach()
    end,
  })
  return current
end

return M

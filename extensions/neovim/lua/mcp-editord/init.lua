--- The API for other plugins. With a callback, a function returns at once and later calls it with (err, result). Without
--- one, call it in a coroutine: it returns the result or raises the error. An error is a string, or a table with `code`,
--- `message` and `data` from the daemon or a server.
local async = require('mcp-editord.async')

local M = {}

---@class mcp-editord.CallOptions
---@field timeout? integer milliseconds that the call may go without a sign of life
---@field context? mcp-editord.Context where the person is; default: none
---@field on_cancel? fun(cancel: fun()) receives a function that cancels the call
---@field to? string where the result goes, as after `++to=`; an error of the tool is shown
---@field range? {first: integer, last: integer} lines that `to = 'replace'` replaces, 1-based

---@param arguments? table
---@return table
local function object(arguments)
  return arguments and next(arguments) and arguments or vim.empty_dict()
end

--- Puts a result where `to` says, or shows it.
---@async
---@param server string
---@param method string
---@param title string
---@param raw string JSON of the result
local function deliver(server, method, title, raw)
  local format, targets = require('mcp-editord.results.format'), require('mcp-editord.commands.targets')
  local page = ({ ['tools/call'] = format.tool, ['prompts/get'] = format.prompt })[method] or format.resource
  local text = method == 'prompts/get' and format.prompt_text or format.resource_text
  if method == 'tools/call' and targets.put_tool(raw) or method ~= 'tools/call' and targets.put(text(raw)) then
    return
  end
  require('mcp-editord.results.show').in_slices(title, function(pause)
    return (page(server, raw, pause)), title
  end)
end

--- Sends any MCP request to a server. Starts the server first if necessary.
---@param server string
---@param method string MCP's name, such as "tools/call" or "ping"
---@param params? table MCP's params
---@param opts? mcp-editord.CallOptions
---@param callback? fun(err: any, result: table)
---@return table? result MCP's result
function M.request(server, method, params, opts, callback)
  opts = opts or {}
  local function send()
    local connection = require('mcp-editord.attach').get()
    require('mcp-editord.daemon.servers').start(connection, server)
    return require('mcp-editord.daemon.calls').request(connection, server, method, object(params), opts)
  end
  return async.both(function()
    if not opts.to then
      return (send())
    end
    local title = ('%s.%s'):format(server, (params or {}).name or (params or {}).uri or method)
    local context = opts.range and require('mcp-editord.context').get(opts.range) or nil
    local aim = { to = opts.to, title = title, context = context, range = opts.range }
    return require('mcp-editord.commands.targets').aimed(aim, function()
      local result, raw = send()
      deliver(server, method, title, raw)
      return result
    end)
  end, callback)
end

--- Calls a tool. A tool that fails is not an error here: check `isError` of the result.
---@param server string
---@param tool string
---@param arguments? table
---@param opts? mcp-editord.CallOptions
---@param callback? fun(err: any, result: table)
---@return table? result CallToolResult
function M.call(server, tool, arguments, opts, callback)
  return M.request(server, 'tools/call', { name = tool, arguments = object(arguments) }, opts, callback)
end

--- Gets a prompt.
---@param server string
---@param prompt string
---@param arguments? table<string, string>
---@param opts? mcp-editord.CallOptions
---@param callback? fun(err: any, result: table)
---@return table? result GetPromptResult
function M.prompt(server, prompt, arguments, opts, callback)
  return M.request(server, 'prompts/get', { name = prompt, arguments = object(arguments) }, opts, callback)
end

--- Reads a resource.
---@param server string
---@param uri string
---@param opts? mcp-editord.CallOptions
---@param callback? fun(err: any, result: table)
---@return table? result ReadResourceResult
function M.resource(server, uri, opts, callback)
  return M.request(server, 'resources/read', { uri = uri }, opts, callback)
end

--- Returns the servers of the workspace: name, state, and everything else that the daemon tells about them.
---@param callback? fun(err: any, servers: mcp-editord.Server[])
---@return mcp-editord.Server[]?
function M.servers(callback)
  return async.both(function()
    return require('mcp-editord.daemon.servers').list(require('mcp-editord.attach').get())
  end, callback)
end

--- Starts a server and waits until it is ready.
---@param server string
---@param callback? fun(err: any)
function M.start(server, callback)
  return async.both(function()
    require('mcp-editord.daemon.servers').start(require('mcp-editord.attach').get(), server)
  end, callback)
end

--- Returns the tools, prompts and resources of the servers that are ready.
---@param callback? fun(err: any, catalog: mcp-editord.ServerCatalog[])
---@return mcp-editord.ServerCatalog[]?
function M.catalog(callback)
  return async.both(function()
    return require('mcp-editord.daemon.catalog').get(require('mcp-editord.attach').get())
  end, callback)
end

--- Shows a CallToolResult as `:Mcp call` does.
---@param title string
---@param server string the server that the result is from
---@param result table
---@return integer buf
function M.show(title, server, result)
  local raw = require('mcp-editord.json').encode(result)
  return require('mcp-editord.results.show').show(title, require('mcp-editord.results.format').tool(server, raw))
end

--- Adds a folder to the workspace, beside that of the working directory.
---@param dir string
function M.add_folder(dir)
  require('mcp-editord.daemon.folders').add(dir)
end

--- Removes a folder that was added.
---@param dir string
function M.remove_folder(dir)
  require('mcp-editord.daemon.folders').remove(dir)
end

--- Returns the questions that wait, one line each, the oldest first.
---@return string[]
function M.questions()
  return vim.tbl_map(function(item)
    return item.what
  end, require('mcp-editord.ui.waiting').questions())
end

--- Opens the question that has waited longest. Returns whether there is one.
---@return boolean
function M.answer()
  return require('mcp-editord.ui.waiting').open_oldest()
end

--- Returns a short text for a statusline. It neither waits nor attaches.
---@return string
function M.status()
  return require('mcp-editord.statusline').line()
end

return M

--- Adds servers. The daemon makes definitions of what the person has, and says what each would run and write; the person sees
--- all of that before they can agree. A definition goes back to the daemon as its JSON came: what is written is what was shown.
local calls = require('mcp-editord.daemon.calls')
local choose = require('mcp-editord.questions.choose')
local configuration = require('mcp-editord.commands.configuration')
local format = require('mcp-editord.results.format')
local json = require('mcp-editord.json')
local messages = require('mcp-editord.ui.messages')
local servers = require('mcp-editord.daemon.servers')
local text = require('mcp-editord.text')
local waiting = require('mcp-editord.ui.waiting')

local M = {}

--- The options that may stand before `--`, and the params that they are for.
M.options = { ['--env'] = 'env', ['--header'] = 'headers', ['--project'] = 'folder' }

--- Reads what stands behind `add`. JSON needs no quotes; `-` is the clipboard, or the unnamed register where there is none.
---@param line string
---@param folder? string the URI of the workspace
---@return mcp-editord.ProposeServersParams
function M.read(line, folder)
  local name, object = line:match('^%s*([%w_.-]*)%s*({.*)$')
  object = object or line:match('^%s*"[^"]*"%s*:.*$')
  if object then
    return { words = { object }, name = name ~= '' and name or nil }
  end
  local params, rest = { words = {} }, require('mcp-editord.commands.arguments').words(line)
  while #rest > 0 do
    local word = table.remove(rest, 1)
    local option = M.options[word]
    if word == '--' then
      params.command, rest = rest, {}
    elseif option == 'folder' then
      params.folder = folder or error('the working directory is in no project; leave out --project', 0)
    elseif option then
      local value = table.remove(rest, 1) or error(('write a value behind %s'):format(word), 0)
      params[option] = vim.list_extend(params[option] or {}, { value })
    elseif word == '-' and #rest == 0 then
      table.insert(params.words, vim.fn.getreg(vim.fn.has('clipboard') == 1 and '+' or '"'))
    else
      table.insert(params.words, word)
    end
  end
  return params
end

--- Returns a proposal as a page: all that would run, and all that the file would get.
---@param server mcp-editord.ProposedServer
---@return mcp-editord.Page
function M.page(server)
  local b = format.builder(server.name)
  local function add(label, value, group)
    b:add({ ('%-6s %s'):format(label, text.line(value, math.huge)) }, group)
  end
  add('runs', server.runs)
  add('from', server.from)
  for _, note in ipairs(server.notes or {}) do
    add('note', note, 'McpWarning')
  end
  for _, input in ipairs(server.inputs or {}) do
    local known = (server.secrets or {})[input.id]
    add('value', ('%s, which %s'):format(input.id, known and 'is kept as a secret' or 'you are asked for'))
  end
  add('file', configuration.shown(server.file))
  b:add({ '' })
  b:add(text.lines(server.text))
  return b.page
end

--- Says what a server offers.
---@async
---@param connection mcp-editord.Connection
---@param name string
---@return string
local function offers(connection, name)
  local offered, out = require('mcp-editord.daemon.catalog').of(connection, name), {}
  for _, kind in ipairs({ 'tools', 'prompts', 'resources', 'templates' }) do
    local n = #offered[kind]
    if n > 0 then
      out[#out + 1] = ('%d %s'):format(n, n == 1 and kind:sub(1, -2) or kind)
    end
  end
  return #out > 0 and table.concat(out, ', ') or 'nothing'
end

local cancel, add, write = 'Cancel', 'Add', 'Write it all the same'

--- Adds a server that the person has agreed to. If it does not start, they may have it written all the same.
---@async
---@param connection mcp-editord.Connection
---@param server mcp-editord.ProposedServer
---@param opts {replace?: boolean, force?: boolean, trusted?: boolean}
---@return boolean left they have left the question
local function put(connection, server, opts)
  local name, what = server.name, ('starting "%s"'):format(server.name)
  local params = vim.tbl_extend('error', { server = server }, opts)
  local result = calls.during(what, what .. ' to add it; :Mcp cancel', function(on_cancel)
    return connection:request('editord/addServer', params, on_cancel)
  end) --[[@as mcp-editord.AddServerResult]]
  local now = result.server
  if result.place then
    server.state = 'same'
    configuration.reread(result.place.uri)
    local said = ('"%s" was added'):format(name)
    if now.state == 'ready' then
      said = ('%s and offers %s; :Mcp tools %s'):format(said, offers(connection, name), name)
    elseif now.state == 'needsSignIn' then
      said = ('%s; to sign in: :Mcp signin %s'):format(said, name)
    elseif now.error then
      said = ('%s; it does not start: %s'):format(said, messages.advise(now.error.message))
    end
    messages.notify(said)
    return false
  end
  local why = messages.advise(now.error and now.error.message or servers.describe(now)):gsub('; see its log$', '')
  local last = vim.tbl_map(text.line, now.error and now.error.stderr or {})
  local b = format.builder(name)
  b:add(text.lines(why), 'McpErrorText')
  b:add(#last > 0 and { '', 'The last that it wrote:', unpack(last) } or {})
  local title = ('"%s" does not start'):format(name)
  local choice = waiting.show(('adding "%s", which does not start,'):format(name), function(turn)
    return choose.choose(turn, title, b.page, title .. ', and nothing was written', { cancel, write })
  end)
  if choice == write then
    return put(connection, server, vim.tbl_extend('error', opts, { force = true }))
  end
  local said = ('"%s" was not added: %s'):format(name, why)
  messages.notify({ table.concat({ said, unpack(last) }, ' | '), said }, vim.log.levels.ERROR)
  return choice == nil
end

--- Shows what would be added. Returns whether the person agrees.
---@async
---@param title string
---@param page mcp-editord.Page
---@param prompt string
---@param agreed string the choice that agrees
---@return boolean? nil if they have left the question
local function agree(title, page, prompt, agreed)
  local choice = waiting.show(title, function(turn)
    return choose.choose(turn, title, page, prompt, { cancel, agreed }, true)
  end)
  return choice and choice == agreed
end

--- Adds one server if the person agrees.
---@async
---@param connection mcp-editord.Connection
---@param server mcp-editord.ProposedServer
---@param trusted boolean it runs in another program
---@return boolean left they have left a question
local function one(connection, server, trusted)
  local file, name = configuration.shown(server.file), text.line(server.name, 60)
  if server.state == 'same' then
    messages.notify(('"%s" is in %s already'):format(name, file))
    return false
  end
  local prompt, agreed = ('Add the MCP server "%s"?'):format(name), add
  local replace = server.state == 'different'
  if replace then
    prompt, agreed = ('%s has another server "%s"'):format(file, name), ('Replace that "%s"'):format(name)
  end
  local agrees = agree(('Add "%s"'):format(name), M.page(server), prompt, agreed)
  if agrees then
    return put(connection, server, { replace = replace, trusted = trusted })
  end
  messages.notify(('"%s" was not added'):format(name))
  return agrees == nil
end

local states = { new = 'new', same = 'there', different = 'another is there' }

--- Lets the person agree to servers one by one, or to all that are new, until they leave that.
---@async
---@param connection mcp-editord.Connection
---@param list mcp-editord.ProposedServer[]
---@param trusted boolean they run in another program
local function several(connection, list, trusted)
  local left = false
  while not left do
    local items, new, b = {}, {}, format.builder('')
    for i, server in ipairs(list) do
      local page = M.page(server)
      local label = ('%-16s %-16s %s'):format(server.name, states[server.state], server.runs)
      items[i] = { label = label, page = page, server = server }
      if server.state == 'new' then
        new[#new + 1] = server
        b:heading(server.name)
        b:add(page.lines)
      end
    end
    local title = ('Add all that are new (%d)'):format(#new)
    if #new > 1 then
      items[#items + 1] = { label = title, page = b.page }
    end
    local chosen = configuration.pick('the list of servers to add', 'Add an MCP server', items)
    if chosen and chosen.server then
      left = one(connection, chosen.server, trusted)
    else
      local agrees = chosen and agree(title, b.page, title .. '?', add)
      left = agrees == nil
      for _, server in ipairs(agrees and new or {}) do
        left = put(connection, server, { trusted = trusted }) or left
      end
    end
  end
end

--- Adds what the daemon makes of `params`, as far as the person agrees.
---@async
---@param connection mcp-editord.Connection
---@param params mcp-editord.ProposeServersParams
---@param typed? string what it was read from
function M.run(connection, params, typed)
  local what = 'looking at what to add'
  local result, body = calls.during(what, what .. '; :Mcp cancel', function(on_cancel)
    return connection:request('editord/proposeServers', params, on_cancel)
  end)
  local list, elements = result.servers, json.elements(json.member(body, 'result', 'servers'))
  for _, server in ipairs(list) do
    server.definition = json.raw(json.member(elements(), 'definition') --[[@as string]])
    if typed and next(server.secrets or {}) then
      vim.fn.histdel(':', [[\V]] .. vim.fn.escape(typed, [[\]]))
    end
  end
  for _, problem in ipairs(result.problems or {}) do
    messages.notify(problem, vim.log.levels.WARN)
  end
  if result.choose and #list > 1 then
    local way = configuration.pick(
      'the ways to run it',
      'Run it as',
      vim.tbl_map(function(server)
        return { label = server.runs, page = M.page(server), server = server }
      end, list)
    )
    if not way then
      return
    end
    list = { way.server }
  end
  if #list > 1 then
    several(connection, list, params.from ~= nil)
  elseif #list == 1 then
    one(connection, list[1], params.from ~= nil)
  elseif not result.problems then
    messages.notify('there is no server to add')
  end
end

--- Adds what stands behind `:Mcp add`, or what the person types now.
---@async
---@param connection mcp-editord.Connection
---@param line string
function M.add(connection, line)
  if line == '' then
    line = waiting.show('what to add', function(turn)
      return require('mcp-editord.ui').input(turn, {
        prompt = 'A command, an address, npm:PACKAGE, PUBLISHER/NAME, JSON, or - for the clipboard',
        forget = true, -- it may have secrets
      })
    end)
  end
  if line and vim.trim(line) ~= '' then
    local folder = connection:folders()[1]
    M.run(connection, M.read(line, folder and folder.uri), line)
  end
end

return M

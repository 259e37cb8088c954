--- `:Mcp SUBCOMMAND [ARGUMENTS]`.
local address = require('mcp-editord.address')
local arguments = require('mcp-editord.commands.arguments')
local messages = require('mcp-editord.ui.messages')
local waiting = require('mcp-editord.ui.waiting')

local M = {}

---@class mcp-editord.Invocation
---@field connection mcp-editord.Connection
---@field words string[] the arguments
---@field expanded mcp-editord.Expanded what the place holders in the arguments stand for
---@field context mcp-editord.Context
---@field bang boolean it must not ask
---@field register? string the register that the person has named
---@field line string the arguments as they were typed
---@field buf integer where it was typed

---@class mcp-editord.Subcommand
---@field doc string for the help
---@field arguments string their syntax
---@field complete? string one of complete.kinds
---@field detached? boolean needs no daemon
---@field bang? boolean takes a !
---@field verbatim? boolean nothing in its arguments stands for where the person is
---@field run async fun(i: mcp-editord.Invocation)

---@param i mcp-editord.Invocation
---@return string
local function server_of(i)
  return i.words[1] or error('name a server; :Mcp servers lists them', 0)
end

---@param i mcp-editord.Invocation
local function resource(i)
  local resources = require('mcp-editord.commands.resources')
  if not i.words[1] then
    return resources.pick(i.connection)
  end
  local server, uri = address.parse(i.words[1])
  if not server then
    error('this is not the address of a resource; write mcp://SERVER/URI, or nothing to pick one', 0)
  end
  resources.open(i.connection, server, uri)
end

---@param method string
---@return async fun(i: mcp-editord.Invocation)
local function tell(method)
  return function(i)
    require('mcp-editord.commands.servers').tell(i.connection, method, server_of(i))
  end
end

---@param way 'signin'|'signout'
---@return async fun(i: mcp-editord.Invocation)
local function sign(way)
  return function(i)
    require('mcp-editord.commands.signin').run(i.connection, way, i.words[1])
  end
end

---@param enabled boolean
---@return async fun(i: mcp-editord.Invocation)
local function enable(enabled)
  return function(i)
    local params = { server = server_of(i), enabled = enabled }
    local done = enabled and 'is enabled in' or 'is disabled in'
    require('mcp-editord.commands.configuration').change(i.connection, 'editord/enableServer', params, done)
  end
end

---@param decision mcp-editord.Decision
---@return async fun()
local function decide(decision)
  return function()
    require('mcp-editord.questions.approval').decide(decision)
  end
end

--- Cancels the running call; if there are several, the person picks one. If there is none, leaves the open question.
---@async
local function cancel()
  local ui = require('mcp-editord.ui')
  local calls = require('mcp-editord.daemon.calls').all()
  if #calls == 0 then
    if not ui.leave() then
      messages.notify('no call is running')
    end
    return
  end
  local chosen = calls[1]
  if #calls > 1 then
    chosen = waiting.show('cancelling', function(turn)
      return ui.select(turn, calls, {
        prompt = 'Cancel',
        format = require('mcp-editord.daemon.calls').label,
      })
    end)
  end
  if chosen then
    chosen.cancel()
  end
end

---@type table<string, mcp-editord.Subcommand>
M.subcommands = {
  again = {
    arguments = '',
    doc = 'Repeat the last call of a tool. A call from a command line is that command line again: `%`, `<cword>`, `${file}`, the range and your mcp.json count where you are now. In the result window, and after a call from a form, the arguments are the same as before. `:Mcp! again` asks nothing, as `:Mcp! call`.',
    bang = true,
    run = function(i)
      require('mcp-editord.commands.tools').again(i)
    end,
  },
  add = {
    arguments = '[OPTION…] [WHAT…]',
    doc = 'Add a server to your mcp.json; see |mcp-editord-add|. You see what would run and what would be written before you agree. Without WHAT, it asks for it.',
    complete = 'add',
    verbatim = true,
    run = function(i)
      require('mcp-editord.commands.add').add(i.connection, (i.line:gsub('^%s*add%s*', '')))
    end,
  },
  search = {
    arguments = '[WORD…]',
    doc = 'Look for servers in the MCP registry, and add the one that you pick. What publishers say there, nobody has checked.',
    verbatim = true,
    run = function(i)
      local name = require('mcp-editord.commands.configuration').search(i.connection, i.words)
      if name then
        require('mcp-editord.commands.add').run(i.connection, { words = { name } })
      end
    end,
  },
  import = {
    arguments = '[FROM]',
    doc = 'Add servers that other programs have, such as `claude` or `cursor`: one by one, or all that are new. FROM may be the path of a file, too; without it, it is `all`. Their own files stay as they are, and no server is started. What cannot be taken over, a message says.',
    complete = 'import',
    verbatim = true,
    run = function(i)
      require('mcp-editord.commands.add').run(i.connection, { from = i.words[1] or 'all' })
    end,
  },
  remove = {
    arguments = 'SERVER',
    doc = 'Take a server out of the file that defines it. The daemon keeps a copy of the old file.',
    complete = 'server',
    run = function(i)
      local params = { server = server_of(i) }
      local change = require('mcp-editord.commands.configuration').change
      change(i.connection, 'editord/removeServer', params, 'was removed from')
    end,
  },
  enable = {
    arguments = 'SERVER',
    doc = 'Say in the file that defines a server that it may run.',
    complete = 'disabled',
    run = enable(true),
  },
  disable = {
    arguments = 'SERVER',
    doc = 'Say in the file that defines a server that it may not run.',
    complete = 'enabled',
    run = enable(false),
  },
  edit = {
    arguments = '[SERVER]',
    doc = 'Open the file that defines a server, at its line; without SERVER, your own mcp.json.',
    complete = 'server',
    run = function(i)
      require('mcp-editord.commands.configuration').edit(i.connection, i.words[1])
    end,
  },
  tools = {
    arguments = '[SERVER] [WORD…]',
    doc = "Pick a tool, fill in its arguments and run it. What the cursor, the file or the selection supply is already filled in. The list shows the tools of the servers that are ready, or those that have each WORD in their name or description; its last line waits for those that are starting. Where Neovim's own list would be longer than the screen, it asks for a part of the name first. A destructive tool without arguments asks before it runs. `:Mcp` alone does the same.",
    complete = 'tools',
    run = function(i)
      require('mcp-editord.commands.tools').pick(i.connection, i.context, i.words)
    end,
  },
  call = {
    arguments = '[SERVER.TOOL [KEY=VALUE…]]',
    doc = 'Call a tool; see |mcp-editord-arguments|. `SERVER.` may be left out where one server has a tool of that name. What is required and not typed comes from the selection, the file, the cursor and your mcp.json. If something is still missing, the form opens. It opens too before a tool that may change something gets what you have not typed, and before a destructive tool without arguments runs. `:Mcp! call` never asks: it says what is missing instead.',
    complete = 'tool',
    bang = true,
    run = function(i)
      require('mcp-editord.commands.tools').call(i)
    end,
  },
  new = {
    arguments = '[SERVER.TOOL [KEY=VALUE…]]',
    doc = 'Open a call document with a call of a tool; see |mcp-editord-documents|. It has all required arguments, with what the place supplies, and the others as comments. Save it where you like.',
    complete = 'tool',
    run = function(i)
      require('mcp-editord.commands.documents').new(i)
    end,
  },
  prompt = {
    arguments = '[SERVER.PROMPT [KEY=VALUE…]]',
    doc = 'Get a prompt, then show its messages or put them into the current buffer or a register. The selection fills in what expects text. After `"a`, as in `"a:Mcp prompt`, the result goes to register a. `:Mcp! prompt` never asks.',
    complete = 'prompt',
    bang = true,
    run = function(i)
      require('mcp-editord.commands.prompts').call(i)
    end,
  },
  resource = {
    arguments = '[mcp://SERVER/URI]',
    doc = 'Open a resource in a buffer. See |mcp-editord-resources|.',
    complete = 'resource',
    run = resource,
  },
  results = {
    arguments = '',
    doc = 'Pick one of the results that are kept, and show it in the result window. See |mcp-editord-results|.',
    detached = true,
    run = function()
      require('mcp-editord.results.show').pick()
    end,
  },
  run = {
    arguments = '',
    doc = 'Run the call under the cursor in a call document; see |mcp-editord-documents|. Its result appears below it.',
    run = function(i)
      require('mcp-editord.commands.documents').run(i)
    end,
  },
  servers = {
    arguments = '',
    doc = 'Pick a server to look at it, to start, stop, restart, approve or mute it, or to sign in or out.',
    run = function(i)
      require('mcp-editord.commands.servers').pick(i.connection)
    end,
  },
  start = { arguments = 'SERVER', doc = 'Start a server.', complete = 'server', run = tell('editord/startServer') },
  stop = {
    arguments = 'SERVER',
    doc = 'Stop a server for all editors that share it.',
    complete = 'server',
    run = tell('editord/stopServer'),
  },
  restart = {
    arguments = 'SERVER',
    doc = 'Stop a server and start it again.',
    complete = 'server',
    run = tell('editord/restartServer'),
  },
  signin = {
    arguments = '[SERVER]',
    doc = 'Sign in to a server in your browser; see |mcp-editord-signin|. Without SERVER, it is the one that needs it. While a sign-in is under way, this shows its address again and takes the address that the browser ended on.',
    complete = 'signin',
    run = sign('signin'),
  },
  signout = {
    arguments = '[SERVER]',
    doc = 'Sign out of a server: the daemon forgets what it keeps, and has its tokens revoked if it can. This is for all editors.',
    complete = 'signout',
    run = sign('signout'),
  },
  approve = {
    arguments = 'SERVER',
    doc = 'Look at what a server would run, and decide whether it may; or at its tools that have changed, and decide whether agents get them.',
    complete = 'waiting',
    run = function(i)
      require('mcp-editord.commands.servers').approve(i.connection, server_of(i))
    end,
  },
  allow = {
    arguments = '',
    doc = 'Allow what the approval document shows, once you have read it to the end. `gA` does the same there.',
    detached = true,
    run = decide('allow'),
  },
  deny = {
    arguments = '',
    doc = 'Deny what the approval document shows. `gD` does the same there.',
    detached = true,
    run = decide('deny'),
  },
  later = {
    arguments = '',
    doc = 'Decide later about what the approval document shows. `gL` does the same there.',
    detached = true,
    run = decide('later'),
  },
  log = {
    arguments = 'SERVER',
    doc = 'Show what a server wrote to standard error or logged. The buffer follows the log until you close it.',
    complete = 'server',
    run = function(i)
      require('mcp-editord.results.log').show(i.connection, server_of(i))
    end,
  },
  roots = {
    arguments = '[SERVER]',
    doc = 'Show the roots: the folders that servers are told about.',
    complete = 'server',
    run = function(i)
      require('mcp-editord.commands.servers').roots(i.connection, i.words[1])
    end,
  },
  status = {
    arguments = '',
    doc = 'Show the daemon, its editors and its servers.',
    run = function(i)
      require('mcp-editord.commands.status').show(i.connection)
    end,
  },
  messages = {
    arguments = '',
    doc = "Show this plugin's last messages in full.",
    detached = true,
    run = function()
      local lines = messages.list()
      require('mcp-editord.results.show').show(
        'messages',
        { lines = #lines > 0 and lines or { 'There are no messages yet.' } }
      )
    end,
  },
  answer = {
    arguments = '',
    doc = 'Open the question that has waited longest. See |mcp-editord-questions|.',
    detached = true,
    run = function()
      if not waiting.open_oldest() then
        error('no question is waiting', 0)
      end
    end,
  },
  questions = {
    arguments = '',
    doc = 'List the questions that wait, and open one.',
    detached = true,
    run = function()
      local questions = waiting.questions()
      if #questions == 0 then
        error('no question is waiting', 0)
      end
      waiting.pick(questions, 'Questions')
    end,
  },
  resume = {
    arguments = '',
    doc = 'Continue a form that you left, with what you had filled in. If there are several, pick one.',
    detached = true,
    run = function()
      local own = waiting.kept()
      if #own == 0 then
        error('there is nothing to resume', 0)
      elseif #own == 1 then
        return waiting.open(own[1])
      end
      waiting.pick(own, 'Go on with')
    end,
  },
  cancel = {
    arguments = '',
    doc = 'Cancel the running call; if there are several, pick one. If there is none, leave the open question.',
    detached = true,
    run = function()
      cancel()
    end,
  },
}

--- Returns the register that the person has named before the command, as in `"a:Mcp prompt`.
---@return string?
local function named_register()
  local default = vim.o.clipboard:find('unnamedplus', 1, true) and '+' or vim.o.clipboard:find('unnamed') and '*' or '"'
  return vim.v.register ~= default and vim.v.register or nil
end

--- Runs `:Mcp`.
---@param opts vim.api.keyset.create_user_command.command_args
function M.run(opts)
  local line = opts.args
  local last = line:find('^%s*again%s*$') and require('mcp-editord.commands.tools').last()
  if last and last.line and not require('mcp-editord.ui.page').shows_result(0) then -- a result is no place to call a tool for
    line = last.line
  end
  local targets = require('mcp-editord.commands.targets')
  local rest, to = targets.strip(line)
  local words, _, masks = arguments.words(rest)
  local name = words[1] or 'tools'
  table.remove(words, 1)
  table.remove(masks, 1)
  local subcommand = M.subcommands[name]
  if not subcommand then
    return messages.notify(('there is no :Mcp %s; see :help :Mcp'):format(name), vim.log.levels.ERROR)
  elseif opts.bang and not subcommand.bang then
    return messages.notify((':Mcp %s takes no !; leave it out'):format(name), vim.log.levels.ERROR)
  end
  messages.run(function()
    -- Before anything waits: the context is where the person is now.
    local range = opts.range > 0 and { first = opts.line1, last = opts.line2 } or nil
    local context = require('mcp-editord.context').get(range)
    local register, buf = named_register(), vim.api.nvim_get_current_buf()
    local typed, expanded = words, { values = {} }
    if not subcommand.verbatim then
      typed, expanded = require('mcp-editord.commands.expand').words(words, masks, context)
    end
    local aim = { to = to, title = ':Mcp ' .. line, context = context, range = range, mods = opts.smods }
    targets.aimed(aim, function()
      waiting.wanted()
      local connection = not subcommand.detached and require('mcp-editord.attach').get() or nil
      subcommand.run({
        connection = connection,
        words = typed,
        expanded = expanded,
        context = context,
        bang = opts.bang or false,
        register = register,
        line = line,
        buf = buf,
      })
    end)
  end)
end

return M

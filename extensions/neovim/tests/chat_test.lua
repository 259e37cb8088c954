--- What chats of other plugins get: without those plugins, whose interfaces are played here as far as it takes.
local Editor = require('support.editor')
local check = require('support.check')
local content = require('mcp-editord.chat.content')
local fields = require('mcp-editord.chat.fields')
local servers = require('support.servers')

local prompts = { { name = 'review', description = 'Reviews.', arguments = { { name = 'topic', required = true } } } }
local resources = { { uri = 'demo://a', name = 'a' } }

local function fake(script)
  return servers.fake(vim.tbl_extend('force', { plain = true, prompts = prompts, resources = resources }, script or {}))
end

--- Plays avante: its configuration, and a person who allows every call.
local avante = [[
  Config = { slash_commands = {} }
  package.preload['avante.config'] = function() return Config end
  package.preload['avante.llm_tools.helpers'] = function()
    return { confirm = function(message, done) Asked = message; done(Allowed ~= false, 'not now') end }
  end
  Tools = require('mcp-editord.avante').custom_tools()
  function Tool(name)
    for _, tool in ipairs(Tools()) do
      if tool.name == name then return tool end
    end
  end
  function Call(name, input)
    Done, Heard = nil, {}
    Tool(name).func(input, {
      on_log = function(line) table.insert(Heard, line) end,
      on_complete = function(result, err) Done = { result = result, err = err } end,
    })
  end
]]

--- Plays CodeCompanion: its configuration, and its registry of MCP servers, of which the tests look at the configuration.
local codecompanion = [[
  Config = {
    constants = { USER_ROLE = 'user', LLM_ROLE = 'llm' },
    mcp = { servers = { own = { cmd = { 'mine' } }, fake = { tool_overrides = { echo = { timeout = 5 } } } }, opts = { default_servers = {} } },
    interactions = { chat = { slash_commands = {} } },
  }
  package.preload['codecompanion.config'] = function() return Config end
  package.preload['codecompanion.mcp'] = function()
    return {
      get_status = function() return setmetatable({}, { __index = function() return { started = true } end }) end,
      disable_server = function(name) table.insert(Did, 'disable ' .. name) end,
      enable_server = function(name) table.insert(Did, 'enable ' .. name) end,
      unregister_tools = function() end,
      tool_prefix = function() return 'mcp:' end,
    }
  end
  Client = { new = function(args) return { name = args.name, ready = true, transport = args.transport, refresh_tools = function() Refreshed = (Refreshed or 0) + 1 end } end }
  package.preload['codecompanion.mcp.client'] = function() return Client end
  package.preload['codecompanion'] = function() return { buf_get_chat = function() return {} end } end
  Did = {}
  require('codecompanion._extensions.mcp_editord').setup({})
  vim.api.nvim_exec_autocmds('User', { pattern = 'CodeCompanionChatCreated' })
]]

--- Waits until CodeCompanion has a server.
local function awaits_server(e, name)
  e:await_lua(
    'return Config.mcp.servers[...] ~= nil and Config.interactions.chat.slash_commands["mcp:fake.review"] ~= nil',
    name
  )
end

return {
  {
    'fields say what a schema says',
    function()
      local schema = {
        type = 'object',
        required = { 'size', 'where' },
        ['$defs'] = { place = { type = 'object', properties = { x = { type = 'integer' } } } },
        properties = {
          size = { type = 'string', enum = { 's', 'l' }, description = 'How large.' },
          where = { ['$ref'] = '#/$defs/place' },
          tags = { type = 'array', items = { type = 'string' } },
          note = { type = { 'string', 'null' }, maxLength = 5 },
          any = { anyOf = { { type = 'string' }, { type = 'number' } } },
        },
      }
      local by_name = {}
      for _, field in ipairs(fields.of(schema)) do
        by_name[field.name] = field
      end
      check.equal(by_name.size, { name = 'size', type = 'string', description = 'How large.', choices = { 's', 'l' } })
      check.equal(by_name.where.fields, { { name = 'x', type = 'integer', optional = true } })
      check.equal(by_name.tags.items, { name = 'item', type = 'string' })
      check.equal({ by_name.note.type, by_name.note.optional, by_name.size.optional }, { 'string', true, nil })
      check.equal(by_name.note.description, '(JSON Schema: {"maxLength":5,"type":["string","null"]})')
      check.equal(by_name.any.description, '(JSON Schema: {"anyOf":[{"type":"string"},{"type":"number"}]})')
    end,
  },
  {
    'fields of a schema that contains itself end',
    function()
      local schema = { type = 'object', properties = { child = { ['$ref'] = '#/properties/child' } } }
      check.equal(fields.of(schema)[1].name, 'child')
      local tree = { type = 'object' }
      tree.properties = { child = { ['$ref'] = '#/$defs/tree' } }
      check.equal(
        fields.of({ ['$defs'] = { tree = tree }, type = 'object', properties = tree.properties })[1].type,
        'object'
      )
    end,
  },
  {
    'what has no text is named, and a failure is told',
    function()
      local text, failed = content.tool(vim.json.encode({
        isError = true,
        content = {
          { type = 'text', text = 'one' },
          { type = 'image', mimeType = 'image/png', data = 'AAAA' },
          { type = 'resource', resource = { uri = 'a://b', text = 'two' } },
          { type = 'resource_link', uri = 'c://d', name = 'link' },
        },
      }))
      check.equal(text, 'one\n[image, image/png: no text]\ntwo\n[resource link: c://d]')
      check.equal(failed, true)
      check.equal({ content.tool('{"content":[],"structuredContent":{"a":1}}') }, { '{"a":1}', false })
      check.equal(
        content.prompt('{"messages":[{"role":"assistant","content":{"type":"text","text":"hi"}}]}'),
        { { role = 'assistant', text = 'hi' } }
      )
    end,
  },
  {
    'avante: a tool gets its arguments, and its progress, result and errors come back',
    function()
      local e = Editor.start({ config = { servers = { fake = fake() } }, lua = avante })
      e:await_lua("return Tool('fake__echo') ~= nil")
      e:lua("Call('fake__echo', { text = 'hello', list = {}, deep = { n = 12345678901234 } })")
      local echoed = e:await_lua('return Done').result
      check.contains(echoed, '"arguments":{"deep":{"n":12345678901234},"list":[],"text":"hello"}')
      check.contains(e:lua('return Asked'), 'Run the MCP tool fake__echo?')
      e:lua("Call('fake__echo', vim.empty_dict())")
      check.contains(e:await_lua('return Done').result, '"arguments":{}')
      e:lua("Call('fake__refuse', { code = -32000, message = 'no paint' })")
      check.contains(e:await_lua('return Done').err, 'no paint')
      e:lua("Allowed = false; Call('fake__echo', { text = 'hello' })")
      check.equal(e:await_lua('return Done').err, 'the user declined: not now')
    end,
  },
  {
    'avante: a question is answered in the Neovim whose chat called, and names the chat',
    function()
      local e = Editor.start({ config = { servers = { fake = fake() } }, lua = avante })
      e:await_lua("return Tool('fake__ask_elicitation') ~= nil")
      e:lua([[Call('fake__ask_elicitation', { params = { message = 'Which colour?', requestedSchema = {
        type = 'object', properties = { colour = { type = 'string' } } } } })]])
      e:take_up('fake asks, for avante.nvim (tool ask_elicitation): Which colour?')
      e:pick('Decline')
      check.contains(e:await_lua('return Done').result, '"action":"decline"')
    end,
  },
  {
    'avante: a call that avante has cancelled is cancelled at the server',
    function()
      local record = vim.fn.tempname()
      local e = Editor.start({ config = { servers = { fake = fake({ record = record }) } }, lua = avante })
      e:await_lua("return Tool('fake__hang') ~= nil")
      e:lua("Call('fake__hang', vim.empty_dict())")
      local function recorded(text)
        e:await(text, function()
          return vim.uv.fs_stat(record) and table.concat(vim.fn.readfile(record)):find(text, 1, true)
        end)
      end
      recorded('"hang"')
      e:lua("vim.api.nvim_exec_autocmds('User', { pattern = 'AvanteLLMEscape' })")
      recorded('notifications/cancelled')
      check.equal(e:lua('return Done == nil'), true)
    end,
  },
  {
    'avante: no tool of a server that nobody allowed; a server that is late comes when it is there',
    function()
      local gate = vim.fn.tempname()
      assert(vim.system({ 'mkfifo', gate }):wait().code == 0)
      local late = fake()
      late.command, late.args = 'sh', { '-c', ('cat %s; exec %s'):format(gate, vim.env.FAKESERVER_BIN) }
      local e = Editor.start({
        config = { servers = { fake = fake(), late = late } },
        files = { ['.mcp.json'] = { servers = { sneaky = servers.fake() } } },
        lua = avante,
      })
      e:await_lua("return Tool('fake__echo') ~= nil")
      check.equal(e:lua("return Tool('late__echo') == nil"), true)
      vim.fn.writefile({ 'go' }, gate)
      e:await_lua("return Tool('late__echo') ~= nil")
      check.equal(e:lua("return Tool('sneaky__echo') == nil"), true)
    end,
  },
  {
    'avante: prompts and resources are slash commands, and their text goes to the history as it is',
    function()
      local e = Editor.start({ config = { servers = { fake = fake() } }, lua = avante, height = 60 })
      e:lua("vim.api.nvim_exec_autocmds('FileType', { pattern = 'AvanteInput' })")
      local run = [[
        local name = ...
        for _, command in ipairs(Config.slash_commands) do
          if command.name == name then
            command.callback({ add_chat_history = function(_, messages, opts) Added = { messages, opts } end })
            return true
          end
        end
      ]]
      e:await('the slash command', function()
        return e:lua(run, 'mcp:fake.review') == true
      end)
      e:see('topic [required]:')
      e:keys('#buffer<CR>')
      e:pick('Add to the chat')
      local added = e:await_lua('return Added')
      check.equal({ added[1][1].role, added[2] }, { 'user', { visible = true } })
      check.contains(added[1][1].content, '"topic":"#buffer"')
      e:lua('Added = nil')
      e:lua(run, 'mcp:resource')
      e:pick('fake: a')
      check.contains(e:await_lua('return Added')[1][1].content, 'The resource demo://a of the MCP server fake:\n\n{')
    end,
  },
  {
    'CodeCompanion: each server is an entry with our command; what the person wrote stays',
    function()
      local e = Editor.start({
        config = { servers = { fake = fake(), own = fake(), ['a b'] = fake() } },
        files = { ['.mcp.json'] = { servers = { sneaky = servers.fake() } } },
        lua = codecompanion,
      })
      awaits_server(e, 'a_b')
      check.equal(e:lua('return Config.mcp.servers.sneaky == nil'), true)
      check.equal(e:lua('return Config.mcp.servers.own'), { cmd = { 'mine' } })
      check.equal(
        e:lua('return Config.mcp.servers.a_b.cmd'),
        { vim.env.MCP_EDITORD, 'mcp', '--folder', e.home.project, '--server', 'a b' }
      )
      check.equal(
        e:lua(
          [[local fake = Config.mcp.servers.fake
          return { fake.cmd[6], fake.tool_overrides.echo.timeout, fake.tool_overrides.other.timeout, fake.tool_defaults }]]
        ),
        { 'fake', 5, 24 * 60 * 60 * 1000, { require_approval_before = true } }
      )
    end,
  },
  {
    'CodeCompanion: another workspace has other servers, and those that run move with it',
    function()
      local e = Editor.start({ config = { servers = { fake = fake() } }, lua = codecompanion })
      awaits_server(e, 'fake')
      local other = e.home.dir .. '/other'
      vim.fn.mkdir(other .. '/.git', 'p')
      e:lua('vim.cmd.cd(...)', other)
      e:await_lua('return Config.mcp.servers.fake.cmd[4] == ...', other)
      check.equal(e:lua('return Did'), { 'disable fake', 'enable fake' })
    end,
  },
  {
    'CodeCompanion: an empty first list waits for tools, and a change is read again',
    function()
      local e = Editor.start({ config = { servers = { fake = fake() } }, lua = codecompanion })
      awaits_server(e, 'fake')
      local lines = e:lua([[
        local got, feed = {}, nil
        local function client(name)
          return Client.new({ name = name, transport = { start = function(_, on_line) feed = on_line end } })
        end
        client('fake').transport:start(function(line) table.insert(got, line) end)
        feed('{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}')
        feed('{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}')
        vim.api.nvim_exec_autocmds('User', {
          pattern = 'CodeCompanionMCPServerToolsLoaded', data = { server = 'fake', tools = { 'fake_echo' } } })
        client('fake').transport:start(function(line) table.insert(got, line) end)
        feed('{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}') -- of a client that is new
        client('own').transport:start(function(line) table.insert(got, line) end)
        feed('{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}')
        feed('{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}')
        return { #got, Refreshed }
      ]])
      check.equal(lines, { 3, 1 })
    end,
  },
  {
    'CodeCompanion: prompts and resources are slash commands that add context',
    function()
      local e = Editor.start({ config = { servers = { fake = fake() } }, lua = codecompanion, height = 60 })
      awaits_server(e, 'fake')
      local run = [[
        Added = nil
        Config.interactions.chat.slash_commands[...].callback({
          add_context = function(_, data, source, id) Added = { data, source, id } end,
        })
      ]]
      e:lua(run, 'mcp:fake.review')
      e:see('topic [required]:')
      e:keys('#{buffer}<CR>')
      e:pick('Add to the chat')
      local added = e:await_lua('return Added')
      check.equal({ added[1].role, added[2], added[3] }, { 'user', 'mcp-editord', '<mcp>fake.review</mcp>' })
      check.contains(added[1].content, '"topic":"#{buffer}"')
      e:lua(run, 'mcp:resource')
      e:pick('fake: a')
      check.equal(e:await_lua('return Added')[3], '<mcp>demo://a</mcp>')
    end,
  },
}

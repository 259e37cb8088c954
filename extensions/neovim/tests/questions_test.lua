local Editor = require('support.editor')
local Model = require('support.model')
local check = require('support.check')
local servers = require('support.servers')

--- Types the number of an item of the built-in picker.
local function pick(e, item)
  local shown = e:see(': ' .. item)
  e:keys(shown:match('(%d+): ' .. vim.pesc(item)) .. '<CR>')
end

--- Calls a tool of the fake server in the background; its result is in the variable Answer there.
local start_call = [[
  local tool, arguments = ...
  Answer = nil
  require('mcp-editord').call('fake', tool, vim.json.decode(arguments), nil, function(err, result)
    Answer = err and { error = err } or result.structuredContent
  end)
]]

local function ask(e, tool, arguments)
  e:lua(start_call, tool, vim.json.encode(arguments))
end

local function answer(e)
  return e:await_lua('return Answer')
end

local fake = { servers = { fake = servers.fake() } }

local form = {
  mode = 'form',
  message = 'Who are you?',
  requestedSchema = {
    type = 'object',
    properties = {
      age = { type = 'integer', minimum = 18, title = 'Age' },
      color = { type = 'string', enum = { 'red', 'green' } },
    },
    required = { 'age' },
  },
}

return {
  {
    'elicitation: the form, with a value that does not fit at first',
    function()
      local e = Editor.start({ config = fake })
      ask(e, 'ask_elicitation', { params = form })
      e:see('MCP server fake asks', 'Who are you?', 'fake asks: Who are you?')
      pick(e, 'Answer')
      e:see('Age (age) [required, integer]')
      e:keys('17<CR>')
      e:see('age must be at least 18')
      e:keys('<C-u>21<CR>')
      pick(e, 'green')
      e:see('1: Accept', 'Age (age) [required, integer] = 21', 'color = green', 'Decline', 'Cancel')
      pick(e, 'Accept')
      check.equal(answer(e).answer.result, { action = 'accept', content = { age = 21, color = 'green' } })
      e:gone('MCP server fake asks')
    end,
  },
  {
    'elicitation: decline, and leaving is cancel',
    function()
      local e = Editor.start({ config = fake })
      ask(e, 'ask_elicitation', { params = form })
      pick(e, 'Decline')
      check.equal(answer(e).answer.result, { action = 'decline' })
      ask(e, 'ask_elicitation', { params = form })
      e:see('fake asks')
      e:keys('<CR>') -- a bare Enter accepts nothing
      check.equal(answer(e).answer.result, { action = 'cancel' })
    end,
  },
  {
    'elicitation: a secret is warned of',
    function() -- row 65 of the faults
      local e = Editor.start({ config = fake })
      ask(e, 'ask_elicitation', {
        params = {
          message = 'Log in',
          requestedSchema = { type = 'object', properties = { password = { type = 'string' } } },
        },
      })
      e:see('Warning: password looks like a secret.')
      pick(e, 'Decline')
      answer(e)
    end,
  },
  {
    'elicitation: an address is shown whole, and opened when the person says so',
    function() -- rows 28 and 65 of the faults
      local e = Editor.start({ config = fake, lua = 'vim.ui.open = function(url) Opened = url end' })
      local url = 'http://user@xn--80ak6aa92e.com/login?next=%2Fa'
      ask(e, 'ask_elicitation', { params = { mode = 'url', message = 'Sign in', url = url, elicitationId = 'x' } })
      e:see(url, 'letters that may be taken for others', 'is not the host', 'not encrypted')
      e:see('Open an address at аррӏе.com (xn--80ak6aa92e.com) for fake?')
      pick(e, 'Open in the browser')
      check.equal(answer(e).answer.result, { action = 'accept' })
      check.equal(e:lua('return Opened'), url)
    end,
  },
  {
    'a password of the configuration is not shown while it is typed',
    function()
      local server = servers.fake()
      server.env.TOKEN = '${input:token}'
      local e = Editor.start({
        config = {
          servers = { fake = server },
          inputs = { { id = 'token', description = 'Token for the tracker', password = true } },
        },
      })
      e:lua([[
        require('mcp-editord').call('fake', 'process', { env = { 'TOKEN' } }, nil, function(err, result)
          Answer = err or result.structuredContent.env
        end)
      ]])
      e:see('Token for the tracker', 'token (value) [required]:')
      e:keys('canary-4711<CR>')
      pick(e, 'Accept')
      check.equal(answer(e), { TOKEN = 'canary-4711' })
      check.lacks(e.screen:text(), 'canary')
      check.lacks(e:lua("return vim.fn.execute('messages') .. vim.fn.execute('history input')"), 'canary')
    end,
  },
  {
    'a question that is withdrawn is closed, in the built-in picker',
    function() -- row 31 of the faults
      local one = Editor.start({ config = fake })
      local other = Editor.start({ home = one.home })
      ask(one, 'ask_elicitation', { params = form, id = 'q1' })
      one:see('fake asks')
      ask(other, 'notify', { method = 'notifications/cancelled', params = { requestId = 'q1' } })
      one:gone('fake asks')
      one:gone('MCP server fake asks')
      one:keys('ihello<Esc>')
      one:see('hello')
    end,
  },
  {
    'a question that is withdrawn is closed, in a picker of a plugin',
    function()
      local e = Editor.start({
        config = fake,
        lua = [[
          vim.ui.select = function(items, opts, done)
            local buf = vim.api.nvim_create_buf(false, true)
            vim.api.nvim_buf_set_lines(buf, 0, -1, false, { 'PICKER ' .. opts.prompt })
            vim.api.nvim_open_win(buf, true, { relative = 'editor', row = 12, col = 5, width = 60, height = 3 })
          end
        ]],
      })
      ask(e, 'ask_elicitation', { params = form, id = 'q1' })
      e:see('PICKER fake asks')
      ask(e, 'notify', { method = 'notifications/cancelled', params = { requestId = 'q1' } })
      e:gone('PICKER')
      check.equal(e:lua('return #vim.api.nvim_list_wins()'), 1)
    end,
  },
  {
    'two questions come one after the other, and none while the person types',
    function()
      local e = Editor.start({ config = fake })
      e:async("require('mcp-editord').start('fake')")
      e:keys('iabc')
      e:see('abc')
      ask(
        e,
        'ask_elicitation',
        { params = { message = 'first', requestedSchema = { type = 'object', properties = vim.empty_dict() } } }
      )
      e:said('fake has a question')
      ask(
        e,
        'ask_elicitation',
        { params = { message = 'second', requestedSchema = { type = 'object', properties = vim.empty_dict() } } }
      )
      e:keys('1<lt>CR>') -- would be the answer, if it were asked now
      e:see('abc1<CR>')
      check.lacks(e.screen:text(), 'fake asks: first')
      e:keys('<Esc>')
      check.lacks(e:see('fake asks: first'), 'second')
      pick(e, 'Accept')
      e:see('fake asks: second')
      pick(e, 'Decline')
      e:gone('fake asks')
    end,
  },
  {
    'a person who leaves a picker is not asked behind it',
    function()
      local e = Editor.start({ config = fake, lua = 'vim.ui.select = function() end' })
      e:command('Mcp tools')
      e:await_lua("return require('mcp-editord.ui').open()")
      e:command('Mcp cancel')
      e:await_lua("return require('mcp-editord.ui').open() == nil")
      check.lacks(table.concat(e:lua('return Said'), '\n'), 'left')
    end,
  },
  {
    'sampling: what would be sent, the answer of the model, and what goes back',
    function()
      local model = Model.start(function()
        return {
          model = 'tiny',
          choices = { { finish_reason = 'stop', message = { role = 'assistant', content = 'Paris.' } } },
        }
      end)
      local e = Editor.start({
        config = fake,
        options = ('{ sampling = { handler = "openai", openai = { url = %q, model = "tiny", api_key = "MODEL_KEY" } } }'):format(
          model.url .. '/v1'
        ),
        env = { MODEL_KEY = 'canary-4711' },
      })
      local params = {
        systemPrompt = 'Be brief.',
        maxTokens = 77,
        messages = { { role = 'user', content = { type = 'text', text = 'Capital of France?' } } },
      }
      ask(e, 'ask_sampling', { params = params })
      e:see('MCP server fake asks your model', 'Be brief.', 'Capital of France?', 'at most 77 tokens')
      pick(e, 'Allow once')
      e:see('Answer of the model for fake', 'Paris.')
      pick(e, 'Send')
      check.equal(
        answer(e).answer.result,
        { role = 'assistant', content = { type = 'text', text = 'Paris.' }, model = 'tiny', stopReason = 'endTurn' }
      )
      check.equal(
        model.requests[1].body.messages,
        { { role = 'system', content = 'Be brief.' }, { role = 'user', content = 'Capital of France?' } }
      )
      check.contains(model.requests[1].head, 'Authorization: Bearer canary-4711')

      -- Denied, then always allowed: nothing is shown any more.
      ask(e, 'ask_sampling', { params = params })
      pick(e, 'Deny')
      check.equal(answer(e).answer.error, { code = -1, message = 'User rejected sampling request' })
      ask(e, 'ask_sampling', { params = params })
      pick(e, 'Always allow fake')
      check.equal(answer(e).answer.result.content.text, 'Paris.')
      ask(e, 'ask_sampling', { params = params })
      check.equal(answer(e).answer.result.content.text, 'Paris.')
      check.equal(#model.requests, 3)
      -- Row 49 of the faults: the key is in nothing that is shown or logged.
      check.lacks(vim.inspect(e:lua('return { Said, vim.fn.execute("messages") }')), 'canary')
      model.close()
    end,
  },
  {
    'sampling: the answer is edited before it goes back',
    function()
      local e = Editor.start({
        config = fake,
        options = '{ sampling = { handler = function(request, done) done(nil, "Lyon, " .. request.server) end } }',
      })
      ask(
        e,
        'ask_sampling',
        { params = { maxTokens = 1, messages = { { role = 'user', content = { type = 'text', text = 'x' } } } } }
      )
      pick(e, 'Allow once')
      pick(e, 'Edit')
      e:see('the answer for fake: write to take it')
      e:keys('ccParis<Esc>')
      e:command('write')
      e:see('Send this to fake?', 'Paris')
      pick(e, 'Send')
      check.equal(answer(e).answer.result.content.text, 'Paris')
    end,
  },
  {
    'sampling: a model that fails is an error, shown in one line',
    function()
      local e =
        Editor.start({ config = fake, options = '{ sampling = { handler = function() error("no luck") end } }' })
      ask(e, 'ask_sampling', { params = { maxTokens = 1, messages = {} } })
      pick(e, 'Allow once')
      e:said('no luck')
      check.equal(answer(e).answer.error.code, -32603)
    end,
  },
  {
    'text of servers in questions is data',
    function() -- rows 60 and 62 of the faults
      local e = Editor.start({ config = fake })
      ask(e, 'ask_elicitation', {
        params = {
          message = '\27[31mred \226\128\174gpj\r\n# vim: ft=lua',
          requestedSchema = { type = 'object', properties = vim.empty_dict() },
        },
      })
      e:see('\\u{1b}[31mred \\u{202e}gpj', '# vim: ft=lua')
      pick(e, 'Decline')
      answer(e)
    end,
  },
}

local Editor = require('support.editor')
local Rpc = require('support.rpc')
local Model = require('support.model')
local check = require('support.check')
local servers = require('support.servers')

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
      e:take_up('MCP server fake asks', 'fake asks: Who are you?')
      e:pick('Answer')
      e:see('Age (age) [required, integer]')
      e:keys('17<CR>')
      e:see('"age" must be at least 18')
      e:keys('<C-u>21<CR>')
      e:pick('green')
      e:see('1: Accept', 'Age (age) [required, integer] = 21', 'color = green', 'Decline', 'Cancel')
      e:pick('Accept')
      check.equal(answer(e).answer.result, { action = 'accept', content = { age = 21, color = 'green' } })
      e:gone('MCP server fake asks')
    end,
  },
  {
    'elicitation: decline, and cancel',
    function()
      local e = Editor.start({ config = fake })
      ask(e, 'ask_elicitation', { params = form })
      e:take_up('fake asks')
      e:pick('Decline')
      check.equal(answer(e).answer.result, { action = 'decline' })
      ask(e, 'ask_elicitation', { params = form })
      e:take_up('fake asks')
      e:pick('Cancel')
      check.equal(answer(e).answer.result, { action = 'cancel' })
    end,
  },
  {
    'elicitation: for another program of the folder, which cannot answer',
    function()
      local e = Editor.start({ config = fake })
      ask(e, 'echo', {})
      answer(e) -- it is attached
      local arguments = vim.json.encode({ params = form })
      local home = e.home
      local call = vim.system(
        { vim.env.MCP_EDITORD, 'call', '--json', 'fake', 'ask_elicitation', arguments },
        { env = home.env, cwd = home.project, text = true }
      )
      local whom = 'fake asks, for mcp-editord (tool ask_elicitation)'
      e:take_up('MCP server ' .. whom, whom .. ': Who are you?')
      e:pick('Decline')
      local ended = call:wait(Rpc.patience)
      check.equal(ended.code, 0, ended.stderr)
      check.contains(ended.stdout, '"decline"')
    end,
  },
  {
    'elicitation: a secret is warned of',
    function()
      local e = Editor.start({ config = fake })
      ask(e, 'ask_elicitation', {
        params = {
          message = 'Log in',
          requestedSchema = { type = 'object', properties = { password = { type = 'string' } } },
        },
      })
      e:take_up('Warning: "password" looks like a secret.')
      e:pick('Decline')
      answer(e)
    end,
  },
  {
    'elicitation: an address is shown whole, and opened when the person says so',
    function()
      local e = Editor.start({ config = fake, lua = 'vim.ui.open = function(url) Opened = url end' })
      local url = 'http://user@xn--80ak6aa92e.com/login?next=%2Fa'
      ask(e, 'ask_elicitation', { params = { mode = 'url', message = 'Sign in', url = url, elicitationId = 'x' } })
      e:take_up(url, 'letters that may be taken for others', 'is not the host', 'not encrypted')
      e:see('Open an address at аррӏе.com (xn--80ak6aa92e.com) for fake?')
      e:pick('Open in the browser')
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
      e:take_up('Token for the tracker', 'token (value) [required]:')
      e:keys('canary-4711<CR>')
      e:pick('Accept')
      check.equal(answer(e), { TOKEN = 'canary-4711' })
      check.lacks(e.screen:text(), 'canary')
      check.lacks(e:lua("return vim.fn.execute('messages') .. vim.fn.execute('history input')"), 'canary')
    end,
  },
  {
    'a question that is withdrawn is closed, in the built-in picker',
    function()
      local one = Editor.start({ config = fake })
      local other = Editor.start({ home = one.home })
      ask(one, 'ask_elicitation', { params = form, id = 'q1' })
      one:take_up('1: Not now')
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
      e:take_up('PICKER fake asks')
      ask(e, 'notify', { method = 'notifications/cancelled', params = { requestId = 'q1' } })
      e:gone('PICKER')
      check.equal(e:lua('return #vim.api.nvim_list_wins()'), 1)
    end,
  },
  {
    'promise 11: a question waits while <Esc>:w<CR> is typed, and is not answered by it',
    function()
      local e = Editor.start({ config = fake, width = 80, height = 24 })
      e:async("require('mcp-editord').start('fake')")
      e:command('edit note.txt')
      e:keys('iabc')
      e:see('abc')
      ask(e, 'ask_elicitation', { params = form })
      e:see('? fake asks: Who are you?', ':Mcp answer', '-- INSERT --')
      e:keys('1<lt>CR><Esc>:w<CR>')
      e:await_lua('return not vim.bo.modified')
      check.equal(vim.fn.readfile(e.home.project .. '/note.txt'), { 'abc1<CR>' })
      check.equal(e:lua('return Answer'), vim.NIL)
      check.equal(e:lua("return require('mcp-editord').status()"), 'MCP 1 1? fake: ask_elicitation')
      e:take_up('1: Not now')
      e:pick('Decline')
      check.equal(answer(e).answer.result, { action = 'decline' })
      e:gone('Mcp answer ')
    end,
  },
  {
    'promise 11: a question is seen in every mode, and takes neither focus nor keys',
    function()
      local modes = { { ':echo 1', '<Esc>' }, { 'v', '<Esc>' }, { ':terminal<CR>i', '<C-\\><C-n>' }, { 'qa', 'q' } }
      local e = Editor.start({ config = fake, width = 80, height = 24 })
      e:async("require('mcp-editord').start('fake')")
      for _, mode in ipairs(modes) do
        e:keys(mode[1])
        local win = e:lua('return vim.api.nvim_get_current_win()')
        ask(e, 'ask_elicitation', { params = form })
        e:see('? fake asks: Who are you?', ':Mcp answer')
        check.equal(e:lua('return vim.api.nvim_get_current_win()'), win)
        e:keys(mode[2])
        e:take_up('1: Not now')
        e:pick('Decline')
        answer(e)
      end
    end,
  },
  {
    'promise 11: the badge is not over the help of a prompt of one line, which is at the bottom',
    function()
      local e = Editor.start({ config = fake, width = 40, height = 24 })
      ask(e, 'ask_elicitation', { params = form })
      e:see('? fake asks:')
      e:lua([[
        local described = { type = 'string', description = ('help '):rep(30) }
        local fields = require('mcp-editord.form.schema').fields(vim.json.encode({
          type = 'object',
          properties = { name = described },
          required = { 'name' },
        }))
        vim.schedule(function()
          require('mcp-editord.ui.messages').run(function()
            require('mcp-editord.form.ask').own({ title = 'f', fields = fields, values = {}, submit = 'Run' })
          end)
        end)
      ]])
      local shown = vim.split(e:see('name [required]:', 'help', ':Mcp answer'), '\n')
      assert(shown[1]:find('? fake asks: ', 1, true), shown[1])
      e:keys('x<CR>') -- the overview has its help at the top
      e:see('1: Run')
      check.lacks(vim.split(e.screen:text(), '\n')[1], 'Mcp answer')
      e:keys('<Esc>')
    end,
  },
  {
    'promise 11: the badge follows into other tab pages, and is drawn only when something changes',
    function()
      local e = Editor.start({ config = fake, width = 80, height = 24 })
      ask(e, 'ask_elicitation', { params = form })
      e:see('? fake asks: Who are you?  :Mcp answer')
      local function badge()
        return e:lua([[
          return vim.iter(vim.api.nvim_tabpage_list_wins(0)):filter(function(win) return vim.w[win].mcp_badge end):totable()
        ]])
      end
      local function await_badge(before)
        return e:await('another badge', function()
          local now = badge()
          return #now == 1 and now[1] ~= before and now[1]
        end)
      end
      local first = await_badge()
      e:command('tabnew')
      local second = await_badge(first)
      e:command('only')
      local before = { await_badge(second) }
      e:see('? fake asks: Who are you?  :Mcp answer')
      e:keys('ihello<Esc>')
      e:see('hello')
      check.equal(badge(), before)
      e:command('quitall!')
    end,
  },
  {
    'promise 11: what was left waits again, with what was typed',
    function()
      local e = Editor.start({ config = fake })
      ask(e, 'ask_elicitation', { params = form })
      e:take_up('1: Not now')
      e:keys('<CR>') -- a bare Enter answers nothing
      e:take_up('1: Not now')
      e:keys('<Esc>')
      e:take_up('1: Not now')
      e:keys('<C-c>')
      e:take_up('1: Not now')
      e:pick('Answer')
      e:see('Age (age) [required, integer]:')
      e:keys('21<CR>')
      e:see('1: red')
      e:keys('<Esc>')
      e:see('1: Accept')
      e:keys('<Esc>')
      e:gone('1: Accept')
      e:keys('ihello<Esc>')
      e:see('hello')
      check.equal(e:lua('return Answer'), vim.NIL)
      e:take_up('color')
      e:pick('green')
      e:see('1: Accept', 'Age (age) [required, integer] = 21', 'color = green')
      e:pick('Accept')
      check.equal(answer(e).answer.result, { action = 'accept', content = { age = 21, color = 'green' } })
    end,
  },
  {
    'promise 11: half a line is kept, too',
    function()
      local e = Editor.start({ config = fake })
      ask(e, 'ask_elicitation', { params = form })
      e:take_up('1: Not now')
      e:pick('Answer')
      e:see('Age (age) [required, integer]:')
      e:keys('2<Esc><Esc>')
      e:gone('1: Accept')
      e:take_up('Age (age) [required, integer]: 2')
      e:keys('1<CR>')
      e:pick('red')
      e:pick('Accept')
      check.equal(answer(e).answer.result.content, { age = 21, color = 'red' })
    end,
  },
  {
    'promise 11: what was typed for a question that was taken back is there when it comes again',
    function()
      local e = Editor.start({ config = fake })
      local other = Editor.start({ home = e.home })
      ask(e, 'ask_elicitation', { params = form, id = 'q1' })
      e:take_up('1: Not now')
      e:pick('Answer')
      e:see('Age (age) [required, integer]:')
      e:keys('21<CR>')
      e:see('1: red')
      ask(other, 'notify', { method = 'notifications/cancelled', params = { requestId = 'q1' } })
      e:gone('1: red')
      ask(e, 'ask_elicitation', { params = form })
      e:take_up('1: Not now')
      e:pick('Answer')
      e:see('1: red') -- the age is known
      e:pick('green')
      e:see('1: Accept', 'Age (age) [required, integer] = 21')
      e:pick('Accept')
      check.equal(answer(e).answer.result.content, { age = 21, color = 'green' })
    end,
  },
  {
    'promise 11: another picker answers nothing',
    function()
      local e = Editor.start({
        config = fake,
        lua = [[
          vim.ui.select = function(items, opts, done)
            Picker = { items = items, done = done, prompt = opts.prompt }
          end
        ]],
      })
      ask(e, 'ask_elicitation', { params = form })
      e:see(':Mcp answer')
      e:command('Mcp answer')
      e:await_lua("return Picker and Picker.prompt == 'fake asks: Who are you?'")
      e:command('Mcp tools') -- takes the place of the question
      e:await_lua("return Picker.prompt == 'Tool'")
      e:see('? fake asks')
      check.equal(e:lua('return Answer'), vim.NIL)
      e:lua('Picker.done(nil)')
      e:command('Mcp answer')
      e:await_lua("return Picker.prompt == 'fake asks: Who are you?'")
      e:lua("Picker.done('Decline')")
      check.equal(answer(e).answer.result, { action = 'decline' })
    end,
  },
  {
    'a prompt that the plugin closes leaves no key in a macro',
    function()
      local e = Editor.start({ config = fake })
      local other = Editor.start({ home = e.home })
      e:keys('qq')
      ask(e, 'ask_elicitation', { params = form, id = 'q1' })
      e:see('? fake asks')
      e:keys(':Mcp answer<CR>')
      e:see('1: Not now')
      ask(other, 'notify', { method = 'notifications/cancelled', params = { requestId = 'q1' } })
      e:gone('1: Not now')
      e:await_lua("return require('mcp-editord.ui').current() == nil")
      e:keys('q')
      e:await_lua("return vim.fn.reg_recording() == ''")
      if e:lua("return vim.fn.has('nvim-0.11')") == 1 then
        check.equal(e:lua("return vim.fn.getreg('q')"), ':Mcp answer\r')
      end
    end,
  },
  {
    'a question is announced in a terminal too: at once, or once its mode is left',
    function()
      for _, mode in ipairs({ 'nt', 't' }) do
        local e = Editor.start({ config = fake })
        e:command('terminal')
        e:await_lua("return vim.bo.buftype == 'terminal'")
        if mode == 't' then
          e:keys('i')
          e:see('-- TERMINAL --')
        end
        e:await_lua('return vim.api.nvim_get_mode().mode == ...', mode)
        ask(e, 'ask_elicitation', { params = form })
        e:see('? fake asks: Who are you?')
        if mode == 't' then
          check.equal(e:lua('return Said'), {})
          e:keys([[<C-\><C-n>]])
        end
        e:see('MCP: fake asks: Who are you?  (:Mcp answer)')
      end
    end,
  },
  {
    'promise 11: several questions wait in a list',
    function()
      local e = Editor.start({ config = fake })
      local empty = { type = 'object', properties = vim.empty_dict() }
      ask(e, 'ask_elicitation', { params = { message = 'first', requestedSchema = empty } })
      e:see('? fake asks: first')
      ask(e, 'ask_elicitation', { params = { message = 'second', requestedSchema = empty } })
      e:see('? 2 questions')
      e:command('Mcp questions')
      local first, second = e:see('Questions'):match('1: (fake asks: first[^\n]*)\n2: (fake asks: second[^\n]*)\n')
      assert(first:find('  · %d+ s ago$'), first)
      assert(second:find('  · %d+ s ago$'), second)
      e:pick('fake asks: second')
      e:pick('Accept')
      check.equal(answer(e).answer.result.action, 'accept')
      e:take_up('1: Not now')
      e:pick('Decline')
      e:gone('fake asks')
      e:command('Mcp answer')
      e:said('no question is waiting')
    end,
  },
  {
    'promise 11: a form of a tool that was left goes on with what was typed',
    function()
      local e = Editor.start({ config = { servers = { everything = servers.everything() } } })
      e:command('Mcp call everything.get-sum')
      e:see('a [required, number]')
      e:keys('2<CR>')
      e:see('b [required, number]')
      e:keys('4<Esc><Esc>')
      e:said('everything.get-sum is kept; :Mcp resume continues it')
      e:keys('ihello<Esc>')
      e:see('hello')
      e:command('Mcp resume')
      e:see('b [required, number]: 4')
      e:keys('0<CR>')
      e:see('a [required, number] = 2', 'b [required, number] = 40')
      e:pick('Run')
      e:see('The sum of 2 and 40 is 42.')
      e:command('Mcp resume')
      e:said('there is nothing to resume')
    end,
  },
  {
    'promise 11: a text that is being edited outlives whatever closes its window',
    function()
      local schema = {
        type = 'object',
        properties = { list = { type = 'array', prefixItems = { vim.empty_dict() } } },
        required = { 'list' },
      }
      local tool = { name = 'sort', inputSchema = schema }
      local e = Editor.start({
        config = { servers = { fake = servers.fake({ plain = true, onlyTools = true, tools = { tool } }) } },
      })
      e:command('Mcp call fake.sort')
      e:see('list [required, JSON]: write to accept it')
      e:keys('ggcG[1, 2')
      e:command('Mcp tools') -- typed into the text: it is in Insert mode
      e:see('[1, 2:Mcp tools')
      e:keys('<Esc>')
      e:command('Mcp tools') -- now another thing is open
      e:see('1: fake.sort')
      e:keys('<Esc>')
      e:command('hide')
      e:command('qall')
      e:see('E37')
      e:keys('<CR>')
      e:command('Mcp resume')
      e:await_lua("return require('mcp-editord.ui').current() == 'fake.sort'")
      e:see('[1, 2:Mcp tools')
      e:keys('ggcG[1, 2]<Esc>')
      e:command('write')
      e:pick('Run')
      e:see('"list": [')
    end,
  },
  {
    'promise 11: what is ready late does not open under the fingers of somebody who types',
    function()
      local slow = servers.fake({ plain = true, steps = { initialize = { { ['do'] = 'delay', ms = 700 } } } })
      local e = Editor.start({ config = { servers = { fake = slow } } })
      e:command('Mcp tools fake')
      e:keys('iabc')
      e:said('the list of tools waits because you are typing; :Mcp resume opens it')
      e:keys('def<Esc>')
      e:see('abcdef')
      e:command('Mcp resume')
      e:see('1: fake.')
      e:keys('<Esc>')
    end,
  },
  {
    'promise 10: a server that is refused again and again can be muted, and unmuted',
    function()
      local e = Editor.start({ config = fake, width = 80, height = 24 })
      for _ = 1, 3 do
        ask(e, 'ask_elicitation', { params = form })
        check.lacks(e:take_up('4: Cancel'), 'Mute')
        e:pick('Decline')
        answer(e)
      end
      ask(e, 'ask_elicitation', { params = form })
      e:take_up('5: Mute fake', '6: Stop fake')
      e:pick('Mute fake')
      e:said('"fake" is muted')
      answer(e)
      ask(e, 'ask_elicitation', { params = form })
      answer(e) -- refused at once: nobody was asked
      e:command('Mcp servers')
      e:see('● fake', 'muted')
      e:pick('● fake')
      e:pick('Unmute')
      e:said('"fake" is no longer muted')
      ask(e, 'ask_elicitation', { params = form })
      e:take_up('4: Cancel')
      e:pick('Decline')
      answer(e)
    end,
  },
  {
    'a person who leaves a picker is not asked behind it',
    function()
      local e = Editor.start({ config = fake, lua = 'vim.ui.select = function() end' })
      e:command('Mcp tools')
      e:await_lua("return require('mcp-editord.ui').current()")
      e:command('Mcp cancel')
      e:await_lua("return require('mcp-editord.ui').current() == nil")
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
      e:take_up('MCP server fake asks your model', 'Be brief.', 'Capital of France?', 'at most 77 tokens')
      e:pick('Allow once')
      e:take_up("The model's answer for fake", 'Paris.')
      e:pick('Send')
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
      e:take_up('1: Not now')
      e:pick('Deny')
      check.equal(answer(e).answer.error, { code = -1, message = 'User rejected sampling request' })
      ask(e, 'ask_sampling', { params = params })
      e:take_up('1: Not now')
      e:pick('Always allow fake')
      check.equal(answer(e).answer.result.content.text, 'Paris.')
      ask(e, 'ask_sampling', { params = params })
      check.equal(answer(e).answer.result.content.text, 'Paris.')
      check.equal(#model.requests, 3)
      -- The key is in nothing that is shown or logged.
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
      e:take_up('1: Not now')
      e:pick('Allow once')
      e:take_up('Send this to fake?')
      e:pick('Edit')
      e:see('answer for fake: write to accept it')
      e:keys('ccParis<Esc>')
      e:command('write')
      e:see('Send this to fake?', 'Paris')
      e:pick('Send')
      check.equal(answer(e).answer.result.content.text, 'Paris')
    end,
  },
  {
    'sampling: a model that fails is an error, shown in one line',
    function()
      local e =
        Editor.start({ config = fake, options = '{ sampling = { handler = function() error("no luck") end } }' })
      ask(e, 'ask_sampling', { params = { maxTokens = 1, messages = {} } })
      e:take_up('1: Not now')
      e:pick('Allow once')
      e:said('no luck')
      check.equal(answer(e).answer.error.code, -32603)
    end,
  },
  {
    'sampling: a model that does not answer is told, and can be cancelled',
    function()
      local model = Model.start(function() end)
      local e = Editor.start({
        config = fake,
        options = ('{ sampling = { handler = "openai", timeout = 1000, openai = { url = %q } } }'):format(model.url),
      })
      local params = { maxTokens = 1, messages = { { role = 'user', content = { type = 'text', text = 'x' } } } }
      ask(e, 'ask_sampling', { params = params })
      e:take_up('1: Not now')
      e:pick('Allow once')
      e:said('sampling for "fake" failed: openai did not answer within 1 s')
      check.equal(answer(e).answer.error.code, -32603)

      e:lua('vim.g.mcp_editord = vim.tbl_deep_extend("force", vim.g.mcp_editord, { sampling = { timeout = 1e6 } })')
      e:lua("require('mcp-editord.config').reset()")
      ask(e, 'ask_sampling', { params = params })
      e:take_up('1: Not now')
      e:pick('Allow once')
      e:await('the request', function()
        return #model.requests == 2
      end)
      e:command('Mcp cancel')
      e:pick('fake: sampling')
      check.equal(answer(e).answer.error, { code = -1, message = 'User rejected sampling request' })
      model.close()
    end,
  },
  {
    'text of servers in questions is data',
    function()
      local e = Editor.start({ config = fake })
      ask(e, 'ask_elicitation', {
        params = {
          message = '\27[31mred \226\128\174gpj\r\n# vim: ft=lua',
          requestedSchema = { type = 'object', properties = vim.empty_dict() },
        },
      })
      e:take_up('\\u{1b}[31mred \\u{202e}gpj', '# vim: ft=lua')
      e:pick('Decline')
      answer(e)
    end,
  },
}

--- Forms on the screen, and what a command line supplies.
local Editor = require('support.editor')
local check = require('support.check')
local servers = require('support.servers')

local tools = {
  {
    name = 'create',
    description = 'Creates entities in the graph.',
    inputSchema = {
      type = 'object',
      properties = {
        entities = {
          type = 'array',
          description = 'The entities to create',
          items = {
            type = 'object',
            properties = {
              name = { type = 'string', description = 'Who it is' },
              tags = { type = 'array', items = { type = 'string' }, description = 'What to call it' },
            },
            required = { 'name', 'tags' },
          },
        },
      },
      required = { 'entities' },
    },
  },
  {
    name = 'look',
    annotations = { readOnlyHint = true },
    inputSchema = {
      type = 'object',
      properties = {
        path = { type = 'string', description = 'The file\nto look at' },
        count = { type = 'integer', default = 3 },
        how = { type = 'string', enum = { 'fast', 'slow' } },
        kinds = { type = 'array', items = { type = 'string', enum = { 'one', 'two' } } },
      },
      required = { 'path' },
    },
  },
  {
    name = 'write',
    inputSchema = {
      type = 'object',
      properties = { path = { type = 'string' }, content = { type = 'string' }, text = { type = 'string' } },
      required = { 'path', 'content' },
    },
  },
  {
    name = 'keep',
    inputSchema = { type = 'object', properties = { text = { type = 'string' } }, required = { 'text' } },
  },
  {
    name = 'send',
    inputSchema = {
      type = 'object',
      properties = { note = { type = 'string' } },
      oneOf = {
        {
          properties = { kind = { const = 'file' }, path = { type = 'string' } },
          required = { 'kind', 'path' },
        },
        {
          properties = { kind = { const = 'word' }, word = { type = 'string' } },
          required = { 'kind', 'word' },
        },
      },
    },
  },
  {
    name = 'find_by',
    inputSchema = {
      type = 'object',
      properties = {
        id = { anyOf = { { type = 'string' }, { type = 'integer' } } },
        where = {
          anyOf = {
            { type = 'object', properties = { name = { type = 'string' } }, required = { 'name' } },
            { type = 'array', items = { type = 'string' } },
          },
        },
        pair = { type = 'array', prefixItems = { vim.empty_dict() }, minItems = 1, description = 'Two of a kind' },
      },
    },
  },
}

local prompts = { { name = 'review', arguments = { { name = 'code', required = true } } } }

local function start(opts)
  return Editor.start(vim.tbl_extend('force', {
    config = { servers = { fake = servers.fake({ plain = true, tools = tools, prompts = prompts }) } },
    files = { ['a.go'] = 'package a\nfunc b() {}\n' },
    height = 40,
  }, opts or {}))
end

--- The arguments of the last call, as the server has got them.
local function arguments(e)
  return vim.json.decode(e:lua("return require('mcp-editord.commands.tools').last().arguments.text"))
end

return {
  {
    'a list of objects is a form for each of them',
    function()
      local e = start()
      e:command('Mcp call fake.create')
      e:see('name of entities 1 [required]', 'Who it is')
      e:keys('Ada<CR>')
      e:see('tags of entities 1 [required, list]', 'Separate words by commas')
      e:keys('one,two<CR>')
      e:pick('Done')
      e:see('entities 1 = {"name":"Ada","tags":["one","two"]}')
      e:pick('Add one')
      e:see('name of entities 2 [required]:')
      e:keys('Bob<CR>')
      e:see('tags of entities 2 [required, list]:')
      e:keys('<CR>')
      e:pick('Done')
      e:see('entities 2 = {"name":"Bob","tags":[]}')
      e:pick('Done')
      e:see('Creates entities in the graph.', 'The entities to create')
      e:pick('Run')
      e:see('fake.create  ok')
      check.equal(
        arguments(e),
        { entities = { { name = 'Ada', tags = { 'one', 'two' } }, { name = 'Bob', tags = {} } } }
      )
    end,
  },
  {
    'an object that was begun and left is not dropped',
    function()
      local e = start()
      e:command('Mcp call fake.create')
      e:see('name of entities 1 [required]')
      e:keys('Ada<CR>')
      e:see('tags of entities 1 [required, list]')
      e:keys('x<Esc>')
      e:see('1: Done', 'tags [required, list] =  (not finished)')
      e:keys('<Esc>')
      e:see('Add one (not finished)')
      e:keys('<Esc>')
      e:see('1: Run', '(not finished)')
      e:keys('<Esc>')
      e:said('fake.create is kept; :Mcp resume continues it')
      e:command('Mcp resume')
      e:see('Add one (not finished)')
      e:pick('Done')
      e:see('tags of entities 1 [required, list]: x')
      e:keys('<CR>')
      e:pick('Done')
      e:see('entities 1 = {"name":"Ada","tags":["x"]}')
    end,
  },
  {
    'a value of several types and one of several shapes',
    function()
      local e = start()
      e:command('Mcp call fake.find_by id=abc where=a,b')
      e:see('fake.find_by  ok')
      check.equal(arguments(e), { id = 'abc', where = { 'a', 'b' } })
      e:command('Mcp tools fake')
      e:pick('fake.find_by')
      e:pick('where')
      e:see('which shape?')
      e:pick('an object: name')
      e:see('name of where [required]')
      e:keys('Ada<CR>')
      e:pick('Done')
      e:see('where [several shapes] = {"name":"Ada"}')
      e:pick('Run')
      e:see('fake.find_by  ok')
      e:await_lua("return require('mcp-editord.commands.tools').last().arguments.text:find('Ada')")
      check.equal(arguments(e), { where = { name = 'Ada' } })
    end,
  },
  {
    'a tool that takes one of several shapes asks which, and sends nothing of the others',
    function()
      local e = start()
      e:command('Mcp call fake.send word=x')
      e:see('fake.send  ok')
      check.equal(arguments(e), { kind = 'word', word = 'x' })
      e:command('Mcp tools fake')
      e:pick('fake.send')
      e:see('which shape?')
      e:pick('kind: file')
      e:see('path [required]:')
      e:keys('y<CR>')
      e:pick('Choose another shape (now: kind: file)')
      e:pick('kind: word')
      e:see('word [required] =')
      e:pick('Run')
      e:see('word [required]:')
      e:keys('z<CR>')
      e:see('word [required] = z')
      e:pick('Run')
      e:await_lua("return require('mcp-editord.commands.tools').last().arguments.text:find('z')")
      check.equal(arguments(e), { kind = 'word', word = 'z' })
    end,
  },
  {
    'what is required and may be null can be null, whatever its kind, and looks like it',
    function()
      local function or_null(schema)
        return { anyOf = { schema, { type = 'null' } } }
      end
      local text = { type = 'string' }
      local properties = {
        a_text = { type = { 'string', 'null' }, default = '' },
        b_choice = or_null({ enum = { 'x', 'y' } }),
        c_choices = or_null({ type = 'array', items = { enum = { 'x', 'y' } } }),
        d_object = or_null({ type = 'object', properties = { name = text }, required = { 'name' } }),
        e_items = or_null({ type = 'array', items = { type = 'object', properties = { name = text } } }),
        f_union = { anyOf = { { type = 'object', properties = { id = text } }, { type = 'array' }, { type = 'null' } } },
      }
      local names = vim.tbl_keys(properties)
      table.sort(names)
      local tool = { name = 'nullable', inputSchema = { type = 'object', properties = properties, required = names } }
      local fake = servers.fake({ plain = true, onlyTools = true, tools = { tool } })
      local e = Editor.start({ config = { servers = { fake = fake } } })
      e:command('Mcp call fake.nullable')
      e:see('a_text [required, default ""]: ""', 'Leave it empty to send null.')
      e:keys('<C-u><CR>')
      e:see('b_choice [required]')
      e:pick('null')
      e:see('c_choices [required')
      e:pick('Send null')
      e:see('name of d_object [required]:')
      e:keys('<Esc>')
      e:see('fake.nullable > d_object')
      e:pick('Send null')
      e:see('fake.nullable > e_items > e_items 1')
      e:keys('<Esc>')
      e:see('Add one')
      e:pick('Send null')
      e:see('f_union [required', 'which shape?')
      e:pick('Send null')
      e:see('a_text [required, default ""] = null', 'e_items [required, list] = null')
      e:pick('Run')
      e:see('fake.nullable  ok')
      local sent = e:lua("return require('mcp-editord.commands.tools').last().arguments.text")
      local want = vim.tbl_map(function(name)
        return ('"%s":null'):format(name)
      end, names)
      check.equal(sent, '{' .. table.concat(want, ',') .. '}')
    end,
  },
  {
    'a choice that may be left out, and a default that comes first',
    function()
      local e = start()
      e:command('Mcp tools fake')
      e:pick('fake.look')
      e:see('path [required]', 'to look at')
      e:keys('x<CR>')
      e:pick('how')
      e:pick('slow')
      e:see('how = slow')
      e:pick('how')
      e:see('1: slow  (now)')
      e:pick('Leave it out')
      e:see('how =')
      e:pick('count')
      e:see('count [integer, default 3]: 3')
      e:keys('<CR>')
      e:pick('Run')
      e:see('fake.look  ok')
      check.equal(arguments(e), { path = 'x', count = 3 })
    end,
  },
  {
    'a text is written in a buffer, and so is JSON, where K says what it is',
    function()
      local e = start()
      e:command('Mcp call fake.write path=x')
      e:see('content [required]: write to accept it')
      e:keys('ione<CR>two<Esc>')
      e:command('w')
      e:pick('Run')
      e:see('fake.write  ok')
      check.equal(arguments(e), { path = 'x', content = 'one\ntwo' })
      e:command('Mcp tools fake')
      e:pick('fake.find_by')
      e:pick('pair')
      e:see('pair [JSON]: write to accept it', '""')
      e:keys('K')
      e:see('Two of a kind')
    end,
  },
  {
    'what is read-only runs at once with what the place supplies; what is not shows it first',
    function()
      local e = start()
      e:command('edit a.go')
      e:command('Mcp call fake.look')
      e:see('fake.look  ok')
      check.contains(arguments(e).path, '/project/a.go')
      e:command('wincmd p')
      e:command('1Mcp call fake.keep')
      e:see('1: text [required] = package a')
      check.lacks(e.screen:text(), '1: Run')
      e:keys('<CR><CR>')
      e:await_lua("return require('mcp-editord.ui').current() == nil")
      check.equal(e:lua("return require('mcp-editord.commands.tools').last().id"), 'fake.look')
      e:command('1Mcp! call fake.write')
      e:said('"fake.write" needs "content", "path"; write KEY=VALUE')
      e:command('1Mcp! call fake.write path=x content=y') -- the selection could be its text
      e:see('fake.write  ok')
      check.equal(arguments(e), { path = 'x', content = 'y' })
    end,
  },
  {
    'with ! a call never asks; again repeats it where the cursor is now',
    function()
      local e = start()
      e:command('Mcp! call fake.look')
      e:said('"fake.look" needs "path"; write KEY=VALUE, or leave out the ! to be asked')
      e:command('Mcp again')
      e:said('there is no call to repeat')
      e:command('edit a.go')
      e:keys('2G')
      e:command('Mcp call fake.look path=${fileBasename}:${lineNumber}')
      e:see('fake.look  ok')
      check.equal(arguments(e), { path = 'a.go:2' })
      e:command('wincmd p')
      e:keys('gg')
      e:command('Mcp! again')
      e:await_lua("return require('mcp-editord.commands.tools').last().arguments.text:find('go:1', 1, true)")
      e:see('"path": "a.go:1"') -- the result has the focus, and no file
      local shown = e:await_lua('return vim.w.mcp_result and vim.fn.bufnr()')
      e:command('Mcp again')
      e:await_lua('return vim.fn.bufnr() ~= ... and vim.w.mcp_result', shown)
      check.equal(arguments(e), { path = 'a.go:1' })
      e:command('Mcp! tools')
      e:said(':Mcp tools takes no !; leave it out')
    end,
  },
  {
    'completion knows bare and fuzzy names, abbreviations, and the words of lists',
    function()
      local e = start()
      e:async("require('mcp-editord').start('fake')")
      e:completes('Mcp call find', { 'fake.find_by' })
      e:completes('Mcp call fnb', { 'fake.find_by' })
      e:completes('silent 1,2Mc! call fake.loo', { 'fake.look' })
      e:completes('Mcp again', { 'again' })
      e:completes('Mcp call fake.look how=', { 'how=fast', 'how=slow' })
      e:completes('Mcp call fake.look kinds=one,', { 'kinds=one,two' })
    end,
  },
  {
    'a prompt takes the selection and the register',
    function()
      local e = start()
      e:command('edit a.go')
      e:keys('"a')
      e:command('1Mcp prompt fake.review')
      e:see('1: Put it into register a', 'code [required] = package a')
      e:pick('Put it into register a')
      e:said('in register a')
    end,
  },
  {
    'a rectangle is its part of each line',
    function()
      local e = start({ files = { ['a.txt'] = 'abcd\nefgh\n' } })
      e:command('edit a.txt')
      e:keys('gg0lh<C-v>jl<Esc>')
      local context = e:lua("return require('mcp-editord.context').get({ first = 1, last = 2 })")
      check.equal(context.selectedText, 'ab\nef')
      check.equal(context.range, { start = { line = 0, character = 0 }, ['end'] = { line = 1, character = 2 } })
    end,
  },
  {
    'an object that requires one of its own kind is asked for step by step',
    function()
      local schema = { type = 'object', properties = { kid = { ['$ref'] = '#' } }, required = { 'kid' } }
      local tool = { name = 'rec', inputSchema = schema, annotations = { readOnlyHint = true } }
      local fake = servers.fake({ plain = true, onlyTools = true, tools = { tool } })
      local e = Editor.start({ config = { servers = { fake = fake } } })
      e:command('Mcp call fake.rec')
      e:see('fake.rec > kid > kid > kid > kid', 'kid [required, object] =')
      e:keys('<CR>')
      e:see('fake.rec > kid > kid > kid\n')
    end,
  },
  {
    'promise 11: what saves by itself does not accept a value',
    function()
      local schema = { type = 'object', properties = { content = { type = 'string' } }, required = { 'content' } }
      local fake = servers.fake({ plain = true, onlyTools = true, tools = { { name = 't', inputSchema = schema } } })
      local e = Editor.start({ config = { servers = { fake = fake } } })
      e:lua([[
        vim.api.nvim_create_autocmd({ 'InsertLeave', 'TextChanged' }, {
          callback = function()
            vim.cmd('silent! wall')
            Saved = vim.api.nvim_get_current_line()
          end,
        })
      ]])
      e:command('Mcp call fake.t')
      e:see('content [required]: write to accept it')
      e:keys('ihalf<Esc>')
      e:await_lua("return Saved == 'half'")
      e:keys('a and half<Esc>')
      e:await_lua("return Saved == 'half and half'")
      check.equal(e:lua('return vim.bo.modified'), true)
      e:command('w')
      e:see('1: Run', 'content [required] = half and half')
    end,
  },
}

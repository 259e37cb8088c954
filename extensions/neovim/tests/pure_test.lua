local check = require('support.check')
local form = require('mcp-editord.form.schema')
local json = require('mcp-editord.json')
local text = require('mcp-editord.text')
local typed = require('mcp-editord.form.typed')

--- Makes tests of a table of cases.
local function cases(group, list, run)
  return vim.tbl_map(function(case)
    return {
      ('%s, %s'):format(group, case[1]),
      function()
        run(unpack(case, 2, table.maxn(case)))
      end,
    }
  end, list)
end

local tests = {}

--- Returns a file of cases that the daemon has too.
---@param name string in internal
---@return string
local function shared(name)
  local here = vim.fs.dirname(debug.getinfo(1, 'S').source:sub(2))
  return table.concat(vim.fn.readfile(('%s/../../../internal/%s'):format(here, name)), '\n')
end

-- The rules are those of the daemon's internal/safetext, and so are the cases.
local vectors = vim.json.decode(shared('safetext/testdata/vectors.json'))

-- Among them ANSI, OSC 8, bidi, zero-width and tag characters.
for _, case in ipairs(vectors.block) do
  tests[#tests + 1] = {
    'block, ' .. case.name,
    function()
      check.equal(text.block(case['in']), case.out)
    end,
  }
end

vim.list_extend(
  tests,
  cases('block', {
    { 'not UTF-8', 'a\255\192\175b', 'a\\xff\\xc0\\xafb' },
    { 'a surrogate in three bytes', '\237\160\128', '\\xed\\xa0\\x80' },
  }, function(given, want)
    check.equal(text.block(given), want)
  end)
)

for _, case in ipairs(vectors.line) do
  tests[#tests + 1] = {
    'line, ' .. case.name,
    function()
      check.equal(text.line(case['in'], case.max), case.out)
    end,
  }
end

tests[#tests + 1] = {
  'every character that is escaped, and no other',
  function()
    local short = { [9] = '\t', [10] = '\n', [13] = '\\r' }
    local range = 1
    for start = 0, 0x10ffff, 0x400 do
      local given, want = {}, {}
      for code = start, start + 0x3ff do
        if code < 0xd800 or code > 0xdfff then
          while vectors.escaped[range] and vectors.escaped[range][2] < code do
            range = range + 1
          end
          local escaped = vectors.escaped[range] and code >= vectors.escaped[range][1]
          given[#given + 1] = vim.fn.nr2char(code, true)
          if code == 0 then
            given[#given] = '\0'
          end
          want[#want + 1] = escaped and (short[code] or ('\\u{%x}'):format(code)) or given[#given]
        end
      end
      check.equal(text.block(table.concat(given)), table.concat(want))
    end
  end,
}

vim.list_extend(
  tests,
  cases('json encode', {
    { 'whole numbers keep their digits', 1234567890123456, '1234567890123456' },
    { 'fractions come back as they were', 0.1, '0.1' },
    { 'a fraction with many digits', 1 / 3, '0.3333333333333333' },
    { 'an empty list and an empty object', { a = {}, b = vim.empty_dict() }, '{"a":[],"b":{}}' },
    { 'null', { a = vim.NIL }, '{"a":null}' },
    { 'members are sorted', { b = 1, a = { true, 'x' } }, '{"a":[true,"x"],"b":1}' },
    { 'raw', { a = json.raw('12345678901234567890') }, '{"a":12345678901234567890}' },
    { 'bytes that are no UTF-8', 'a\255b', '"a\239\191\189b"' },
  }, function(given, want)
    check.equal(json.encode(given), want)
  end)
)

vim.list_extend(
  tests,
  cases('json pretty', {
    {
      'order and digits stay',
      '{"z":12345678901234567890,"a":[1.0,"x, {y}"]}',
      '{\n  "z": 12345678901234567890,\n  "a": [\n    1.0,\n    "x, {y}"\n  ]\n}',
    },
    { 'empty ones on one line', '{"a":{ },"b":[\n]}', '{\n  "a": {},\n  "b": []\n}' },
    { 'escaped quotes', '["\\"]","\\\\"]', '[\n  "\\"]",\n  "\\\\"\n]' },
    { 'a scalar', ' true ', 'true' },
    { 'white space', '[ 1 ,\n 2 ]', '[\n  1,\n  2\n]' },
  }, function(given, want)
    check.equal(json.pretty(given), want)
  end)
)

vim.list_extend(
  tests,
  cases('json member', {
    { 'nested', '{"a":{"b":[1,{"c":"}"}]},"x":1}', { 'a', 'b' }, '[1,{"c":"}"}]' },
    { 'missing', '{"a":1}', { 'b' }, nil },
    { 'of what is no object', '[1]', { 'a' }, nil },
    { 'an escaped name', '{"\\u0061b": 2}', { 'ab' }, '2' },
    { 'empty', '{}', { 'a' }, nil },
  }, function(given, path, want)
    check.equal(json.member(given, unpack(path)), want)
  end)
)

tests[#tests + 1] = {
  'servers: problems are counted in the list and named on the page',
  function()
    local servers = require('mcp-editord.commands.servers')
    local server =
      { name = 'x', state = 'ready', scope = 'workspace', transport = 'stdio', source = 'builtin', restarts = 0 }
    check.lacks(servers.label(server), 'problem')
    server.problems = { 'roots are left out: \27[31mmake the glob narrower', 'roots change late' }
    check.contains(servers.label(server), '2 problems')
    local page = table.concat(servers.page(server).lines, '\n')
    check.contains(page, 'roots are left out')
    check.contains(page, 'roots change late')
    check.lacks(page, '\27')
  end,
}

tests[#tests + 1] = {
  'json: depth does not matter',
  function()
    local deep = ('['):rep(10000) .. (']'):rep(10000)
    check.equal(json.member('{"a":' .. deep .. ',"b":1}', 'b'), '1')
    check.equal(#vim.split(json.pretty(deep), '\n'), 19999)
  end,
}

--- One field of a property.
local function field(property, required)
  local schema = '{"type":"object","properties":{"x":'
    .. property
    .. '},"required":['
    .. (required and '"x"' or '')
    .. ']}'
  return form.fields(schema)[1]
end

tests[#tests + 1] = {
  'form: fields come in the order of the schema',
  function()
    local fields =
      form.fields('{"properties":{"zeta":{"type":"string"},"alpha":{"type":"integer"},"mid":true},"required":["mid"]}')
    check.equal(
      vim.tbl_map(function(f)
        return { f.name, f.kind, f.required }
      end, fields),
      { { 'zeta', 'string', false }, { 'alpha', 'integer', false }, { 'mid', 'mixed', true } }
    )
    check.equal(form.fields(nil), {})
  end,
}

-- The rules of forms are the same in every plugin, and so are the cases. They stay JSON, for the order of members.
local forms = shared('toolschema/testdata/forms.json')

--- Makes a test of each case of a group. `run` gets the case, decoded, and the field of its schema.
---@param group string
---@param run fun(case: table, text: string, field: mcp-editord.Field)
local function each(group, run)
  local found = 0
  for case in json.elements(json.member(forms, group)) do
    found = found + 1
    local told = vim.json.decode(case)
    tests[#tests + 1] = {
      ('forms.json, %s, %s'):format(group, told.name),
      function()
        local schema = json.member(case, 'schema') --[[@as string]]
        run(told, case, form.field('x', schema, json.member(case, 'root') or schema, told.required == true))
      end,
    }
  end
  assert(found > 0, group .. ' has no cases')
end

each('kinds', function(case, _, f)
  check.equal(f.kind, case.kind)
end)

each('read', function(case, _, f)
  local value, problem = typed.read(f, case.typed)
  if case.problem then
    check.equal({ value, type(problem) }, { nil, 'string' })
  else
    local want = not case.omitted and { case.value } or {}
    check.equal({ value and vim.json.decode(value), problem }, want)
  end
end)

each('show', function(case, told, f)
  f.required = true
  local value = json.member(told, 'value') --[[@as string]]
  check.equal(typed.show(f, value), case.typed)
  check.equal(vim.json.decode(typed.read(f, case.typed) --[[@as string]]), case.value, 'read again')
end)

each('skeletons', function(case, _, f)
  check.equal(vim.json.decode(require('mcp-editord.form.skeleton').of(f.text, f.root)), case.value)
end)

--- Returns the kinds of fields by name, and the names of those that are required, sorted.
---@param fields mcp-editord.Field[]
local function told_of(fields)
  local kinds, required = vim.empty_dict(), {}
  for _, f in ipairs(fields) do
    kinds[f.name] = f.kind
    required[#required + 1] = f.required and f.name or nil
  end
  table.sort(required)
  return kinds, required
end

each('forms', function(case, told)
  local wanted = case.alternatives or { { label = '', fields = case.fields, required = case.required } }
  local got = {}
  for i, shape in ipairs(form.shapes(json.member(told, 'schema'))) do
    local kinds, required = told_of(shape.fields)
    got[i] = { label = shape.label, fields = kinds, required = required }
  end
  for _, one in ipairs(wanted) do
    table.sort(one.required)
  end
  check.equal(got, wanted)
end)

tests[#tests + 1] = {
  'form: a schema that contains itself many times costs little',
  function()
    local all = table.concat(vim.fn['repeat']({ '{"$ref":"#/$defs/a"}' }, 10), ',')
    local schema = ('{"$ref":"#/$defs/a","$defs":{"a":{"allOf":[%s],"anyOf":[%s],"oneOf":[%s]}}}'):format(all, all, all)
    form.shapes(schema)
    local f = form.field('x', schema, schema, true)
    check.equal(f.types, nil)
    typed.problem(f, '{"a":[1]}') -- what it leaves out, the server checks
    local names, members = {}, {}
    for i = 1, 20 do
      names[i], members[i] = ('"m%d"'):format(i), ('"m%d":{"$ref":"#"}'):format(i)
    end
    local object = '{"type":"object","required":[%s],"properties":{%s}}'
    local root = object:format(table.concat(names, ','), table.concat(members, ','))
    check.equal(#require('mcp-editord.form.skeleton').of(root, root) < 10000, true)
  end,
}

tests[#tests + 1] = {
  'form: references within the schema are followed, also when they go round',
  function()
    local fields = form.fields(
      '{"properties":{"a":{"$ref":"#/$defs/color"},"b":{"$ref":"#/$defs/loop"},"c":{"$ref":"http://example.com/x"}},"$defs":{"color":{"enum":["red"]},"loop":{"$ref":"#/$defs/loop"}}}'
    )
    check.equal({ fields[1].kind, fields[2].kind, fields[3].kind }, { 'choice', 'mixed', 'mixed' })
  end,
}

vim.list_extend(
  tests,
  cases('form parse', {
    { 'text', '{"type":"string"}', 'a "b"', '"a \\"b\\""' },
    { 'too short', '{"type":"string","minLength":3}', 'ab', nil, 'must be at least 3 characters long' },
    { 'characters count', '{"type":"string","maxLength":3}', 'äöü', '"äöü"' },
    { 'email', '{"type":"string","format":"email"}', 'nobody', nil, 'must be an address such as name@example.com' },
    { 'date', '{"type":"string","format":"date"}', '2026-01-31', '"2026-01-31"' },
    { 'integer', '{"type":"integer"}', '12345678901234567890', '12345678901234567890' },
    { 'no integer', '{"type":"integer"}', '1.5', nil, 'must be a whole number' },
    { 'hexadecimal is none', '{"type":"number"}', '0x10', nil, 'must be a number, such as 1.5' },
    { 'number', '{"type":"number"}', '-1.5e3', '-1.5e3' },
    { 'below the minimum', '{"type":"integer","minimum":5}', '4', nil, 'must be at least 5' },
    { 'at an exclusive maximum', '{"type":"number","exclusiveMaximum":5}', '5', nil, 'must be less than 5' },
    { 'yes', '{"type":"boolean"}', 'yes', 'true' },
    { 'no boolean', '{"type":"boolean"}', 'maybe', nil, 'must be true or false' },
    { 'a choice', '{"enum":["a","b"]}', 'b', '"b"' },
    { 'a choice of numbers', '{"enum":[1,2]}', '2', '2' },
    { 'no choice', '{"enum":["a","b"]}', 'c', nil, 'must be one of a, b' },
    { 'several choices', '{"type":"array","items":{"enum":["a","b","c"]}}', 'c, a', '["c","a"]' },
    {
      'too few choices',
      '{"type":"array","minItems":2,"items":{"enum":["a","b"]}}',
      'a',
      nil,
      'must be at least 2 items long',
    },
    { 'an object', '{"type":"object","required":["k"],"properties":{"k":{"type":"integer"}}}', '{"k":1}', '{"k":1}' },
    { 'a member is missing', '{"type":"object","required":["k"]}', '{}', nil, 'needs the member "k"' },
    {
      'a wrong member',
      '{"type":"object","properties":{"k":{"type":"integer"}}}',
      '{"k":"x"}',
      nil,
      'k must be of type integer',
    },
    {
      'a member too many',
      '{"type":"object","additionalProperties":false}',
      '{"k":1}',
      nil,
      'must not have the member "k"',
    },
    { 'a wrong element', '{"type":"array","items":{"type":"string"}}', '["a",1]', nil, '[1] must be of type string' },
    { 'an empty array is no object', '{"type":"object","properties":{"k":{}}}', '[]', nil, 'must be of type object' },
    { 'digits in a list', '{"type":"array"}', '12345678901234567890', '[12345678901234567890]' },
    { 'digits in a map', '{"type":"object"}', 'id=12345678901234567890', '{"id":12345678901234567890}' },
  }, function(property, given, value, problem)
    check.equal({ typed.read(field(property, true), given) }, { value, problem })
  end)
)

vim.list_extend(
  tests,
  cases('arguments', {
    { 'the file', 'path=%', { path = '"/w/a, b.go"' } },
    { 'the file with modifiers', 'path=%:t', { path = '"a, b.go"' } },
    { 'a comma of the file separates nothing', 'paths=%,c', { paths = '["%","c"]' } },
    { 'nor does one of a variable', 'paths=${file},c', { paths = '["/w/a, b.go","c"]' } },
    { 'a variable in a text', 'path=${fileDirname}/x', { path = '"/w/x"' } },
    { 'a number', 'line=${lineNumber}', { line = '7' } },
    { 'data is not expanded again', 'path=${selectedText}', { path = [["${file} \"%\""]] } },
    { 'a backslash', [[path=\% paths=\${file}]], { path = '"%"', paths = '["${file}"]' } },
    { 'single quotes', "path='%' paths='${file}'", { path = '"%"', paths = '["${file}"]' } },
    { 'double quotes', 'path="${fileDirname}/a b"', { path = '"/w/a b"' } },
    { 'a sign within a text', 'path=100% paths=a%b', { path = '"100%"', paths = '["a%b"]' } },
    { 'JSON stays', [[path:='"${file}"']], { path = '"${file}"' } },
    { 'another name', 'path=${HOME}', { path = '"${HOME}"' } },
    { 'a list', 'paths=a.go,b.go', { paths = '["a.go","b.go"]' } },
  }, function(line, want)
    local arguments, expand = require('mcp-editord.commands.arguments'), require('mcp-editord.commands.expand')
    local words, _, masks = arguments.words(line)
    local context = {
      textDocument = { uri = 'file:///w/a%2C%20b.go' },
      range = { start = { line = 6 } },
      selectedText = '${file} "%"',
    }
    local expanded
    words, expanded = expand.words(words, masks, context)
    local fields = form.fields(
      '{"properties":{"path":{"type":"string"},"paths":{"type":"array","items":{"type":"string"}},"line":{"type":"integer"}}}'
    )
    check.equal(
      vim.tbl_map(vim.json.decode, arguments.read(fields, words, expanded)),
      vim.tbl_map(vim.json.decode, want)
    )
  end)
)

tests[#tests + 1] = {
  'arguments: what has no value here is an error',
  function()
    local expand = require('mcp-editord.commands.expand')
    local ok, problem = pcall(expand.words, { 'a=%' }, { '...' }, {})
    check.equal({ ok, problem }, { false, '"%" has no value here; to pass it as it stands, put it in single quotes' })
  end,
}

tests[#tests + 1] = {
  'messages name commands that exist',
  function()
    local messages, found = require('mcp-editord.ui.messages'), 0
    local subcommands = require('mcp-editord.commands').subcommands
    local function look(where, said)
      for name in said:gmatch(':Mcp!? (%l+)') do
        found = found + 1
        assert(subcommands[name] or name == 'command', ('%s names :Mcp %s'):format(where, name))
      end
    end
    local root = vim.fs.dirname(debug.getinfo(1, 'S').source:sub(2)) .. '/../lua/mcp-editord'
    for path in vim.fs.dir(root, { depth = 5 }) do
      if vim.endswith(path, '.lua') then
        look(path, table.concat(vim.fn.readfile(root .. '/' .. path), '\n'))
      end
    end
    assert(found > 20, 'few commands were found')
    local err = { message = 'there is no server "x"; editord/servers lists the servers', data = { kind = 'noServer' } }
    check.equal(messages.error_line(err), 'there is no server "x"; :Mcp servers lists the servers')
  end,
}

vim.list_extend(
  tests,
  cases('form sensitive', {
    { 'password', '"title":"Your password"', true },
    { 'API key', '"title":"API_KEY"', true },
    { 'a PIN', '"title":"PIN"', true },
    { 'pinned is not', '"title":"pinned"', false },
    { 'a name is not', '"title":"Full name"', false },
  }, function(member, want)
    check.equal(form.is_sensitive(field('{"type":"string",' .. member .. '}')), want)
  end)
)

table.insert(tests, {
  'servers: what was told while a list was on its way counts',
  function()
    local connection = require('mcp-editord.daemon.connection').new(nil, {}, function() end)
    connection.servers = { a = { name = 'a', state = 'failed' }, gone = { name = 'gone', state = 'ready' } }
    local list = require('mcp-editord.daemon.servers').merge(connection, {
      servers = { { name = 'b', state = 'ready' }, { name = 'a', state = 'starting' } },
    })
    check.equal(list, { { name = 'a', state = 'failed' }, { name = 'b', state = 'ready' } })
    check.equal(vim.tbl_count(connection.servers), 2)
  end,
})

table.insert(tests, {
  'form: a schema that is made of itself, many times over, has an end',
  function()
    local self = '{"type":"object","properties":{"a":{"anyOf":[{"$ref":"#/properties/a"},{"type":"string"}]}}}'
    check.equal(form.shapes(self)[1].fields[1].name, 'a')
    local parts = ('{"$ref":"#"},'):rep(10):sub(1, -2) -- 10 to the power of 10 in all
    local many = ('{"type":"object","allOf":[%s],"properties":{"b":{"type":"string"}}}'):format(parts)
    check.equal(form.shapes(many)[1].fields[1].name, 'b')
  end,
})

vim.list_extend(
  tests,
  cases('for whom a server asks', {
    { 'this editor', nil, '' },
    { 'an agent', { name = 'Claude Code' }, ', for Claude Code' },
    { 'a tool', { name = 'Claude Code', tool = 'write_file' }, ', for Claude Code (tool write_file)' },
    { 'what hides', { name = 'a\27[2J\u{202e}\n', tool = '\7' }, ', for a\\u{1b}[2J\\u{202e}\\n (tool \\u{7})' },
    {
      'what is long',
      { name = ('n'):rep(61), tool = ('t'):rep(61) },
      (', for %s… (tool %s…)'):format(('n'):rep(59), ('t'):rep(59)),
    },
  }, function(caller, want)
    check.equal(require('mcp-editord.questions.caller').of({ caller = caller }), want)
  end)
)

return tests

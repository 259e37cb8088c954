local check = require('support.check')
local form = require('mcp-editord.form.schema')
local json = require('mcp-editord.json')
local text = require('mcp-editord.text')

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

-- The rules are those of the daemon's internal/safetext, and so are the cases.
local vectors = vim.json.decode(
  table.concat(
    vim.fn.readfile(
      vim.fs.dirname(debug.getinfo(1, 'S').source:sub(2)) .. '/../../../internal/safetext/testdata/vectors.json'
    ),
    '\n'
  )
)

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
      { { 'zeta', 'string', false }, { 'alpha', 'integer', false }, { 'mid', 'json', true } }
    )
    check.equal(form.fields(nil), {})
  end,
}

vim.list_extend(
  tests,
  cases('form kind', {
    { 'text', '{"type":"string"}', 'string' },
    { 'a type that may be null', '{"type":["integer","null"]}', 'integer' },
    { 'an alternative that may be null', '{"anyOf":[{"type":"number"},{"type":"null"}]}', 'number' },
    { 'an enum', '{"type":"string","enum":["a","b"]}', 'choice' },
    { 'an enum with titles', '{"type":"string","oneOf":[{"const":"a","title":"A"}]}', 'choice' },
    { 'several of an enum', '{"type":"array","items":{"type":"string","enum":["a","b"]}}', 'choices' },
    { 'several with titles', '{"type":"array","items":{"anyOf":[{"const":"a","title":"A"}]}}', 'choices' },
    { 'an array', '{"type":"array","items":{"type":"string"}}', 'json' },
    { 'an object', '{"type":"object"}', 'json' },
    { 'a text or a number', '{"type":["number","string"]}', 'string' },
    { 'no type', '{}', 'json' },
  }, function(property, want)
    check.equal(field(property).kind, want)
  end)
)

tests[#tests + 1] = {
  'form: references within the schema are followed, also when they go round',
  function()
    local fields = form.fields(
      '{"properties":{"a":{"$ref":"#/$defs/color"},"b":{"$ref":"#/$defs/loop"},"c":{"$ref":"http://example.com/x"}},"$defs":{"color":{"enum":["red"]},"loop":{"$ref":"#/$defs/loop"}}}'
    )
    check.equal({ fields[1].kind, fields[2].kind, fields[3].kind }, { 'choice', 'json', 'json' })
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
    { 'hexadecimal is none', '{"type":"number"}', '0x10', nil, 'must be a number' },
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
    { 'an empty array is no object', '{"type":"object"}', '[]', nil, 'must be of type object' },
    { 'not JSON', '{"type":"array"}', '[', nil, 'must be valid JSON' },
  }, function(property, typed, value, problem)
    check.equal({ form.parse(field(property), typed) }, { value, problem })
  end)
)

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

return tests

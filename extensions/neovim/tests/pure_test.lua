local check = require('support.check')
local form = require('mcp-editord.form')
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

-- Row 60 of the faults: ANSI, OSC 8, bidi, zero-width and tag characters. The cases are those of internal/safetext.
vim.list_extend(
  tests,
  cases('block', {
    { 'plain text stays', 'Grüße, 世界 — ok', 'Grüße, 世界 — ok' },
    { 'lines and tabs stay', 'a\n\tb', 'a\n\tb' },
    { 'carriage return', 'safe\rrm -rf', 'safe\\rrm -rf' },
    { 'ANSI colour', '\27[31mred', '\\u{1b}[31mred' },
    { 'OSC 8 link', '\27]8;;http://x\7y', '\\u{1b}]8;;http://x\\u{7}y' },
    { 'C1 control sequence introducer', 'a\194\15531m', 'a\\u{9b}31m' },
    { 'delete', 'a\127', 'a\\u{7f}' },
    { 'right-to-left override', 'a\226\128\174gnp.exe', 'a\\u{202e}gnp.exe' },
    { 'isolates', '\226\129\166a\226\129\169', '\\u{2066}a\\u{2069}' },
    { 'Arabic letter mark', '\216\156a', '\\u{61c}a' },
    {
      'zero-width space and joiners',
      'a\226\128\139b\226\128\140c\226\128\141d\226\129\160',
      'a\\u{200b}b\\u{200c}c\\u{200d}d\\u{2060}',
    },
    { 'byte order mark', '\239\187\191a', '\\u{feff}a' },
    { 'tag characters', 'a\243\160\129\129\243\160\129\191', 'a\\u{e0041}\\u{e007f}' },
    { 'unassigned in the tag block', '\243\160\128\130', '\\u{e0002}' },
    { 'variation selectors that hide bytes', 'a\239\184\129\243\160\132\128', 'a\\u{fe01}\\u{e0100}' },
    { 'coloured form of a sign', '\226\154\160\239\184\143', '\226\154\160\239\184\143' },
    { 'Hangul filler', 'a\227\133\164b', 'a\\u{3164}b' },
    { 'soft hyphen', 'pass\194\173word', 'pass\\u{ad}word' },
    { 'line separator', 'a\226\128\168b', 'a\\u{2028}b' },
    { 'visible Arabic number sign', '\216\128', '\216\128' },
    { 'not UTF-8', 'a\255\192\175b', 'a\\xff\\xc0\\xafb' },
    { 'a surrogate in three bytes', '\237\160\128', '\\xed\\xa0\\x80' },
    { 'the replacement character itself', '\239\191\189', '\239\191\189' },
    { 'NUL', 'a\0b', 'a\\u{0}b' },
  }, function(given, want)
    check.equal(text.block(given), want)
  end)
)

vim.list_extend(
  tests,
  cases('line', {
    { 'short', 'abc', 10, 'abc' },
    { 'exactly as long as allowed', 'abc', 3, 'abc' },
    { 'one too long', 'abcd', 3, 'ab…' },
    { 'characters count, not bytes', 'äöüß', 3, 'äö…' },
    { 'line breaks and tabs show', 'a\nb\tc\r\nd', 20, 'a\\nb\\tc\\r\\nd' },
    { 'an escape counts as what it shows', 'ab\27', 6, 'ab\\u{…' },
    { 'room for the ellipsis only', 'abc', 1, '…' },
    { 'no room', 'abc', 0, '' },
    { 'empty', '', 0, '' },
  }, function(given, max, want)
    check.equal(text.line(given, max), want)
  end)
)

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
  'json: depth does not matter',
  function() -- row 16 of the faults
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
  function() -- row 21 of the faults
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
    { 'a member is missing', '{"type":"object","required":["k"]}', '{}', nil, 'needs the member k' },
    {
      'a wrong member',
      '{"type":"object","properties":{"k":{"type":"integer"}}}',
      '{"k":"x"}',
      nil,
      'k must be of type integer',
    },
    { 'a member too many', '{"type":"object","additionalProperties":false}', '{"k":1}', nil, 'has no member k' },
    { 'a wrong element', '{"type":"array","items":{"type":"string"}}', '["a",1]', nil, '[1] must be of type string' },
    { 'an empty array is no object', '{"type":"object"}', '[]', nil, 'must be of type object' },
    { 'not JSON', '{"type":"array"}', '[', nil, 'is not valid JSON' },
  }, function(property, typed, value, problem)
    check.equal({ form.parse(field(property), typed) }, { value, problem })
  end)
)

vim.list_extend(
  tests,
  cases('form sensitive', { -- row 65 of the faults
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
    local connection = { servers = { a = { name = 'a', state = 'failed' }, gone = { name = 'gone', state = 'ready' } } }
    local list = require('mcp-editord.servers').take(connection, {
      servers = { { name = 'b', state = 'ready' }, { name = 'a', state = 'starting' } },
    })
    check.equal(list, { { name = 'a', state = 'failed' }, { name = 'b', state = 'ready' } })
    check.equal(vim.tbl_count(connection.servers), 2)
  end,
})

return tests

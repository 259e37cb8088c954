local check = require('support.check')
local json = require('mcp-editord.json')
local result = require('mcp-editord.results.format')

--- The lines of a CallToolResult.
local function lines(raw)
  local page = result.tool('s', raw)
  return page.lines, page
end

return {
  {
    'texts are shown as they are',
    function()
      check.equal(lines('{"content":[{"type":"text","text":"# A\\n\\nb\\n"}]}'), { '# A', '', 'b' })
    end,
  },
  {
    'several contents have headings',
    function()
      local got = lines('{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}')
      check.equal(got, { '## 1 of 2: text', '', 'a', '', '## 2 of 2: text', '', 'b' })
    end,
  },
  {
    'structured content keeps order and digits, and is not shown twice',
    function()
      local raw = '{"content":[{"type":"text","text":"{\\"z\\":1,\\"a\\":2}"}],"structuredContent":{"z":1,"a":2}}'
      check.equal(lines(raw), { '```json', '{', '  "z": 1,', '  "a": 2', '}', '```' })
      local exact = lines('{"content":[],"structuredContent":{"n":12345678901234567890}}')
      check.equal(exact[3], '  "n": 12345678901234567890')
    end,
  },
  {
    'long JSON is folded',
    function()
      local _, page = lines(json.encode({ content = {}, structuredContent = vim.fn.range(30) }))
      check.equal(page.folds, { { 1, 32 } })
    end,
  },
  {
    'an error reads like one',
    function()
      local got, page = lines('{"isError":true,"content":[{"type":"text","text":"no such file"}]}')
      check.equal(got, { 'The tool reports an error:', '', 'no such file' })
      check.equal({ page.marks[1].group, page.marks[#page.marks].group }, { 'McpError', 'McpErrorText' })
    end,
  },
  {
    'a content that nobody knows is shown as it is, and the others stay',
    function()
      local got = lines('{"content":[{"type":"hologram","x":[1]},{"type":"text","text":"a"},7]}')
      check.contains(table.concat(got, '\n'), '[content of unknown type "hologram"]')
      check.contains(table.concat(got, '\n'), '\na')
    end,
  },
  {
    'images, links and resources are lines that can be opened',
    function()
      local got, page = lines(json.encode({
        content = {
          { type = 'image', mimeType = 'image/png', data = ('A'):rep(4000) },
          { type = 'resource_link', uri = 'file:///a', name = 'A' },
          { type = 'resource', resource = { uri = 'x://b', mimeType = 'application/gzip', blob = 'AAAA' } },
        },
      }))
      check.equal(got[3], '[image, image/png, 2.9 KiB] <CR> opens, s saves')
      check.equal(got[7], '[link, A, file:///a] <CR> opens')
      check.equal(got[12], '[data, application/gzip, 3 bytes] <CR> opens, s saves')
      check.equal(vim.tbl_count(page.links), 3)
    end,
  },
  {
    '50 MB of image are a line',
    function()
      local raw = '{"content":[{"type":"image","mimeType":"image/png","data":"' .. ('A'):rep(50 * 1024 * 1024) .. '"}]}'
      check.equal(lines(raw), { '[image, image/png, 37.5 MiB] <CR> opens, s saves' })
    end,
  },
  {
    'nothing harmful comes through',
    function()
      local got = lines(
        '{"content":[{"type":"text","text":"\\u001b]8;;http://x\\u0007\\u202e\\u0000"},{"type":"\\u001b[2J"}],"structuredContent":{"\\u200b":"\\u202e","b":"\226\128\174"}}'
      )
      check.equal(table.concat(got, ' '):find('[%z\1-\31]'), nil)
      check.lacks(table.concat(got, ' '), '\226\128\174')
    end,
  },
  {
    'nothing at all is said',
    function()
      check.equal(lines('{"content":[]}'), { 'The tool returned nothing.' })
    end,
  },
  {
    'prompts have their roles, and text for a buffer',
    function()
      local raw =
        '{"description":"d","messages":[{"role":"user","content":{"type":"text","text":"q"}},{"role":"assistant","content":{"type":"text","text":"a"}}]}'
      check.equal(result.prompt('s', raw).lines, { 'd', '', '## user', '', 'q', '', '## assistant', '', 'a' })
      check.equal(result.prompt_text(raw), 'q\n\na')
    end,
  },
}

--- Turns what servers answer into pages. Has no side effects; opening a line calls the function of its link.
local address = require('mcp-editord.address')
local blob = require('mcp-editord.results.blob')
local json = require('mcp-editord.json')
local pages = require('mcp-editord.ui.page')
local spill = require('mcp-editord.results.spill')
local text = require('mcp-editord.text')
local thread = require('mcp-editord.thread')

local M = {}

--- The longest JSON that is not folded, in lines.
local max_unfolded = 15

--- How much text of servers a page shows, in bytes. What it leaves out is in a file.
local max_shown = 10 * 1024 * 1024

---@class mcp-editord.Builder
---@field server string
---@field page mcp-editord.Page
---@field room integer how many more bytes the page shows
---@field pause? mcp-editord.Pause
local Builder = {}
Builder.__index = Builder

---@param server string
---@param pause? mcp-editord.Pause gives way to the loop; without it, the page is made at once
---@param raw? string JSON of the result that the page is of
---@return mcp-editord.Builder
function M.builder(server, pause, raw)
  return setmetatable({
    server = server,
    page = { lines = {}, marks = {}, links = {}, folds = {}, images = {}, files = {}, bytes = raw and #raw },
    room = max_shown,
    pause = pause,
  }, Builder)
end

---@param lines string[]
---@param group? string
---@return integer first 0-based
function Builder:add(lines, group)
  local page = self.page
  local first = #page.lines
  for i, line in ipairs(lines) do
    page.lines[first + i] = line
  end
  if group and #lines > 0 then
    page.marks[#page.marks + 1] = { line = first, last = first + #lines - 1, group = group }
  end
  return first
end

---@param title string
function Builder:heading(title)
  if #self.page.lines > 0 then
    self:add({ '' })
  end
  self:add({ '## ' .. text.line(title, 200) }, 'McpHeading')
  self:add({ '' })
end

--- Adds a text of any length. What the page has no room for is in a file, which a link before the text opens.
---@param parts fun(): fun(): string? returns an iterator over the text, in parts
---@param group? string
---@return integer first 0-based
---@return integer count lines
function Builder:long(parts, group)
  local lines, carry, cut = {}, '', false
  for part in parts() do
    local got = text.lines(part)
    got[1] = carry .. got[1]
    for i = 1, #got - 1 do
      lines[#lines + 1] = got[i]
      cut = cut or #got[i] > pages.max_line
    end
    carry = got[#got]
    if #carry > pages.max_line then
      carry, cut = carry:sub(1, pages.max_line + 1), true -- the page cuts it
    end
    self.room = self.room - #part
    if self.room <= 0 then
      cut = true
      break
    end
    if self.pause then
      self.pause()
    end
  end
  if carry ~= '' or #lines == 0 then
    lines[#lines + 1] = carry
  end
  if cut then
    local file = spill.file(parts)
    table.insert(self.page.files, file)
    self:link('not all of it fits here; the whole text', { file.path }, file)
  end
  return self:add(lines, group), #lines
end

---@param raw string JSON
function Builder:json(raw)
  self:add({ '```json' })
  local first, count = self:long(function()
    return json.pretty_parts(raw, self.pause)
  end)
  self:add({ '```' })
  if count > max_unfolded then
    table.insert(self.page.folds, { first, first + count - 1 })
  end
end

--- Adds a line that can be opened.
---@param what string
---@param more string[]
---@param link mcp-editord.Link
function Builder:link(what, more, link)
  local parts = { what }
  for _, part in ipairs(more) do
    if part ~= '' then
      parts[#parts + 1] = part
    end
  end
  local keys = link.save and '<CR> opens, s saves' or '<CR> opens'
  local line = ('[%s] %s'):format(text.line(table.concat(parts, ', '), 300), keys)
  self.page.links[self:add({ line })] = link
end

--- Returns the decoded size of a base64 text, in bytes (RFC 4648, section 4).
---@param data string
---@return integer
local function decoded_size(data)
  return math.floor((#data - #data:sub(-2):match('=*$')) * 6 / 8)
end

--- Whether a value is a string.
---@param raw string? JSON
---@return boolean
local function is_string(raw)
  return raw ~= nil and raw:byte() == 0x22
end

--- Returns the value of a JSON string, and "" for anything else.
---@param raw string?
---@return string
local function str(raw)
  if not is_string(raw) then
    return ''
  end
  -- Data is long and has nothing to decode.
  return raw:find('\\', 1, true) and vim.json.decode(raw) or raw:sub(2, -2)
end

---@param s string
function Builder:text(s)
  local lines = text.lines(s)
  if lines[#lines] == '' and #lines > 1 then
    table.remove(lines)
  end
  self:add(lines)
end

--- Adds the value of a JSON string, and JSON on one line indented.
---@param raw string
---@param group? string
function Builder:string(raw, group)
  local compact = not group and raw:find('^"[%s\\nrt]*[%[{]') and thread.compact(raw, self.pause)
  if compact then
    return self:json(compact)
  end
  self:long(function()
    return json.string_parts(raw)
  end, group)
end

--- Adds one ContentBlock (MCP 2025-11-25, schema.ts). Shows an unknown type as JSON.
---@param raw string JSON of it
---@param group? string
function Builder:content(raw, group)
  local content = json.object(raw, self.pause)
  local kind = str(content.type)
  if kind == 'text' then
    self:string(is_string(content.text) and content.text or '""', group)
  elseif kind == 'image' or kind == 'audio' then
    local data, mime = str(content.data), str(content.mimeType)
    local data_link = blob.link(data, mime, kind)
    self:link(kind, { mime, text.size(decoded_size(data)) }, data_link)
    if kind == 'image' then
      table.insert(self.page.images, { line = #self.page.lines - 1, path = data_link.path })
    end
  elseif kind == 'resource_link' then
    local uri, server = str(content.uri), self.server
    local size = tonumber(content.size) and text.size(tonumber(content.size)) or ''
    self:link('link', { str(content.title or content.name), uri, str(content.mimeType), size }, {
      open = function()
        pages.visit(address.name(server, uri))
      end,
    })
  elseif kind == 'resource' and content.resource then
    self:resource(content.resource)
  else
    self:add({ ('[content of unknown type "%s"]'):format(text.line(kind, 60)) }, 'McpMuted')
    self:json(raw)
  end
end

--- Adds the contents of a resource (TextResourceContents or BlobResourceContents).
---@param raw string JSON of them
function Builder:resource(raw)
  local resource = json.object(raw, self.pause)
  local uri, mime = str(resource.uri), str(resource.mimeType)
  self:add({ text.line(('resource %s %s'):format(uri, mime), 300) }, 'McpMuted')
  if is_string(resource.blob) then
    local data = str(resource.blob)
    self:link('data', { mime, text.size(decoded_size(data)) }, blob.link(data, mime, vim.fs.basename(uri)))
  elseif is_string(resource.text) then
    self:string(resource.text)
  else
    self:json(raw)
  end
end

--- Returns the contents of a CallToolResult, without those that repeat the structured content, as the specification
--- recommends for old clients (MCP 2025-11-25, Tools, Structured Content).
---@param result table<string, string>
---@param pause? mcp-editord.Pause
---@return string[]
local function contents(result, pause)
  local structured, out = result.structuredContent, {}
  for raw in json.elements(result.content, pause) do
    local content = structured and json.object(raw, pause) or {}
    local repeated = content.type == '"text"'
      and content.text
      and content.text:find('^"[%s\\nrt]*[%[{]')
      and thread.repeats(content.text, structured, pause)
    if raw:find('^{') and not repeated then
      out[#out + 1] = raw
    end
  end
  return out
end

--- Returns a CallToolResult as a page.
---@param server string
---@param raw string JSON of the result
---@param pause? mcp-editord.Pause
---@return mcp-editord.Page
---@return boolean failed whether the tool reports an error
function M.tool(server, raw, pause)
  local b = M.builder(server, pause, raw)
  local result = json.object(raw, pause)
  local group = result.isError == 'true' and 'McpErrorText' or nil
  if group then
    b:add({ 'The tool reports an error:' }, 'McpError')
    b:add({ '' })
  end
  local shown = contents(result, pause)
  for i, content in ipairs(shown) do
    if #shown > 1 then
      b:heading(('%d of %d: %s'):format(i, #shown, str(json.member(content, 'type'))))
    end
    b:content(content, group)
  end
  if result.structuredContent then
    if #shown > 0 then
      b:heading('structured content')
    end
    b:json(result.structuredContent)
  end
  if #b.page.lines == 0 then
    b:add({ 'The tool returned nothing.' }, 'McpMuted')
  end
  return b.page, group ~= nil
end

--- Returns a GetPromptResult as a page.
---@param server string
---@param raw string JSON of the result
---@param pause? mcp-editord.Pause
---@return mcp-editord.Page
function M.prompt(server, raw, pause)
  local b = M.builder(server, pause, raw)
  local result = json.object(raw, pause)
  local description = str(result.description)
  if description ~= '' then
    b:add(text.lines(description), 'McpMuted')
  end
  for message in json.elements(result.messages, pause) do
    b:heading(str(json.member(message, 'role')))
    b:content(json.member(message, 'content') --[[@as string]])
  end
  return b.page
end

--- Returns the text of a content, or nil if it has none.
---@param raw string? JSON of a ContentBlock
---@param pause? mcp-editord.Pause
---@return string?
local function text_of(raw, pause)
  local content = json.object(raw, pause)
  local inner = content.type == '"resource"' and json.object(content.resource, pause) or content
  return is_string(inner.text) and str(inner.text) or nil
end

--- Returns the texts of a GetPromptResult as they came.
---@param raw string JSON of the result
---@param pause? mcp-editord.Pause
---@return string
function M.prompt_text(raw, pause)
  local parts = {}
  for message in json.elements(json.object(raw, pause).messages, pause) do
    parts[#parts + 1] = text_of(json.member(message, 'content'), pause)
  end
  return table.concat(parts, '\n\n')
end

--- Returns the texts of a CallToolResult as they came. Without one, returns its structured content.
---@param raw string JSON of the result
---@param pause? mcp-editord.Pause
---@return string? text nil if it has none
---@return string? structured JSON of the structured content
---@return boolean failed whether the tool reports an error
function M.tool_text(raw, pause)
  local result, parts = json.object(raw, pause), {}
  for content in json.elements(result.content, pause) do
    parts[#parts + 1] = text_of(content, pause)
  end
  if #parts == 0 and result.structuredContent then
    parts[1] = json.pretty(result.structuredContent) .. '\n'
  end
  return #parts > 0 and table.concat(parts, '\n') or nil, result.structuredContent, result.isError == 'true'
end

--- Returns the texts of a ReadResourceResult as they came.
---@param raw string JSON of the result
---@param pause? mcp-editord.Pause
---@return string? text nil if it has none
function M.resource_text(raw, pause)
  local parts = {}
  for content in json.elements(json.object(raw, pause).contents, pause) do
    local inner = json.object(content, pause)
    parts[#parts + 1] = is_string(inner.text) and str(inner.text) or nil
  end
  return #parts > 0 and table.concat(parts, '\n') or nil
end

--- Returns the contents of a ReadResourceResult as a page. A single text stands for itself.
---@param server string
---@param raw string JSON of the result
---@param pause? mcp-editord.Pause
---@return mcp-editord.Page
---@return string? mime of the single text; may be empty
function M.resource(server, raw, pause)
  local b, all = M.builder(server, pause, raw), {}
  for content in json.elements(json.object(raw, pause).contents, pause) do
    all[#all + 1] = content
  end
  local only = #all == 1 and json.object(all[1], pause) or {}
  if is_string(only.text) then
    b:long(function()
      return json.string_parts(only.text)
    end)
    return b.page, str(only.mimeType)
  end
  for _, content in ipairs(all) do
    b:resource(content)
  end
  return b.page
end

return M

--- Turns what servers answer into pages. Has no side effects; opening a line calls the function of its link.
local address = require('mcp-editord.address')
local blob = require('mcp-editord.results.blob')
local json = require('mcp-editord.json')
local pages = require('mcp-editord.ui.page')
local text = require('mcp-editord.text')

local M = {}

--- The longest JSON that is not folded, in lines.
local max_unfolded = 15

---@class mcp-editord.Builder
---@field server string
---@field page mcp-editord.Page
local Builder = {}
Builder.__index = Builder

---@param server string
---@return mcp-editord.Builder
function M.builder(server)
  return setmetatable(
    { server = server, page = { lines = {}, marks = {}, links = {}, folds = {}, images = {} } },
    Builder
  )
end

---@param lines string[]
---@param group? string
---@return integer first 0-based
function Builder:add(lines, group)
  local page = self.page
  local first = #page.lines
  for i, line in ipairs(lines) do
    page.lines[first + i] = line
    if group then
      page.marks[#page.marks + 1] = { line = first + i - 1, group = group }
    end
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

---@param raw string JSON
function Builder:json(raw)
  local lines = text.lines(json.pretty(raw))
  local first = self:add({ '```json' })
  self:add(lines)
  self:add({ '```' })
  if #lines > max_unfolded then
    table.insert(self.page.folds, { first + 1, first + #lines })
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

---@param bytes integer
---@return string
function M.size(bytes)
  if bytes < 1024 then
    return bytes .. ' bytes'
  elseif bytes < 1024 * 1024 then
    return ('%.1f KiB'):format(bytes / 1024)
  end
  return ('%.1f MiB'):format(bytes / 1024 / 1024)
end

--- Returns the decoded size of a base64 text, in bytes (RFC 4648, section 4).
---@param data string
---@return integer
local function decoded_size(data)
  return math.floor((#data - #data:sub(-2):match('=*$')) * 6 / 8)
end

---@param value any
---@return string
local function str(value)
  return type(value) == 'string' and value or ''
end

--- Whether a text is one JSON value on one line, as servers without structured content send it.
---@param s string
---@return boolean
local function is_compact_json(s)
  return s:find('^%s*[%[{]') ~= nil and not s:find('\n.*\n') and pcall(vim.json.decode, s)
end

---@param s string
---@param group? string
function Builder:text(s, group)
  if not group and is_compact_json(s) then
    return self:json(s)
  end
  local lines = text.lines(s)
  if lines[#lines] == '' and #lines > 1 then
    table.remove(lines)
  end
  self:add(lines, group)
end

--- Adds one ContentBlock (MCP 2025-11-25, schema.ts). Shows an unknown type as JSON.
---@param content table
---@param raw string JSON of it
---@param group? string
function Builder:content(content, raw, group)
  local kind = content.type
  if kind == 'text' then
    self:text(str(content.text), group)
  elseif kind == 'image' or kind == 'audio' then
    local data, mime = str(content.data), str(content.mimeType)
    local data_link = blob.link(data, mime, kind)
    self:link(kind, { mime, M.size(decoded_size(data)) }, data_link)
    if kind == 'image' then
      table.insert(self.page.images, { line = #self.page.lines - 1, path = data_link.path })
    end
  elseif kind == 'resource_link' then
    local uri, server = str(content.uri), self.server
    local size = type(content.size) == 'number' and M.size(content.size) or ''
    self:link('link', { str(content.title or content.name), uri, str(content.mimeType), size }, {
      open = function()
        pages.visit(address.name(server, uri))
      end,
    })
  elseif kind == 'resource' and type(content.resource) == 'table' then
    self:resource(content.resource, raw)
  else
    self:add({ ('[content of unknown type "%s"]'):format(text.line(tostring(kind), 60)) }, 'McpMuted')
    self:json(raw)
  end
end

--- Adds the contents of a resource (TextResourceContents or BlobResourceContents).
---@param resource table
---@param raw string
function Builder:resource(resource, raw)
  local uri, mime = str(resource.uri), str(resource.mimeType)
  self:add({ text.line(('resource %s %s'):format(uri, mime), 300) }, 'McpMuted')
  if type(resource.blob) == 'string' then
    self:link(
      'data',
      { mime, M.size(decoded_size(resource.blob)) },
      blob.link(resource.blob, mime, vim.fs.basename(uri))
    )
  elseif type(resource.text) == 'string' then
    self:text(resource.text)
  else
    self:json(raw)
  end
end

--- Whether a text repeats the structured content, as the specification recommends for old clients (MCP 2025-11-25, Tools,
--- Structured Content).
---@param content table
---@param structured any
---@return boolean
local function repeats(content, structured)
  if content.type ~= 'text' or not str(content.text):find('^%s*[%[{]') then
    return false
  end
  local ok, decoded = pcall(vim.json.decode, content.text)
  return ok and vim.deep_equal(decoded, structured)
end

--- Returns a CallToolResult as a page.
---@param server string
---@param result table
---@param raw string JSON of the result
---@return mcp-editord.Page
function M.tool(server, result, raw)
  local b = M.builder(server)
  local group = result.isError == true and 'McpErrorText' or nil
  if group then
    b:add({ 'The tool reports an error:' }, 'McpError')
    b:add({ '' })
  end
  local structured = result.structuredContent
  local shown, count = {}, 0
  local texts = json.elements(json.member(raw, 'content'))
  for _, content in ipairs(type(result.content) == 'table' and result.content or {}) do
    local content_raw = texts()
    if type(content) == 'table' and not (structured ~= nil and repeats(content, structured)) then
      shown[#shown + 1] = { content, content_raw }
      count = count + 1
    end
  end
  for i, pair in ipairs(shown) do
    if count > 1 then
      b:heading(('%d of %d: %s'):format(i, count, str(pair[1].type)))
    end
    b:content(pair[1], pair[2], group)
  end
  if structured ~= nil then
    if count > 0 then
      b:heading('structured content')
    end
    b:json(json.member(raw, 'structuredContent') --[[@as string]])
  end
  if #b.page.lines == 0 then
    b:add({ 'The tool returned nothing.' }, 'McpMuted')
  end
  return b.page
end

--- Returns a GetPromptResult as a page.
---@param server string
---@param result table
---@param raw string JSON of the result
---@return mcp-editord.Page
function M.prompt(server, result, raw)
  local b = M.builder(server)
  if str(result.description) ~= '' then
    b:add(text.lines(result.description), 'McpMuted')
  end
  local texts = json.elements(json.member(raw, 'messages'))
  for _, message in ipairs(result.messages or {}) do
    b:heading(str(message.role))
    b:content(message.content, json.member(texts(), 'content') --[[@as string]])
  end
  return b.page
end

--- Returns the texts of a GetPromptResult, for a buffer or a register.
---@param result table
---@return string
function M.prompt_text(result)
  local parts = {}
  for _, message in ipairs(result.messages or {}) do
    local content = message.content
    if type(content) == 'table' and content.type == 'text' then
      parts[#parts + 1] = str(content.text)
    elseif type(content) == 'table' and content.type == 'resource' and type(content.resource) == 'table' then
      parts[#parts + 1] = str(content.resource.text)
    end
  end
  return table.concat(parts, '\n\n')
end

return M

--- What servers answer, as text for a model that takes nothing else. What has no text is named, so that the model knows that
--- there was something.
local json = require('mcp-editord.json')

local M = {}

---@param value any
---@return string?
local function str(value)
  return type(value) == 'string' and value or nil
end

--- Returns the contents of a resource (TextResourceContents or BlobResourceContents).
---@param contents table
---@return string
local function resource(contents)
  if str(contents.text) then
    return contents.text
  end
  return ('[%s, %s: no text]'):format(str(contents.uri) or 'a resource', str(contents.mimeType) or 'binary')
end

--- Returns one ContentBlock (MCP 2025-11-25, schema.ts).
---@param content table
---@return string
local function block(content)
  if content.type == 'text' and str(content.text) then
    return content.text
  elseif content.type == 'resource' and type(content.resource) == 'table' then
    return resource(content.resource)
  elseif content.type == 'resource_link' then
    return ('[resource %s: %s]'):format(str(content.name) or '', str(content.uri) or '')
  end
  return ('[%s, %s: no text]'):format(str(content.type) or 'content', str(content.mimeType) or 'unknown type')
end

---@param list any
---@param one fun(value: table): string
---@return string
local function joined(list, one)
  local parts = {}
  for _, value in ipairs(type(list) == 'table' and list or {}) do
    parts[#parts + 1] = type(value) == 'table' and one(value) or nil
  end
  return table.concat(parts, '\n')
end

--- Returns a CallToolResult. Where it has no content, its structured content stands for it.
---@param raw string JSON of the result
---@return string text
---@return boolean failed whether the tool reports an error
function M.tool(raw)
  local result = vim.json.decode(raw)
  local text = joined(result.content, block)
  if text == '' then
    text = json.member(raw, 'structuredContent') or ''
  end
  return text, result.isError == true
end

---@class mcp-editord.ChatMessage
---@field role 'user'|'assistant'
---@field text string

--- Returns the messages of a GetPromptResult.
---@param raw string JSON of the result
---@return mcp-editord.ChatMessage[]
function M.prompt(raw)
  local out = {}
  for _, message in ipairs(vim.json.decode(raw).messages or {}) do
    local role = message.role == 'assistant' and 'assistant' or 'user'
    out[#out + 1] = { role = role, text = block(message.content) }
  end
  return out
end

--- Returns a ReadResourceResult.
---@param raw string JSON of the result
---@return string
function M.resource(raw)
  return joined(vim.json.decode(raw).contents, resource)
end

return M

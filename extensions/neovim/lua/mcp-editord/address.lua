--- The address of a resource, which is the name of its buffer: mcp://SERVER/URI.
local M = {}

--- The address of a resource.
---@param server string
---@param uri string
---@return string
function M.name(server, uri)
  return ('mcp://%s/%s'):format(
    server:gsub('[^%w._~-]', function(c)
      return ('%%%02X'):format(c:byte())
    end),
    uri
  )
end

--- What an address means; nil when it is none.
---@param name string
---@return string? server
---@return string uri
function M.parse(name)
  local server, uri = name:match('^mcp://([^/]+)/(.+)$')
  if not server then
    return nil, ''
  end
  return (server:gsub('%%(%x%x)', function(hex)
    return string.char(tonumber(hex, 16))
  end)), uri
end

return M

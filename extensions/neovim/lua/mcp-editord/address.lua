--- The address of a resource, mcp://SERVER/URI, which is also the name of its buffer.
local M = {}

--- Returns the address of a resource.
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

--- Reads an address. Returns nil if `name` is not one.
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

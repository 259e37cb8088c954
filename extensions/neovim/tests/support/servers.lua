--- Servers for mcp.json.
local json = require('mcp-editord.json')
local M = {}

--- The real reference server.
function M.everything()
  return {
    command = 'node',
    args = { vim.env.MCP_EDITORD_TEST_SERVERS .. '/@modelcontextprotocol/server-everything/dist/index.js', 'stdio' },
  }
end

--- A server that does what it is told: see test/testkit/fakeserver.
---@param script? table
function M.fake(script)
  return {
    command = vim.env.FAKESERVER_BIN,
    env = { FAKESERVER = json.encode(script or { plain = true }) },
  }
end

return M

--- Other people's plugins, for the tests that use the real ones. MCP_EDITORD_TEST_PLUGINS names a folder with a checkout
--- of each, under its usual name. Without it, those tests are skipped.
local M = {}

--- What the tests were written against.
local versions = {
  ['avante.nvim'] = 'yetone/avante.nvim, commit f1afd02',
  ['codecompanion.nvim'] = 'olimorris/codecompanion.nvim, version 19.22.0, for Neovim 0.11',
  ['CopilotChat.nvim'] = 'CopilotC-Nvim/CopilotChat.nvim, version 4.7.4',
  ['nui.nvim'] = 'MunifTanjim/nui.nvim',
  ['plenary.nvim'] = 'nvim-lua/plenary.nvim, commit b9fd522',
}

--- Returns Lua that puts plugins into the runtimepath, or nil and what is missing.
---@param names string[]
---@return string? lua
---@return string? missing
function M.load(names)
  local out = {}
  for _, name in ipairs(names) do
    local dir = ('%s/%s'):format(vim.env.MCP_EDITORD_TEST_PLUGINS or '', name)
    if not vim.uv.fs_stat(dir .. '/lua') then
      return nil, ('MCP_EDITORD_TEST_PLUGINS has no "%s" (%s)'):format(name, versions[name])
    end
    out[#out + 1] = ('vim.opt.runtimepath:append(%q)'):format(dir)
  end
  return table.concat(out, '\n')
end

return M

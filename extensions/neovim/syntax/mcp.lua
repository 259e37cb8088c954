if vim.b.current_syntax == nil then
  vim.cmd.runtime('syntax/yaml.vim')
  vim.b.current_syntax = 'mcp'
end

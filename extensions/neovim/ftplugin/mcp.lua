--- Call documents are YAML.
if vim.b.did_ftplugin then
  return
end
vim.b.did_ftplugin = true

vim.bo.commentstring = '# %s'
vim.bo.comments = ':#'
vim.bo.expandtab = true
vim.bo.shiftwidth = 2
vim.bo.softtabstop = 2
vim.bo.formatoptions = vim.bo.formatoptions:gsub('t', '') -- a line of a text goes to a server as it is
local undo = 'setlocal commentstring< comments< expandtab< shiftwidth< softtabstop< formatoptions<'

if vim.wo.foldmethod == 'manual' then
  vim.wo[0][0].foldmethod = 'indent'
  vim.wo[0][0].foldlevel = 99
  undo = undo .. ' foldmethod< foldlevel<'
end
vim.b.undo_ftplugin = undo

if #vim.api.nvim_get_runtime_file('parser/yaml.*', false) > 0 then
  vim.treesitter.language.register('yaml', 'mcp')
end

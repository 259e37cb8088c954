--- Defines the command, the maps and the autocommands. Everything else loads on first use.
if vim.g.loaded_mcp_editord then
  return
end
vim.g.loaded_mcp_editord = true

vim.api.nvim_create_user_command('Mcp', function(opts)
  require('mcp-editord.commands').run(opts)
end, {
  nargs = '*',
  range = true,
  bang = true,
  desc = 'Use MCP servers',
  complete = function(...)
    return require('mcp-editord.commands.complete').command(...)
  end,
})

for name, subcommand in pairs({
  tools = 'tools',
  prompts = 'prompt',
  resources = 'resource',
  servers = 'servers',
  cancel = 'cancel',
  again = 'again',
  answer = 'answer',
  questions = 'questions',
  resume = 'resume',
  results = 'results',
  run = 'run',
}) do
  vim.keymap.set(
    { 'n', 'x' },
    ('<Plug>(mcp-%s)'):format(name),
    (':Mcp %s<CR>'):format(subcommand),
    { silent = true, desc = 'MCP: ' .. name }
  )
end

vim.filetype.add({ extension = { mcp = 'mcp' } })

local group = vim.api.nvim_create_augroup('mcp-editord-plugin', {})

vim.api.nvim_create_autocmd('BufReadCmd', {
  group = group,
  pattern = 'mcp://*',
  callback = function(event)
    require('mcp-editord.resources.buffers').read(event.buf, require('mcp-editord.attach').get)
  end,
})

--- Attaches to a buffer if it is a document of the daemon.
local function open_document(event)
  if require('mcp-editord.documents.which').is_document(event.buf) then
    require('mcp-editord.documents').open(event.buf, require('mcp-editord.attach').get)
  end
end

vim.api.nvim_create_autocmd('FileType', {
  group = group,
  pattern = { 'mcp', 'json', 'jsonc' },
  callback = open_document,
})

vim.api.nvim_create_autocmd('BufFilePost', { group = group, pattern = '*.mcp', callback = open_document })

-- What is in a file of results, a server may have written: it may look like a modeline.
vim.api.nvim_create_autocmd('BufReadPre', {
  group = group,
  pattern = '*/mcp-editord/texts/*',
  callback = function(event)
    vim.bo[event.buf].modeline = false
  end,
})

-- A session gives its buffers their names, and no more.
vim.api.nvim_create_autocmd('SessionLoadPost', {
  group = group,
  nested = true, -- reading them is BufReadCmd's
  callback = function()
    for _, buf in ipairs(vim.api.nvim_list_bufs()) do
      if vim.api.nvim_buf_get_name(buf):find('^mcp[%w-]*://') then
        return require('mcp-editord.resources.buffers').restore()
      end
    end
  end,
})

for name, link in pairs({
  McpHeading = 'Title',
  McpLink = 'Underlined',
  McpMuted = 'Comment',
  McpError = 'ErrorMsg',
  McpErrorText = 'DiagnosticError',
  McpWarning = 'WarningMsg',
  McpBadge = 'WarningMsg',
  McpAdded = 'DiffAdd',
  McpRemoved = 'DiffDelete',
}) do
  vim.api.nvim_set_hl(0, name, { link = link, default = true })
end

--- Attaches at startup if the person wants that. Does not validate the options here, which would load the plugin for
--- everybody.
local user = vim.g.mcp_editord
if type(user) == 'function' or type(user) == 'table' and user.autostart then
  vim.api.nvim_create_autocmd('VimEnter', {
    group = group,
    once = true,
    callback = function()
      if require('mcp-editord.config').get().autostart then
        require('mcp-editord.ui.messages').run(require('mcp-editord.attach').get)
      end
    end,
  })
end

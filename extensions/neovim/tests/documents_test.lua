local Editor = require('support.editor')
local check = require('support.check')

local calls = 'call: workspace.find_files\nwith:\n  pattern: "*.md"\n'

--- Whether the daemon's client, and no other, is attached to the current buffer.
local attached = "return #vim.lsp.get_clients({ bufnr = 0, name = 'mcp-editord' }) == 1"

--- The id of the client that is attached to the current buffer.
local client = 'return (vim.lsp.get_clients({ bufnr = 0 })[1] or {}).id'

return {
  {
    'a call document is YAML: its indent, its comments, its folds and its colours',
    function()
      local e = Editor.start({ files = { ['a.mcp'] = calls }, lua = "vim.cmd('syntax on')" })
      e:command('edit a.mcp')
      e:await_lua(attached)
      check.equal(e:lua('return { vim.bo.commentstring, vim.bo.shiftwidth, vim.bo.expandtab }'), { '# %s', 2, true })
      check.equal(e:lua('return { vim.wo.foldmethod, vim.wo.foldlevel }'), { 'indent', 99 })
      check.contains(e:lua("return vim.fn.synIDattr(vim.fn.synID(1, 1, 1), 'name')"), 'yaml')
      e:command('set filetype=text')
      check.equal(e:lua('return { vim.bo.commentstring, vim.wo.foldmethod }'), { '', 'manual' })
    end,
  },
  {
    'folds that the person has chosen stay',
    function()
      local e = Editor.start({ files = { ['a.mcp'] = calls }, lua = "vim.o.foldmethod = 'marker'" })
      e:command('edit a.mcp')
      e:await_lua(attached)
      check.equal(e:lua('return vim.wo.foldmethod'), 'marker')
    end,
  },
  {
    'the daemon gets call documents and files that define servers, and no others',
    function()
      local e = Editor.start({
        files = {
          ['a.mcp'] = calls,
          ['.mcp.json'] = '{}',
          ['.vscode/mcp.json'] = '{}',
          ['.cursor/mcp.json'] = '{}',
          ['sub/mcp.json'] = '{}',
          ['package.json'] = '{}',
          ['readme.md'] = '',
        },
      })
      for _, name in ipairs({ 'a.mcp', '.mcp.json', '.vscode/mcp.json', '.cursor/mcp.json' }) do
        e:command('edit ' .. name)
        e:await_lua(attached)
      end
      e:command('edit ' .. e.home.dir .. '/config/mcp-editord/mcp.json')
      e:await_lua(attached)
      for _, name in ipairs({ 'sub/mcp.json', 'package.json', 'readme.md' }) do
        e:command('edit ' .. name)
        e:await_lua(('return vim.endswith(vim.api.nvim_buf_get_name(0), %q)'):format(name))
      end
      e:command('enew')
      e:command('set filetype=mcp')
      e:await_lua("return vim.bo.filetype == 'mcp'")
      -- A connection that is there before would attach to them at once.
      check.equal(
        e:lua([[
          local names = {}
          for buf in pairs(vim.lsp.get_clients({ name = 'mcp-editord' })[1].attached_buffers) do
            table.insert(names, vim.fn.fnamemodify(vim.api.nvim_buf_get_name(buf), ':t'))
          end
          table.sort(names)
          return names
        ]]),
        { '.mcp.json', 'a.mcp', 'mcp.json', 'mcp.json', 'mcp.json' }
      )
      e:command('file ' .. e.home.project .. '/new.mcp')
      e:await_lua(attached)
    end,
  },
  {
    'the mcp.json that an option or the environment names is one of them',
    function()
      local home = Editor.home({ files = { ['mine.json'] = '{}', ['theirs.json'] = '{}' } })
      local e = Editor.start({
        home = home,
        options = ("{ config = '%s/theirs.json' }"):format(home.project),
        env = { MCP_EDITORD_CONFIG = home.project .. '/mine.json' },
      })
      for _, name in ipairs({ 'theirs.json', 'mine.json' }) do
        e:command('edit ' .. name)
        e:await_lua(attached)
      end
    end,
  },
  {
    'a file of another kind loads nothing of the plugin',
    function()
      local e = Editor.start({ files = { ['readme.md'] = '', ['main.go'] = '' } })
      e:command('edit readme.md')
      e:command('edit main.go')
      e:await_lua("return vim.bo.filetype == 'go'")
      check.equal(
        e:lua([[
          return vim.tbl_filter(function(name)
            return vim.startswith(name, 'mcp-editord')
          end, vim.tbl_keys(package.loaded))
        ]]),
        {}
      )
    end,
  },
  {
    'when the daemon ends, a document is attached to the next one',
    function()
      local e = Editor.start({ files = { ['a.mcp'] = calls } })
      e:command('edit a.mcp')
      e:await_lua(attached)
      local before = e:lua(client)
      check.equal(Editor.cli(e.home, 'stop').code, 0)
      e:await_lua(
        'local before, after = ..., (function() ' .. client .. ' end)() return after and after ~= before',
        before
      )
    end,
  },
  {
    'a document whose workspace is left joins that of its window',
    function()
      local home = Editor.home({ files = { ['a.mcp'] = calls } })
      local other = home.dir .. '/other'
      vim.fn.mkdir(other .. '/.git', 'p')
      local e = Editor.start({ home = home })
      e:command('edit a.mcp')
      e:await_lua(attached)
      local before = e:lua(client)
      e:command('tabnew')
      e:command('tcd ' .. other)
      e:async("require('mcp-editord').servers()")
      e:command('tabprevious')
      e:command('tcd ' .. other)
      e:await_lua(
        'local before, after = ..., (function() ' .. client .. ' end)() return after and after ~= before',
        before
      )
      check.equal(e:lua("return #vim.lsp.get_clients({ name = 'mcp-editord' })"), 1)
    end,
  },
}

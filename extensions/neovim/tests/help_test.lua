--- The help is found without anybody having made its tags: with plugin managers it is not at the root of the repository.
local check = require('support.check')

return {
  {
    'tags lead into the help, and :helptags changes nothing',
    function()
      local root = vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p:h:h')
      vim.cmd.help('mcp-editord-sampling')
      check.equal(vim.fn.expand('%:p'), root .. '/doc/mcp-editord.txt')
      vim.cmd.close()
      local dir = vim.fn.tempname()
      vim.fn.mkdir(dir)
      assert(vim.uv.fs_copyfile(root .. '/doc/mcp-editord.txt', dir .. '/mcp-editord.txt'))
      vim.cmd.helptags(dir)
      -- A manager that does run it leaves a clean work tree.
      check.equal(vim.fn.readblob(dir .. '/tags'), vim.fn.readblob(root .. '/doc/tags'))
    end,
  },
}

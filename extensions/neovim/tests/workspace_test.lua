--- Which folder is the workspace.
local check = require('support.check')
local workspace = require('mcp-editord.workspace')

--- Runs `fn` while these paths belong to another user.
local function with_foreign(paths, fn)
  local lstat = vim.uv.fs_lstat
  if vim.uv.getuid() == 0 then
    for _, path in ipairs(paths) do
      assert(vim.uv.fs_lchown(path, 65534, 65534))
    end
  else -- nobody else can give a file away
    rawset(vim.uv, 'fs_lstat', function(path)
      local found = lstat(path)
      if found and vim.list_contains(paths, path) then
        found.uid = 65534
      end
      return found
    end)
  end
  local ok, err = pcall(fn)
  rawset(vim.uv, 'fs_lstat', lstat)
  assert(ok, err)
end

--- The workspace of `dir` in a tree of folders, where some belong to another user.
local function of(dir, folders, foreign, links)
  local top = assert(vim.uv.fs_mkdtemp('/tmp/mcpnv-XXXXXX'))
  local function path(name)
    return top .. '/' .. name
  end
  for _, name in ipairs(folders) do
    vim.fn.mkdir(path(name), 'p')
  end
  for name, target in pairs(links or {}) do
    vim.uv.fs_symlink(target, path(name))
  end
  local before, found = vim.fn.getcwd(), nil
  with_foreign(vim.tbl_map(path, foreign), function()
    vim.cmd.cd(path(dir))
    found = workspace.current()
    vim.cmd.cd(before)
  end)
  vim.fn.delete(top, 'rf')
  return found and found:sub(#top + 2)
end

local tests = {}
for name, case in pairs({
  ['a marker above is found'] = { 'a/b', { 'a/b', 'a/.git' }, {}, 'a' },
  ['a marker in a folder of another user is not taken'] = { 'a/b', { 'a/b', 'a/.git' }, { 'a' }, 'a/b' },
  ['a marker of another user in a folder of mine is not taken'] = { 'a/b', { 'a/b', 'a/.git' }, { 'a/.git' }, 'a/b' },
  ['nor a part of its path'] = { 'a/b', { 'a/b', 'a/.vscode/mcp.json' }, { 'a/.vscode' }, 'a/b' },
  ['nobody climbs through a folder of another user'] = { 'a/b/c', { 'a/b/c', 'a/.git' }, { 'a/b' }, 'a/b/c' },
  ['nor out of one'] = { 'a/b', { 'a/b', 'a/.git' }, { 'a/b' }, 'a/b' },
  ['a marker of another user hides no marker above'] = {
    'a/b',
    { 'a/b/.git', 'a/.git' },
    { 'a/b/.git' },
    'a',
  },
  ['a link of another user is none'] = { 'a/b', { 'a/b', 'x' }, { 'a/.git' }, 'a/b', { ['a/.git'] = '../x' } },
}) do
  tests[#tests + 1] = {
    'promise 1: ' .. name,
    function()
      local dir, folders, foreign, want, links = unpack(case, 1, 5)
      check.equal(of(dir, folders, foreign, links), want)
    end,
  }
end

return tests

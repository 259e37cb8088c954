--- Runs the tests in the Neovim that runs this file:
---
---     nvim -u NONE -l tests/run.lua [FILE…] [--only TEXT] [--count N]
---
--- A file is tests/*_test.lua. It returns a list of { name, function }, and the function raises what is wrong. If it returns
--- a text, the test could not run, and the text says what it lacks. Tests that need an editor start a second Neovim, of the
--- same version, and drive it over RPC; see support/editor.lua. The environment names the programs: MCP_EDITORD
--- (mcp-editord), FAKESERVER_BIN (fakeserver), AUTHSERVER_BIN (authserver) and MCP_EDITORD_TEST_SERVERS (node_modules with
--- the real servers).
--- MCP_EDITORD_TEST_PLUGINS names a folder with other people's plugins; see support/plugins.lua.
local here = vim.fs.dirname(vim.fs.normalize(debug.getinfo(1, 'S').source:sub(2)))
local root = vim.fn.fnamemodify(here, ':p:h:h')
package.path = ('%s/?.lua;%s'):format(here, package.path)
vim.opt.runtimepath:prepend(root)

local files, only, count = {}, nil, 1
do
  local i = 1
  while _G.arg[i] do
    if _G.arg[i] == '--only' then
      i = i + 1
      only = _G.arg[i]
    elseif _G.arg[i] == '--count' then
      i = i + 1
      count = tonumber(_G.arg[i])
    else
      files[#files + 1] = vim.fs.normalize(_G.arg[i])
    end
    i = i + 1
  end
end
if #files == 0 then
  files = vim.fn.glob(here .. '/*_test.lua', true, true)
  table.sort(files)
end

local editor = require('support.editor')
local failed, passed, skipped = {}, 0, {}
local began = vim.uv.hrtime()

for _ = 1, count do
  for _, file in ipairs(files) do
    local group = vim.fs.basename(file):gsub('_test%.lua$', '')
    for _, test in ipairs(dofile(file)) do
      local name = group .. ': ' .. test[1]
      if not only or name:find(only, 1, true) then
        local ok, result = xpcall(test[2], function(err)
          return type(err) == 'string' and debug.traceback(err, 2) or vim.inspect(err)
        end)
        local report = editor.finish(not ok)
        if ok and result then
          skipped[#skipped + 1] = ('skipped %s: %s'):format(name, result)
        elseif ok then
          passed = passed + 1
        else
          failed[#failed + 1] = name
          io.write(('FAIL %s\n%s\n%s\n'):format(name, result, report))
        end
      end
    end
  end
end

for _, problem in ipairs(editor.leave()) do
  failed[#failed + 1] = problem
end
io.write(
  ('%s: %d passed, %d failed, %d skipped, %.1f s\n'):format(
    tostring(vim.version()),
    passed,
    #failed,
    #skipped,
    (vim.uv.hrtime() - began) / 1e9
  )
)
for _, name in ipairs(failed) do
  io.write('  ' .. name .. '\n')
end
for _, line in ipairs(skipped) do
  io.write('  ' .. line .. '\n')
end
if passed + #failed + #skipped == 0 then
  io.write('there is no such test\n')
end
os.exit((#failed > 0 or passed + #skipped == 0) and 1 or 0)

--- Measures what the plugin adds to the startup of Neovim while nobody uses it, and how long Neovim stands still while a long
--- result is shown. What is compared takes turns, so that other load on the machine affects both.
---
---     nvim -u NONE -l scripts/bench.lua
local root =
  vim.fs.dirname(vim.fs.dirname(vim.fs.normalize(vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p'))))
local rounds = 40

--- Starts Neovim. Returns the milliseconds of the whole startup, and of the plugin in it.
---@param with boolean whether the plugin is there
---@return number all
---@return number own
local function start(with)
  local file = vim.fn.tempname()
  local path = vim.env.VIMRUNTIME .. (with and ',' .. root or '')
  local cmd =
    { vim.v.progpath, '--headless', '-i', 'NONE', '-u', 'NORC', '--cmd', 'set packpath= runtimepath=' .. path }
  local out = vim.system(vim.list_extend(cmd, { '--startuptime', file, '+qa' })):wait()
  assert(out.code == 0, out.stderr)
  local all, own = 0, 0
  for line in io.lines(file) do
    all = tonumber(line:match('^(%d+%.%d+)')) or all
    own = tonumber(line:match('(%d+%.%d+): sourcing .*plugin/mcp%-editord%.lua')) or own
  end
  return all, own
end

---@param list number[]
---@return number
local function median(list)
  table.sort(list)
  return list[math.ceil(#list / 2)]
end

local with, without, plugin = {}, {}, {}
for i = 1, rounds do
  with[i], plugin[i] = start(true)
  without[i] = start(false)
end
local own, bare = median(plugin), median(without)
assert(own > 0, 'the plugin was not loaded')
io.write(
  ('\nStart of Neovim %s, medians of %d in turns:\n'):format(tostring(vim.version()), rounds),
  ('  without the plugin  %6.2f ms\n'):format(bare),
  ('  with it             %6.2f ms  x %.2f\n'):format(median(with), median(with) / bare),
  ('  its own file        %6.2f ms\n'):format(own)
)

vim.opt.runtimepath:prepend(root)
package.path = ('%s/tests/?.lua;%s'):format(root, package.path)
local megabytes, shown, plainly = 20, {}, {}
for i = 1, 5 do
  shown[i], plainly[i] = require('support.gap').measure(megabytes)
end
io.write(
  ('\nThe longest time without a turn of the loop for %d MiB of text, medians of %d in turns:\n'):format(
    megabytes,
    #shown
  ),
  ('  put into a buffer at once  %6.0f ms\n'):format(median(plainly)),
  ('  as a result                %6.0f ms  x %.2f\n'):format(median(shown), median(shown) / median(plainly))
)

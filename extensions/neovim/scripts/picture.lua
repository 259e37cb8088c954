--- Draws docs/neovim.svg from the screen of a real Neovim, with the real daemon and servers:
---
---     MCP_EDITORD=… MCP_EDITORD_TEST_SERVERS=… nvim -u NONE -l scripts/picture.lua TARGET
local root =
  vim.fs.dirname(vim.fs.dirname(vim.fs.normalize(vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p'))))
package.path = ('%s/tests/?.lua;%s'):format(root, package.path)
vim.opt.runtimepath:prepend(root)

local Editor = require('support.editor')
local servers = require('support.servers')

-- The size of one cell and of the font, in pixels.
local width, height, size = 8.4, 18, 14

---@param text string
---@return string
local function escape(text)
  return (text:gsub('[&<>]', { ['&'] = '&amp;', ['<'] = '&lt;', ['>'] = '&gt;' }))
end

---@param color integer?
---@return string
local function hex(color)
  return ('#%06x'):format(color)
end

--- The colors of an attribute.
---@return integer foreground
---@return integer background
---@return table attributes
local function style(screen, id)
  local a = screen.attributes[id] or {}
  local foreground = a.foreground or screen.colors.foreground
  local background = a.background or screen.colors.background
  if a.reverse then
    foreground, background = background, foreground
  end
  return foreground, background, a
end

--- Iterates over the words of a row: SVG does not keep leading, trailing or repeated white space.
---@param cells string[]
---@return fun(): integer?, string[]? where a word begins, 1-based, and its cells
local function words(cells)
  local next_cell = 1
  return function()
    while cells[next_cell] == ' ' do
      next_cell = next_cell + 1
    end
    local first, word = next_cell, {}
    while cells[next_cell] and cells[next_cell] ~= ' ' do
      word[#word + 1] = cells[next_cell]
      next_cell = next_cell + 1
    end
    if #word > 0 then
      return first, word
    end
  end
end

---@return string
local function svg(screen)
  local out = {}
  local function add(...)
    out[#out + 1] = (...):format(select(2, ...))
  end
  local w, h = screen.width * width + 16, screen.height * height + 16
  add('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %g %g" role="img">', w, h)
  add('<title>A server of a project asks to run, above the result of a tool</title>')
  add('<rect width="%g" height="%g" rx="6" fill="%s"/>', w, h, hex(screen.colors.background))
  add('<g font-family="ui-monospace, Menlo, Consolas, monospace" font-size="%d">', size)
  for row = 1, screen.height do
    local column = 1
    while column <= screen.width do
      local id, first, cells = screen.styles[row][column], column, {}
      while column <= screen.width and screen.styles[row][column] == id do
        cells[#cells + 1] = screen.rows[row][column]
        column = column + 1
      end
      local foreground, background, a = style(screen, id)
      local y, length = 8 + (row - 1) * height, (column - first) * width
      if background ~= screen.colors.background then
        local rect = '<rect x="%g" y="%g" width="%g" height="%g" fill="%s"/>'
        add(rect, 8 + (first - 1) * width, y, length, height, hex(background))
      end
      local bold = a.bold and ' font-weight="bold"' or ''
      for at, word in words(cells) do
        local line = '<text x="%g" y="%g" textLength="%g" fill="%s"%s>%s</text>'
        local x = 8 + (first + at - 2) * width
        add(line, x, y + 13.5, #word * width, hex(foreground), bold, escape(table.concat(word)))
      end
    end
  end
  add('</g></svg>')
  return table.concat(out, '\n') .. '\n'
end

local home = Editor.home({ config = { servers = { everything = servers.everything() } } })
local project = home.env.HOME .. '/acme'
vim.fn.mkdir(project .. '/.git', 'p')
vim.fn.writefile(
  { 'package main', '', 'import "fmt"', '', 'func main() {', '\tfmt.Println("hello")', '}' },
  project .. '/main.go'
)
local e = Editor.start({
  home = home,
  cwd = project,
  width = 92,
  height = 28,
  options = '{ result = { height = 8 } }',
  lua = 'vim.cmd.syntax("on") vim.o.tabstop = 4 vim.cmd.edit("main.go")',
})
e:see('package main')
e:command('Mcp call everything.get-structured-content location=Chicago')
e:see('"humidity"')
e:keys('<C-w>k')
local file = assert(io.open(project .. '/.mcp.json', 'w'))
file:write(
  [[{"servers": {"tickets": {"command": "npx", "args": ["-y", "tickets-mcp", "--project", "acme"], "env": {"TICKETS_TOKEN": "x"}}}}]]
)
file:close()
e:take_up('May the MCP server "tickets" run?', '2: Allow')
local target = assert(io.open(_G.arg[1], 'w'))
-- Replaces the test's directory by a name of the same length.
target:write((svg(e.screen):gsub(vim.pesc(home.dir .. '/home'), '/home/you/src/projects')))
target:close()
Editor.finish(false)
local problems = Editor.leave()
io.stderr:write(table.concat(problems, '\n'))
os.exit(#problems > 0 and 1 or 0)

--- Generates parts of the help, and the types of the options, from the sources:
---
---     nvim -u NONE -l scripts/doc.lua           writes
---     nvim -u NONE -l scripts/doc.lua --check   fails when something has drifted
---
--- doc/tags is committed: plugin managers make the tags of the doc folder at the root of a repository only, and some
--- installations are read-only.
---
--- In doc/mcp-editord.txt it writes the text from a thin ruler to the next ruler, in the sections of the commands, the options
--- and the API. It also checks that every highlight group, map, event and kind of a list is there, that no tag is there
--- twice, and that no link is dead.
local root =
  vim.fs.dirname(vim.fs.dirname(vim.fs.normalize(vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p'))))
vim.opt.runtimepath:prepend(root)
local checking = _G.arg[1] == '--check'
local problems = {}

---@param path string
---@return string
local function read(path)
  return table.concat(vim.fn.readfile(root .. '/' .. path), '\n') .. '\n'
end

--- Breaks text into lines of at most 78 characters.
---@param text string
---@param indent string
---@return string[]
local function wrap(text, indent)
  local lines, line = {}, ''
  for word in text:gmatch('%S+') do
    if line ~= '' and #indent + #line + 1 + vim.fn.strchars(word) > 78 then
      lines[#lines + 1] = indent .. line
      line = word
    else
      line = line == '' and word or line .. ' ' .. word
    end
  end
  lines[#lines + 1] = indent .. line
  return lines
end

--- Returns a line with a text on the left and a tag on the right.
---@param left string
---@param tag string
---@return string
local function tagged(left, tag)
  return left .. (' '):rep(math.max(2, 78 - vim.fn.strchars(left) - #tag - 2)) .. '*' .. tag .. '*'
end

---@param value any
---@return string
local function lua_value(value)
  return (vim.inspect(value):gsub('"', "'"):gsub('%s+', ' '))
end

---@return string[]
local function options()
  local out = {}
  for _, option in ipairs(require('mcp-editord.options').list) do
    out[#out + 1] = tagged(option.name, 'mcp-editord-option-' .. option.name)
    local expected = require('mcp-editord.options').expected(option)
    local default = option.default == nil and 'not set' or ('`%s`'):format(lua_value(option.default))
    vim.list_extend(
      out,
      wrap(('%s%s; default %s.'):format(expected:sub(1, 1):upper(), expected:sub(2), default), '    ')
    )
    vim.list_extend(out, wrap(option.doc, '    '))
    out[#out + 1] = ''
  end
  return out
end

---@return string[]
local function commands()
  local out = {}
  local subcommands = require('mcp-editord.commands').subcommands
  local names = vim.tbl_keys(subcommands)
  table.sort(names)
  for _, name in ipairs(names) do
    local subcommand = subcommands[name]
    out[#out + 1] = tagged(vim.trim((':Mcp %s %s'):format(name, subcommand.arguments)), ':Mcp-' .. name)
    vim.list_extend(out, wrap(subcommand.doc, '    '))
    out[#out + 1] = ''
  end
  return out
end

---@return string[]
local function targets()
  local out = {}
  for _, target in ipairs(require('mcp-editord.commands.targets').list) do
    local syntax = target.argument and ('%s:%s'):format(target.name, target.argument) or target.name
    syntax = syntax:gsub(':%[(.*)%]$', '[:%1]')
    out[#out + 1] = ('    %-16s%s'):format(syntax, target.doc)
  end
  out[#out + 1] = ''
  return out
end

--- Returns the functions of the API with their comments.
---@return string[]
local function functions()
  local out, comment = {}, {}
  for line in read('lua/mcp-editord/init.lua'):gmatch('([^\n]*)\n') do
    local name, parameters = line:match('^function M%.([%w_]+)%((.*)%)$')
    if name then
      out[#out + 1] = tagged(('%s(%s)'):format(name, parameters), ('mcp-editord.%s()'):format(name))
      local words = {}
      for _, told in ipairs(comment) do
        told = told:gsub('<(%w+), (%w+)>', '<%1,%2>')
        local parameter, kind, rest = told:match('^%-%-%-@param (%S+) (%S+)%s*(.*)$')
        if told:match('^%-%-%-@return') then
          words[#words + 1] = { '    ', 'Returns: ' .. told:match('^%-%-%-@return (.*)$') }
        elseif parameter and parameter ~= 'callback?' and parameter ~= 'opts?' then
          words[#words + 1] = { '      ', ('{%s} (%s) %s'):format(parameter:gsub('%?$', ''), kind, rest) }
        elseif not told:match('^%-%-%-@') then
          local last = words[#words]
          if last and last[1] == '    ' then
            last[2] = last[2] .. ' ' .. told:sub(5)
          else
            words[#words + 1] = { '    ', told:sub(5) }
          end
        end
      end
      for _, word in ipairs(words) do
        vim.list_extend(out, wrap(word[2], word[1]))
      end
      out[#out + 1] = ''
    end
    if line:match('^%-%-%-') then
      comment[#comment + 1] = line
    else
      comment = {}
    end
  end
  return out
end

--- Returns the LuaCATS types of the options: what the person may set, and what the plugin reads.
---@return string
local function types()
  local lines = { '---@meta', '--- Generated by scripts/doc.lua from options.lua: do not edit.', '' }
  local lua_types = { map = 'table<string, any>', ['map of strings'] = 'table<string, string>', list = 'string[]' }
  local classes, order = {}, {}
  for _, option in ipairs(require('mcp-editord.options').list) do
    local parent, name = option.name:match('^(.*)%.([^.]+)$')
    parent, name = parent or '', name or option.name
    for at in (parent .. '.'):gmatch('()%.') do
      local inner = parent:sub(1, at - 1)
      if not classes[inner] then
        classes[inner] = {}
        order[#order + 1] = inner
        local outer, own = inner:match('^(.*)%.([^.]+)$')
        if inner ~= '' then
          table.insert(classes[outer or ''], { own or inner, 'CLASS' .. inner, false, '' })
        end
      end
    end
    local kinds = {}
    for kind in option.type:gmatch('[^|]+') do
      if kind == 'string' and option.values then
        vim.list_extend(
          kinds,
          vim.tbl_map(function(value)
            return "'" .. value .. "'"
          end, option.values)
        )
      elseif kind ~= 'nil' then
        kinds[#kinds + 1] = lua_types[kind] or kind
      end
    end
    table.insert(
      classes[parent],
      { name, table.concat(kinds, '|'), option.type:find('nil', 1, true) ~= nil, option.doc }
    )
  end
  for _, user in ipairs({ true, false }) do
    local function class(name)
      local suffix = name:gsub('^%l', string.upper):gsub('%.(%l)', string.upper)
      return ('mcp-editord.%s%s'):format(user and 'UserConfig' or 'Config', suffix)
    end
    for _, name in ipairs(order) do
      lines[#lines + 1] = '---@class ' .. class(name)
      for _, field in ipairs(classes[name]) do
        local kind = field[2]:gsub('^CLASS(.*)$', class)
        local doc = user and field[4]:gsub('|', '') or ''
        lines[#lines + 1] =
          vim.trim(('---@field %s%s %s %s'):format(field[1], (user or field[3]) and '?' or '', kind, doc))
      end
      lines[#lines + 1] = ''
    end
  end
  return table.concat(lines, '\n')
end

---@param path string
---@param content string
local function put(path, content)
  local file = io.open(root .. '/' .. path)
  local before = file and file:read('*a')
  if file then
    file:close()
  end
  if before == content then
    return
  elseif checking then
    problems[#problems + 1] = path .. ' has drifted from its sources: run `make doc`'
    return
  end
  file = assert(io.open(root .. '/' .. path, 'w'))
  file:write(content)
  file:close()
end

--- Puts the generated parts into the help.
---@param help string
---@return string
local function fill(help)
  local parts = { options = options, commands = commands, results = targets, api = functions }
  local out, skipping, section = {}, false, nil
  for line in help:gmatch('([^\n]*)\n') do
    local ruler = #line > 70 and line:match('^[=-]+$')
    skipping = skipping and not ruler
    section = line:match('^%d+%..*%*mcp%-editord%-(%w+)%*') or section
    if not skipping then
      out[#out + 1] = line
    end
    if ruler and vim.startswith(line, '-') then
      skipping = true
      out[#out + 1] = ''
      vim.list_extend(out, assert(parts[section], section)())
    end
  end
  return table.concat(out, '\n') .. '\n'
end

--- Returns the tags that the help must have, and what each is for.
---@return table<string, string>
local function wanted_tags()
  local wanted = {}
  local plugin = read('plugin/mcp-editord.lua')
  for name in plugin:gmatch("\n  (Mcp%w+) = '") do
    wanted['hl-' .. name] = 'a highlight group'
  end
  for name in assert(plugin:match('for name, subcommand in pairs(%b())')):gmatch('\n  (%w+) = ') do
    wanted[('<Plug>(mcp-%s)'):format(name)] = 'a map'
  end
  for _, path in ipairs(vim.fn.glob(root .. '/lua/mcp-editord/**/*.lua', true, true)) do
    for name in table.concat(vim.fn.readfile(path), '\n'):gmatch("fire%('(Mcp%w+)'") do
      wanted[name] = 'an event'
    end
  end
  return wanted
end

--- Returns the tags file of the help, as Neovim makes it.
---@param help string
---@return string
local function tags_file(help)
  local dir = vim.fn.tempname()
  vim.fn.mkdir(dir)
  local file = assert(io.open(dir .. '/mcp-editord.txt', 'w'))
  file:write(help)
  file:close()
  vim.cmd.helptags(dir)
  return table.concat(vim.fn.readfile(dir .. '/tags'), '\n') .. '\n'
end

--- Checks the links of the highlight groups and the kinds of vim.ui.select in the help.
---@param help string
local function check_words(help)
  for name, link in read('plugin/mcp-editord.lua'):gmatch("\n  (Mcp%w+) = '(%w+)'") do
    if not help:find(('\n%s%%s+%s%%s'):format(name, link)) then
      problems[#problems + 1] = ('the help does not say that %s links to %s'):format(name, link)
    end
  end
  for _, path in ipairs(vim.fn.glob(root .. '/lua/mcp-editord/**/*.lua', true, true)) do
    for expression in table.concat(vim.fn.readfile(path), '\n'):gmatch('%f[%w]kind = ([^\n]*)') do
      for kind in expression:gmatch("'(mcp%-editord%-%l+)'") do
        if not help:find(('`%s`'):format(kind), 1, true) then
          problems[#problems + 1] = ('the help does not name the kind %s'):format(kind)
        end
      end
    end
  end
end

put('lua/mcp-editord/types.lua', types())
local help = fill(read('doc/mcp-editord.txt'))
put('doc/mcp-editord.txt', help)
check_words(help)
put('doc/tags', tags_file(help))
local tags = {}
for line in help:gmatch('[^\n]+') do
  for tag in (' ' .. line .. ' '):gmatch('%f[^%s]%*([^%s*|]+)%*%f[%s]') do
    if tags[tag] then
      problems[#problems + 1] = ('the tag *%s* is in the help twice'):format(tag)
    end
    tags[tag] = true
  end
  if vim.fn.strdisplaywidth(line) > 100 then
    problems[#problems + 1] = 'a line of the help is too long: ' .. line
  end
end
for tag, what in pairs(wanted_tags()) do
  if not tags[tag] then
    problems[#problems + 1] = ('%s has no tag in the help: *%s*'):format(what, tag)
  end
end
for link in help:gmatch('|([^%s|]+)|') do
  if (vim.startswith(link, 'mcp-editord') or vim.startswith(link, ':Mcp')) and not tags[link] then
    problems[#problems + 1] = ('the help links to |%s|, which is no tag'):format(link)
  end
end
for _, problem in ipairs(problems) do
  io.stderr:write(problem .. '\n')
end
os.exit(#problems > 0 and 1 or 0)

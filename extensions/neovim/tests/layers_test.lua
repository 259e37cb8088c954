--- The layers of the plugin, and that each module keeps to its own.
local check = require('support.check')

--- From the lowest. A module may require modules of its own layer, of which none comes back to it, and of those before it.
--- What has to reach a layer above goes through a function that this one was given: see mcp-editord.Host.
local layers = {
  {
    'what knows nothing of the daemon or the screen',
    { 'address', 'async', 'config', 'context', 'json', 'options', 'protocol', 'text', 'thread', 'types', 'workspace' },
  },
  { 'the daemon: the conversation, the connections, and what it told of servers', { 'daemon.' } },
  { 'the screen: messages, pages, prompts, and what waits for the person', { 'ui', 'ui.' } },
  { 'results as pages', { 'results.' } },
  { 'resources as buffers', { 'resources.' } },
  { 'call documents, and files that define servers', { 'documents', 'documents.' } },
  { 'forms of a JSON Schema', { 'form.' } },
  { 'questions of servers', { 'questions.' } },
  { 'where the daemon finds them all', { 'host', 'attach' } },
  { ':Mcp', { 'commands', 'commands.' } },
  { 'what chats of other plugins get', { 'chat.' } },
  { 'the ways in from outside', { '', 'avante', 'codecompanion', 'health', 'statusline' } },
}

local lua = vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p:h:h') .. '/lua/mcp-editord'

--- The modules, by their names without the "mcp-editord." before them, and the texts of their files.
---@return table<string, string>
local function modules()
  local out = {}
  for path in vim.fs.dir(lua, { depth = 10 }) do
    if vim.endswith(path, '.lua') then
      local name = path:gsub('%.lua$', ''):gsub('/', '.'):gsub('%.?init$', '')
      out[name] = table.concat(vim.fn.readfile(lua .. '/' .. path), '\n')
    end
  end
  return out
end

--- What a module requires, now or when it is called. A name that is put together, as 'questions.sampling.' .. handler, is
--- each module that it may mean.
---@param source string
---@param all table<string, string>
---@return table<string, true>
local function required(source, all)
  local out = {}
  for quoted, rest in source:gmatch('require%s*%(?[\'"]mcp%-editord([%w_.-]*)[\'"](%s*%.*)') do
    local name = quoted:gsub('^%.', '')
    if vim.endswith(rest, '..') then
      for other in pairs(all) do
        out[other] = vim.startswith(other, name) or out[other]
      end
    else
      out[name] = true
    end
  end
  return out
end

---@param name string
---@return integer?
local function layer_of(name)
  local found
  for i, layer in ipairs(layers) do
    for _, pattern in ipairs(layer[2]) do
      if name == pattern or vim.endswith(pattern, '.') and vim.startswith(name, pattern) then
        assert(not found, name .. ' is in two layers')
        found = i
      end
    end
  end
  return found
end

local all = modules()
local graph = {}
for name, source in pairs(all) do
  graph[name] = required(source, all)
end

return {
  {
    'each module is in one layer',
    function()
      for name in pairs(all) do
        assert(layer_of(name), name .. ' is in no layer; put it into the table of layers_test.lua')
      end
    end,
  },
  {
    'what is required is there',
    function()
      local edges = 0
      for name, targets in pairs(graph) do
        for target in pairs(targets) do
          edges = edges + 1
          assert(all[target], ('%s requires %s, which is not there'):format(name, target))
        end
      end
      assert(edges > 100, ('only %d requires were found'):format(edges))
    end,
  },
  {
    'nobody requires what is above',
    function()
      local upward = {}
      for name, targets in pairs(graph) do
        for target in pairs(targets) do
          if all[target] and layer_of(target) > layer_of(name) then
            upward[#upward + 1] = name .. ' requires ' .. target
          end
        end
      end
      table.sort(upward)
      check.equal(upward, {})
    end,
  },
  {
    'nobody comes back to themselves',
    function()
      local state = {} ---@type table<string, 'open'|'done'>
      local function walk(name, path)
        path = path .. ' > ' .. name
        assert(state[name] ~= 'open', 'a cycle: ' .. path)
        if state[name] then
          return
        end
        state[name] = 'open'
        for target in pairs(graph[name] or {}) do
          walk(target, path)
        end
        state[name] = 'done'
      end
      for name in pairs(graph) do
        walk(name, '')
      end
    end,
  },
}

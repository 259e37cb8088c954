--- Whether a server of a project may run: the person sees exactly what would run.
local text = require('mcp-editord.text')
local ui = require('mcp-editord.ui')

local M = {}

---@class mcp-editord.Definition what of a definition decides what runs (editord/approve)
---@field source string
---@field transport string
---@field command? string
---@field args? string[]
---@field env? string[] names
---@field envFile? string
---@field cwd? string
---@field url? string
---@field headers? string[] names

---@class mcp-editord.Approval the params of editord/approve
---@field server string
---@field digest string
---@field definition mcp-editord.Definition
---@field reason 'new'|'changed'
---@field previous? mcp-editord.Definition

--- The definition as lines, one for each part that counts. Arguments are quoted, so that their ends are seen.
---@param definition mcp-editord.Definition
---@return string[]
local function describe(definition)
  local out = {}
  local function path(name)
    return name and vim.fn.fnamemodify(name, ':~')
  end
  local function add(name, value)
    if value and value ~= '' then
      out[#out + 1] = ('%-10s %s'):format(name, text.line(value, math.huge))
    end
  end
  add('command', definition.command)
  for i, argument in ipairs(definition.args or {}) do
    add(i == 1 and 'arguments' or '', vim.json.encode(argument):gsub('\\/', '/'))
  end
  add('url', definition.url)
  add('folder', path(definition.cwd))
  for i, name in ipairs(definition.env or {}) do
    add(i == 1 and 'sets' or '', name)
  end
  add('env file', path(definition.envFile))
  for i, name in ipairs(definition.headers or {}) do
    add(i == 1 and 'headers' or '', name)
  end
  add(
    'file',
    vim.startswith(definition.source, 'file:') and path(vim.uri_to_fname(definition.source)) or definition.source
  )
  return out
end

--- What the person sees. Pure.
---@param params mcp-editord.Approval
---@return mcp-editord.Page
function M.page(params)
  local now = describe(params.definition)
  if params.reason ~= 'changed' or not params.previous then
    return { lines = now }
  end
  local before = describe(params.previous)
  local page = { lines = { 'It has changed since you decided:' }, marks = {} }
  local function add(sign, lines, first, count, group)
    for i = first, first + count - 1 do
      table.insert(page.lines, sign .. ' ' .. lines[i])
      if group then
        table.insert(page.marks, { line = #page.lines - 1, group = group })
      end
    end
  end
  local diff = vim.text and vim.text.diff or vim.diff -- 0.12 has moved it
  local old, new = table.concat(before, '\n') .. '\n', table.concat(now, '\n') .. '\n'
  local hunks = diff(old, new, { result_type = 'indices' }) --[[@as integer[][] ]]
  local at = 1 -- the next line of now
  for _, hunk in ipairs(hunks) do
    local first, count = hunk[3], hunk[4]
    local same = (count == 0 and first + 1 or first) - at
    add(' ', now, at, same)
    add('-', before, hunk[1], hunk[2], 'McpRemoved')
    add('+', now, first, count, 'McpAdded')
    at = at + same + count
  end
  add(' ', now, at, #now - at + 1)
  return page
end

local read = 'Read all of it'

--- Shows a question with a page above it and lets the person choose. What does not fit on the screen can be read in a
--- window of its own first. nil when the question was left.
---@async
---@param turn mcp-editord.Turn
---@param title string
---@param page mcp-editord.Page
---@param prompt string
---@param items string[]
---@return string?
function M.choose(turn, title, page, prompt, items)
  local view = require('mcp-editord.view')
  while true do
    local complete, close = view.question(turn, title, page, #items + 2)
    local offered = complete and items or vim.list_extend(vim.deepcopy(items), { read })
    local choice = ui.select(turn, offered, { prompt = prompt })
    if choice ~= read then
      return choice
    end
    close()
    ui.wait(turn, function(answered)
      local buf = view.show(title .. '  (close it to answer)', page)
      vim.api.nvim_create_autocmd('BufWipeout', { buffer = buf, once = true, callback = vim.schedule_wrap(answered) })
      table.insert(turn.cleanup, function() -- the question was withdrawn
        vim.api.nvim_buf_delete(buf, { force = true })
      end)
    end)
  end
end

local decisions = { Allow = 'allow', Deny = 'deny', Later = 'later' }

--- Asks the person. Nothing is allowed by a bare Enter: "Later" is what a picker has selected.
---@async
---@param params mcp-editord.Approval
---@param request? mcp-editord.Incoming
---@return 'allow'|'deny'|'later'
function M.ask(params, request)
  local name = text.line(params.server, 60)
  return ui.turn(name, request, function(turn)
    local prompt = ('May the MCP server %s of this project run?'):format(name)
    local choice = M.choose(turn, 'MCP server ' .. name, M.page(params), prompt, { 'Later', 'Allow', 'Deny' })
    return decisions[choice] or 'later'
  end)
end

--- Answers editord/approve.
---@async
---@param params mcp-editord.Approval
---@param request mcp-editord.Incoming
function M.answer(params, request)
  return { decision = M.ask(params, request) }
end

return M

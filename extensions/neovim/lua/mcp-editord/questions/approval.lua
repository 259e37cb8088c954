--- Asks whether a server may run, and what an agent may do. The person sees the whole question before they can allow it. The
--- daemon writes the text (editor protocol, "Approval"); this module neither shortens nor rewords it.
local beside = require('mcp-editord.ui.beside')
local choose = require('mcp-editord.questions.choose')
local kinds = require('mcp-editord.questions.kinds')
local messages = require('mcp-editord.ui.messages')
local text = require('mcp-editord.text')
local ui = require('mcp-editord.ui')
local waiting = require('mcp-editord.ui.waiting')

local M = {}

--- Returns the whole text as a page, with marks on what has changed. Pure.
---@param t mcp-editord.ApprovalText
---@return mcp-editord.Page
function M.page(t)
  local now = text.lines(t.whole)
  if not t.before then
    return { lines = now }
  end
  local before = text.lines(t.before)
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

--- The open documents, by buffer: the function that decides.
local documents = {} ---@type table<integer, fun(decision: string)>

--- Decides in the current document. Raises an error in any other buffer.
---@param decision mcp-editord.Decision
function M.decide(decision)
  local document = documents[vim.api.nvim_get_current_buf()]
  if not document then
    error('read it first; run :Mcp answer and choose Look', 0)
  end
  document(decision)
end

--- Lets the person read the whole text and decide in it. Returns nil if they close the document.
---@async
---@param turn mcp-editord.Turn
---@param t mcp-editord.ApprovalText
---@return mcp-editord.Decision|nil
local function look(turn, t)
  return ui.wait(turn, function(answered)
    local page = M.page(t)
    table.insert(page.lines, 1, t.title)
    table.insert(page.lines, 2, '')
    for _, mark in ipairs(page.marks or {}) do
      mark.line = mark.line + 2
    end
    local buf, win = choose.document('mcp-approval://' .. text.line(t.title, 60), page)
    local read = false -- the end has been on the screen
    local function decide(decision)
      if decision == 'allow' and not read then
        return messages.notify('read it to the end before you allow it', vim.log.levels.WARN)
      end
      answered(decision)
    end
    local function look_again()
      if not vim.api.nvim_win_is_valid(win) or vim.api.nvim_win_get_buf(win) ~= buf then
        return
      end
      local last = vim.api.nvim_buf_line_count(buf)
      local length = #vim.api.nvim_buf_get_lines(buf, last - 1, last, false)[1]
      read = read or vim.fn.screenpos(win, last, math.max(1, length)).row > 0
      local allow = read and 'gA allow' or 'read on'
      vim.api.nvim_set_option_value('winbar', (' %s  gD deny  gL later  q close'):format(allow), { win = win })
    end
    documents[buf] = decide
    for keys, decision in pairs({ gA = 'allow', gD = 'deny', gL = 'later' }) do
      vim.keymap.set('n', keys, function()
        decide(decision)
      end, { buffer = buf, desc = decision })
    end
    vim.api.nvim_create_autocmd({ 'WinScrolled', 'CursorMoved', 'WinResized' }, {
      buffer = buf,
      callback = vim.schedule_wrap(look_again),
    })
    vim.api.nvim_create_autocmd('BufWipeout', {
      buffer = buf,
      once = true,
      callback = function()
        documents[buf] = nil
        vim.schedule(answered)
      end,
    })
    table.insert(turn.cleanup, function()
      vim.api.nvim_buf_delete(buf, { force = true })
    end)
    vim.cmd.redraw()
    look_again()
  end)
end

local decisions = { Allow = 'allow', Deny = 'deny', Later = 'later' }

--- Asks with the short text. Offers Allow only if all of it is visible above Neovim's own prompt: another picker may cover
--- it. A bare Enter allows nothing.
---@async
---@param turn mcp-editord.Turn
---@param params mcp-editord.ApproveParams
---@return mcp-editord.Decision|nil
local function decide(turn, params)
  local t, words = params.text, kinds.words(params)
  local items = { 'Later', 'Allow', 'Deny', 'Look' }
  local rows = math.ceil(vim.fn.strdisplaywidth(t.title) / vim.o.columns) + #items + 1
  local lines = text.lines(t.short)
  if words.about then
    vim.list_extend(lines, { '', words.about })
  end
  local all = beside.show(turn, t.title, { lines = lines }, rows)
  if not (all and t.complete and ui.is_builtin()) then
    items = { 'Look', 'Later' }
  end
  local choice = ui.select(turn, items, {
    prompt = t.title,
    format = function(item)
      return item == 'Look' and 'Look ' .. words.look or ('%-5s  %s'):format(item, words[item:lower()])
    end,
  })
  if choice ~= 'Look' then
    return decisions[choice]
  end
  for _, done in ipairs(turn.cleanup) do
    done()
  end
  turn.cleanup = {}
  return look(turn, t)
end

--- Asks the person, who has asked for the question.
---@async
---@param params mcp-editord.ApproveParams
---@return mcp-editord.Decision
function M.ask(params)
  return waiting.show(params.text.title, function(turn)
    return decide(turn, params)
  end) or 'later'
end

--- Answers editord/approve.
---@async
---@param params mcp-editord.ApproveParams
---@param request mcp-editord.Incoming
---@param connection mcp-editord.Connection
function M.answer(params, request, connection)
  local decision = waiting.question(request, params.text.title, function(turn)
    return decide(turn, params)
  end, kinds.runs(params))
  if decision == 'allow' and kinds.runs(params) then
    require('mcp-editord.daemon.servers').allowed(connection, params.server)
  end
  return { decision = decision }
end

return M

--- How long Neovim stands still while a long result comes and is shown. Runs in the Neovim that it measures.
local M = {}

--- Runs `work` and returns the longest time in which the loop did not turn, in milliseconds.
---@param work fun(done: fun())
---@return number
local function longest_gap(work)
  local over, longest, last = false, 0, vim.uv.hrtime()
  local timer = assert(vim.uv.new_timer())
  local function turn()
    local now = vim.uv.hrtime()
    longest, last = math.max(longest, now - last), now
  end
  timer:start(1, 1, turn)
  work(function()
    over = true
  end)
  assert(
    vim.wait(120000, function()
      return over
    end, 1),
    'it has not ended'
  )
  turn()
  timer:close()
  return longest / 1e6
end

--- Receives and shows a result with a text, as `:Mcp call` does.
---@param path string of a file with the answer of the daemon
---@param done fun()
local function show(path, done)
  local rpc = require('mcp-editord.daemon.rpc').start({ 'sh', '-c', 'head -c 10 >/dev/null; cat ' .. path }, {
    notification = function() end,
    on_exit = function() end,
  }, {
    requests = {},
    notified = function()
      return true
    end,
    left_out = error,
    on_exit = function() end,
  })
  local connection = {
    send = function(_, method, params, callback, as_text)
      rpc.request(method, params, callback, nil, as_text)
      return function() end
    end,
  }
  require('mcp-editord.async').run(function()
    local raw = require('mcp-editord.daemon.calls').text(connection, 's', 'tools/call', { name = 't' })
    require('mcp-editord.results.show').in_slices('s.t', function(pause)
      return require('mcp-editord.results.format').tool('s', raw, pause), 's.t'
    end)
    rpc.terminate()
  end, function(ok, err)
    assert(ok, vim.inspect(err))
    done()
  end)
end

--- Measures a result of so many MiB of text, and one nvim_buf_set_lines of the same text.
---@param size integer
---@return number shown the longest gap while the result is shown, in ms
---@return number plain the same while the text is put into a buffer at once, in ms
function M.measure(size)
  local lines = {}
  for i = 1, size * 1024 * 1024 / 80 do
    lines[i] = ('%-79d'):format(i)
  end
  local body = vim.json.encode({ content = { { type = 'text', text = table.concat(lines, '\n') } } })
  body = '{"jsonrpc":"2.0","id":1,"result":' .. body .. '}'
  local path = vim.fn.tempname()
  local file = assert(io.open(path, 'w'))
  file:write(('Content-Length: %d\r\n\r\n'):format(#body), body)
  file:close()
  local plain = longest_gap(function(done)
    vim.api.nvim_buf_set_lines(vim.api.nvim_create_buf(false, true), 0, -1, false, lines)
    done()
  end)
  return longest_gap(function(done)
    show(path, done)
  end), plain
end

return M

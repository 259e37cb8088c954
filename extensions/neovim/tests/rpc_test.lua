--- The conversation with a daemon that says what no daemon should.
local check = require('support.check')

local function frame(body)
  return ('Content-Length: %d\r\n\r\n%s'):format(#body, body)
end

--- Starts a daemon that writes `output`, and records what it is told.
local function daemon(output, notified, dispatchers)
  local dir = vim.fn.tempname()
  vim.fn.mkdir(dir, 'p')
  local file = assert(io.open(dir .. '/output', 'w'))
  file:write(output)
  file:close()
  -- It speaks once it was asked something.
  local script = ('head -c 10 >%s/told; cat %s/output; cat >>%s/told'):format(dir, dir, dir)
  io.open(dir .. '/told', 'w'):close()
  local handed, left_out = {}, {}
  local rpc = require('mcp-editord.daemon.rpc').start({ 'sh', '-c', script }, dispatchers or {
    notification = function() end,
    on_exit = function() end,
  }, {
    requests = {},
    notified = notified or function(method, params)
      handed[#handed + 1] = { method, params }
      return true
    end,
    left_out = function(what)
      left_out[#left_out + 1] = what
    end,
    on_exit = function() end,
  })
  return {
    rpc = rpc,
    left_out = left_out,
    handed = handed,
    told = function()
      return table.concat(vim.fn.readfile(dir .. '/told'), '\n')
    end,
  }
end

--- The message is nested deeper than Neovim decodes.
local function deep(before, after)
  return frame(before .. ('['):rep(1500) .. (']'):rep(1500) .. after)
end

local function await(what, holds)
  assert(vim.wait(120000, holds, 10), 'still not so: ' .. what)
end

return {
  {
    'promise 8: an answer that is nested too deep fails the call that it belongs to',
    function()
      local d = daemon(deep('{"jsonrpc":"2.0","id":1,"result":{"x":', '}}') .. frame('{"id":2,"result":{"ok":true}}'))
      local first, second
      d.rpc.request('mcp/tools/call', {}, function(err)
        first = err
      end)
      d.rpc.request('mcp/tools/call', {}, function(_, result)
        second = result
      end)
      await('both answered', function()
        return first and second
      end)
      check.contains(first.message, 'Neovim cannot read this message: ')
      check.contains(first.message, 'nested')
      check.equal(second, { ok = true })
      d.rpc.terminate()
    end,
  },
  {
    'promise 8: a question that cannot be read is answered with an error',
    function()
      local d = daemon(deep('{"id":"q7","method":"mcp/elicitation/create","params":{"x":', '}}'))
      d.rpc.notify('initialized', {})
      await('answered', function()
        return d.told():find('"id":"q7"', 1, true)
      end)
      check.contains(d.told(), 'Neovim cannot read this message')
      d.rpc.terminate()
    end,
  },
  {
    'promise 8: what belongs to nothing is told, too',
    function()
      local output = deep('{"method":"mcp/notifications/message","params":', '}')
        .. frame('{"id":1,"broken')
        .. frame('7')
        .. frame('{"id":99,"result":{}}')
      local d = daemon(output)
      d.rpc.notify('initialized', {})
      local function said()
        return table.concat(d.left_out, '\n')
      end
      await('told', function()
        return said():find('(99): it belongs to no request', 1, true)
      end)
      check.contains(said(), 'a message of the daemon (mcp/notifications/message): ')
      check.contains(said(), 'it is not an object')
      d.rpc.terminate()
    end,
  },
  {
    'promise 10: of a flood of progress the last is handed on, before the end',
    function()
      local parts = {}
      local function progress(value)
        parts[#parts + 1] = frame(vim.json.encode({ method = '$/progress', params = { token = 't', value = value } }))
      end
      progress({ kind = 'begin', title = 'x' })
      for i = 1, 20000 do
        progress({ kind = 'report', message = tostring(i) })
      end
      progress({ kind = 'end' })
      local d = daemon(table.concat(parts))
      d.rpc.notify('initialized', {})
      await('the end', function()
        return #d.handed > 0 and d.handed[#d.handed][2].value.kind == 'end'
      end)
      check.equal(d.handed[1][2].value.kind, 'begin')
      check.equal(d.handed[#d.handed - 1][2].value.message, '20000')
      assert(#d.handed < 10000, ('%d were handed on'):format(#d.handed))
      d.rpc.terminate()
    end,
  },
  {
    'progress that has begun ends with the daemon, before its client does',
    function()
      local parts, seen = {}, {}
      for i, kind in ipairs({ 'begin', 'begin', 'end' }) do
        local params = { token = 't' .. math.min(i, 2), value = { kind = kind, title = 'x' } }
        parts[i] = frame(vim.json.encode({ method = '$/progress', params = params }))
      end
      local d = daemon(table.concat(parts), function()
        return false
      end, {
        notification = function(_, params)
          seen[#seen + 1] = params.token .. ' ' .. params.value.kind
        end,
        on_exit = function()
          seen[#seen + 1] = 'exit'
        end,
      })
      d.rpc.notify('initialized', {})
      await('all progress', function()
        return #seen == 3
      end)
      d.rpc.terminate()
      await('the end', function()
        return seen[#seen] == 'exit'
      end)
      check.equal(seen, { 't1 begin', 't2 begin', 't2 end', 't1 end', 'exit' })
    end,
  },
  {
    'promise 8: what arrives is handed on where the machine takes every slice of time away',
    function()
      local hrtime, now, seen = vim.uv.hrtime, 0, {}
      rawset(vim.uv, 'hrtime', function()
        now = now + 1e9
        return now
      end)
      local push = require('mcp-editord.daemon.queue').new()
      for i = 1, 3 do
        push(function()
          seen[i] = true
        end)
      end
      local ok = vim.wait(120000, function()
        return #seen == 3
      end, 10)
      rawset(vim.uv, 'hrtime', hrtime)
      assert(ok, ('%d of 3 were handed on'):format(#seen))
    end,
  },
  {
    'promise 10: what arrives does not keep the loop from what else there is',
    function()
      local parts = {}
      for i = 1, 200 do
        parts[i] = frame(vim.json.encode({ method = 'slow', params = { i = i } }))
      end
      local seen, between = 0, 0
      local d = daemon(table.concat(parts), function()
        local stop = vim.uv.hrtime() + 1e6
        while vim.uv.hrtime() < stop do -- a handler that takes a while
        end
        seen = seen + 1
        return true
      end)
      local timer = assert(vim.uv.new_timer())
      timer:start(1, 1, function()
        between = between + ((seen > 0 and seen < 200) and 1 or 0)
      end)
      d.rpc.notify('initialized', {})
      await('all', function()
        return seen == 200
      end)
      timer:close()
      assert(between > 3, ('the loop came %d times between'):format(between))
      d.rpc.terminate()
    end,
  },
}

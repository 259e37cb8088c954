--- Functions that wait, and who waits for them.
local Editor = require('support.editor')
local async = require('mcp-editord.async')
local check = require('support.check')

--- Runs `fn` with what Neovim schedules, and returns the errors that nobody caught.
local function uncaught(fn)
  local schedule, errors = vim.schedule, {}
  rawset(vim, 'schedule', function(scheduled)
    schedule(function()
      local ok, err = pcall(scheduled)
      errors[#errors + 1] = not ok and err or nil
    end)
  end)
  local ok, err = pcall(fn)
  rawset(vim, 'schedule', schedule)
  assert(ok, err)
  vim.wait(120000, function()
    return #errors > 0
  end, 5)
  return errors
end

return {
  {
    'who raises after a wait does not keep others waiting',
    function()
      local resolves, seen = {}, false
      local function wait()
        async.await(function(resolve)
          resolves[#resolves + 1] = resolve
        end)
      end
      coroutine.wrap(function()
        wait()
        error('mine', 0)
      end)()
      coroutine.wrap(function()
        wait()
        seen = true
      end)()
      local errors = uncaught(function()
        for _, resolve in ipairs(resolves) do
          resolve()
        end
      end)
      check.equal({ seen, errors }, { true, { 'mine' } })
    end,
  },
  {
    'a wait ends with its result, whoever resumes the coroutine before',
    function()
      local finish, got
      local co = coroutine.create(function()
        got = async.await(function(resolve)
          finish = resolve
        end)
      end)
      coroutine.resume(co)
      coroutine.resume(co, 'not this')
      check.equal(got, nil)
      finish('this')
      check.equal(got, 'this')
    end,
  },
  {
    'without a coroutine it says what is wrong, sends nothing, and works for the next',
    function()
      local e = Editor.start()
      for _, call in ipairs({
        "local ok, err = pcall(require('mcp-editord').servers) Err = err",
        "vim.schedule(function() local ok, err = pcall(require('mcp-editord').servers) Err = err end)",
      }) do
        e:lua('Err = nil ' .. call)
        check.equal(e:await_lua('return Err'), 'this waits, and so it must run in a coroutine; or pass a callback')
      end
      e:lua("coroutine.wrap(function() Names = #require('mcp-editord').servers() end)()")
      check.equal(e:await_lua('return Names'), 1)
    end,
  },
}

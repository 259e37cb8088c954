--- Functions that wait, as coroutines. What is called "async" here must run in one.
local M = {}

--- Raised where a question was withdrawn, and where the person left what was open. Nothing has to be said about either.
M.withdrawn = { code = -32800, message = 'the question was withdrawn' }
M.left = { code = -32800, message = 'the question was left' }

--- Runs `fn` in a coroutine. `done` gets its result, or its error.
---@param fn fun(): ...
---@param done fun(ok: boolean, ...)
function M.run(fn, done)
  local co = coroutine.create(function()
    local result = { pcall(fn) }
    done(unpack(result, 1, table.maxn(result)))
  end)
  local ok, err = coroutine.resume(co)
  if not ok then
    error(err, 0)
  end
end

--- Calls `start` with a function that ends the wait, and returns what that was
--- called with. Only the first call of it counts.
---@async
---@param start fun(resolve: fun(...))
---@return any ...
function M.await(start)
  local co = assert(coroutine.running(), 'this waits, and so it must run in a coroutine')
  local result, waiting
  start(function(...)
    if result then
      return
    end
    result = { n = select('#', ...), ... }
    if waiting then
      local ok, err = coroutine.resume(co)
      if not ok then
        error(err, 0)
      end
    end
  end)
  if not result then
    waiting = true
    coroutine.yield()
  end
  return unpack(result, 1, result.n)
end

--- Gives an async function both faces: with a callback it returns at once and calls
--- it with (err, result); without one it must be called in a coroutine, returns the
--- result and raises the error.
---@param fn fun(): any
---@param callback? fun(err: any, result: any)
---@return any
function M.both(fn, callback)
  if not callback then
    return fn()
  end
  M.run(fn, function(ok, result)
    if ok then
      callback(nil, result)
    else
      callback(result, nil)
    end
  end)
end

--- Lets the event loop go on; after it, everything of the API may be called.
---@async
function M.schedule()
  M.await(function(resolve)
    vim.schedule(resolve)
  end)
end

return M

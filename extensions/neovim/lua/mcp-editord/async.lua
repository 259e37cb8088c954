--- Functions that wait, as coroutines. A function marked `@async` must run in one.
local M = {}

--- What is raised when a question is withdrawn, and when the person leaves what is open. Neither is shown as an error.
M.withdrawn = { code = -32800, message = 'the question was withdrawn' }
M.left = { code = -32800, message = 'the question was left' }

--- Runs `fn` in a coroutine. `done` gets its results or its error.
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

--- Calls `start` with a function that ends the wait, and returns the arguments of that function. Only its first call
--- counts. What the coroutine raises afterwards does not reach whoever ends the wait, who may have others to tell.
---@async
---@param start fun(resolve: fun(...))
---@return any ...
function M.await(start)
  local co = coroutine.running()
  -- In Neovim 0.12, scripts and callbacks run in a coroutine, too, but cannot yield.
  if not co or not coroutine.isyieldable() then
    error('this waits, and so it must run in a coroutine; or pass a callback', 0)
  end
  local result, waiting
  start(function(...)
    if result then
      return
    end
    result = { n = select('#', ...), ... }
    if waiting then
      local ok, err = coroutine.resume(co)
      if not ok then
        vim.schedule(function()
          error(err, 0)
        end)
      end
    end
  end)
  waiting = true
  while not result do -- somebody else may resume the coroutine
    coroutine.yield()
  end
  return unpack(result, 1, result.n)
end

--- Runs an async function in one of two ways. With a callback, it returns at once and later calls it with (err, result).
--- Without one, it must run in a coroutine, and returns the result or raises the error.
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

--- Returns to the event loop once. Afterwards, all API functions may be called.
---@async
function M.schedule()
  M.await(function(resolve)
    vim.schedule(resolve)
  end)
end

--- The length of a slice of time, in milliseconds.
local slice = 10

--- Returns a function to call often in long work. When a slice of time is used up, it gives way to the loop, so that keys come
--- first. Once `is_over` says so, it raises M.left.
---@param is_over? fun(): boolean
---@return async fun() pause
function M.slices(is_over)
  local stop = vim.uv.hrtime() + slice * 1e6
  return function()
    if vim.uv.hrtime() >= stop then
      M.await(function(resolve)
        vim.defer_fn(resolve, 1) -- what is only scheduled runs before keys
      end)
      stop = vim.uv.hrtime() + slice * 1e6
    end
    if is_over and is_over() then
      error(M.left, 0)
    end
  end
end

return M

--- Runs functions in the order in which they arrive, without blocking Neovim: after each slice of time, keys come first.
local M = {}

--- The length of a slice, in milliseconds.
local slice = 10

--- Makes a queue. Returns a function that adds to it, which may be called in a fast context.
---@return fun(fn: fun())
function M.new()
  local queue, first, last = {}, 1, 0 ---@type table<integer, fun()>, integer, integer
  local coming = false -- a drain is scheduled
  local function drain()
    coming = false
    local stop = vim.uv.hrtime() + slice * 1e6
    while first <= last do -- at least one: a busy machine may use up the whole slice
      local fn = queue[first]
      queue[first] = nil
      first = first + 1
      if first <= last and not coming then
        coming = true -- before `fn`, which may wait in a prompt or fail
        vim.defer_fn(drain, 1)
      end
      fn()
      if vim.uv.hrtime() >= stop then
        break
      end
    end
    if first <= last and not coming then -- another drain ran meanwhile, in a prompt
      coming = true
      vim.defer_fn(drain, 1)
    end
  end
  return function(fn)
    last = last + 1
    queue[last] = fn
    if not coming then
      coming = true
      vim.schedule(drain)
    end
  end
end

return M

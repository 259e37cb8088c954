--- Hands on what arrives, in its order, without holding Neovim: after a slice of time, keys come first.
local M = {}

--- ms for one slice.
local slice = 10

--- Makes an inbox. What is returned takes the next function to call; it may be called in a fast context.
---@return fun(fn: fun())
function M.new()
  local queue, first, last = {}, 1, 0 ---@type table<integer, fun()>, integer, integer
  local coming = false -- a drain is on its way
  local function drain()
    coming = false
    local stop = vim.uv.hrtime() + slice * 1e6
    while first <= last do -- one at least: a busy machine may take the whole slice away
      local fn = queue[first]
      queue[first] = nil
      first = first + 1
      if first <= last and not coming then
        coming = true -- now, because `fn` may wait in a prompt, and may fail
        vim.defer_fn(drain, 1)
      end
      fn()
      if vim.uv.hrtime() >= stop then
        break
      end
    end
    if first <= last and not coming then -- another one ran meanwhile, in a prompt
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

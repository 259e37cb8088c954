--- A model behind an endpoint: HTTP on loopback, one answer for every request.
local M = {}

--- Starts it. `answer` makes the body of the answer of a request's head and body; for nil, none ever comes.
---@param answer fun(head: string, body: table): table?
---@return {url: string, requests: {head: string, body: table, text: string}[], close: fun()}
function M.start(answer)
  local server = vim.uv.new_tcp()
  server:bind('127.0.0.1', 0)
  local model = { requests = {}, url = ('http://127.0.0.1:%d'):format(server:getsockname().port) }
  server:listen(8, function()
    local client = vim.uv.new_tcp()
    server:accept(client)
    local held = ''
    client:read_start(function(_, data)
      held = held .. (data or '')
      local head, body = held:match('^(.-\r\n)\r\n(.*)$')
      local length = head and tonumber(head:lower():match('content%-length: (%d+)'))
      if not data or not length or #body < length then
        return
      end
      local request = { head = head, body = vim.json.decode(body), text = body }
      table.insert(model.requests, request)
      local given = answer(head, request.body)
      if not given then
        return -- never answers
      end
      local text = vim.json.encode(given)
      client:read_stop()
      client:write(
        ('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s'):format(
          #text,
          text
        ),
        function()
          client:close()
        end
      )
    end)
  end)
  model.close = function()
    server:close()
  end
  return model
end

return M

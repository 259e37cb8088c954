--- A model behind an endpoint, or a registry: HTTP on loopback, one answer for every request.
local M = {}

--- Returns a chat completion as one event, for a request that wants a stream.
---@param answer table
---@return string
local function stream(answer)
  local choice = vim.deepcopy(answer.choices[1])
  choice.delta, choice.message, choice.index = choice.message, nil, 0
  local event = vim.tbl_extend('force', answer, { object = 'chat.completion.chunk', choices = { choice } })
  return ('data: %s\n\ndata: [DONE]\n\n'):format(vim.json.encode(event))
end

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
      local length = head and tonumber(head:lower():match('content%-length: (%d+)') or 0)
      if not data or not length or #body < length then
        return
      end
      local request = { head = head, body = vim.json.decode(body ~= '' and body or '{}'), text = body }
      table.insert(model.requests, request)
      local given = answer(head, request.body)
      if not given then
        return -- never answers
      end
      local streams = request.body.stream == true
      local text = streams and stream(given) or vim.json.encode(given)
      client:read_stop()
      client:write(
        ('HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s'):format(
          streams and 'text/event-stream' or 'application/json',
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

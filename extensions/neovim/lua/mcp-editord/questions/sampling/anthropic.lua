--- Sampling with Anthropic's Messages API.
local M = {}

local stop_reasons = { end_turn = 'endTurn', max_tokens = 'maxTokens', stop_sequence = 'stopSequence' }

--- Returns the body of the request. Pure.
---@param request mcp-editord.SamplingRequest
---@param model string
---@return table
function M.body(request, model)
  local messages = {}
  for _, message in ipairs(request.messages) do
    local parts = {}
    for _, content in ipairs(require('mcp-editord.questions.sampling.message').contents(message)) do
      if content.type == 'text' then
        parts[#parts + 1] = { type = 'text', text = content.text }
      elseif content.type == 'image' then
        parts[#parts + 1] =
          { type = 'image', source = { type = 'base64', media_type = content.mimeType, data = content.data } }
      else
        error(('cannot send content of type "%s" to this model'):format(tostring(content.type)), 0)
      end
    end
    messages[#messages + 1] = { role = message.role, content = parts }
  end
  return {
    model = model,
    system = request.systemPrompt,
    messages = messages,
    max_tokens = request.maxTokens,
    temperature = request.temperature,
    stop_sequences = request.stopSequences,
  }
end

---@type mcp-editord.SamplingHandler
function M.run(request, done)
  local http = require('mcp-editord.questions.sampling.http')
  local options = require('mcp-editord.config').get().sampling.anthropic
  local key = http.key(options.api_key)
  if not options.model then
    done('no model is set; set sampling.anthropic.model')
    return
  elseif not key then
    done('no key is set; set the environment variable that sampling.anthropic.api_key names')
    return
  end
  local headers = { ['x-api-key'] = key, ['anthropic-version'] = '2023-06-01' }
  return http.post(
    options.url:gsub('/+$', '') .. '/v1/messages',
    headers,
    M.body(request, options.model),
    function(err, answer)
      local parts = {}
      for _, content in ipairs(answer and answer.content or {}) do
        if content.type == 'text' then
          parts[#parts + 1] = content.text
        end
      end
      if #parts == 0 then
        return done(err or 'the endpoint answered without text')
      end
      done(nil, { text = table.concat(parts), model = answer.model, stopReason = stop_reasons[answer.stop_reason] })
    end
  )
end

return M

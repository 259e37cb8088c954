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

---@param request mcp-editord.SamplingRequest
---@return mcp-editord.SamplingPlan
function M.prepare(request)
  local options = require('mcp-editord.config').get().sampling.anthropic
  local key = require('mcp-editord.questions.sampling.http').key(options.api_key)
  if not options.model then
    error('no model is set; set sampling.anthropic.model', 0)
  elseif not key then
    error('no key is set; set the environment variable that sampling.anthropic.api_key names', 0)
  end
  return {
    who = ('anthropic, model "%s"'):format(options.model),
    url = options.url:gsub('/+$', '') .. '/v1/messages',
    headers = { ['x-api-key'] = key, ['anthropic-version'] = '2023-06-01' },
    body = M.body(request, options.model),
    extra = {},
    model = options.model,
    read = function(answer)
      local parts = {}
      for _, content in ipairs(answer.content or {}) do
        if content.type == 'text' then
          parts[#parts + 1] = content.text
        end
      end
      return #parts > 0
          and { text = table.concat(parts), model = answer.model, stopReason = stop_reasons[answer.stop_reason] }
        or nil
    end,
  }
end

return M

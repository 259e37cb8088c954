--- Sampling with any endpoint that speaks OpenAI's chat completions, such as Ollama and llama.cpp.
local M = {}

local stop_reasons = { stop = 'endTurn', length = 'maxTokens' }

--- Returns the body of the request. Pure.
---@param request mcp-editord.SamplingRequest
---@param model? string
---@return table
function M.body(request, model)
  local messages = {}
  if request.systemPrompt then
    messages[1] = { role = 'system', content = request.systemPrompt }
  end
  for _, message in ipairs(request.messages) do
    local parts, plain = {}, true
    for _, content in ipairs(require('mcp-editord.questions.sampling.message').contents(message)) do
      if content.type == 'text' then
        parts[#parts + 1] = { type = 'text', text = content.text }
      elseif content.type == 'image' then
        plain = false
        parts[#parts + 1] =
          { type = 'image_url', image_url = { url = ('data:%s;base64,%s'):format(content.mimeType, content.data) } }
      else
        error(('cannot send content of type "%s" to this model'):format(tostring(content.type)), 0)
      end
    end
    local content = parts ---@type any
    if plain then -- many endpoints accept only text
      content = table.concat(
        vim.tbl_map(function(part)
          return part.text
        end, parts),
        '\n'
      )
    end
    messages[#messages + 1] = { role = message.role, content = content }
  end
  return {
    model = model,
    messages = messages,
    max_tokens = request.maxTokens,
    temperature = request.temperature,
    stop = request.stopSequences,
    stream = false,
  }
end

---@param request mcp-editord.SamplingRequest
---@return mcp-editord.SamplingPlan
function M.prepare(request)
  local options = require('mcp-editord.config').get().sampling.openai
  local key = require('mcp-editord.questions.sampling.http').key(options.api_key)
  if options.api_key and not key then
    error('no key is set; set the environment variable that sampling.openai.api_key names', 0)
  end
  return {
    who = 'openai, ' .. (options.model and ('model "%s"'):format(options.model) or 'no model'),
    url = options.url:gsub('/+$', '') .. '/chat/completions',
    headers = key and { Authorization = 'Bearer ' .. key } or {},
    body = M.body(request, options.model),
    extra = {},
    model = options.model,
    read = function(answer)
      local choice = vim.tbl_get(answer, 'choices', 1)
      local content = choice and vim.tbl_get(choice, 'message', 'content')
      return type(content) == 'string'
          and { text = content, model = answer.model, stopReason = stop_reasons[choice.finish_reason] }
        or nil
    end,
  }
end

return M

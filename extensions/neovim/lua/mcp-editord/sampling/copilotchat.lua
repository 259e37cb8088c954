--- Sampling by CopilotChat, without its window.
local M = {}

--- CopilotChat puts files, tools, models and prompts in place of words such as #file, @tool, $model and /prompt. In
--- text of a server they would read what the person did not allow: an invisible word joiner (U+2060) breaks them.
---@param s string
---@return string
function M.defuse(s)
  return (s:gsub('[#@$/>]', '%0\226\129\160'))
end

---@type mcp-editord.SamplingHandler
function M.run(request, done)
  local plain = require('mcp-editord.sampling.plain')
  local parts = {}
  for _, message in ipairs(request.messages) do
    local said = plain.text(message)
    parts[#parts + 1] = #request.messages > 1 and ('%s: %s'):format(message.role, said) or said
  end
  local chat = require('CopilotChat')
  chat.ask(M.defuse(table.concat(parts, '\n\n')), {
    headless = true,
    remember_as_sticky = false,
    system_prompt = request.systemPrompt and M.defuse(request.systemPrompt) or nil,
    callback = function(response)
      -- A text in its third version, a message since the fourth.
      local content = type(response) == 'table' and response.content or response
      if type(content) ~= 'string' then
        return done('CopilotChat answered without a text')
      end
      done(nil, { text = content })
      return content
    end,
  })
end

return M

--- Sampling by CodeCompanion: its background interaction, with the adapter that is configured for it there.
local M = {}

---@type mcp-editord.SamplingHandler
function M.run(request, done)
  local plain = require('mcp-editord.sampling.plain')
  local background = require('codecompanion.interactions.background').new()
  if not background then
    done('CodeCompanion has no adapter for background interactions')
    return
  end
  local messages = {}
  if request.systemPrompt then
    messages[1] = { role = 'system', content = request.systemPrompt }
  end
  for _, message in ipairs(request.messages) do
    messages[#messages + 1] = { role = message.role == 'user' and 'user' or 'llm', content = plain.text(message) }
  end
  local handle = background:ask(messages, {
    silent = true,
    on_done = function(result)
      local content = type(result) == 'table' and vim.tbl_get(result, 'output', 'content')
      if type(content) ~= 'string' then
        return done('CodeCompanion answered without a text')
      end
      done(nil, { text = content, model = background.adapter.name })
    end,
    on_error = function(err)
      done('CodeCompanion: ' .. tostring(type(err) == 'table' and (err.message or err.stderr) or err))
    end,
  })
  return handle and handle.cancel
end

return M

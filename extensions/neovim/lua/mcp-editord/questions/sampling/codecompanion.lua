--- Sampling with CodeCompanion: its background interaction, with the adapter configured for that. It sends only what the
--- person was shown: if the adapter has no setting for a limit, it sends nothing.
local M = {}

--- The names that adapters use for the settings of a request.
local names = {
  maxTokens = { 'max_tokens', 'max_output_tokens', 'maxOutputTokens', 'max_completion_tokens' },
  temperature = { 'temperature' },
  stopSequences = { 'stop', 'stop_sequences' },
}

--- The names of settings that an adapter does not list, by where it keeps its settings: Ollama's, and OpenAI's.
local unlisted = {
  ['parameters.options'] = { maxTokens = 'num_predict', temperature = 'temperature', stopSequences = 'stop' },
  parameters = { maxTokens = 'max_tokens', temperature = 'temperature', stopSequences = 'stop' },
}

--- Applies the limits of the request to the adapter. Returns the first that it has no setting for.
---@param background table
---@param request mcp-editord.SamplingRequest
---@return string? missing
local function limit(background, request)
  background.adapter = vim.deepcopy(background.adapter)
  local schema = background.adapter.schema
  local where = vim.tbl_get(schema, 'temperature', 'mapping') or vim.tbl_get(schema, 'model', 'mapping')
  for what, known in pairs(names) do
    if request[what] ~= nil then
      local name = vim.iter(known):find(function(name)
        return schema[name] ~= nil
      end)
      if not name then
        name = (unlisted[where or ''] or {})[what]
        if not name then
          return what
        end
        schema[name] = { mapping = where }
      end
      background.settings[name] = request[what]
    end
  end
  background.adapter:map_schema_to_params(background.settings)
end

---@type mcp-editord.SamplingHandler
function M.run(request, done)
  local plain = require('mcp-editord.questions.sampling.message')
  local background = require('codecompanion.interactions.background').new()
  if not background then
    done('CodeCompanion has no adapter for background interactions; configure one')
    return
  end
  local missing = limit(background, request)
  if missing then
    done(('the CodeCompanion adapter "%s" has no setting for %s'):format(background.adapter.name, missing))
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
        return done('CodeCompanion answered without text')
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

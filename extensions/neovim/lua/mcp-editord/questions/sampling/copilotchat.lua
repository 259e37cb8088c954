--- Sampling with the provider and the model of CopilotChat's chat. The provider makes the request and reads the answer;
--- nothing of a chat is involved. Written against CopilotChat 4.7.
local async = require('mcp-editord.async')
local plans = require('mcp-editord.questions.sampling.plan')

local M = {}

--- Returns the model that is set, with its provider. Runs in a coroutine of plenary.
---@param client table
---@param wanted string
---@return table model
---@return table provider
---@return table<string, string> headers
local function find(client, wanted)
  local problems = {}
  local providers = client:get_providers('get_models')
  for _, name in ipairs(providers:keys()) do
    local ok, err = pcall(client.authenticate, client, name)
    if not ok then
      problems[#problems + 1] = ('%s: %s'):format(name, tostring(err))
    end
  end
  local models = client:models()
  local model = models[wanted]
  if not model then
    local why = #problems > 0 and table.concat(problems, '; ') or 'no provider has it'
    error(('the model "%s" is not there: %s'):format(wanted, why), 0)
  end
  local provider = client:get_providers():get(model.provider)
  local headers = client:authenticate(model.provider)
  if provider.resolve_model then
    local resolved = provider.resolve_model(headers, wanted)
    model = assert(models[resolved], ('the model "%s" is not there'):format(tostring(resolved)))
  end
  return model, provider, headers
end

--- Makes the body. What the provider leaves out of the limits, plans.compare finds missing.
---@param provider table
---@param options table of the provider's functions
---@param request mcp-editord.SamplingRequest
---@return table body
---@return table<string, string>? headers
local function make_body(provider, options, request)
  local body, headers = provider.prepare_input(plans.messages(request, 'assistant'), options)
  if body.input then -- OpenAI's Responses
    body.max_output_tokens = request.maxTokens
    body.temperature = request.temperature
  else
    body.stop = request.stopSequences
  end
  return body, headers
end

---@param request mcp-editord.SamplingRequest
---@return mcp-editord.SamplingPlan
local function make_plan(request)
  local copilot = require('CopilotChat')
  local client = require('CopilotChat.client')
  local wanted = copilot.config.model
  local model, provider, headers = find(client, wanted)
  local id = model.id:gsub(':' .. vim.pesc(model.provider) .. '$', '')
  local options = {
    model = vim.tbl_extend('force', model, {
      id = id,
      streaming = false,
      tools = false,
      max_output_tokens = request.maxTokens,
    }),
    temperature = request.temperature,
  }
  local body, more = make_body(provider, options, request)
  local ok, extra = pcall(plans.compare, body, request)
  if not ok then
    error(('the provider "%s" cannot be used with the model "%s": %s'):format(model.provider, id, extra), 0)
  end
  local curl = require('CopilotChat.utils.curl').args or {}
  return {
    who = ('CopilotChat, provider "%s", model "%s"'):format(model.provider, id),
    url = provider.get_url(options),
    headers = vim.tbl_extend('force', headers, more or {}),
    body = body,
    extra = extra,
    model = id,
    proxy = curl.proxy,
    insecure = curl.insecure,
    read = function(answer)
      local wrapped = answer.output and not answer.choices and { response = answer } or answer
      local content = provider.prepare_output(wrapped, options).content
      return type(content) == 'string' and content ~= '' and { text = content } or nil
    end,
  }
end

--- Makes the request. May ask the provider for a token and for its models. Raises an error when the person has to sign in
--- first.
---@async
---@param request mcp-editord.SamplingRequest
---@return mcp-editord.SamplingPlan
function M.prepare(request)
  local copilot = require('CopilotChat')
  local notify = require('CopilotChat.utils.notify')
  local _ = copilot.chat -- sets it up with its defaults, unless that has been done
  local listener
  local err, plan = async.await(function(resolve)
    listener = function(message)
      if type(message) == 'string' and message ~= '' then
        resolve('it wants you to sign in: ' .. message)
      end
    end
    notify.listen(notify.MESSAGE, listener)
    require('plenary.async').run(function()
      return pcall(make_plan, request)
    end, function(ok, made)
      if ok then
        resolve(nil, made)
      else
        resolve(tostring(made))
      end
    end)
  end)
  async.schedule()
  notify.listeners[notify.MESSAGE] = vim.tbl_filter(function(other)
    return other ~= listener
  end, notify.listeners[notify.MESSAGE] or {})
  if err then
    error(err, 0)
  end
  return plan
end

return M

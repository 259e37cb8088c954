--- A request to a model, ready to be sent. What a plan holds is what the person is shown and what goes out: nothing puts
--- the request together a second time.
local plain = require('mcp-editord.questions.sampling.message')

local M = {}

---@class mcp-editord.SamplingPlan
---@field who string what answers, in words: the plugin, its adapter, the model
---@field url string where the request goes
---@field headers table<string, string> with the key; never shown
---@field body table what is sent, as JSON
---@field read fun(answer: table, raw: string): mcp-editord.SamplingAnswer? the text of an answer, nil if it has none
---@field model? string
---@field extra string[] what the body says beyond what the server asked for, as "top_p 1"
---@field proxy? string
---@field insecure? boolean do not check the certificate of the endpoint

--- The names that endpoints use for the limits of a request.
local limits = {
  maxTokens = { 'max_tokens', 'max_output_tokens', 'maxOutputTokens', 'max_completion_tokens', 'num_predict' },
  temperature = { 'temperature' },
  stopSequences = { 'stop', 'stop_sequences', 'stopSequences' },
}

--- Where in a body they are, beside the body itself.
local places = { 'options', 'generation_config', 'generationConfig' }

--- What a body must not have.
local tools = { 'tools', 'functions', 'mcp_servers' }

local text_types = { text = true, input_text = true, output_text = true }

--- Adds the texts of one role. Raises an error for what is not a text.
---@param out {[1]: string, [2]: string}[]
---@param role any
---@param content any
local function add(out, role, content)
  if type(content) == 'string' then
    out[#out + 1] = { role == 'developer' and 'system' or role, content }
    return
  end
  for _, block in ipairs(type(content) == 'table' and content or {}) do
    if type(block) ~= 'table' or not text_types[block.type] or type(block.text) ~= 'string' then
      error('it adds something that is not a text', 0)
    end
    for key in pairs(block) do
      if key ~= 'type' and key ~= 'text' then
        error(('it adds "%s" to a text'):format(tostring(key)), 0)
      end
    end
    add(out, role, block.text)
  end
end

--- Takes the texts and their roles out of a body.
---@param body table loses them
---@return {[1]: string, [2]: string}[]
local function take_texts(body)
  local out = {}
  add(out, 'system', body.system)
  add(out, 'system', body.instructions)
  if body.messages and body.input then
    error('it has both messages and input', 0)
  end
  for _, message in ipairs(body.messages or body.input or {}) do
    for key, value in pairs(message) do
      if key ~= 'role' and key ~= 'content' and not (key == 'type' and value == 'message') then
        error(('it adds "%s" to a message'):format(tostring(key)), 0)
      end
    end
    add(out, message.role, message.content)
  end
  body.system, body.instructions, body.messages, body.input = nil, nil, nil, nil
  return out
end

--- Takes a limit with its value out of a body. Returns whether it is there.
---@param body table loses it
---@param what string
---@param value any
---@return boolean
local function take_limit(body, what, value)
  for _, name in ipairs(limits[what]) do
    if vim.deep_equal(body[name], value) then
      body[name] = nil
      return true
    end
    for _, place in ipairs(places) do
      local inner = body[place]
      if type(inner) == 'table' and vim.deep_equal(inner[name], value) then
        inner[name] = nil
        body[place] = next(inner) and inner or nil
        return true
      end
    end
  end
  return false
end

--- Compares a body that another plugin has made with what the server asked for. Raises an error unless the texts, their
--- roles and their order, and the limits are the same. Returns what the body says beyond them.
---@param body table
---@param request mcp-editord.SamplingRequest
---@return string[] extra such as "top_p 1", sorted
function M.compare(body, request)
  body = vim.deepcopy(body)
  local want = {}
  add(want, 'system', request.systemPrompt)
  for _, message in ipairs(request.messages) do
    add(want, message.role, plain.text(message))
  end
  if not vim.deep_equal(take_texts(body), want) then
    error('it changes the texts of the request, or who says them', 0)
  end
  for what in vim.spairs(limits) do
    if request[what] ~= nil and not take_limit(body, what, request[what]) then
      error(('it does not pass on %s'):format(what), 0)
    end
  end
  for _, name in ipairs(tools) do
    if type(body[name]) == 'table' and next(body[name]) then
      error('it adds tools', 0)
    end
    body[name] = nil
  end
  body.model = nil -- who answers says it
  if body.stream == false then
    body.stream = nil
  end
  local extra = {}
  for name, value in vim.spairs(body) do
    extra[#extra + 1] = ('%s %s'):format(name, vim.json.encode(value))
  end
  return extra
end

--- Returns the messages of a request with their roles, as most endpoints and plugins take them. Raises an error if there is
--- content that is not a text.
---@param request mcp-editord.SamplingRequest
---@param assistant string what the plugin calls the role of the model
---@return {role: string, content: string}[]
function M.messages(request, assistant)
  local out = {}
  if request.systemPrompt then
    out[1] = { role = 'system', content = request.systemPrompt }
  end
  for _, message in ipairs(request.messages) do
    out[#out + 1] = { role = message.role == 'user' and 'user' or assistant, content = plain.text(message) }
  end
  return out
end

return M

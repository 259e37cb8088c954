--- Sampling with the adapter of CodeCompanion's chat, or the one that you name. The adapter makes the request and reads the
--- answer; nothing of a chat is involved. Written against CodeCompanion 19.22.
local plans = require('mcp-editord.questions.sampling.plan')

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

--- Puts the limits of the request into the settings. What the adapter has no setting for, plans.compare finds missing.
---@param adapter table
---@param settings table
---@param request mcp-editord.SamplingRequest
local function limit(adapter, settings, request)
  local schema = adapter.schema
  local where = vim.tbl_get(schema, 'temperature', 'mapping') or vim.tbl_get(schema, 'model', 'mapping')
  for what, known in pairs(names) do
    if request[what] ~= nil then
      local name = vim.iter(known):find(function(name)
        return schema[name] ~= nil
      end)
      if not name then
        name = (unlisted[where or ''] or {})[what]
        if name then
          schema[name] = { mapping = where }
        end
      end
      if name then
        settings[name] = request[what]
      end
    end
  end
end

--- Returns the adapter, not set up yet.
---@return table
local function resolve()
  local config = require('codecompanion.config')
  local named = require('mcp-editord.config').get().sampling.codecompanion.adapter
  local chat = vim.tbl_get(config, 'interactions', 'chat', 'adapter')
    or vim.tbl_get(config, 'strategies', 'chat', 'adapter')
  local adapter = require('codecompanion.adapters').resolve(named or chat)
  if not adapter then
    error(('it has no adapter "%s"'):format(named or vim.inspect(chat)), 0)
  end
  adapter = vim.deepcopy(adapter)
  if adapter.type ~= 'http' then
    local why = '"%s" is an agent, not a model; name an HTTP adapter in sampling.codecompanion.adapter'
    error(why:format(adapter.name), 0)
  end
  local opts = adapter.opts or {}
  if opts.request or adapter.raw or opts.method and opts.method:lower() ~= 'post' then
    error(('"%s" sends its requests in a way of its own'):format(adapter.name), 0)
  end
  adapter.opts = vim.tbl_extend('force', opts, { stream = false, tools = false, compaction = false })
  return adapter
end

--- Puts the values of the environment into the adapter. Raises an error if one that is sent is missing.
---@param adapter table
---@return string url
---@return table<string, string> headers
local function fill_in(adapter)
  local ok, utils = pcall(require, 'codecompanion.adapters.utils')
  if not ok then
    utils = require('codecompanion.utils.adapters')
  end
  utils.get_env_vars(adapter)
  local url = utils.set_env_vars(adapter, adapter.url)
  local loopback = url:find('^https?://localhost[:/]') or url:find('^https?://127%.') or url:find('^https?://%[::1%]')
  for name, source in pairs(adapter.env or {}) do
    local value = adapter.env_replaced[name]
    local sent = vim.inspect({ adapter.url, adapter.headers }):find('${' .. name .. '}', 1, true)
    local unset = value == source and type(source) == 'string' and source:find('^%u[%u%d_]+$')
    if sent and (value == nil or value == '') then
      error(('"%s" of the adapter "%s" has no value'):format(name, adapter.name), 0)
    elseif sent and unset and not loopback then
      error(('the environment variable %s of the adapter "%s" is not set'):format(source, adapter.name), 0)
    end
  end
  return url, utils.set_env_vars(adapter, adapter.headers or {})
end

--- Returns the body that CodeCompanion would send. Its client stops when it is about to write it.
---@param adapter table
---@param request mcp-editord.SamplingRequest
---@return table
local function make_body(adapter, request)
  local body
  local client = require('codecompanion.http').new({
    adapter = adapter,
    opts = {
      encode = function(made)
        body = made
        error('made', 0)
      end,
    },
  })
  local ok, err = pcall(client.request, client, { messages = adapter:map_roles(plans.messages(request, 'llm')) }, {
    callback = function() end,
  }, { silent = true })
  if not body then
    error(('"%s" made no request: %s'):format(adapter.name, ok and 'its setup failed' or tostring(err)), 0)
  end
  return body
end

--- Runs `fn`. What CodeCompanion would show on the screen meanwhile, where a long line waits for a key, becomes part of the
--- error.
---@param fn fun(): mcp-editord.SamplingPlan
---@return mcp-editord.SamplingPlan
local function quietly(fn)
  local log = require('codecompanion.utils.log')
  local root, said = log.get_root(), {}
  local function keep(_, level, message, ...)
    if level >= vim.log.levels.WARN then
      local values = vim.tbl_map(function(value)
        return type(value) == 'string' and value or vim.inspect(value)
      end, { ... })
      local ok, told = pcall(string.format, message, unpack(values))
      said[#said + 1] = ok and told or message
    end
  end
  log.set_root(setmetatable({ log = keep }, { __index = root }))
  local ok, result = pcall(fn)
  log.set_root(root)
  if not ok then
    error(tostring(result) .. (said[1] and ' (' .. said[1] .. ')' or ''), 0)
  end
  return result
end

--- Makes the request.
---@param request mcp-editord.SamplingRequest
---@return mcp-editord.SamplingPlan
local function make_plan(request)
  local adapters = require('codecompanion.adapters')
  local config = require('codecompanion.config')
  local adapter = resolve()
  local settings = require('codecompanion.schema').get_default(adapter)
  limit(adapter, settings, request)
  adapter:map_schema_to_params(settings)

  local ready = vim.deepcopy(adapter)
  if adapters.call_handler(ready, 'setup') == false then
    error(('the setup of the adapter "%s" failed'):format(adapter.name), 0)
  end
  local url, headers = fill_in(ready)
  local body = make_body(adapter, request)
  local ok, extra = pcall(plans.compare, body, request)
  if not ok then
    error(('the adapter "%s" cannot be used: %s'):format(adapter.name, extra), 0)
  end
  local model = body.model or settings.model
  local http = config.adapters.http and config.adapters.http.opts or {}
  return {
    who = ('CodeCompanion, adapter "%s", model "%s"'):format(adapter.name, tostring(model)),
    url = url,
    headers = headers,
    body = body,
    extra = extra,
    model = tostring(model),
    proxy = http.proxy,
    insecure = http.allow_insecure,
    read = function(_, raw)
      local result = adapters.call_handler(ready, 'parse_chat', { status = 200, body = raw })
      local content = vim.tbl_get(result or {}, 'output', 'content')
      return type(content) == 'string' and { text = content } or nil
    end,
  }
end

--- Makes the request. May run what the adapter runs for its key and its list of models.
---@param request mcp-editord.SamplingRequest
---@return mcp-editord.SamplingPlan
function M.prepare(request)
  return quietly(function()
    return make_plan(request)
  end)
end

return M

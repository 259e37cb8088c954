local Model = require('support.model')
local check = require('support.check')
local config = require('mcp-editord.config')

local request = {
  server = 's',
  systemPrompt = 'Be brief.',
  maxTokens = 7,
  temperature = 0.5,
  messages = {
    {
      role = 'user',
      content = { { type = 'text', text = 'What is this? #file @all' }, { type = 'text', text = 'Say.' } },
    },
    { role = 'assistant', content = { type = 'text', text = 'A stub.' } },
  },
}

--- Runs a handler with options, and waits for its answer.
local function run(handler, options)
  vim.g.mcp_editord = { sampling = options or {} }
  config.reset()
  local err, answer, over
  require('mcp-editord.questions.sampling.' .. handler).run(request, function(...)
    err, answer, over = ...
    over = true
  end)
  vim.wait(20000, function()
    return over
  end, 20)
  vim.g.mcp_editord = nil
  config.reset()
  return err, answer
end

--- Puts modules in the place of a plugin's.
local function with_modules(modules, fn)
  for name, module in pairs(modules) do
    package.loaded[name] = module
  end
  local ok, err = pcall(fn)
  for name in pairs(modules) do
    package.loaded[name] = nil
  end
  if not ok then
    error(err, 0)
  end
end

return {
  {
    'anthropic',
    function()
      local model = Model.start(function()
        return {
          model = 'm-1',
          stop_reason = 'max_tokens',
          content = { { type = 'text', text = 'A ' }, { type = 'text', text = 'test.' } },
        }
      end)
      vim.env.TEST_KEY = 'canary'
      local err, answer = run('anthropic', { anthropic = { url = model.url, model = 'm', api_key = 'TEST_KEY' } })
      vim.env.TEST_KEY = nil
      model.close()
      check.equal({ err, answer }, { nil, { text = 'A test.', model = 'm-1', stopReason = 'maxTokens' } })
      local got = model.requests[1]
      check.contains(got.head, 'POST /v1/messages')
      check.contains(got.head, 'x-api-key: canary')
      check.equal({ got.body.system, got.body.max_tokens, got.body.model }, { 'Be brief.', 7, 'm' })
      check.equal(got.body.messages[1].content[2], { type = 'text', text = 'Say.' })
    end,
  },
  {
    'an image goes to an endpoint as it takes it',
    function()
      local with_image = {
        maxTokens = 1,
        messages = { { role = 'user', content = { type = 'image', mimeType = 'image/png', data = 'AAAA' } } },
      }
      local openai = require('mcp-editord.questions.sampling.openai').body(with_image, 'm')
      check.equal(openai.messages[1].content[1].image_url.url, 'data:image/png;base64,AAAA')
      local anthropic = require('mcp-editord.questions.sampling.anthropic').body(with_image, 'm')
      check.equal(anthropic.messages[1].content[1].source, { type = 'base64', media_type = 'image/png', data = 'AAAA' })
    end,
  },
  {
    'a key that is missing is an error, and nothing is sent',
    function()
      local err = run('openai', { openai = { url = 'http://127.0.0.1:9', api_key = 'NO_SUCH_KEY' } })
      check.contains(err, 'no key is set')
    end,
  },
  {
    'an endpoint that is not there is an error',
    function()
      local err = run('openai', { openai = { url = 'http://127.0.0.1:9' } })
      check.contains(err, 'curl')
    end,
  },
  {
    'promise 9: codecompanion is given what was shown, with its limits',
    function()
      local asked, given
      local function background(schema)
        return {
          new = function()
            return {
              adapter = {
                name = 'stub',
                schema = schema,
                map_schema_to_params = function(_, settings)
                  given = settings
                end,
              },
              settings = { model = 'tiny' },
              ask = function(_, messages, opts)
                asked = messages
                opts.on_done({ status = 'success', output = { content = 'Yes.' } })
                return { cancel = function() end }
              end,
            }
          end,
        }
      end
      local openai = { model = { mapping = 'parameters' }, max_tokens = {}, temperature = { mapping = 'parameters' } }
      with_modules({ ['codecompanion.interactions.background'] = background(openai) }, function()
        local err, answer = run('codecompanion')
        check.equal({ err, answer }, { nil, { text = 'Yes.', model = 'stub' } })
        check.equal(asked, {
          { role = 'system', content = 'Be brief.' },
          { role = 'user', content = 'What is this? #file @all\nSay.' },
          { role = 'llm', content = 'A stub.' },
        })
        check.equal(given, { model = 'tiny', max_tokens = 7, temperature = 0.5 })
      end)
      local ollama = { temperature = { mapping = 'parameters.options' } }
      with_modules({ ['codecompanion.interactions.background'] = background(ollama) }, function()
        run('codecompanion')
        check.equal(given, { model = 'tiny', num_predict = 7, temperature = 0.5 })
      end)
      asked = nil
      with_modules({ ['codecompanion.interactions.background'] = background({}) }, function()
        local err = run('codecompanion')
        check.contains(err, 'the CodeCompanion adapter "stub" has no setting for ')
        check.equal(asked, nil)
      end)
    end,
  },
  {
    'promise 9: nothing is sent but what the page shows',
    function()
      local more = vim.tbl_extend('force', request, { stopSequences = { 'END' }, includeContext = 'allServers' })
      local page = table.concat(require('mcp-editord.questions.sampling').page(more, 'openai').lines, '\n')
      for _, shown in ipairs({ 'at most 7 tokens', 'temperature 0.5', 'stops at "END"', 'Be brief.', 'A stub.' }) do
        check.contains(page, shown)
      end
      local openai = require('mcp-editord.questions.sampling.openai').body(more, 'm')
      check.equal(openai, {
        model = 'm',
        messages = {
          { role = 'system', content = 'Be brief.' },
          { role = 'user', content = 'What is this? #file @all\nSay.' },
          { role = 'assistant', content = 'A stub.' },
        },
        max_tokens = 7,
        temperature = 0.5,
        stop = { 'END' },
        stream = false,
      })
      local anthropic = require('mcp-editord.questions.sampling.anthropic').body(more, 'm')
      check.equal(anthropic, {
        model = 'm',
        system = 'Be brief.',
        messages = {
          {
            role = 'user',
            content = { { type = 'text', text = 'What is this? #file @all' }, { type = 'text', text = 'Say.' } },
          },
          { role = 'assistant', content = { { type = 'text', text = 'A stub.' } } },
        },
        max_tokens = 7,
        temperature = 0.5,
        stop_sequences = { 'END' },
      })
    end,
  },
}

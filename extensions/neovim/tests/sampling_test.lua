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

--- Makes the request of a handler with options.
---@return boolean ok
---@return mcp-editord.SamplingPlan|string
local function prepare(handler, options)
  vim.g.mcp_editord = { sampling = options or {} }
  config.reset()
  local ok, plan = pcall(require('mcp-editord.questions.sampling.' .. handler).prepare, request)
  vim.g.mcp_editord = nil
  config.reset()
  return ok, plan
end

--- Sends the request of a handler with options, and waits for its answer.
local function run(handler, options)
  local ok, plan = prepare(handler, options)
  assert(ok, plan)
  local err, answer, raw, over
  require('mcp-editord.questions.sampling.http').post(plan, function(...)
    err, answer, raw = ...
    over = true
  end)
  assert(vim.wait(20000, function()
    return over
  end, 20))
  return err, answer and plan.read(answer, raw)
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
      local ok, err = prepare('openai', { openai = { url = 'http://127.0.0.1:9', api_key = 'NO_SUCH_KEY' } })
      check.equal(ok, false)
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
    'promise 9: a body that a plugin made is refused unless it says what the server asked',
    function()
      local compare = require('mcp-editord.questions.sampling.plan').compare
      local function body(change)
        return vim.tbl_deep_extend('force', {
          model = 'm',
          stream = false,
          max_tokens = 7,
          temperature = 0.5,
          messages = {
            { role = 'system', content = 'Be brief.' },
            { role = 'user', content = 'What is this? #file @all\nSay.' },
            { role = 'assistant', content = 'A stub.' },
          },
        }, change or {})
      end
      check.equal(compare(body(), request), {})
      check.equal(compare(body({ top_p = 1, n = 2 }), request), { 'n 2', 'top_p 1' })
      local ollama = body({ options = { num_predict = 7, temperature = 0.5, num_ctx = 10 } })
      ollama.max_tokens, ollama.temperature = nil, nil
      check.equal(compare(ollama, request), { 'options {"num_ctx":10}' })
      local anthropic = body({ system = { { type = 'text', text = 'Be brief.' } } })
      table.remove(anthropic.messages, 1)
      check.equal(compare(anthropic, request), {})
      local responses = body({ instructions = 'Be brief.', max_output_tokens = 7 })
      responses.input = { responses.messages[2], responses.messages[3] }
      responses.messages, responses.max_tokens = nil, nil
      check.equal(compare(responses, request), {})

      local function refused(changed, why)
        local ok, err = pcall(compare, changed, request)
        check.equal(ok, false)
        check.contains(err, why)
      end
      local more = body()
      table.insert(more.messages, 1, { role = 'system', content = 'You are a plugin.' })
      refused(more, 'it changes the texts of the request, or who says them')
      local less = body()
      table.remove(less.messages, 2)
      refused(less, 'it changes the texts')
      local trimmed = body()
      trimmed.messages[2].content = 'What is this?\nSay.'
      refused(trimmed, 'it changes the texts')
      local turned = body()
      turned.messages[1].role = 'user'
      refused(turned, 'it changes the texts')
      local named = body()
      named.messages[2].name = 'root'
      refused(named, 'it adds "name" to a message')
      local image = body()
      image.messages[2].content = { { type = 'image_url', image_url = {} } }
      refused(image, 'it adds something that is not a text')
      refused(body({ tools = { { type = 'function' } } }), 'it adds tools')
      refused(body({ input = { { role = 'user', content = 'And this.' } } }), 'it has both messages and input')
      refused(body({ max_tokens = 8 }), 'it does not pass on maxTokens')
      refused(body({ temperature = 1 }), 'it does not pass on temperature')
    end,
  },
  {
    'promise 9: nothing is sent but what the page shows',
    function()
      local more = vim.tbl_extend('force', request, { stopSequences = { 'END' }, includeContext = 'allServers' })
      local plan = { who = 'openai, model "m"', url = 'http://model', extra = { 'top_p 1' } }
      local page = table.concat(require('mcp-editord.questions.sampling').page(more, plan).lines, '\n')
      for _, shown in ipairs({
        'at most 7 tokens',
        'temperature 0.5',
        'stops at "END"',
        'also sends top_p 1',
        'at http://model',
        'Be brief.',
        'A stub.',
      }) do
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

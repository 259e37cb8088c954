--- Sampling through the real CodeCompanion and the real CopilotChat, with a model that records what reaches it.
local Editor = require('support.editor')
local Model = require('support.model')
local check = require('support.check')
local plugins = require('support.plugins')
local servers = require('support.servers')

local fake = { servers = { fake = servers.fake() } }

--- What both plugins would expand or act on if it were typed into their chats.
local bait = 'What is #buffer, #{file} @editor @{full_stack} /explain $tiny?\n> #gitdiff:staged\n# System Prompt\nEnd.'

local params = {
  systemPrompt = '  Be brief. \r\n{"a":1}\n',
  maxTokens = 77,
  temperature = 0.25,
  stopSequences = { 'END', '\n\n' },
  messages = {
    { role = 'user', content = { type = 'text', text = bait } },
    { role = 'assistant', content = { type = 'text', text = 'A stub.' } },
    { role = 'user', content = { { type = 'text', text = 'Say' }, { type = 'text', text = 'more. ' } } },
  },
}

local function completion()
  return {
    model = 'tiny',
    choices = { { finish_reason = 'stop', message = { role = 'assistant', content = 'Paris.' } } },
  }
end

local function codecompanion(url, adapter)
  return ([[
    require('codecompanion').setup({
      interactions = {
        chat = { adapter = %q, opts = { system_prompt = 'You are CodeCompanion.' } },
        background = { adapter = 'nobody' },
      },
      adapters = {
        http = {
          mine = function()
            return require('codecompanion.adapters').extend('openai', {
              url = %q,
              env = { api_key = 'MODEL_KEY' },
              schema = { model = { default = 'tiny', choices = { 'tiny' } } },
            })
          end,
        },
      },
    })
  ]]):format(adapter or 'mine', url .. '/v1/chat/completions')
end

local function copilotchat(url)
  return ([[
    local base = require('CopilotChat.config.providers').copilot
    require('CopilotChat').setup({
      model = 'tiny',
      temperature = 0.9,
      system_prompt = 'You are CopilotChat.',
      sticky = { '#buffer' },
      providers = {
        copilot = { disabled = true },
        mine = {
          get_headers = function()
            return { Authorization = 'Bearer ' .. vim.env.MODEL_KEY }
          end,
          get_models = function()
            return { { id = 'tiny', name = 'Tiny', max_input_tokens = 3, max_output_tokens = 5, streaming = true, tools = true } }
          end,
          get_url = function()
            return %q
          end,
          prepare_input = base.prepare_input,
          prepare_output = base.prepare_output,
        },
      },
    })
  ]]):format(url .. '/v1/chat/completions')
end

--- Keeps the lines of the dialog above a list in the variable Dialog. (Neovim 0.10 answers nobody while its list is open.)
local keep_dialog = [[
  local select = vim.ui.select
  vim.ui.select = function(...)
    for _, win in ipairs(vim.api.nvim_list_wins()) do
      local lines = vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(win), 0, -1, false)
      Dialog = lines[1]:find('^to ') and lines or Dialog
    end
    return select(...)
  end
]]

local function start(names, setup, opts)
  local load, missing = plugins.load(names)
  if not load then
    return nil, missing
  elseif vim.list_contains(names, 'codecompanion.nvim') and vim.fn.has('nvim-0.11') == 0 then
    return nil, 'CodeCompanion 19.22 needs Neovim 0.11'
  end
  return Editor.start(vim.tbl_extend('force', {
    config = fake,
    env = { MODEL_KEY = 'canary-4711' },
    lua = load .. keep_dialog .. setup,
    height = 70,
  }, opts or {}))
end

local function ask(e)
  e:lua(
    [[
      Answer = nil
      require('mcp-editord').call('fake', 'ask_sampling', { params = vim.json.decode(...) }, nil, function(err, result)
        Answer = err and { error = err } or result.structuredContent
      end)
    ]],
    vim.json.encode(params)
  )
end

--- The dialog, as it must be for a body that has reached the model: each line of it comes from the body or from `plan`.
---@param plan string[] the lines about where it goes
---@param body table
---@return string[]
local function dialog_of(plan, body)
  local lines = vim.list_extend({}, plan)
  table.insert(lines, ('at most %d tokens'):format(body.max_tokens))
  table.insert(lines, 'temperature ' .. body.temperature)
  for _, sequence in ipairs(body.stop) do
    table.insert(lines, 'stops at ' .. vim.json.encode(sequence))
  end
  local told = { messages = true, max_tokens = true, temperature = true, stop = true, model = true }
  for name, value in vim.spairs(body) do
    if not told[name] and not (name == 'stream' and value == false) then
      table.insert(lines, ('also sends %s %s'):format(name, vim.json.encode(value)))
    end
  end
  for _, message in ipairs(body.messages) do
    check.equal(vim.tbl_count(message), 2) -- role and content, and nothing else
    vim.list_extend(lines, { '', '## ' .. message.role, '' })
    vim.list_extend(lines, vim.split((message.content:gsub('\r', '\\r')), '\n'))
  end
  return lines
end

local function byte_for_byte(names, setup, who)
  local model = Model.start(completion)
  local e, missing = start(names, setup(model.url))
  if not e then
    model.close()
    return missing
  end
  ask(e)
  e:take_up('MCP server fake asks your model', 'Be brief.')
  e:pick('Allow once')
  e:take_up("The model's answer for fake", 'Paris.')
  e:pick('Send')
  check.equal(e:await_lua('return Answer').answer.result.content.text, 'Paris.')
  model.close()

  local shown = e:lua('return Dialog')
  check.equal(#model.requests, 1)
  local sent = model.requests[1]
  check.equal(sent.body.messages, {
    { role = 'system', content = params.systemPrompt },
    { role = 'user', content = bait },
    { role = 'assistant', content = 'A stub.' },
    { role = 'user', content = 'Say\nmore. ' },
  })
  check.equal({ sent.body.max_tokens, sent.body.temperature, sent.body.stop }, { 77, 0.25, params.stopSequences })
  check.equal({ sent.body.model, sent.body.tools }, { 'tiny', nil })
  check.equal(shown, dialog_of({ who, ('at %s/v1/chat/completions'):format(model.url) }, sent.body))
  check.contains(sent.head, 'Authorization: Bearer canary-4711')
  check.lacks(sent.text, 'canary')
  check.lacks(vim.inspect(shown), 'canary')
end

return {
  {
    'promise 9: CodeCompanion sends what the dialog shows',
    function()
      local names = { 'plenary.nvim', 'codecompanion.nvim' }
      return byte_for_byte(names, codecompanion, 'to CodeCompanion, adapter "mine", model "tiny"')
    end,
  },
  {
    'promise 9: CopilotChat sends what the dialog shows',
    function()
      local names = { 'plenary.nvim', 'CopilotChat.nvim' }
      return byte_for_byte(names, copilotchat, 'to CopilotChat, provider "mine", model "tiny"')
    end,
  },
  {
    'an adapter without its key is an error, before anybody is asked and in :checkhealth',
    function()
      local setup = codecompanion('https://model.invalid')
      local e, missing = start({ 'plenary.nvim', 'codecompanion.nvim' }, setup, { env = {} })
      if not e then
        return missing
      end
      ask(e)
      e:said('codecompanion: the environment variable MODEL_KEY of the adapter "mine" is not set')
      check.equal(e:await_lua('return Answer').answer.error.code, -32603)
      e:command('checkhealth mcp-editord')
      e:see('ERROR codecompanion: the environment variable MODEL_KEY')
    end,
  },
  {
    'CodeCompanion as it comes, without a token for Copilot, is an error at once',
    function()
      local names = { 'plenary.nvim', 'codecompanion.nvim' }
      local e, missing = start(names, "require('codecompanion').setup({})")
      if not e then
        return missing
      end
      ask(e)
      e:said('codecompanion: the setup of the adapter "copilot" failed (Copilot Adapter: No token found.')
      check.equal(e:await_lua('return Answer').answer.error.code, -32603)
    end,
  },
  {
    'auto goes on to CopilotChat when CodeCompanion cannot answer, and health says which',
    function()
      local model = Model.start(completion)
      local e, missing = start(
        { 'plenary.nvim', 'codecompanion.nvim', 'CopilotChat.nvim' },
        codecompanion(model.url, 'claude_code') .. copilotchat(model.url)
      )
      if not e then
        model.close()
        return missing
      end
      ask(e)
      e:take_up('to CopilotChat, provider "mine"')
      e:pick('Deny')
      e:command('checkhealth mcp-editord')
      e:see('CopilotChat, provider "mine", model "tiny"', model.url .. '/v1/chat/completions')
      model.close()
    end,
  },
  {
    'CopilotChat that wants a sign-in is an error that says so',
    function()
      local setup = [[
        local copilot = require('CopilotChat.config.providers').copilot
        require('CopilotChat').setup({ model = 'tiny', providers = { copilot = { disabled = true }, mine = {
          get_headers = function()
            local notify = require('CopilotChat.utils.notify')
            notify.publish(notify.MESSAGE, 'Visit https://sign.in and enter code: AB-12')
            require('plenary.async.util').sleep(1e8)
          end,
          get_models = function() return {} end,
          prepare_input = copilot.prepare_input,
          prepare_output = copilot.prepare_output,
        } } })
      ]]
      local e, missing = start({ 'plenary.nvim', 'CopilotChat.nvim' }, setup)
      if not e then
        return missing
      end
      ask(e)
      e:said('copilotchat: it wants you to sign in: Visit https://sign.in and enter code: AB-12')
      check.equal(e:await_lua('return Answer').answer.error.code, -32603)
    end,
  },
}

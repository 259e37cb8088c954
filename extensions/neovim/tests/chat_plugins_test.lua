--- The servers in the real CodeCompanion and the real avante, with a model that calls what it is told to.
local Editor = require('support.editor')
local Model = require('support.model')
local check = require('support.check')
local plugins = require('support.plugins')
local servers = require('support.servers')

local question = {
  params = {
    message = 'Which colour?',
    requestedSchema = { type = 'object', properties = { colour = { type = 'string', enum = { 'blue' } } } },
  },
}

--- A model that calls a tool for each message of a person, if it is offered, and repeats what the tool returned.
---@param tool string
local function model_that_calls(tool)
  return Model.start(function(_, body)
    local last = body.messages[#body.messages]
    local offered = vim.iter(body.tools or {}):any(function(one)
      return one['function'].name == tool
    end)
    local message = { role = 'assistant', content = 'Done.' }
    if last.role == 'user' and offered then
      local arguments = vim.json.encode(question)
      message.content = vim.NIL
      message.tool_calls = {
        { index = 0, id = 'call_1', type = 'function', ['function'] = { name = tool, arguments = arguments } },
      }
    end
    local reason = message.tool_calls and 'tool_calls' or 'stop'
    return { id = 'c', model = 'tiny', choices = { { finish_reason = reason, message = message } } }
  end)
end

--- Waits for a request whose last message has the role, and returns it.
local function await_request(e, model, role)
  return e:await('a request that ends with ' .. role, function()
    return vim.iter(model.requests):find(function(request)
      return request.body.messages[#request.body.messages].role == role
    end)
  end)
end

---@param request table
---@return table<string, true>
local function offered(request)
  local names = {}
  for _, tool in ipairs(request.body.tools or {}) do
    names[tool['function'].name] = true
  end
  return names
end

--- A server beside one of the project that nobody has allowed, and one that starts when the gate is written to.
local function workspace()
  local gate = vim.fn.tempname()
  assert(vim.system({ 'mkfifo', gate }):wait().code == 0)
  local late = servers.fake()
  late.command, late.args = 'sh', { '-c', ('cat %s; exec %s'):format(gate, vim.env.FAKESERVER_BIN) }
  local fake = servers.fake({ plain = true, resources = { { uri = 'demo://a', name = 'a' } } })
  return {
    gate = gate,
    config = { servers = { fake = fake, late = late } },
    files = { ['.mcp.json'] = { servers = { sneaky = servers.fake() } } },
  }
end

local function start(names, setup, opts)
  local load, missing = plugins.load(names)
  if not load then
    return nil, missing
  elseif vim.fn.has('nvim-0.11') == 0 then
    return nil, 'these plugins need Neovim 0.11'
  end
  opts = vim.tbl_extend('force', opts, { env = { MODEL_KEY = 'key' }, lua = load .. setup, height = 60, width = 140 })
  return Editor.start(opts)
end

--- Leaves the question about the server of the project for later: it is the oldest.
local function put_off(e)
  e:keys('<C-Bslash><C-n>')
  e:take_up('May the MCP server "sneaky" run?', '1: Later')
  e:pick('Later')
end

--- Answers the question of the server, which names the chat.
local function answer(e, who)
  e:see('fake asks, for')
  e:keys('<C-Bslash><C-n>')
  e:take_up(('fake asks, for %s (tool ask_elicitation): Which colour?'):format(who), ': Decline')
  e:pick('Decline')
end

local function codecompanion(url)
  return ([[
    require('codecompanion').setup({
      extensions = { mcp_editord = {} },
      mcp = {
        servers = { fake = { tool_defaults = { require_approval_before = false } } },
        opts = { default_servers = { 'fake', 'late' } },
      },
      interactions = { chat = { adapter = 'mine' }, background = { adapter = 'mine' } },
      adapters = { http = { mine = function()
        return require('codecompanion.adapters').extend('openai', {
          url = %q,
          env = { api_key = 'MODEL_KEY' },
          schema = { model = { default = 'tiny', choices = { 'tiny' } } },
        })
      end } },
    })
    function Chat() return require('codecompanion').last_chat() end
    function Has(group) return Chat() ~= nil and Chat().tool_registry.groups[group] ~= nil end
    function Ask(text)
      Chat():add_buf_message({ role = 'user', content = text })
      Chat():submit()
    end
  ]]):format(url .. '/v1/chat/completions')
end

local function avante(url)
  return ([[
    -- avante's own library renders its templates; it has to be built, and nothing here looks at them.
    package.preload['avante_templates'] = function()
      return { initialize = function() end, render = function() return 'Be brief.' end }
    end
    vim.o.laststatus = 3
    require('avante').setup({
      provider = 'mine',
      providers = {
        mine = { __inherited_from = 'openai', endpoint = %q, model = 'tiny', api_key_name = 'MODEL_KEY' },
      },
      custom_tools = require('mcp-editord.avante').custom_tools(),
    })
    function Ask(text)
      require('avante').get():handle_submit(text)
    end
  ]]):format(url .. '/v1')
end

return {
  {
    'CodeCompanion: its model calls a tool, whose server asks here; the result reaches the model',
    function()
      local model, w = model_that_calls('fake_ask_elicitation'), workspace()
      local e, missing = start({ 'plenary.nvim', 'codecompanion.nvim' }, codecompanion(model.url), w)
      if not e then
        model.close()
        return missing
      end
      e:command('CodeCompanionChat')
      e:await_lua("return Has('mcp:fake')")
      check.equal(
        e:lua("return { Has('mcp:late'), require('codecompanion.mcp').get_status().sneaky == nil }"),
        { false, true }
      )
      put_off(e)
      e:lua("Ask('Paint.')")
      answer(e, 'CodeCompanion.nvim')
      local request = await_request(e, model, 'tool')
      check.contains(request.text, 'decline')
      vim.fn.writefile({ 'go' }, w.gate)
      e:await_lua("return Has('mcp:late')")
      model.close()
    end,
  },
  {
    'CodeCompanion: a resource that the person picks reaches the model',
    function()
      local model, w = model_that_calls('none'), workspace()
      local e, missing = start({ 'plenary.nvim', 'codecompanion.nvim' }, codecompanion(model.url), w)
      if not e then
        model.close()
        return missing
      end
      e:command('CodeCompanionChat')
      e:await_lua("return Has('mcp:fake')")
      e:lua("require('codecompanion.config').interactions.chat.slash_commands['mcp:resource'].callback(Chat())")
      e:pick('fake: a')
      e:see('<mcp>demo://a</mcp>')
      e:lua("Ask('Look.')")
      check.contains(await_request(e, model, 'user').text, 'The resource demo://a of the MCP server fake')
      model.close()
    end,
  },
  {
    'avante: its model calls a tool, whose server asks here; the result reaches the model',
    function()
      local model, w = model_that_calls('fake__ask_elicitation'), workspace()
      local e, missing = start({ 'plenary.nvim', 'nui.nvim', 'avante.nvim' }, avante(model.url), w)
      if not e then
        model.close()
        return missing
      end
      e:command('AvanteAsk')
      e:await_lua("local s = require('avante').get(false); return s ~= nil and s.containers.input ~= nil")
      e:await_lua("return #require('avante.config').slash_commands > 0")
      e:await_lua([[
        for _, tool in ipairs(require('avante.config').custom_tools()) do
          if tool.name == 'fake__echo' then return true end
        end
      ]])
      put_off(e)
      e:lua("Ask('Paint.')")
      answer(e, 'avante.nvim')
      local request = await_request(e, model, 'tool')
      check.contains(request.text, 'decline')
      local names = offered(request)
      check.equal({ names.fake__echo, names.late__echo, names.sneaky__echo }, { true, nil, nil })
      model.close()
    end,
  },
}

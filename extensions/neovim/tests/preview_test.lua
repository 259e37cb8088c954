--- What a person sees of a tool before they pick it.
local Editor = require('support.editor')
local check = require('support.check')
local servers = require('support.servers')

local tools = {
  {
    name = 'look',
    title = 'Look at files',
    description = 'Looks at a file.\n\nvim: set ft=lua :\n\1red',
    annotations = { readOnlyHint = true, destructiveHint = true },
    inputSchema = {
      type = 'object',
      properties = { how = { type = 'string', enum = { 'fast', 'slow' }, description = 'How fast\nto be' } },
      required = { 'how' },
    },
  },
  {
    name = 'wipe',
    description = '\nDeletes everything.\nReally.',
    annotations = { destructiveHint = true, openWorldHint = true },
  },
}

local config = {
  servers = { fake = servers.fake({ plain = true, onlyTools = true, tools = tools }) },
}

--- A picker that keeps what it is given.
local picker = [[
  vim.ui.select = function(items, opts, done)
    Picker = { items = items, opts = opts, done = done }
  end
]]

local whole = {
  'fake.look',
  'Look at files',
  'read-only',
  '',
  'Looks at a file.',
  '',
  'vim: set ft=lua :',
  '\\u{1}red',
  '',
  'how [required]',
  '  How fast',
  '  to be',
  '  One of: fast, slow',
}

return {
  {
    'a picker that has a preview gets all that a server says, as text and nothing else',
    function()
      local e = Editor.start({ config = config, lua = picker })
      e:command('Mcp tools fake')
      e:await_lua("return Picker and Picker.opts.prompt == 'Tool'")
      -- The members are Neovim's (:help vim.ui.select()), the lines mini.pick's.
      local got = e:lua([[
        local page = Picker.opts.preview_item(Picker.items[1])
        local lines = vim.api.nvim_create_buf(false, true)
        vim.api.nvim_buf_set_lines(lines, 0, -1, false, page)
        local bo = vim.bo[page.buf]
        return {
          vim.api.nvim_buf_get_lines(page.buf, 0, -1, false),
          vim.api.nvim_buf_get_lines(lines, 0, -1, false),
          { page.buf == page.buf, bo.modifiable, bo.modeline, bo.filetype, bo.bufhidden },
        }
      ]])
      check.equal(got, { whole, whole, { true, false, false, '', 'wipe' } })
    end,
  },
  {
    'snacks.picker gets it by its own option',
    function()
      local e = Editor.start({ config = config, lua = picker })
      e:command('Mcp tools fake')
      e:await_lua("return Picker and Picker.opts.prompt == 'Tool'")
      local got = e:lua([[
        local buf, reset = vim.api.nvim_create_buf(false, true), 0
        Picker.opts.snacks.preview({
          buf = buf,
          win = 0,
          item = { item = Picker.items[1] },
          preview = { reset = function() reset = reset + 1 end },
        })
        return { reset, vim.api.nvim_buf_get_lines(buf, 0, -1, false) }
      ]])
      check.equal(got, { 1, whole })
    end,
  },
  {
    "telescope's picker gets a previewer, unless it has one",
    function()
      local telescope = [[
        Pickers = {}
        package.preload['telescope.actions.state'] = function()
          return { get_current_picker = function(buf) return Pickers[buf] end }
        end
        package.preload['telescope.previewers'] = function()
          return { new_buffer_previewer = function(previewer) return previewer end }
        end
        vim.ui.select = function(items, _, done)
          Picker = { items = items, done = done }
          for i, previewer in ipairs({ false, 'of their own' }) do
            local buf = vim.api.nvim_create_buf(false, true)
            Pickers[buf] = { previewer = previewer, full_layout_update = function() end }
            Picker[i] = Pickers[buf]
            vim.bo[buf].filetype = 'TelescopePrompt'
          end
        end
      ]]
      local e = Editor.start({ config = config, lua = telescope })
      e:command('Mcp tools fake')
      e:await_lua('return Picker and Picker[1].all_previewers ~= nil')
      local got = e:lua([[
        local out = {}
        for i, value in ipairs({ Picker.items[1], { idx = 1, text = Picker.items[1] } }) do
          local buf = vim.api.nvim_create_buf(false, true)
          local previewer = { state = { bufnr = buf, winid = 0 } }
          Picker[1].previewer.define_preview(previewer, { value = value })
          out[i] = vim.api.nvim_buf_get_lines(buf, 0, -1, false)
        end
        Picker.done(nil)
        return { out, Picker[2].previewer }
      ]])
      check.equal(got, { { whole, whole }, 'of their own' })
      e:await_lua("return #vim.api.nvim_get_autocmds({ event = 'FileType', pattern = 'TelescopePrompt' }) == 0")
    end,
  },
  {
    'a form closes its own window when the picker shows the same',
    function()
      local e = Editor.start({ config = config, lua = picker })
      e:command('Mcp call fake.look')
      e:await_lua("return Picker and Picker.opts.prompt == 'how [required]'")
      e:see('How fast')
      e:lua('Picker.opts.preview_item(Picker.items[1])')
      e:gone('How fast')
    end,
  },
  {
    'a question shows the whole descriptions of its form',
    function()
      local e = Editor.start({ config = { servers = { fake = servers.fake() } }, width = 80, height = 40 })
      local form = {
        message = 'Who?',
        requestedSchema = {
          type = 'object',
          properties = { age = { type = 'integer', description = ('years '):rep(60) .. '\nor guess' } },
          required = { 'age' },
        },
      }
      local call =
        "require('mcp-editord').call('fake', 'ask_elicitation', { params = vim.json.decode(...) }, nil, function() end)"
      e:lua(call, vim.json.encode(form))
      e:take_up('Who?', 'age [required, integer]', 'or guess')
    end,
  },
  {
    "a list says what tools do to the world; Neovim's own shows the descriptions above it, where there is room",
    function()
      local e = Editor.start({ config = config, height = 40 })
      e:command('Mcp tools fake')
      e:see(
        '1: fake.look [read-only]: Looks at a file.',
        '2: fake.wipe [destructive, reaches external systems]: Deletes everything.',
        'One of: fast, slow',
        'Really.'
      )
      e:keys('<Esc>')
      e:gone('One of: fast, slow')
      local small = Editor.start({ home = e.home, height = 20 })
      small:command('Mcp tools fake')
      small:see('1: fake.look')
      check.lacks(small.screen:text(), 'One of: fast, slow')
    end,
  },
}

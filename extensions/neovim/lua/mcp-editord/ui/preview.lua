--- Shows the page of an item in the preview of the person's picker, where that has one.
---
--- Neovim 0.12 says how a caller of vim.ui.select describes an item: `preview_item` returns a buffer. fzf-lua reads that;
--- mini.pick wants lines in its place. snacks.picker has an option of its own, and telescope's extension has none: its picker
--- gets a previewer once it is open.
local pages = require('mcp-editord.ui.page')

local M = {}

---@alias mcp-editord.PageOf fun(item: any): mcp-editord.Page

--- Returns the lines of a page, which mini.pick takes, with Neovim's `buf`, which is made for who asks for it.
---@param page mcp-editord.Page
---@return table
local function preview(page)
  return setmetatable(vim.deepcopy(page.lines), {
    __index = function(lines, name)
      if name == 'buf' then
        rawset(lines, 'buf', pages.buffer(page))
        return rawget(lines, 'buf')
      end
    end,
  })
end

--- Returns the options of vim.ui.select that describe its items.
---@param page_of mcp-editord.PageOf
---@return table
local function options(page_of)
  return {
    preview_item = function(item)
      return preview(page_of(item))
    end,
    snacks = {
      preview = function(ctx)
        ctx.preview:reset()
        pages.fill(ctx.buf, page_of(ctx.item.item))
        pages.plain_window(ctx.win)
      end,
      -- Its layout for vim.ui.select has no room for a preview; these are those of its other lists.
      layout = {
        preset = function()
          return vim.o.columns >= 120 and 'default' or 'vertical'
        end,
      },
    },
  }
end

--- Gives a telescope picker that shows `items` a previewer, unless it has one.
---@param buf integer its prompt
---@param items any[]
---@param page_of mcp-editord.PageOf
local function extend_telescope(buf, items, page_of)
  local picker = require('telescope.actions.state').get_current_picker(buf)
  if not picker or picker.previewer or picker.hidden_previewer then
    return
  end
  picker.previewer = require('telescope.previewers').new_buffer_previewer({
    define_preview = function(self, entry)
      local value = entry.value
      local item = vim.list_contains(items, value) and value or value.text -- the extension wraps it
      pages.fill(self.state.bufnr, page_of(item))
      pages.plain_window(self.state.winid)
    end,
  })
  picker.all_previewers = { picker.previewer }
  picker:full_layout_update()
end

--- Runs `fn`, which calls vim.ui.select with `items` and waits for the choice. It gets the options that describe the items.
---@async
---@generic T
---@param items any[]
---@param page_of mcp-editord.PageOf
---@param fn async fun(described: table): T
---@return T
function M.during(items, page_of, fn)
  local id = vim.api.nvim_create_autocmd('FileType', {
    pattern = 'TelescopePrompt',
    callback = function(event)
      vim.schedule(function()
        extend_telescope(event.buf, items, page_of)
      end)
    end,
  })
  local ok, result = pcall(fn, options(page_of))
  vim.api.nvim_del_autocmd(id)
  if not ok then
    error(result, 0)
  end
  return result
end

return M

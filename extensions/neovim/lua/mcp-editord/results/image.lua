--- Draws images inline, with kitty's graphics protocol and its Unicode placeholders, which scroll with the text. kitty and
--- Ghostty support it. Under tmux, and for formats other than PNG, the person opens the image instead.
local M = {}

--- The placeholder, and the combining characters that number the rows (kitty, "Unicode placeholders").
local placeholder = '\244\142\187\174' -- U+10EEEE
local diacritics = {
  0x305,
  0x30d,
  0x30e,
  0x310,
  0x312,
  0x33d,
  0x33e,
  0x33f,
  0x346,
  0x34a,
  0x34b,
  0x34c,
  0x350,
  0x351,
  0x352,
  0x357,
  0x35b,
  0x363,
  0x364,
  0x365,
}

local columns, rows = 60, #diacritics
local last_id = 0

--- Whether the terminal draws images. A GUI started from such a terminal does not.
---@return boolean
function M.is_supported()
  local env = vim.env
  local in_terminal = vim.iter(vim.api.nvim_list_uis()):any(function(ui)
    return ui.stdout_tty
  end)
  return in_terminal
    and env.TMUX == nil
    and (env.KITTY_WINDOW_ID ~= nil or env.TERM == 'xterm-kitty' or env.TERM_PROGRAM == 'ghostty')
end

---@param sequence string
local function send(sequence)
  if vim.api.nvim_ui_send then
    vim.api.nvim_ui_send(sequence)
  else
    io.stdout:write(sequence)
  end
end

--- Draws an image above a line.
---@param path fun(): string? async: writes the file and says where it is
---@param buf integer
---@param line integer 0-based
function M.show(path, buf, line)
  local own = require('mcp-editord.config').get().result.image
  if not own and not M.is_supported() then
    return
  end
  require('mcp-editord.ui.messages').run(function()
    local file = path()
    if not file or not vim.api.nvim_buf_is_valid(buf) then
      return
    elseif own then
      return own(file, buf, line + 1)
    elseif not vim.endswith(file, '.png') then
      return
    end
    last_id = last_id + 1
    local id = 0x4d0000 + last_id % 0x10000
    send(('\27_Ga=T,U=1,q=2,f=100,t=f,i=%d,c=%d,r=%d;%s\27\\'):format(id, columns, rows, vim.base64.encode(file)))
    local group = ('McpImage%d'):format(id)
    vim.api.nvim_set_hl(0, group, { fg = id })
    local lines = {}
    for row = 1, rows do
      lines[row] = { { placeholder .. vim.fn.nr2char(diacritics[row]) .. placeholder:rep(columns - 1), group } }
    end
    vim.api.nvim_buf_set_extmark(
      buf,
      vim.api.nvim_create_namespace('mcp-editord-image'),
      line,
      0,
      { virt_lines = lines, virt_lines_above = line > 0 }
    )
  end)
end

return M

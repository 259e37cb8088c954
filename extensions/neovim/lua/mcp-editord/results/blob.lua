--- Images, sounds and other data in results. They are written to a file only when the person opens or saves them.
local async = require('mcp-editord.async')
local messages = require('mcp-editord.ui.messages')
local ui = require('mcp-editord.ui')
local waiting = require('mcp-editord.ui.waiting')

local M = {}

--- The file extensions by MIME type, for `vim.ui.open`.
local endings = {
  ['image/png'] = '.png',
  ['image/jpeg'] = '.jpg',
  ['image/gif'] = '.gif',
  ['image/webp'] = '.webp',
  ['image/svg+xml'] = '.svg',
  ['audio/mpeg'] = '.mp3',
  ['audio/wav'] = '.wav',
  ['audio/ogg'] = '.ogg',
  ['application/pdf'] = '.pdf',
  ['application/json'] = '.json',
  ['application/gzip'] = '.gz',
  ['application/zip'] = '.zip',
  ['text/plain'] = '.txt',
}

---@class mcp-editord.Blob: mcp-editord.Link
---@field path fun(): string? writes the file once, and returns its path

--- Writes bytes without blocking the editor. A file that is there stays as it is, unless `replace`.
---@async
---@param path string
---@param bytes string
---@param replace? boolean
---@param mode? integer permissions of a new file; default: for this person only
function M.write(path, bytes, replace, mode)
  local err, fd = async.await(function(resolve)
    vim.uv.fs_open(path, replace and 'w' or 'wx', mode or 384, resolve) -- 0600
  end)
  if not err then
    err = require('mcp-editord.results.write').all(fd, bytes)
    vim.uv.fs_close(fd)
  end
  async.schedule()
  if err and vim.startswith(err, 'EEXIST') then
    error(('"%s" exists'):format(path), 0)
  elseif err then
    error(('cannot write "%s": %s'):format(path, err), 0)
  end
end

---@param data string base64
---@return string
local function decode(data)
  local ok, bytes = pcall(vim.base64.decode, (data:gsub('%s', '')))
  if not ok then
    error('the server sent data that is not base64', 0)
  end
  return bytes
end

--- Makes a link to data.
---@param data string base64
---@param mime string
---@param name string
---@return mcp-editord.Blob
function M.link(data, mime, name)
  local file ---@type string?
  -- Only extensions of the list: opening a file with one that the server chose could run a program.
  local ending = endings[mime:match('^[^;%s]*'):lower()] or '.bin'

  local function path()
    if not file then
      local target = vim.fn.tempname() .. ending
      M.write(target, decode(data))
      file = target
    end
    return file
  end
  return {
    path = path,
    open = function()
      messages.run(function()
        local _, err = vim.ui.open(path())
        if err then
          error(err, 0)
        end
      end)
    end,
    save = function()
      messages.run(function()
        local target = waiting.show('saving a file', function(turn)
          local plain = name:gsub('[^%w._-]', '_'):gsub('^%.+', '')
          local default = plain:find('%.%w+$') and plain or plain .. ending
          return ui.input(
            turn,
            { prompt = 'Save as', default = vim.fs.joinpath(vim.fn.getcwd(), default), completion = 'file' }
          )
        end)
        if not target or target == '' then
          return
        end
        target = vim.fs.normalize(target)
        if vim.uv.fs_stat(target) then
          error(('"%s" exists; choose another name'):format(target), 0)
        end
        M.write(target, decode(data))
        messages.notify(('saved "%s"'):format(target))
      end)
    end,
  }
end

return M

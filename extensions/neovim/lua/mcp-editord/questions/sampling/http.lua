--- Posts JSON with curl. Keys appear in neither the argument list nor a file: curl reads its configuration, with the headers,
--- from standard input. During the request, the body is in a file in Neovim's own temporary directory.
local M = {}

--- The longest answer, in bytes.
local max_answer = 16 * 1024 * 1024

--- Quotes a value for curl's configuration file.
---@param value string
---@return string
local function quote(value)
  return '"' .. value:gsub('[\\"]', '\\%0'):gsub('\n', '\\n'):gsub('\r', '\\r'):gsub('\t', '\\t') .. '"'
end

--- Returns the key that an option names.
---@param key string|(fun(): string)|nil name of an environment variable, or a function
---@return string?
function M.key(key)
  if type(key) == 'function' then
    return key()
  end
  return key and vim.env[key]
end

--- Sends a plan. `done` gets the decoded answer, and its text.
---@param plan mcp-editord.SamplingPlan
---@param done fun(err?: string, answer?: table, raw?: string)
---@return fun() cancel
function M.post(plan, done)
  if vim.fn.executable('curl') == 0 then
    done('"curl" is not in the PATH; install it')
    return function() end
  end
  local file = vim.fn.tempname()
  vim.fn.writefile({ require('mcp-editord.json').encode(plan.body) }, file)
  local config = { 'url = ' .. quote(plan.url), 'data-binary = ' .. quote('@' .. file) }
  if plan.proxy then
    config[#config + 1] = 'proxy = ' .. quote(plan.proxy)
  end
  if plan.insecure then
    config[#config + 1] = 'insecure'
  end
  local typed = vim.iter(plan.headers):any(function(name)
    return name:lower() == 'content-type'
  end)
  local headers = typed and plan.headers
    or vim.tbl_extend('error', plan.headers, { ['Content-Type'] = 'application/json' })
  for name, value in pairs(headers) do
    config[#config + 1] = 'header = ' .. quote(name .. ': ' .. tostring(value))
  end
  local seconds = math.ceil(require('mcp-editord.config').get().sampling.timeout / 1000)
  local cmd = {
    'curl',
    '--silent',
    '--show-error',
    '--max-time',
    tostring(seconds),
    '--max-filesize',
    tostring(max_answer),
    '--write-out',
    '\n%{http_code}',
    '--config',
    '-',
  }
  local process = vim.system(cmd, { text = true, stdin = config }, function(out)
    vim.uv.fs_unlink(file)
    if out.code ~= 0 then
      return done(vim.trim(out.stderr):match('[^\n]*$'))
    end
    local answer, status = out.stdout:match('^(.*)\n(%d+)$')
    local ok, decoded = pcall(vim.json.decode, answer)
    if status ~= '200' then
      local why = ok and type(decoded) == 'table' and vim.tbl_get(decoded, 'error', 'message')
      return done(
        ('the endpoint answered with status %s%s'):format(status, type(why) == 'string' and ': ' .. why or '')
      )
    elseif not ok or type(decoded) ~= 'table' then
      return done('the endpoint did not answer with JSON')
    end
    done(nil, decoded, answer)
  end)
  return function()
    process:kill('sigterm')
  end
end

return M

std = 'luajit'
cache = false
read_globals = {
  vim = { other_fields = true, fields = { env = { read_only = false, other_fields = true }, o = { read_only = false, other_fields = true }, bo = { read_only = false, other_fields = true }, wo = { read_only = false, other_fields = true }, b = { read_only = false, other_fields = true }, w = { read_only = false, other_fields = true }, g = { read_only = false, other_fields = true }, opt = { read_only = false, other_fields = true } } },
}
max_line_length = false
exclude_files = { 'lua/mcp-editord/types.lua' }

" Call documents, and configuration files of MCP servers, with the LSP client that is installed. Vim 9.
augroup mcp_editord
  autocmd!
  autocmd BufNewFile,BufRead *.mcp setfiletype mcp
  autocmd BufNewFile,BufRead mcp.json,.mcp.json set filetype=mcpconfig syntax=json
  autocmd FileType mcp setlocal syntax=yaml commentstring=#\ %s expandtab shiftwidth=2
  " ALE
  autocmd FileType mcp,mcpconfig call s:McpEditordALE(expand('<amatch>'))
  " vim-lsp
  autocmd User lsp_setup call lsp#register_server(#{
        \ name: 'mcp-editord', cmd: {_ -> ['mcp-editord', 'attach']}, allowlist: ['mcp', 'mcpconfig']})
  autocmd User lsp_buffer_enabled if &filetype ==# 'mcp' | setlocal omnifunc=lsp#complete | endif
  " yegappan/lsp
  autocmd User LspSetup call LspAddServer([#{
        \ name: 'mcp-editord', path: 'mcp-editord', args: ['attach'], filetype: ['mcp', 'mcpconfig']}])
augroup END
let g:ale_lsp_show_message_severity = 'information'
let g:lsp_show_message_log_level = 'info'
function! s:McpEditordALE(filetype) abort
  if exists(':ALECodeAction')
    call ale#linter#Define(a:filetype, #{
          \ name: 'mcp-editord', lsp: 'stdio', executable: 'mcp-editord', command: '%e attach',
          \ project_root: {buffer -> getcwd()}})
    if a:filetype ==# 'mcp'
      setlocal omnifunc=ale#completion#OmniFunc
    endif
  endif
endfunction

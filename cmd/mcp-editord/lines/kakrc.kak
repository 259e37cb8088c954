# Call documents, and configuration files of MCP servers, with kakoune-lsp.
hook global BufCreate .*[.]mcp %{ set-option buffer filetype mcp }
hook global WinSetOption filetype=mcp %{ add-highlighter window/mcp ref yaml }
hook -group mcp-editord global BufSetOption filetype=(?:mcp|json) %{
    set-option -add buffer lsp_servers %{
        [mcp-editord]
        command = "mcp-editord"
        args = ["attach"]
        root_globs = [".git", ".hg", ".mcp.json"]
    }
}
hook -group mcp-editord global WinSetOption filetype=(?:mcp|json) %{ lsp-enable-window }

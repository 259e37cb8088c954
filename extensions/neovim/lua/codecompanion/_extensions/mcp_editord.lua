--- What CodeCompanion loads for `extensions = { mcp_editord = {} }`.
return require('mcp-editord.codecompanion')

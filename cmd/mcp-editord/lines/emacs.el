;; Call documents, and configuration files of MCP servers. Emacs 29 or later.
(defun mcp-editord-start ()
  "Attach this buffer to mcp-editord, through lsp-mode if there is one."
  (if (fboundp 'lsp-deferred) (lsp-deferred) (eglot-ensure)))
(if (require 'yaml-mode nil t)
    (define-derived-mode mcp-document-mode yaml-mode "MCP" "Calls of MCP servers.")
  (define-derived-mode mcp-document-mode conf-colon-mode "MCP" "Calls of MCP servers."
    (setq-local comment-start "#" indent-tabs-mode nil)))
(define-derived-mode mcp-config-mode js-json-mode "MCP-Config" "Configuration of MCP servers.")
(add-to-list 'auto-mode-alist '("\\.mcp\\'" . mcp-document-mode))
(add-to-list 'auto-mode-alist '("/\\.?mcp\\.json\\'" . mcp-config-mode))
(add-hook 'mcp-document-mode-hook #'mcp-editord-start)
(add-hook 'mcp-config-mode-hook #'mcp-editord-start)
(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs
               '(((mcp-document-mode :language-id "mcp") (mcp-config-mode :language-id "json"))
                 . ("mcp-editord" "attach"))))
(with-eval-after-load 'lsp-mode
  (add-to-list 'lsp-language-id-configuration '(mcp-document-mode . "mcp"))
  (add-to-list 'lsp-language-id-configuration '(mcp-config-mode . "json"))
  (lsp-register-client
   (make-lsp-client :server-id 'mcp-editord
                    :new-connection (lsp-stdio-connection '("mcp-editord" "attach"))
                    :activation-fn (lambda (_file _mode) t) ; beside the servers of every language
                    :add-on? t
                    :multi-root t)))

// Package editors tests the daemon in real editors that have no plugin for it: each runs in a
// terminal of tmux, with the lines that `mcp-editord install` writes, and the tests read its screen.
//
// MCP_EDITORD_TEST_EDITORS names the folder with a command for each editor, as
// scripts/install-editors.sh makes it; what is not there is looked for in PATH. Without the variable
// the tests are left out. MCP_EDITORD_TEST_VIM_PLUGINS names a folder with checkouts of vim-lsp and
// of yegappan's lsp, which no package of Debian has; without it their tests are left out.
//
// The tests change when an editor does: they say what a person sees, and nothing else says whether
// an editor without a plugin can be used.
package editors

// What the commands in menus, and keys, depend on.

import * as vscode from 'vscode';

export class Contexts {
  private readonly now = new Map<string, boolean>();

  /** Sets the contexts mcp-editord.result.…: what can be done with the result on the screen. */
  set(can: Record<string, boolean>): void {
    for (const [context, is] of Object.entries(can)) {
      if (this.now.get(context) !== is) {
        this.now.set(context, is);
        void vscode.commands.executeCommand('setContext', `mcp-editord.result.${context}`, is);
      }
    }
  }
}

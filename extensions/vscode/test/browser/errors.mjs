// What is wrong is said where it is, with a way to it.

export const errors = {
  async 'a server that fails says why in the tree, and its definition is at hand'({ w, place }) {
    place.configure({ broken: { command: '/nowhere/server' } });
    const broken = w.node('broken, failed: the command "/nowhere/server" cannot be run');
    await broken.waitFor();
    // A menu that comes while VS Code reads the tree anew knows no server; then the command asks which.
    const its = w.page.locator('[id="status.editor.selection"]', { hasText: '(6 selected)' }); // its name
    await w.menu(broken, 'Show Server Configuration', its);
    await w.text('"broken":{"command":"/nowhere/server"}');
    await w.closeEditors();
  },

  async 'a list of servers says why too, and searches what it says'({ w }) {
    await w.palette('Editord: List Servers…', w.title('Manage servers'));
    await w.type('cannot run');
    await w.says('1 of');
    await w.says('the command "/nowhere/server" cannot be run');
    await w.accept();
    await w.asked('broken: failed');
    await w.row('Start Server').waitFor();
    await w.escape();
  },

  async 'a mistake in a configuration file opens where it is'({ w, place }) {
    place.configure({ mistaken: { command: 7 } });
    await w.reply('"command" of server "mistaken" must be a string', 'Open File');
    await w.text('"mistaken":{"command":7}');
    place.configure({});
    await w.node('broken').waitFor({ state: 'detached' });
    await w.closeEditors();
    await w.dismissToasts();
  },
};

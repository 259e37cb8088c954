// A server behind HTTP wants the person to sign in. The browser of the tests is also theirs.

import assert from 'node:assert/strict';
import { authServer, terminal } from '../harness.mjs';

/** The authorization server and the MCP server behind it, from the first step to the last. */
let remote;
/** The addresses at which browsers came to sign in, byte by byte. */
const visits = [];

/**
 * Where the person signs in, as far as the browser knows. VS Code maps addresses of this machine to the one of
 * the browser (vscode.env.asExternalUri), and leaves those of the web as they are.
 */
const accounts = 'https://accounts.example/authorize';

/** Starts the authorization server, with its page for the person in the web. */
async function begin(browser) {
  remote = await authServer();
  await remote.control('knobs', good, 'PUT');
  await browser.route(`${accounts}?**`, (route) => {
    const url = route.request().url();
    visits.push(url);
    return route.fulfill({ status: 302, headers: { location: issuersOf(url) } });
  });
}

/** Returns what is behind an address at which the person signs in. */
function issuersOf(url) {
  return `${remote.urls.issuer}/authorize${url.slice(accounts.length)}`;
}

/** How the authorization server behaves unless a step says otherwise. */
const good = { metadata: { authorization_endpoint: accounts } };

/** Returns the dialog on the screen, once it says this. */
async function dialog(w, text) {
  const box = w.page.locator('.monaco-dialog-box', { hasText: text });
  await box.waitFor();
  return box;
}

/** Begins a sign-in by the line of the server in the tree. Returns the dialog that says this. */
async function begun(w, label, text) {
  const box = w.page.locator('.monaco-dialog-box', { hasText: text });
  await w.until(box, () => w.node(label).click());
  return box;
}

/** Returns the address that a dialog shows. */
async function addressIn(box) {
  return (await box.locator('.dialog-message-detail').innerText()).trim().split('\n').at(-1);
}

/** Agrees to open the address that a dialog shows. Returns the page that the browser opens. */
async function open(w, box) {
  const page = w.page.context().waitForEvent('page');
  await box.getByRole('button', { name: 'Open', exact: true }).click();
  // VS Code asks once more, because it does not know the host.
  const more = await dialog(w, 'open the external website');
  await more.getByRole('button', { name: 'Open', exact: true }).click();
  return page;
}

/** Runs a tool of the server by the palette, with nothing for its optional arguments. */
async function run(w, tool) {
  await w.palette('Editord: Run Tool…', w.title('Run a tool'));
  await w.type(`harbour ${tool}`);
  await w.first(tool);
  await w.accept();
  await w.asked(`harbour: ${tool}`);
  await w.choose('text');
  await w.asked(`harbour: ${tool}: text`);
  await w.type(`through ${tool}`);
  await w.accept();
  await w.says(`through ${tool}`);
  await w.choose(`Run ${tool}`);
}

export const signin = {
  async 'a server that needs a sign-in says so once'({ w, place }) {
    await begin(place.browser);
    place.configure({ harbour: { url: remote.urls.url } });
    await w.toast('The MCP server "harbour" needs you to sign in.').waitFor();
    await w.node('harbour, needs sign-in').waitFor();
    await w.dismissToasts();
  },

  async 'the address is shown whole, and nothing opens when the person leaves'({ w }) {
    const box = await begun(w, 'harbour, needs sign-in', 'Sign in to "harbour" with a browser, at accounts.example?');
    assert.ok((await addressIn(box)).startsWith(`${accounts}?`));
    await w.node('harbour, signing in…').waitFor();
    await w.picture('signin', 520);
    await w.press('Escape');
    await w.node('harbour, needs sign-in').waitFor();
    assert.deepEqual(visits, []);
  },

  async 'a sign-in ends with the daemon, and can be tried again'({ w, place }) {
    await (await begun(w, 'harbour, needs sign-in', 'Sign in to "harbour"'))
      .getByRole('button', { name: 'Copy Address' })
      .click();
    await w.toast('Signing in to "harbour": go on in the browser.').waitFor();
    await terminal(place, 'stop');
    const toast = w.toast('Signing in to "harbour" failed: the connection to mcp-editord has ended meanwhile');
    const box = w.page.locator('.monaco-dialog-box', { hasText: 'Sign in to "harbour"' });
    await w.until(box, () => toast.getByRole('button', { name: 'Try Again' }).click());
    await w.press('Escape');
    await w.node('harbour, needs sign-in').waitFor();
    await w.node('tracker, ready').waitFor();
    await w.dismissToasts();
  },

  async 'the browser gets the address to the byte, and the server starts'({ w }) {
    const box = await begun(w, 'harbour, needs sign-in', 'Sign in to "harbour"');
    const shown = await addressIn(box);
    const page = await open(w, box);
    await page.getByText('You are signed in to “harbour”.').waitFor();
    await page.close();
    assert.deepEqual(visits, [shown]);
    await w.toast('Signed in to "harbour".').waitFor();
    await w.node('harbour, ready').waitFor();
    await run(w, 'echo');
    await w.toast('through echo').waitFor();
    await w.dismissToasts();
  },

  async 'a call that lacks a permission is run again once it is given, and not by itself'({ w }) {
    await run(w, 'admin');
    const toast = w.toast('needs permissions that you have not given: admin');
    await toast.waitFor();
    await w.node('harbour, ready, needs more permissions').waitFor();
    await w.reply('needs permissions that you have not given: admin', 'Sign In');
    const page = await open(w, await dialog(w, 'Sign in to "harbour"'));
    await page.getByText('You are signed in to “harbour”.').waitFor();
    await page.close();
    const again = w.toast('Signed in to "harbour".').getByRole('button', { name: 'Run Again' });
    await again.waitFor();
    assert.equal((await remote.control('counts')).executions.admin, undefined);
    await w.reply('Signed in to "harbour".', 'Run Again');
    await w.toast('through admin').waitFor();
    await w.node('harbour, ready').waitFor();
    await w.dismissToasts();
  },

  async 'a browser that cannot reach the daemon: its last address is pasted, and stays until it fits'({ w }) {
    await remote.control('revoke', { name: 'refresh' });
    await remote.control('revoke', { name: 'access' });
    await run(w, 'echo');
    const failed = w.toast('harbour: echo');
    await failed.getByRole('button', { name: 'Sign In' }).waitFor();
    await w.node('harbour, needs sign-in').waitFor();
    assert.doesNotMatch(await failed.innerText(), /mcp-editord signin/); // there is a button
    await w.reply('harbour: echo', 'Sign In');
    const box = await dialog(w, 'Sign in to "harbour"');
    const address = await addressIn(box);
    const redirect = new URL(address).searchParams.get('redirect_uri');
    await box.getByRole('button', { name: 'Copy Address' }).click();
    // It is opened on another machine.
    const { next: ended } = await remote.control('browse', { url: issuersOf(address), stopAt: 'redirect' });
    const paste = w.toast('Signing in to "harbour"').getByRole('link', { name: 'paste its address' });
    await paste.waitFor();
    await w.until(w.title('Sign in to "harbour"'), () => paste.click());
    await w.type(`${redirect}?code=1&state=1`);
    await w.press('Enter');
    await w.says('it does not belong to the sign-in that is under way');
    await w.elsewhere();
    await w.palette('Editord: Paste Address…', () => w.holds(`${redirect}?code=1&state=1`));
    await w.type(ended);
    await w.accept();
    await w.reply('Signed in to "harbour".', 'Run Again');
    await w.toast('through echo').waitFor();
    await w.dismissToasts();
  },

  async 'a refusal says why, and can be tried again'({ w }) {
    await w.menu(w.node('harbour, ready'), 'Sign Out', w.toast('Signed out of "harbour" in all your editors.'));
    await w.node('harbour, needs sign-in').waitFor();
    await w.dismissToasts();
    await remote.control('knobs', { ...good, deny: true }, 'PUT');
    await w.palette('Editord: Sign In…', w.row('harbour'));
    await w.choose('harbour');
    const page = await open(w, await dialog(w, 'Sign in to "harbour"'));
    await page.getByText('You are not signed in to “harbour”.').waitFor();
    await page.close();
    const toast = w.toast('Signing in to "harbour" failed: the sign-in was denied');
    await toast.waitFor();
    await remote.control('knobs', good, 'PUT');
    await toast.getByRole('button', { name: 'Try Again' }).click();
    const again = await open(w, await dialog(w, 'Sign in to "harbour"'));
    await w.node('harbour, ready').waitFor();
    await again.close();
    await w.dismissToasts();
  },

  async 'a sign-in that began elsewhere is left, or joined'({ w, place }) {
    await w.menu(w.node('harbour, ready'), 'Sign Out', w.node('harbour, needs sign-in'));
    const elsewhere = terminal(place, 'signin', 'harbour');
    const joined = () =>
      begun(w, 'harbour, signing in elsewhere…', 'A sign-in to "harbour" has begun elsewhere, at accounts.example.');
    const box = await joined();
    await w.press('Escape');
    await box.waitFor({ state: 'detached' });
    const page = await open(w, await joined());
    await page.getByText('You are signed in to “harbour”.').waitFor();
    await page.close();
    await w.node('harbour, ready').waitFor();
    const { said, status } = await elsewhere;
    assert.equal(status, 0, said);
    await w.dismissToasts();
  },

  async 'nobody is told of a sign-in that they ended themselves'({ w, place }) {
    await w.palette('Editord: Sign Out', w.row('harbour'));
    await w.choose('harbour');
    await w.node('harbour, needs sign-in').waitFor();
    place.configure({ harbour: { url: remote.urls.url }, pier: { url: remote.urls.url } });
    await w.toast('The MCP server "pier" needs you to sign in.').waitFor(); // it would name both
    assert.equal(await w.toasts.filter({ hasText: '"harbour" needs you' }).count(), 0);
    await w.palette('Editord: Sign Out', w.toast('You are not signed in to any server.'));
    place.configure({});
    await w.node('harbour').waitFor({ state: 'detached' });
    await w.node('pier').waitFor({ state: 'detached' });
    await w.dismissToasts();
    await remote.stop();
  },
};

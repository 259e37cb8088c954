// The person signs in at a real identity provider, oidc-provider, and types on its pages.

import assert from 'node:assert/strict';
import { signIn } from '../../../../test/testkit/oidcprovider/person.mjs';
import { identityProvider } from '../harness.mjs';

/** The provider and the MCP server behind it, from the first step to the last. */
let provider;

/** The address that the dialog has shown last. */
let shown;

/** Returns the address at which VS Code opens the page of the provider. */
function opened(place) {
  return `http://${place.host}/proxy/${new URL(provider.urls.issuer).port}/**`;
}

/** Agrees to open the address in the dialog, and signs in there. */
async function visit(w) {
  const box = w.page.locator('.monaco-dialog-box', { hasText: 'Sign in to "guarded" with a browser, at 127.0.0.1?' });
  shown = (await box.locator('.dialog-message-detail').innerText()).trim();
  const next = w.page.context().waitForEvent('page');
  await box.getByRole('button', { name: 'Open', exact: true }).click();
  const page = await next;
  const pages = await signIn(page, 'eve');
  await page.getByText('You are signed in to “guarded”.').waitFor();
  await page.close();
  return pages;
}

/** Runs whoami by the palette. */
async function whoami(w) {
  await w.palette('Editord: Run Tool…', w.title('Run a tool'));
  await w.type('guarded whoami');
  await w.first('whoami');
  await w.accept();
}

export const identity = {
  async 'the person signs in on the pages of an identity provider'({ w, place }) {
    provider = await identityProvider();
    // VS Code leads addresses of this machine through its server, which has that turned off here.
    await place.browser.route(opened(place), (route) => route.fulfill({ status: 302, headers: { location: shown } }));
    place.configure({ guarded: { url: provider.urls.mcp } });
    await w.reply('The MCP server "guarded" needs you to sign in.', 'Sign In');
    assert.deepEqual(await visit(w), ['login', 'consent', 'last']);
    assert.ok(shown.startsWith(`${provider.urls.issuer}/auth?`));
    await w.toast('Signed in to "guarded".').waitFor();
    await w.node('guarded, ready').waitFor();
    await w.dismissToasts();
    await whoami(w);
    await w.toast('guarded: whoami: eve').waitFor();
    await w.dismissToasts();
  },

  async 'a token that has ended is replaced, and nobody is asked'({ w }) {
    await provider.control('expire');
    await whoami(w);
    await w.toast('guarded: whoami: eve').waitFor();
    assert.equal((await provider.control())['refresh_token.consumed'], 1);
    await w.dismissToasts();
  },

  async 'what the provider has revoked needs another sign-in, with the client that it knows'({ w }) {
    await provider.control('revoke');
    await whoami(w);
    await w.reply('guarded: whoami', 'Sign In');
    assert.deepEqual(await visit(w), ['consent', 'last']); // the provider knows who this is
    await w.reply('Signed in to "guarded".', 'Run Again');
    await w.toast('guarded: whoami: eve').waitFor();
    assert.equal((await provider.control())['registration_create.success'], 1);
    await w.dismissToasts();
  },

  async 'signing out reaches the provider'({ w, place }) {
    const before = await provider.control();
    await w.menu(w.node('guarded, ready'), 'Sign Out', w.toast('Signed out of "guarded" in all your editors.'));
    await w.node('guarded, needs sign-in').waitFor();
    const after = await provider.control();
    assert.ok(after['refresh_token.destroyed'] > before['refresh_token.destroyed']);
    assert.equal(after.server_error, 0);
    place.configure({});
    await w.node('guarded').waitFor({ state: 'detached' });
    await w.dismissToasts();
    await place.browser.unroute(opened(place));
    await provider.stop();
  },
};

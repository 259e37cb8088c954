// The person who signs in at provider.mjs, with keyboard and mouse.
//
//   node person.mjs ADDRESS [PICTURES]
//
// opens the address in the Chromium of the tests for VS Code, signs in as eve, agrees, and writes the text of
// the page that this ends on to standard output. PICTURES is a folder for a picture of each page.

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Signs in on a page of the provider, and agrees to what the client asks for. Returns which pages there were: the
 * provider asks for no login if it knows the person. `look` is called with each when the person is about to leave it.
 */
export async function signIn(page, login, look = async () => {}) {
  const seen = [];
  const leave = async (name) => {
    seen.push(name);
    await look(name);
  };
  await page.getByRole('heading', { name: /^(Sign-in|Authorize)$/ }).waitFor();
  if (await page.getByRole('heading', { name: 'Sign-in' }).isVisible()) {
    await page.getByPlaceholder('Enter any login').pressSequentially(login);
    await page.getByPlaceholder('and password').pressSequentially('any');
    await leave('login');
    await page.getByRole('button', { name: 'Sign-in' }).click();
  }
  await page.getByRole('heading', { name: 'Authorize' }).waitFor();
  await leave('consent');
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.locator('main h1').waitFor(); // the page of the daemon
  await leave('last');
  return seen;
}

async function main(address, pictures) {
  const { chromium, options } = await import('../../../extensions/vscode/test/chromium.mjs');
  const browser = await chromium.launch(options);
  try {
    const page = await browser.newPage({ viewport: { width: 800, height: 600 } });
    await page.goto(address);
    await signIn(page, 'eve', async (name) => {
      if (pictures) {
        await page.screenshot({ path: join(pictures, `person-${name}.png`) });
      }
    });
    console.log(await page.locator('main').innerText());
  } finally {
    await browser.close();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await main(...process.argv.slice(2));
}

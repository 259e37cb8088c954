import Mocha from 'mocha';

/** Runs the tests; VS Code calls this. */
export async function run(): Promise<void> {
  const mocha = new Mocha({ ui: 'bdd', timeout: 120_000, bail: false, reporter: Lines as never });
  mocha.suite.emit('pre-require', globalThis as never, '', mocha);
  await import('./extension.test');
  await new Promise<void>((resolve, reject) => {
    mocha.run((failures) => (failures > 0 ? reject(new Error(`${failures} failed`)) : resolve()));
  });
}

/** Reports each test in a line that window.mjs prints. */
class Lines {
  constructor(runner: Mocha.Runner) {
    runner.on('pass', (test) => console.log(`test: ok ${test.duration} ms  ${test.fullTitle()}`));
    runner.on('fail', (test, error) => console.log(`test: FAIL ${test.fullTitle()}\n${error.stack ?? error.message}`));
  }
}

// Stands in for minimatch in the bundle: see build.mjs.

export class Minimatch {
  constructor() {
    throw new Error('patterns of files are not bundled');
  }
}

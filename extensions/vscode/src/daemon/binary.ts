// Decides which mcp-editord to run. Nothing else does.

import type { Translate } from '../text';

/** What the decision depends on. */
export interface Surroundings {
  /** The setting mcp-editord.path, with variables already replaced. */
  setting: string;
  /** The folder of the extension. */
  extension: string;
  /** The environment variable PATH. */
  path: string;
  platform: NodeJS.Platform;
  /** Whether a file can be run. */
  runnable: (file: string) => boolean;
  t: Translate;
}

/** A binary and why it was chosen, or what to do when there is none. */
export type Binary = { file: string; reason: string } | { problem: string };

/**
 * Returns the binary that the setting names, else the one in the extension's package, else the first
 * in PATH. A setting that leads nowhere is a problem: nothing else is tried.
 */
export function findBinary(s: Surroundings): Binary {
  const separator = s.platform === 'win32' ? '\\' : '/';
  const name = s.platform === 'win32' ? 'mcp-editord.exe' : 'mcp-editord';
  if (s.setting !== '') {
    return s.runnable(s.setting)
      ? { file: s.setting, reason: 'the setting mcp-editord.path names it' }
      : {
          problem: s.t(
            'The setting "mcp-editord.path" names "{0}", which cannot be run; correct the setting.',
            s.setting,
          ),
        };
  }
  const bundled = [s.extension, 'bin', name].join(separator);
  if (s.runnable(bundled)) {
    return { file: bundled, reason: 'it came with the extension' };
  }
  for (const folder of s.path.split(s.platform === 'win32' ? ';' : ':')) {
    // A relative folder in PATH would let the workspace choose the binary.
    if (!isAbsolute(folder, s.platform)) {
      continue;
    }
    const file = folder.replace(/[\\/]+$/, '') + separator + name;
    if (s.runnable(file)) {
      return { file, reason: 'it is in PATH' };
    }
  }
  return {
    problem: s.t(
      'mcp-editord was found neither in the extension nor in PATH; install it, or name it in the setting "mcp-editord.path".',
    ),
  };
}

function isAbsolute(folder: string, platform: NodeJS.Platform): boolean {
  return platform === 'win32' ? /^([A-Za-z]:[\\/]|\\\\)/.test(folder) : folder.startsWith('/');
}

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from '@jest/globals';
import { ConfigError, loadConfig } from '../../src/config.js';
import type { Config, Problem } from '../../src/config.js';

type Env = Readonly<Record<string, string>>;

/** Gives each test of the file a working directory of its own, and what a test does with a configuration there. */
export function configDirectory() {
  let cwd: string;
  beforeEach(() => {
    cwd = mkdtempSync(join(tmpdir(), 'config-'));
  });
  afterEach(() => {
    rmSync(cwd, { recursive: true });
  });

  const load = (env: Env = {}): Config => loadConfig({ env, cwd });

  /** What is said about a configuration that must not be accepted. */
  const failure = (env: Env = {}): ConfigError => {
    try {
      load(env);
    } catch (error) {
      if (error instanceof ConfigError) return error;
      throw error;
    }
    throw new Error('Expected the configuration to be refused');
  };

  return {
    load,
    failure,
    onlyProblem: (env: Env = {}): Problem => {
      const { message, problems } = failure(env);
      const [problem, ...others] = problems;
      if (problem === undefined || others.length > 0) throw new Error(`Expected one problem. ${message}`);
      return problem;
    },
    path: (name: string) => join(cwd, name),
    writeConfig: (text: string, name = 'config.yml') => {
      writeFileSync(join(cwd, name), text);
    },
    removeConfig: () => {
      rmSync(join(cwd, 'config.yml'));
    },
  };
}

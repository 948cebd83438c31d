import { fileURLToPath } from 'node:url';
import { Worker } from 'jest-worker';

const WORKER = fileURLToPath(new URL('run-file.mjs', import.meta.url));
const LOADER = new URL('../ts-loader.mjs', import.meta.url).href;

/**
 * A Jest runner whose workers load the program once and keep it, where Jest's own gives every test file a fresh copy of
 * the whole module graph (4 s a file). What a file needs fresh – a database, an app – it makes itself. Tests run in
 * plain Node by jest-circus, with its timeouts; there is no `jest` object, since nothing here is mocked.
 */
export default class Runner {
  supportsEventEmitters = false;
  isSerial = false;

  constructor(globalConfig) {
    this.globalConfig = globalConfig;
  }

  async runTests(tests, watcher, onStart, onResult, onFailure) {
    const { maxWorkers, testNamePattern, expand } = this.globalConfig;
    const { testTimeout, rootDir, setupFiles, setupFilesAfterEnv } = tests[0].context.config;
    const options = { testNamePattern, expand, testTimeout, rootDir, setupFiles, setupFilesAfterEnv };
    const lanes = Math.min(maxWorkers, tests.length);
    const workers = new Worker(WORKER, {
      exposedMethods: ['runFile'],
      numWorkers: lanes,
      maxRetries: 0,
      forkOptions: { execArgv: ['--enable-source-maps', '--import', LOADER], stdio: 'inherit' },
    });
    const waiting = longestFirst(tests).values();
    const runLane = async () => {
      for (const test of waiting) {
        if (watcher.isInterrupted()) return;
        await onStart(test);
        await workers.runFile(test.path, options).then(
          (result) => onResult(test, result),
          (error) => onFailure(test, { message: error.message, stack: error.stack, type: error.type }),
        );
      }
    };
    try {
      await Promise.all(Array.from({ length: lanes }, runLane));
    } finally {
      await workers.end();
    }
  }
}

/** Whose tests start programs and databases of their own. */
const SLOW = [
  'test/process/',
  'test/platform/db/',
  'test/cli/',
  'test/bot/',
  'test/licensing/downloads-uses',
];

/**
 * What takes long starts early, so that no lane works on when the others have ended. Jest knows the durations of its
 * last run on this machine, and puts the tests in their order; where it has none it only knows how big each file is.
 */
function longestFirst(tests) {
  if (tests.every(({ duration }) => duration !== undefined)) return tests;
  const rank = ({ path }) => SLOW.findIndex((part) => path.includes(part)) >>> 0;
  return tests.toSorted((a, b) => rank(a) - rank(b));
}

/** One real Postgres for the whole run (test/support/global-setup.mjs), one database a test file. */
export default {
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  runner: '<rootDir>/test/support/runner/runner.mjs',
  globalSetup: '<rootDir>/test/support/global-setup.mjs',
  globalTeardown: '<rootDir>/test/support/global-teardown.mjs',
  setupFiles: ['reflect-metadata'],
  setupFilesAfterEnv: ['<rootDir>/test/support/close-afterwards.ts'],
  testTimeout: 120_000,
  maxWorkers: 3,
};

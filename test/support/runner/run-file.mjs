import { relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { jestExpect as expect } from '@jest/expect';
import { createEmptyTestResult } from '@jest/test-result';
import { addEventHandler, getState, resetState, run } from 'jest-circus';
import { formatResultsErrors } from 'jest-message-util';

addEventHandler((event) => {
  if (event.name === 'test_start') {
    expect.setState({ currentTestName: nameOf(event.test), suppressedErrors: [] });
  }
  if (event.name === 'test_done') {
    event.test.numPassingAsserts = expect.getState().numPassingAsserts;
    event.test.errors.push(
      ...expect.getState().suppressedErrors,
      ...expect.extractExpectedAssertionsErrors().map(({ error }) => error),
    );
  }
});

// What nobody caught fails the file that runs, and not the worker.
for (const event of ['uncaughtException', 'unhandledRejection']) {
  process.on(event, (error) => getState().unhandledErrors.push(error));
}

/** Runs one test file and tells what came of it, in Jest's own shape. Modules stay loaded for the next file. */
export async function runFile(path, options) {
  const { testTimeout, testNamePattern, expand, setupFiles, setupFilesAfterEnv } = options;
  resetState();
  Object.assign(getState(), {
    ...{ testTimeout, expand, parentProcess: process },
    testNamePattern: testNamePattern ? new RegExp(testNamePattern, 'i') : null,
  });
  expect.setState({ testPath: path, expand });
  const start = Date.now();
  // With something new behind it, a module is evaluated anew: its tests and hooks are this file's. The same in every
  // run, so that what Node keeps of compiled code does not grow.
  const once = `?${relative(options.rootDir, path)}`;
  for (const setup of setupFiles) await import(pathToFileURL(setup).href);
  for (const setup of setupFilesAfterEnv) await import(pathToFileURL(setup).href + once);
  await import(pathToFileURL(path).href + once);
  const outcome = await run();
  return testResult(path, outcome, start, options);
}

function nameOf(test) {
  const names = [];
  for (let at = test; at?.parent; at = at.parent) names.unshift(at.name);
  return names.join(' ');
}

const STATUS = { skip: 'pending', todo: 'todo', done: 'passed' };

function testResult(testFilePath, { testResults, unhandledErrors }, start, { rootDir }) {
  const results = testResults.map((result) => {
    const [, ...path] = result.testPath;
    const title = path.pop() ?? '';
    return {
      ancestorTitles: path,
      title,
      fullName: [...path, title].join(' '),
      status: result.errors.length > 0 ? 'failed' : (STATUS[result.status] ?? 'passed'),
      duration: result.duration,
      failureMessages: result.errors,
      failureDetails: [],
      invocations: result.invocations,
      location: result.location,
      numPassingAsserts: result.numPassingAsserts,
      retryReasons: [],
    };
  });
  const count = (status) => results.filter((result) => result.status === status).length;
  const end = Date.now();
  return {
    ...createEmptyTestResult(),
    testFilePath,
    testResults: results,
    numFailingTests: count('failed'),
    numPassingTests: count('passed'),
    numPendingTests: count('pending'),
    numTodoTests: count('todo'),
    perfStats: { start, end, runtime: end - start, slow: end - start > 30_000 },
    failureMessage:
      (formatResultsErrors(results, { rootDir, testMatch: [] }, { noStackTrace: false }, testFilePath) ??
        '') + unhandledErrors.join('\n'),
    ...(unhandledErrors.length > 0
      ? { testExecError: { message: '', stack: unhandledErrors.join('\n') } }
      : {}),
  };
}

import { afterAll } from '@jest/globals';
import { closeAll } from './database.js';

/** Evaluated for every test file (jest.config.js): what the file has opened is closed when it has ended. */
afterAll(closeAll, 60_000);

import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { makeDirectory } from '../../src/platform/make-directory.js';
import { temporaryDirectory } from '../support/embedded-postgres-kit.js';

const itOnProc = existsSync('/proc/self') ? it : it.skip;

describe('makeDirectory', () => {
  it('makes what is missing, many times at once, and is content with what is there', async () => {
    const path = join(temporaryDirectory(), 'a', 'b', 'c');
    await Promise.all(Array.from({ length: 20 }, () => makeDirectory(path)));
    await makeDirectory(path);
    await makeDirectory('/');
    expect(statSync(path).isDirectory()).toBe(true);
  });

  it('rejects where a file is in the way', async () => {
    const file = join(temporaryDirectory(), 'file');
    writeFileSync(file, '');
    await expect(makeDirectory(file)).rejects.toMatchObject({ code: 'EEXIST' });
    await expect(makeDirectory(join(file, 'below'))).rejects.toMatchObject({ code: 'ENOTDIR' });
  });

  itOnProc('rejects, and ends, where the system makes none and says that there is none', async () => {
    for (const path of ['/proc/x', '/proc/x/y/z'])
      await expect(makeDirectory(path)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

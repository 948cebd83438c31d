/**
 * Lets a plain `node` run our TypeScript, decorators included: node --import ./test/support/ts-loader.mjs script.ts
 * Node's own type stripping knows neither decorators nor that './x.js' is './x.ts' here.
 */
import { existsSync, readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { transformSync } from '@swc/core';

const root = fileURLToPath(new URL('../..', import.meta.url));

const globals = new URL('./runner/globals.mjs', import.meta.url).href;

registerHooks({
  resolve(specifier, context, nextResolve) {
    // Outside Jest's own runtime that package only says that it must be inside.
    if (specifier === '@jest/globals') return { url: globals, format: 'module', shortCircuit: true };
    if (/^\.{1,2}\/.*\.js$/.test(specifier) && /\.ts(\?|$)/.test(context.parentURL ?? '')) {
      const url = new URL(specifier.replace(/\.js$/, '.ts'), context.parentURL);
      if (existsSync(url)) return { url: url.href, format: 'module', shortCircuit: true };
    }
    return nextResolve(specifier, context);
  },
  load(url, context, nextLoad) {
    if (!url.startsWith('file:') || !/\.ts(\?|$)/.test(url)) return nextLoad(url, context);
    const filename = fileURLToPath(url.split('?')[0]);
    const { code } = transformSync(readFileSync(filename, 'utf8'), {
      filename,
      cwd: root, // where .swcrc is, wherever we were started
      root,
      swcrc: true,
      sourceMaps: 'inline',
    });
    return { format: 'module', source: code, shortCircuit: true };
  },
});

/**
 * Lets a plain `node` run our TypeScript, decorators included: node --import ./test/support/ts-loader.mjs script.ts
 * Node's own type stripping knows neither decorators nor that './x.js' is './x.ts' here.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire, enableCompileCache, registerHooks } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const require = createRequire(import.meta.url);

// The tests start the program dozens of times: what was compiled once, TypeScript and machine code, is kept.
const cache = join(root, 'node_modules/.cache/ts-loader');
mkdirSync(cache, { recursive: true });
enableCompileCache(join(cache, 'v8'));
const salt = readFileSync(join(root, '.swcrc'), 'utf8') + require('@swc/core/package.json').version;

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
    return {
      format: 'module',
      source: compiled(filename, readFileSync(filename, 'utf8')),
      shortCircuit: true,
    };
  },
});

/** The JavaScript of a file, from the cache if this text was compiled before. */
function compiled(filename, text) {
  const name = createHash('sha1').update(`${salt}\0${filename}\0${text}`).digest('hex');
  const path = join(cache, `${name}.js`);
  if (existsSync(path)) return readFileSync(path, 'utf8');
  // Loaded only where there is something to compile: it takes a tenth of a second, and 40 MB.
  const { code } = require('@swc/core').transformSync(text, {
    filename,
    cwd: root, // where .swcrc is, wherever we were started
    root,
    swcrc: true,
    sourceMaps: 'inline',
  });
  // In one step: another process may be reading it.
  writeFileSync(`${path}.${process.pid}`, code);
  renameSync(`${path}.${process.pid}`, path);
  return code;
}

import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ModuleDefinition } from '../define-module.js';
import { BadModule, MODULE_ID, asDefinition, readManifest } from '../module-manifest.rules.js';
import type { ModuleManifest } from '../module-manifest.rules.js';
import type { FoundModule } from '../module.repository.js';
import { bounded, reasonOf } from './bounded.js';

/** A module with its code; without (`undefined`) when it didn't load. */
export type LoadedModule = FoundModule & { readonly definition: ModuleDefinition | undefined };

const ENTRIES = ['index.js', 'index.mjs'];

/** The shipped modules. */
export function shippedModules(definitions: readonly ModuleDefinition[]): LoadedModule[] {
  return definitions.map((definition) => loaded(definition));
}

/**
 * The modules of a directory, one a folder, beside others that are there already. One that doesn't load stands there
 * with its reason. Throws when the directory can't be read.
 */
export async function loadModules(
  directory: string,
  others: readonly LoadedModule[],
  /** How long one may take, in ms. */
  loadMs: number,
): Promise<LoadedModule[]> {
  const found: LoadedModule[] = [];
  for (const id of await foldersOf(directory)) {
    found.push(await loadFolder(join(directory, id), id, [...others, ...found], loadMs));
  }
  return found;
}

async function foldersOf(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  const names = entries
    .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
    .map(({ name }) => name);
  return names.filter((name) => !name.startsWith('.') && name !== 'node_modules').sort();
}

async function loadFolder(
  path: string,
  id: string,
  others: readonly LoadedModule[],
  loadMs: number,
): Promise<LoadedModule> {
  try {
    if (!MODULE_ID.test(id)) {
      throw new BadModule(
        'the folder must be named by small letters, digits and dashes, and not be called core',
      );
    }
    const entry = await entryOf(path);
    // A top-level await may never end.
    const imported: unknown = await bounded(loadMs, () => import(pathToFileURL(entry).href));
    const { default: exported } = imported as { default?: unknown };
    const module = loaded(exported);
    const { manifest } = module;
    if (manifest.id !== id) throw new BadModule(`its id is ${manifest.id}, and its folder is called ${id}`);
    if (others.some((other) => other.manifest.id === id))
      throw new BadModule('there is a module of this id already');
    const taken = manifest.commands.find(({ name }) => commandNames(others).has(name));
    if (taken) throw new BadModule(`another module has a command ${taken.name} already`);
    return module;
  } catch (error) {
    return {
      manifest: nothing(id),
      error: `Its code didn't load: ${reasonOf(error)}`,
      definition: undefined,
    };
  }
}

async function entryOf(path: string): Promise<string> {
  for (const name of ENTRIES) {
    const entry = join(path, name);
    const found = await stat(entry).catch(() => undefined);
    if (found?.isFile()) return entry;
  }
  throw new BadModule(`there is no ${ENTRIES.join(' or ')} in ${path}`);
}

function loaded(exported: unknown): LoadedModule {
  return { manifest: readManifest(exported), error: null, definition: asDefinition(exported) };
}

function commandNames(modules: readonly LoadedModule[]): Set<string> {
  return new Set(modules.flatMap(({ manifest }) => manifest.commands.map(({ name }) => name)));
}

/** What can be said of a module whose code didn't load. */
function nothing(id: string): ModuleManifest {
  return {
    ...{ id, name: id, version: '', author: '', description: '', enabledByDefault: false },
    ...{ groups: [], events: [], commands: [] },
  };
}

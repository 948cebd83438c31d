import { audit } from './audit/audit.module.js';
import type { ModuleDefinition } from './define-module.js';
import { licensing } from './licensing/licensing.module.js';
import { utility } from './utility/utility.module.js';
import { welcome } from './welcome/welcome.module.js';

/** The modules that come with the program. */
export const shipped: readonly ModuleDefinition[] = [audit, licensing, utility, welcome];

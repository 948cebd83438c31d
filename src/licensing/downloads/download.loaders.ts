import { byId } from '../../platform/db/by-id.js';
import { License } from '../licenses/license.entity.js';

export const licenseById = byId(License);
